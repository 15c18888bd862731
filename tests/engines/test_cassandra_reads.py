"""The read cases of Cassandra, held against a real server: it accepts what a plan serves and refuses the rest.

What is served is asked as it is written for the user. The trace tells how the server got there: partitions read, an
index asked, the ring walked; and how many rows it read. What is refused is asked as typed, and the server's reason is
one of the plan's.

The server is a 2.1: each case is planned by the rules of that version. Where those of today differ, they accept more,
and `app.stores.cassandra.dialect.veto_2` says what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from app.model.workload import Pattern
from app.plan.read import plan_read
from app.plan.types import Kind, Level, Plan, Step, Walked, World
from app.stores import STORES
from tests.engines.orders import orders, value
from tests.engines.server import WORKER
from tests.plan import collection, wide
from tests.plan.dialects import dialect_of
from tests.plan.notation import OPS, STATS, component, read_case
from tests.plan.test_cases import cases

SPACE = f"keywright_test_orders_{WORKER}"
CASES = [p for p in cases() if p.values[0] == "cassandra"]
NEWER = frozenset({
    "cassandra/partition/key in not last",
    "cassandra/clustering/clustering in middle",
    "cassandra/clustering/list in the middle, equality last",
})  # fmt: skip
"""Accepted since 3.0: a list in any place of a key (CASSANDRA-4762, CASSANDRA-8613)."""
LOOSER = frozenset({"cassandra/indexes/index and a clustering column without the key"})
"""Accepted by 2.1, refused today: a clustering column beside an index was no filter (SelectStatement of 2.1)."""
REASONS = {
    r"^line \d": "partition gap filter type",
    r"Partitioning column .* cannot be restricted": "partition",
    r"Partition key part \w+ must be restricted": "partition",
    r"Only EQ and IN relation are supported on the partition key": "partition",
    r"Partition KEY part \w+ cannot be restricted by IN": "points",
    r"Clustering column .* cannot be restricted by an IN": "points",
    r"IN predicates on non-primary-key columns": "points",
    r"with IN clause for the PRIMARY KEY": "partition filter",
    r"PRIMARY KEY column .* cannot be restricted": "gap",
    r"No indexed columns present": "filter type partition",
    r"involve data filtering": "filter gap partition",
    r"ORDER BY is only supported when the partition key is restricted": "order partition",
    r"[Oo]rder by|ORDER BY": "order",
    r"Cannot use CONTAINS": "type",
}
"""What the server says when it refuses, and the reasons of a plan that mean it."""
READ = re.compile(r"Read (\d+) live and (\d+) tombstoned")


def column(name: str) -> str:
    """`day = at|day desc` is a column of its own; `-created_at` is created_at."""
    own, equals, _ = name.partition(" = ")
    return own if equals else name.lstrip("-")


def type_of(name: str) -> str:
    if name == "at":
        return "timestamp"
    if name in LISTS:
        return "set<text>" if name == "tags" else "set<int>"
    return "int" if isinstance(value(name, 0), int) and name != "name" else "text"


LISTS = ("tags", "scores")


def table(name: str, body: Mapping[str, Any]) -> Iterator[str]:
    """CREATE TABLE with a column per field, and the indexes."""
    partition, stored = (list(body.get(k, ())) for k in ("partition", "stored"))
    keys = [column(k) for k in (*partition, *stored)]
    static, indexed = body.get("static", ()), [i[0].removesuffix("[]") for i in body.get("indexes", ())]
    named = [c.split()[0] for c in body.get("where", ())]
    plain = [f for f in STATS if f not in LISTS or f in (*indexed, *named)]
    typed = ", ".join(f"{c} {type_of(c)}{' STATIC' if c in static else ''}" for c in dict.fromkeys([*keys, *plain]))
    key = ", ".join([f"({', '.join(column(k) for k in partition)})", *(column(k) for k in stored)])
    ways = ", ".join(f"{column(k)} {'DESC' if descending(k) else 'ASC'}" for k in stored)
    order = f" WITH CLUSTERING ORDER BY ({ways})" if ways else ""
    yield f"CREATE TABLE {name} ({typed}, PRIMARY KEY ({key})){order}"
    for index in indexed:
        yield f"CREATE INDEX ON {name} ({index})"


def descending(key: str) -> bool:
    return component(key, 0)[0].dir < 0


def condition(text: str) -> str:
    """`total >= 4000` in CQL."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    raw = rest.removeprefix(op).strip()
    if op == "between":
        low, high = raw.split(",")
        return f"{attr} >= {_literal(attr, low)} AND {attr} <= {_literal(attr, high)}"
    if op == "contains":
        return f"{attr} CONTAINS '{raw}'"
    if op != "in":
        return f"{attr} {op} {_literal(attr, raw)}"
    first, dots, last = raw.partition("..")
    listed: Sequence[str] = [str(n) for n in range(int(first), int(last) + 1)] if dots else raw.split(",")
    return f"{attr} IN ({', '.join(_literal(attr, v) for v in listed)})"


def _literal(attr: str, raw: str) -> str:
    if type_of(attr) == "text":
        return f"'{raw}'"
    return raw.removesuffix("h")


def bound(step: Step) -> list[str]:
    """One of the requests the plan makes: its buckets one by one, then what it binds of the clustering key."""
    assert step.match is not None
    fixed = [_fixed(w) for w in step.match.partition]
    return fixed + [_fixed(w) for w in step.match.order if w.tight and w.kind is not None]


def _fixed(walked: Walked) -> str:
    part = walked.part
    name = part.name or part.attr.rpartition(".")[2]
    one = _literal(name, "1")
    return f"{name} >= {one}" if walked.kind is Kind.SPAN else f"{name} = {one}"


def selects(name: str, body: Mapping[str, Any], plan: Plan, world: World) -> Iterator[str]:
    """What the server is asked: as written for the user where a plan serves it, as typed where none does."""
    if plan.level is Level.IMPOSSIBLE:
        yield from typed(name, body)
    elif any(" = " in k for k in body["partition"]):
        limit = f" LIMIT {body['limit']}" if "limit" in body else ""
        yield f"SELECT * FROM {name} WHERE {' AND '.join(bound(plan.steps[0]))}{_turned(body, plan)}{limit}"
    else:
        text = STORES["cassandra"].query(pattern(body), plan, wide.model(body, "2.1"), world)
        bare = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
        yield from (" ".join(s.split()).replace("FROM orders", f"FROM {name}") for s in bare.split(";") if s.strip())


def pattern(body: Mapping[str, Any]) -> Pattern:
    said: dict[str, Any] = {"operation": "Case", "list": "order", "needs": "order"}
    if where := " and ".join(map(collection.sql, body.get("where", ()))):
        said["where"] = where
    if "order by" in body:
        said["order by"] = ", ".join(f"order.{a.lstrip('-')}{' desc' if a[0] == '-' else ''}" for a in body["order by"])
    if "limit" in body:
        said["limit"] = body["limit"]
    return Pattern.model_validate(said)


def typed(name: str, body: Mapping[str, Any], more: str = "") -> Iterator[str]:
    """The read as somebody would type it, one statement for each branch of an `or`."""
    asked = [f"{a.lstrip('-')} {'DESC' if a[0] == '-' else 'ASC'}" for a in body.get("order by", ())]
    order = f" ORDER BY {', '.join(asked)}" if asked else ""
    limit = f" LIMIT {body['limit']}" if "limit" in body else ""
    for branch in body.get("any of", [[]]):
        where = [condition(c) for c in (*body.get("where", ()), *branch)]
        yield f"SELECT * FROM {name}" + (f" WHERE {' AND '.join(where)}" if where else "") + order + limit + more


def _turned(body: Mapping[str, Any], plan: Plan) -> str:
    if plan.steps[0].order != "reversed":
        return ""
    return " ORDER BY " + ", ".join(f"{column(k)} {'ASC' if descending(k) else 'DESC'}" for k in body["stored"])


class Desk:
    """Tables of one shape are made once; rows come as cases want to read them."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.made: dict[str, str] = {}
        self.whole: set[str] = set()
        """Tables with all rows."""

    def table(self, body: Mapping[str, Any]) -> str:
        shape = json.dumps([body.get(k) for k in ("partition", "stored", "indexes", "static")])
        shape += str([c for c in body.get("where", ()) if c.split()[0] in LISTS])
        if shape not in self.made:
            name = self.made[shape] = f"orders_{len(self.made)}"
            for statement in table(name, body):
                self.session.execute(statement)
        return self.made[shape]

    def fill(self, name: str, body: Mapping[str, Any], *, whole: bool) -> None:
        """The rows of the partitions that are read, and some others; `whole`: all rows."""
        if name in self.whole:
            return
        if whole:
            self.whole.add(name)
        keys = [column(k) for k in (*body["partition"], *body.get("stored", ()))]
        more = [i[0].removesuffix("[]") for i in body.get("indexes", ())]
        named = dict.fromkeys([*keys, *more])
        put = self.session.prepare(f"INSERT INTO {name} ({', '.join(named)}) VALUES ({', '.join('?' * len(named))})")
        fixed = [c for c in body.get("where", ()) if c.split()[0] in body["partition"]]
        rows = [r for n, r in enumerate(orders()) if whole or n < OTHERS or all(met(r, c) for c in fixed)]
        for future in [self.session.execute_async(put, [_stored(r[c]) for c in named]) for r in rows]:
            future.result()


OTHERS = 100


def _stored(one: Any) -> Any:
    return set(one) if isinstance(one, list) else one


def met(row: Mapping[str, Any], text: str) -> bool:
    attr, op, raw = text.split(" ", 2)
    return str(row[attr]) in (raw.split(",") if op == "in" else [raw])


@pytest.fixture(scope="module")
def space(cassandra: Any) -> Iterator[Desk]:
    cassandra.execute(f"DROP KEYSPACE IF EXISTS {SPACE}")
    cassandra.execute(
        f"CREATE KEYSPACE {SPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        " AND durable_writes = false"
    )
    cassandra.set_keyspace(SPACE)
    yield Desk(cassandra)
    cassandra.execute(f"DROP KEYSPACE {SPACE}")


def planned(name: str, body: Mapping[str, Any], version: str) -> tuple[Plan, World]:
    case = read_case("cassandra", name, body, dialect_of("cassandra", version))
    return plan_read(case.query, [case.record], case.world), case.world


def known(body: Mapping[str, Any]) -> bool:
    """Does a 2.1 know what the case is about?"""
    return "views" not in body and not any(isinstance(i, Mapping) for i in body.get("indexes", ()))


@pytest.mark.parametrize(("store", "name", "body"), [p for p in CASES if known(p.values[2])])
def test_case(store: str, name: str, body: Mapping[str, Any], space: Desk, request: pytest.FixtureRequest) -> None:
    """The server accepts every request of a plan and reads what was planned; it refuses what the plan refuses."""
    plan, world = planned(name, body, "2.1")
    today, _ = planned(name, body, body.get("version", ""))
    assert (today.level is not plan.level) == (request.node.callspec.id in NEWER)
    made = space.table(body)
    asked = list(selects(made, body, plan, world))
    if plan.level is Level.IMPOSSIBLE and request.node.callspec.id in LOOSER:
        assert not any(refusal(space.session, s) for s in asked)
        return
    if plan.level is Level.IMPOSSIBLE:
        refused = [why for s in asked if (why := refusal(space.session, s))]
        assert refused, asked
        assert all(reasons(why) & {m.code for m in plan.misses} for why in refused if "any of" not in body), (
            refused,
            plan,
        )
        return
    derived = any(" = " in k for k in body["partition"])
    if not derived:
        space.fill(made, body, whole=plan.level in (Level.SCATTER, Level.SCAN) or bool(body.get("indexes")))
    events = [e for s in asked for e in trace(space.session, s)]
    as_planned(plan, events, counted=not derived)


@pytest.mark.parametrize(("store", "name", "body"), [p for p in CASES if "filtering" in p.values[2]])
def test_filtering(store: str, name: str, body: Mapping[str, Any], space: Desk) -> None:
    """Whether a 2.1 takes the statement with ALLOW FILTERING."""
    (statement,) = typed(space.table(body), body, " ALLOW FILTERING")
    assert bool(refusal(space.session, statement)) == (body["filtering"] == "refused")


def test_deleted_rows_are_read_over(space: Desk) -> None:
    """A queue in a partition: whoever reads its head reads every row deleted before it, one after the other."""
    space.session.execute("CREATE TABLE queue (p int, a int, v int, PRIMARY KEY (p, a))")
    for a in range(60):
        space.session.execute("INSERT INTO queue (p, a, v) VALUES (1, %s, 1)", [a])
    for a in range(50):
        space.session.execute("DELETE FROM queue WHERE p = 1 AND a = %s", [a])
    found = {}
    for where in ("p = 1", "p = 1 AND a >= 50"):
        events = trace(space.session, f"SELECT * FROM queue WHERE {where} LIMIT 5")
        found[where] = next((int(m[1]), int(m[2])) for e in events if (m := READ.match(e)))
    live, dead = found["p = 1"]
    assert live <= 6
    assert dead >= 50
    assert found["p = 1 AND a >= 50"][1] == 0


def refusal(session: Any, statement: str) -> str:
    """Why the server refuses a statement; "" where it would run it."""
    from cassandra import InvalidRequest  # noqa: PLC0415 (only where an engine is used)
    from cassandra.protocol import SyntaxException  # noqa: PLC0415

    try:
        session.prepare(statement)
    except InvalidRequest as refused:
        return str(refused)
    except SyntaxException as refused:
        return str(refused.message)
    return ""


def reasons(message: str) -> set[str]:
    return {code for text, codes in REASONS.items() if re.search(text, message) for code in codes.split()}


def trace(session: Any, statement: str) -> list[str]:
    from cassandra.query import SimpleStatement  # noqa: PLC0415 (only where an engine is used)

    answer = session.execute(SimpleStatement(statement, fetch_size=None), trace=True)
    return [e.description for e in answer.get_query_trace().events]


def as_planned(plan: Plan, events: Sequence[str], *, counted: bool) -> None:
    """The ring is walked, an index asked or partitions read as planned, with about as many rows."""
    steps = [b for s in plan.steps for b in (s.branches or (s,))]
    indexed = any(s.match is not None and s.match.path.kind == "index" for s in steps)
    assert any(e.startswith("Executing indexed scan") for e in events) == indexed, events
    assert any(e.startswith("Executing seq scan") for e in events) == (plan.level is Level.SCAN), events
    if not counted:
        return
    read = sum(rows(events, r"_idx$" if indexed else ""))
    if not indexed and plan.level is not Level.SCAN:
        parts = sum(e.startswith("Executing single-partition query") for e in events)
        assert parts == sum(s.partitions for s in steps), events
    assert abs(read - plan.records.avg) <= 0.2 * plan.records.avg + SPARE, (read, plan.records, events)


def rows(events: Sequence[str], of: str) -> Iterator[int]:
    """Rows read, query by query; `of`: only of tables whose names are like this. An index is a table too."""
    reads = True
    for event in events:
        if event.startswith("Executing single-partition query on "):
            reads = re.search(of, event) is not None
        elif reads and (m := READ.match(event)):
            yield int(m[1])


SPARE = 6
"""Rows by which small partitions differ from the average."""
