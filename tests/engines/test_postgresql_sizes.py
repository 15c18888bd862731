"""Bytes of rows and index entries as PostgreSQL stores them, against what the planner says of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.server import WORKER
from tests.stores.wiring import bench

ROWS = 20_000
SCHEMA = f"sizes_{WORKER}"
PROJECT = """
keywright: 1
name: Sizes
entities:
  - name: one
    count: 20k
    fields:
{fields}
models:
  - name: Tables
    store: postgresql
    structures: [{{table: ones, of: one, primary key: [one.id]{more}}}]
"""
TABLES = {
    "numbers": (
        "id int64 key, a int32, b bool, c double, d date, e datetime",
        "n, n, true, 1.5, '2026-01-01'::date, now()",
    ),
    "a gap before each wide column": (
        "id int32 key, b bool, c int64, d bool, e datetime",
        "n, true, n, false, now()",
    ),
    "uuids": ("id uuid key, owner uuid, at datetime", "gen_random_uuid(), gen_random_uuid(), now()"),
    "short texts": (
        "id uuid key, name string avg 20, city string avg 12",
        "gen_random_uuid(), rpad('', 10 + n % 21, 'x'), rpad('', 6 + n / 7 % 13, 'y')",
    ),
    "longer texts": (
        "id uuid key, title string avg 90, body text avg 900",
        "gen_random_uuid(), rpad('', 60 + n % 61, 'x'), rpad('', 600 + n * 7 % 601, 'y')",
    ),
    "money": (
        "id int64 key, price decimal avg 8",
        "n, CASE n % 4 WHEN 0 THEN 1234.56 WHEN 1 THEN 123456.78 WHEN 2 THEN 12345.67 ELSE 123.5 END",
    ),
    "often empty": (
        "id int64 key, a string avg 30 present 50%, b int64 present 50%",
        "n, CASE WHEN n % 2 = 0 THEN rpad('', 20 + n / 4 % 21, 'x') END, CASE WHEN n % 4 < 2 THEN n END",
    ),
    "nine columns, one empty": (
        "id int64 key, a int32, b int32, c int32, d int32, e int32, f int32, g int32, h int32 present 50%",
        "n, 1, 2, 3, 4, 5, 6, 7, CASE WHEN n % 2 = 0 THEN 8 END",
    ),
    "arrays of texts": (
        "id int64 key, tags string[] avg 10 items avg 5",
        "n, ARRAY(SELECT rpad(k::text, 10, 'x') FROM generate_series(1, 5) AS k)",
    ),
    "arrays of uuids": (
        "id int64 key, friends uuid[] items avg 20",
        "n, ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 20))",
    ),
}
TOLERANCE = 0.04
PAGE = 8168.0
"""Bytes of a page beside its own header of 24."""


def made(fields: str, values: str, postgresql: Any, more: str = "") -> Any:
    """The model's table, filled; the bench it came from."""
    listed = "\n".join(f"      - {f}" for f in fields.split(", "))
    model = bench(PROJECT.format(fields=listed, more=more), "postgresql")
    postgresql.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}")
    for text in model.script.values():
        postgresql.execute(text.encode())
    columns = ", ".join(f.split()[0] for f in fields.split(", "))
    postgresql.execute(f"INSERT INTO ones ({columns}) SELECT {values} FROM generate_series(1, {ROWS}) AS n".encode())
    postgresql.execute("VACUUM ones")
    return model


def paged(row: float) -> float:
    """Bytes of a row with its share of the page's header and of what is left where no whole row fits any more."""
    return 8192 * row / (PAGE - row / 2)


def size(relation: str, postgresql: Any) -> float:
    """Bytes of a table or index for each row, long values included."""
    row = postgresql.execute(f"SELECT pg_table_size('{relation}'::regclass)").fetchone()
    return float(row[0]) / ROWS


@pytest.fixture(autouse=True)
def _tidy(postgresql: Any) -> Any:
    yield
    postgresql.execute(f"RESET search_path; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


@pytest.mark.parametrize("kind", TABLES)
def test_a_row_is_as_large_as_planned(kind: str, postgresql: Any) -> None:
    fields, values = TABLES[kind]
    model = made(fields, values, postgresql)
    assert paged(model.records[0].size.avg) == pytest.approx(size("ones", postgresql), rel=TOLERANCE)


def test_long_values_lie_out_of_line(postgresql: Any) -> None:
    """Bytes that compression does not make shorter; the pieces of a value leave more of their pages empty than rows."""
    body = "(SELECT string_agg(md5(random()::text || n || k), '') FROM generate_series(1, 150) AS k)"
    model = made("id int64 key, body text avg 4800", f"n, {body}", postgresql)
    assert model.records[0].size.avg == pytest.approx(size("ones", postgresql), rel=0.15)


INDEXES = {
    "a number": ("id int64 key, a int64", "n, n * 7", "[one.a]"),
    "a uuid": ("id int64 key, a uuid", "n, gen_random_uuid()", "[one.a]"),
    "a text": ("id int64 key, a string avg 24", "n, rpad(n::text, 16 + n % 17, 'x')", "[one.a]"),
    "three columns": (
        "id int64 key, a uuid, b datetime",
        "n, gen_random_uuid(), now() + n * interval '1 second'",
        "[one.a, one.b desc, one.id desc]",
    ),
}
FILL = 0.9
"""Share of a leaf page that is filled, so that there is room for more."""


@pytest.mark.parametrize("kind", INDEXES)
def test_an_index_entry_is_as_large_as_planned(kind: str, postgresql: Any) -> None:
    fields, values, keys = INDEXES[kind]
    model = made(fields, values, postgresql, f", indexes: [{{name: by_it, keys: {keys}}}]")
    postgresql.execute("REINDEX INDEX by_it")
    record = model.records[0]
    path = next(p for p in record.paths if p.name == "ones.by_it")
    stats, encoding = model.world.stats, record.dialect.encoding
    inside = sum(encoding.field(p.attr, stats[p.attr].type, stats[p.attr].bytes.avg) for p in path.order)
    assert encoding.entry(inside) == pytest.approx(size("by_it", postgresql) * FILL, rel=0.05)


def test_an_entry_longer_than_the_limit_is_refused(postgresql: Any) -> None:
    import psycopg  # noqa: PLC0415 (only where an engine is used)

    body = "(SELECT string_agg(md5(random()::text || k), '') FROM generate_series(1, 120) AS k)"
    model = made("id int64 key, body text avg 100", "n, 'x'", postgresql, ", indexes: [{keys: [one.body]}]")
    with pytest.raises(psycopg.Error, match=f"maximum {model.store.facts['max_key_bytes'].value:.0f}"):
        postgresql.execute(f"INSERT INTO ones SELECT 100001, {body}".encode())
