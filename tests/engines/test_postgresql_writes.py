"""Writes of PostgreSQL as they are handed over, made on a real server: rows and index entries as the plan counts them.

Rows by the server's own statistics of the transaction, entries by looking into the pages of each index
(`pageinspect`); an index keeps one item for each entry, so that they can be counted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from app.plan.types import Plan
from tests.engines.server import WORKER
from tests.engines.test_postgresql_statements import PARAMETER, parts
from tests.plan.test_cases import CASES
from tests.stores.wiring import Bench, bench

SCHEMA = f"writes_{WORKER}"
WRITES: Mapping[str, Any] = yaml.safe_load(Path(CASES / "postgresql/writes/entries.yaml").read_text(encoding="utf-8"))
SHOP: Mapping[str, Any] = {
    "keywright": 1,
    "name": "Shop",
    "entities": [
        {
            "name": "customer",
            "count": 10,
            "fields": ["id int32 key", "name string avg 10", "orders_placed int32"],
        },
        {
            "name": "order",
            "count": 100,
            "fields": [
                "id int32 key",
                "customer_id int32",
                {"name": "status", "type": "enum", "values": {"open": "50%", "paid": "30%", "sent": "20%"}},
                "total int32",
                "note string avg 10 present 50%",
                "created_at int32",
                {"name": "lines", "type": "int32", "computed": "count(line)"},
            ],
        },
        {
            "name": "line",
            "count": 300,
            "fields": ["order_id int32 key", "n int32 key", "sku string avg 8", "qty int32"],
        },
    ],
    "relationships": [
        {"parent": "customer", "child": "order", "via": "customer_id", "children": "exactly 10"},
        {"parent": "order", "child": "line", "via": "order_id", "children": "exactly 3", "on delete": "cascade"},
    ],
}
GIVEN = {
    "id": 1, "customer_id": 3, "status": "open", "total": 777, "note": "A new note", "created_at": 5, "order_id": 7,
    "n": 9, "sku": "cup", "qty": 2, "name": "Ada", "customer_name": "Ada", "lines": 0,
}  # fmt: skip
RANDOM = int(os.environ.get("KEYWRIGHT_RANDOM", "30"))
NEW = 1000
"""Keys of new orders start here."""
OPS = {"put": "inserted", "set": "updated", "add": "updated", "remove": "deleted"}
Figures = dict[str, dict[str, float]]
"""By table: rows inserted, updated, updated without an entry, deleted; entries by index."""


def shop(case: Mapping[str, Any]) -> Bench:
    customers = {"table": "customers", "of": "customer", "primary key": ["customer.id"]}
    orders = {"table": "orders", "of": "order", "primary key": ["order.id"], **case["orders"]}
    lines = {"table": "lines", "of": "line", "primary key": ["line.order_id", "line.n"]}
    model = {"name": "Tables", "store": "postgresql", "structures": [customers, orders, lines]}
    body = {**SHOP, "patterns": [{"operation": "W", "rate": "1/s", **case["write"]}], "models": [model]}
    return bench(yaml.safe_dump(body, sort_keys=False), "postgresql")


def expected(case: Mapping[str, Any]) -> Figures:
    out: Figures = {}
    for table, figures in case["expect"].items():
        rows = {k: float(v) for k, v in figures.items() if k != "entries"}
        out[table] = rows | {k: float(v) for k, v in figures.get("entries", {}).items()}
    return out


def planned(plan: Plan, inserts: float) -> Figures:
    """What the plan says, in the server's words; `inserts`: share of an upsert that does."""
    out: dict[str, Counter[str]] = {}
    for t in plan.touches:
        found = out.setdefault(t.structure, Counter())
        count = t.count.avg
        new = inserts if t.op == "set" and t.structure == "orders" else 0.0
        found["inserted"] += count * new
        found[OPS[t.op]] += count * (1 - new)
        for path, entries in t.entries.items() if t.op != "remove" else ():
            found[path.partition(".")[2].replace("pkey", f"{t.structure}_pkey")] += count * entries
        # a chain on the page needs no entry: as many as the new rows among them make are for those
        if OPS[t.op] == "updated" and t.entries.get(f"{t.structure}.pkey", 0.0) <= new:
            found["hot"] += count * (1 - new)
    return {table: {k: v for k, v in figures.items() if v} for table, figures in out.items()}


@pytest.mark.parametrize("name", WRITES)
def test_planned(name: str) -> None:
    case = WRITES[name]
    inserts = float(str(case["write"].get("inserts", "0%")).removesuffix("%")) / 100
    assert planned(shop(case).plan("W"), inserts) == {t: pytest.approx(f) for t, f in expected(case).items()}


# ---------------------------------------------------------------- on the server


@pytest.fixture
def place(postgresql: Any) -> Iterator[Any]:
    postgresql.execute("CREATE EXTENSION IF NOT EXISTS pageinspect")
    postgresql.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
    postgresql.execute(f"SET search_path = {SCHEMA}, public")
    yield postgresql
    postgresql.execute(f"RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")


@pytest.mark.parametrize("name", WRITES)
def test_on_the_server(name: str, place: Any) -> None:
    """As many rows and entries as expected, on average over the runs."""
    assert made_on(place, WRITES[name]) == expected(WRITES[name])


@st.composite
def writes(draw: st.DrawFn) -> Mapping[str, Any]:
    """A change of an order that was open, half of which have a note, or a new one, which has it where it is said."""
    fields = [f"order.{f}" for f in ("customer_id", "total", "note", "created_at", "status")]
    indexes = []
    for n in range(draw(st.integers(1, 3))):
        keys = draw(st.lists(st.sampled_from(fields), min_size=1, max_size=2, unique=True))
        made: dict[str, Any] = {"name": f"index{n}", "keys": keys}
        if draw(st.booleans()):
            made["where"] = draw(st.sampled_from(("order.status = 'open'", "order.note is not null")))
        if draw(st.integers(0, 3)) == 0:
            made["include"] = [draw(st.sampled_from([f for f in fields if f not in keys]))]
        indexes.append(made)
    sets = {"order.total": ":total", "order.note": ":note", "order.customer_id": ":customer_id"}
    chosen = draw(st.lists(st.sampled_from([*sets, "order.status"]), min_size=1, max_size=2, unique=True))
    status = draw(st.sampled_from(("open", "paid", "sent")))
    told = {f: sets.get(f, status) for f in chosen}
    if draw(st.integers(0, 3)) == 0:
        write: dict[str, Any] = {"insert": "order", "set": {**told, "order.status": status}}
        noted = "order.note" in told
        return {"orders": {"indexes": indexes}, "write": write, "runs": [{} if noted else {"note": None}]}
    write = {"update": "order", "where": "order.id = :id and order.status = 'open'", "set": told}
    return {"orders": {"indexes": indexes}, "write": write, "runs": [{"id": 3}, {"id": 4}]}


def test_random_writes(place: Any) -> None:
    """Random changes of orders with random indexes write the entries that the plan counts."""

    @seed(20261130)
    @settings(max_examples=RANDOM, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(writes())
    def run(case: Mapping[str, Any]) -> None:
        place.execute(f"DROP SCHEMA {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
        plan = shop(case).plan("W")
        assert made_on(place, case) == {t: pytest.approx(f) for t, f in planned(plan, 0).items()}, case

    run()


def made_on(place: Any, case: Mapping[str, Any]) -> Figures:
    """What the writes of a case change, on average."""
    made = shop(case)
    for text in made.script.values():
        place.execute(text.encode())
    for (index,) in place.execute("SELECT indexname FROM pg_indexes WHERE schemaname = %s", (SCHEMA,)).fetchall():
        place.execute(f"ALTER INDEX {index} SET (deduplicate_items = off)")
    fill(place)
    total: dict[str, Counter[str]] = {}
    runs = case.get("runs", [{}])
    for n, values in enumerate(runs):
        new = {"id": NEW + n} if "insert" in case["write"] else {}
        for table, figures in written(place, made.text("W"), {**GIVEN, **new, **values}).items():
            total.setdefault(table, Counter()).update(figures)
    found = {t: {k: v / len(runs) for k, v in f.items() if v} for t, f in total.items()}
    return {t: f for t, f in found.items() if f}


def fill(place: Any) -> None:
    """The rows, with room on each page for the new versions of them."""
    for table in ("customers", "orders", "lines"):
        place.execute(f"ALTER TABLE {table} SET (fillfactor = 50)")
    place.execute(
        "INSERT INTO customers (id, name, orders_placed) SELECT i, 'c' || i, 10 FROM generate_series(1, 10) i"
    )
    place.execute(
        "INSERT INTO orders (id, customer_id, status, total, note, created_at) SELECT i, i % 10 + 1,"
        " CASE WHEN i % 10 BETWEEN 1 AND 5 THEN 'open' WHEN i % 10 BETWEEN 6 AND 8 THEN 'paid' ELSE 'sent' END,"
        " i, CASE WHEN i % 2 = 0 THEN 'note ' || i END, i FROM generate_series(1, 100) i"
    )
    place.execute("INSERT INTO lines SELECT i, j, 'sku', 1 FROM generate_series(1, 100) i, generate_series(1, 3) j")


def written(place: Any, text: str, values: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """What one write changes: the difference of the figures before and after it."""
    from psycopg import Rollback  # noqa: PLC0415 (only where an engine is used)

    with place.transaction():
        before = figures(place)
        for statement in parts(text):
            place.execute(*bound(statement, values))
        after = figures(place)
        raise Rollback
    for table, found in after.items():
        found.subtract(before[table])
    return after


def bound(statement: str, values: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """`:name` as the driver takes it."""
    text = PARAMETER.sub(lambda m: m[1] or f"%({m[2]})s", statement.replace("%", "%%"))
    return text.encode(), dict(values)


def figures(place: Any) -> dict[str, Counter[str]]:
    rows = place.execute(
        "SELECT relname, pg_stat_get_xact_tuples_inserted(oid), pg_stat_get_xact_tuples_updated(oid),"
        " pg_stat_get_xact_tuples_hot_updated(oid), pg_stat_get_xact_tuples_deleted(oid)"
        " FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace",
        (SCHEMA,),
    ).fetchall()
    words = ("inserted", "updated", "hot", "deleted")
    found = {table: Counter(dict(zip(words, counts, strict=True))) for table, *counts in rows}
    indexes = place.execute("SELECT tablename, indexname FROM pg_indexes WHERE schemaname = %s", (SCHEMA,)).fetchall()
    for table, index in indexes:
        found[table][index] = entries(place, index)
    return found


def entries(place: Any, index: str) -> int:
    """Items on the leaves of a B-tree, without the high key that each but the last has."""
    pages = place.execute("SELECT pg_relation_size(%s::regclass) / 8192", (index,)).fetchone()[0]
    said = "SELECT type, live_items + dead_items, btpo_next FROM bt_page_stats(%s, %s)"
    found = [place.execute(said, (index, n)).fetchone() for n in range(1, pages)]
    return sum(items - (after != 0) for kind, items, after in found if kind == "l")
