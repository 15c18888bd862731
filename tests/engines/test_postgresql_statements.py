"""Tables and queries of PostgreSQL models on a real server: everything is created twice, every statement is run.

A statement is prepared, so that the server says of which type each value has to be; then it is executed with values
of those types, and all of it is rolled back. Foreign keys are not held against rows that are not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from app.analysis import analyse
from app.exporters import queries, scripts
from app.importers import read_patterns
from app.model.candidate import Candidate
from app.model.project import Project
from app.model.text import read_yaml
from app.starters import starter
from tests.engines.models import Statements, names, projects, statements
from tests.engines.server import WORKER
from tests.stores.test_postgresql import EVENTS, SHOP
from tests.stores.test_statements_bind import PASTED
from tests.stores.wiring import bench

SCHEMA = f"statements_{WORKER}"
SAMPLES = {
    "uuid": "'00000000-0000-4000-8000-000000000001'",
    "text": "'a'",
    "boolean": "true",
    "timestamp with time zone": "now()",
    "interval": "'1 hour'",
    "date": "'2026-11-30'",
    "jsonb": "'[]'",
    "bytea": "'\\x00'",
    "point": "'(2.17,41.4)'",
    "real[]": "'{1}'",
}
"""A value of each type; numbers are 1, arrays hold one element."""
PARAMETER = re.compile(r"('(?:[^']|'')*')|(?<![:\w]):([A-Za-z_]\w*)")


def parts(text: str) -> Iterator[str]:
    """Statements without their comments."""
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for piece in re.findall(r"(?:'(?:[^']|'')*'|[^;'])+;", bare):
        statement = piece.strip(" \n;")
        if statement and statement not in ("BEGIN", "COMMIT"):
            yield statement


def numbered(statement: str) -> tuple[str, list[str]]:
    """`:name` as `$1`, and the names in their order."""
    found: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return match[1] or f"${found.setdefault(match[2], len(found) + 1)}"

    return PARAMETER.sub(number, statement), list(found)


def sample(kind: str, name: str, project: Project) -> str:
    """A value for a parameter; of an enum one that it may have."""
    if kind == "text":
        fields = [f for e in project.entities for f in e.fields if f.name == name and f.values is not None]
        values = [v for f in fields for v in (f.values.values if f.values is not None else ())]
        return "'" + (values[0] if values else "a") + "'"
    if kind in SAMPLES:
        return SAMPLES[kind]
    if kind.endswith("[]"):
        return f"ARRAY[{sample(kind.removesuffix('[]'), name, project)}]::{kind}"
    return "1"


def run(statement: str, project: Project, connection: Any) -> None:
    """Prepares and executes one statement. Raises what the server says."""
    text, given = numbered(statement)
    connection.execute(f"PREPARE one AS {text}".encode())
    row = connection.execute("SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'one'").fetchone()
    values = [sample(kind, name, project) for kind, name in zip(row[0], given, strict=True)]
    connection.execute(f"EXECUTE one{f' ({chr(44).join(values)})' if values else ''}".encode())


def refusals(model: Statements, connection: Any) -> dict[str, str]:
    """Statement → why the server refuses it."""
    import psycopg  # noqa: PLC0415 (only where an engine is used)

    found: dict[str, str] = {}
    connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}")
    connection.execute("SET session_replication_role = replica")
    for text in (*model.scripts.values(), *model.scripts.values()):
        try:
            connection.execute(text.encode())
        except psycopg.Error as refused:
            found[text] = str(refused)
    for text in model.queries.values():
        for statement in parts(text):
            with connection.transaction(force_rollback=True):
                try:
                    with connection.transaction():
                        run(statement, model.project, connection)
                except psycopg.Error as refused:
                    found[statement] = str(refused)
            connection.execute("DEALLOCATE ALL")
    connection.execute(f"RESET session_replication_role; RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")
    return found


def texts_of(name: str, project: Project, model: Candidate) -> Statements:
    """What one model hands over, by the exporters."""
    report = analyse(project.model_copy(update={"models": (model,)}))
    made = report.models[0]
    texts = {p.operation: queries.query(report, made, p.operation) for p in project.patterns}
    return Statements(name, project, scripts.files(report, made), {k: v for k, v in texts.items() if v})


@cache
def documents() -> tuple[Statements, ...]:
    """Models of documents as tables: lists inside a row, copies, buckets."""
    out = []
    for key, project in projects():
        for model in project.models:
            if model.store != "mongodb":
                continue
            mine = [s for s in model.structures if s.store in ("", "mongodb") and s.of and "{" not in s.name]
            tables = tuple(s.model_copy(update={"store": "", "kind": "table"}) for s in mine)
            moved = model.model_copy(update={"store": "postgresql", "structures": tables})
            out.append(texts_of(f"{key}: {model.name}", project, moved))
    return tuple(out)


def of_shop(model: str) -> Statements:
    """A model whose patterns use every kind of condition and index."""
    made = bench(SHOP, "postgresql", model)
    texts = {p.operation: made.text(p.operation) for p in made.project.patterns}
    return Statements(f"shop: {model}", made.project, made.script, texts)


@pytest.mark.parametrize("model", names("postgresql"))
def test_every_statement_is_accepted(model: str, postgresql: Any) -> None:
    mine = next(s for s in statements("postgresql") if s.name == model)
    assert refusals(mine, postgresql) == {}


@pytest.mark.parametrize("model", [s.name for s in documents()])
def test_documents_as_rows_are_accepted(model: str, postgresql: Any) -> None:
    mine = next(s for s in documents() if s.name == model)
    assert refusals(mine, postgresql) == {}


@pytest.mark.parametrize("model", [*names("postgresql"), *(s.name for s in documents())])
def test_every_table_is_tied_to_the_others(model: str) -> None:
    """A join on nothing pairs every row with every row, and no server refuses it."""
    mine = next(s for s in (*statements("postgresql"), *documents()) if s.name == model)
    assert [k for k, text in mine.queries.items() if "ON true" in text] == []


FOLLOWS = """
keywright: 1
name: Follows
entities:
  - {name: user, count: 1k, fields: [id int64 key, name string]}
  - {name: post, count: 10k, fields: [id int64 key, author_id int64, at datetime]}
  - {name: follow, count: 10k, fields: [follower_id int64 key, followee_id int64 key]}
relationships:
  - {name: author, parent: user, child: post, via: author_id, children: 10}
  - {name: follower, parent: user, child: follow, via: follower_id, children: 10}
  - {name: followee, parent: user, child: follow, via: followee_id, children: 10}
patterns:
  - operation: Timeline
    list: post
    where: "follow.follower_id = :me"
    through: [author, followee]
    order by: post.at desc
    limit: 3
    needs: post.id
  - operation: Reach
    traverse: user
    where: "user.id = :me"
    along: ["follow from follower to followee, 2..3"]
    needs: user.name
"""


def test_walks_and_joins_over_what_is_not_read_find_the_right_rows(postgresql: Any) -> None:
    project = read_yaml(FOLLOWS)
    mine = texts_of("follows", project, starter(project, "postgresql"))
    postgresql.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}")
    for text in mine.scripts.values():
        postgresql.execute(text.encode())
    postgresql.execute("INSERT INTO users SELECT n, 'u' || n FROM generate_series(1, 6) AS n")
    postgresql.execute("INSERT INTO follows VALUES (1, 2), (2, 3), (3, 4), (4, 5), (1, 6)")
    hours = "'2026-01-01'::timestamptz + n * interval '1 h'"
    postgresql.execute(f"INSERT INTO posts SELECT n, 1 + n % 6, {hours} FROM generate_series(1, 36) AS n")
    found = {}
    for operation, text in mine.queries.items():
        asked = PARAMETER.sub(lambda m: m[1] or f"%({m[2]})s", next(parts(text)))
        found[operation] = postgresql.execute(asked.encode(), {"me": 1}).fetchall()
    postgresql.execute(f"RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")
    assert [row[0] for row in found["Timeline"]] == [35, 31, 29]  # of users 2 and 6, newest first
    assert {row[0] for row in found["Reach"]} == {"u3", "u4"}


@pytest.mark.parametrize("pasted", PASTED)
def test_a_pasted_table_s_starter_is_accepted(pasted: str, postgresql: Any) -> None:
    project = read_patterns(PASTED[pasted]).project
    assert refusals(texts_of(pasted, project, starter(project, "postgresql")), postgresql) == {}


@pytest.mark.parametrize("model", ["Tables", "Documents"])
def test_every_kind_of_condition_is_accepted(model: str, postgresql: Any) -> None:
    assert refusals(of_shop(model), postgresql) == {}


# ---------------------------------------------------------------- the right rows come back

USER = "00000000-0000-4000-8000-000000000001"


class Shop:
    """The shop's tables, filled by its own statements."""

    def __init__(self, model: str, connection: Any) -> None:
        self.texts, self.connection = of_shop(model), connection
        connection.execute(
            f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}"
        )
        for text in self.texts.scripts.values():
            connection.execute(text.encode())

    def run(self, operation: str, values: Mapping[str, Any], only: int = -1) -> list[tuple[Any, ...]]:
        """The rows of the last statement, or of the one with this number."""
        rows: list[tuple[Any, ...]] = []
        for at, statement in enumerate(parts(self.texts.queries[operation])):
            if only not in (-1, at):
                continue
            asked = PARAMETER.sub(lambda m: m[1] or f"%({m[2]})s", statement.replace("%", "%%"))
            cursor = self.connection.execute(asked.encode(), values)
            rows = cursor.fetchall() if cursor.description else []
        return rows

    def place(self, number: int, status: str = "open") -> None:
        lines = [{"sku": f"s{n}", "qty": n, "price": 10} for n in range(1, 8)]
        values = {
            "id": f"00000000-0000-4000-9000-{number:012d}", "user_id": USER, "note": None, "tags": ["a", f"t{number}"],
            "total": 280, "line_list": json.dumps(lines),
        }  # fmt: skip
        self.run("Place", values)
        changed = (
            "UPDATE orders SET status = %s, created_at = '2026-01-01'::timestamptz + %s * interval '1 h' WHERE id = %s"
        )
        self.connection.execute(changed, (status, number // 3, values["id"]))


@pytest.fixture
def shop(postgresql: Any) -> Iterator[Shop]:
    made = Shop("Tables", postgresql)
    postgresql.execute("INSERT INTO users VALUES (%s, 'a@b', 'Ann', 0)", (USER,))
    for number in range(1, 26):
        made.place(number, ["open", "paid", "shipped"][number % 3])
    yield made
    postgresql.execute(f"RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")


@pytest.mark.parametrize(("operation", "keys"), [("Newest", ("created_at", "id")), ("Mixed", ("status", "created_at"))])
def test_pages_follow_each_other(shop: Shop, operation: str, keys: tuple[str, ...]) -> None:
    """The rows behind the last one seen, in the order of the first page."""
    first = shop.run(operation, {"u": USER}, 0)
    assert len(first) == 20
    names = ["status", *(k for k in keys if k != "status")]
    last = dict(zip(names, first[-1], strict=True))
    following = shop.run(operation, {"u": USER, **{f"last_{k}": last[k] for k in keys}}, 1)
    assert len(following) == 25 - 20
    assert not set(following) & set(first)


def test_a_page_has_its_parent_and_the_first_children(shop: Shop) -> None:
    row = shop.run("Page", {"o": "00000000-0000-4000-9000-000000000005"})[0]
    assert "Ann" in row
    lines = next(v for v in row if isinstance(v, list) and v and isinstance(v[0], dict))
    assert [line["sku"] for line in lines] == ["s1", "s2", "s3", "s4", "s5"]


def test_figures_and_conditions_hold(shop: Shop) -> None:
    assert shop.connection.execute("SELECT order_count FROM users").fetchone() == (25,)
    assert shop.run("How many", {"u": USER}) == [(25,)]
    assert len(shop.run("Tagged", {"tag": "t7"})) == 1
    assert {row[:2] for row in shop.run("By status", {"u": USER})} == {("open", 8), ("paid", 9), ("shipped", 8)}
    paid = "00000000-0000-4000-9000-000000000001"
    shop.run("Pay", {"o": paid})
    assert shop.connection.execute("SELECT count(*) FROM orders WHERE status = 'paid'").fetchone() == (9,)


def test_an_upsert_meets_the_row_that_is_there(shop: Shop) -> None:
    values = {"email": "a@b", "name": "Beth", "id": "00000000-0000-4000-8000-000000000009", "order_count": 0}
    shop.run("Settle", values)
    assert shop.connection.execute("SELECT name, order_count FROM users").fetchall() == [("Beth", 25)]


def test_children_go_with_their_parent(shop: Shop) -> None:
    shop.run("Forget", {"u": USER})
    assert shop.connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)


@pytest.mark.parametrize(("operation", "partitions"), [("One", 3), ("Lately", 1), ("Last", 1), ("All", 3)])
def test_partitions_are_left_out(operation: str, partitions: int, postgresql: Any) -> None:
    """The server opens the partitions that the planner says: one for a time that is given, or until there is enough."""
    made = bench(EVENTS, "postgresql")
    postgresql.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}")
    postgresql.execute(made.script["m.sql"].encode())
    account = "00000000-0000-4000-8000-000000000001"
    ahead = "date_trunc('month', now()) + n * interval '2 hours'"
    postgresql.execute(
        f"INSERT INTO events SELECT gen_random_uuid(), {ahead}, %s FROM generate_series(1, 900) AS n", (account,)
    )
    postgresql.execute("ANALYZE events")
    values = {"id": account, "a": account, "since": "2099-01-01"}
    values["since"] = postgresql.execute("SELECT max(at) - interval '7 days' FROM events").fetchone()[0]
    statement = next(parts(made.text(operation)))
    asked = PARAMETER.sub(lambda m: m[1] or f"%({m[2]})s", statement)
    rows = postgresql.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {asked}".encode(), values).fetchone()[0]
    assert len(set(opened(rows[0]["Plan"]))) == partitions
    postgresql.execute(f"RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")


def opened(node: Mapping[str, Any]) -> Iterator[str]:
    """Partitions that a plan really read."""
    if "Relation Name" in node and node["Actual Loops"]:
        yield node["Relation Name"]
    for inner in node.get("Plans", ()):
        yield from opened(inner)
