"""The read cases of Cassandra, held against a real server: it accepts what a plan serves and refuses the rest.

The server is a 2.1: each case is planned by the rules of that version. Where those of today differ, they accept more,
and `app.stores.cassandra.dialect.veto_2` says what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from app.plan.read import plan_read
from app.plan.types import Kind, Level, Plan, Record, Step, Walked
from tests.engines.orders import value
from tests.engines.server import WORKER
from tests.plan.dialects import dialect_of
from tests.plan.notation import OPS, STATS, component, read_case
from tests.plan.test_cases import cases

SPACE = f"keywright_test_orders_{WORKER}"
CASES = [p for p in cases() if p.values[0] == "cassandra"]
NEWER = frozenset({
    "cassandra/partition/key in not last",
    "cassandra/clustering/clustering in middle",
})  # fmt: skip
"""Accepted since 3.0: a list in any place of a key (CASSANDRA-4762, CASSANDRA-8613)."""


def column(name: str) -> str:
    """`day = at|day desc` is a column of its own; `-created_at` is created_at."""
    own, equals, _ = name.partition(" = ")
    return own if equals else name.lstrip("-")


def type_of(name: str) -> str:
    if name == "at":
        return "timestamp"
    return "int" if isinstance(value(name, 0), int) and name != "name" else "text"


def table(name: str, body: Mapping[str, Any]) -> Iterator[str]:
    """CREATE TABLE with a column per field, and the indexes."""
    partition, stored = (list(body.get(k, ())) for k in ("partition", "stored"))
    keys = [column(k) for k in (*partition, *stored)]
    columns = dict.fromkeys([*keys, *(f for f in STATS if f not in ("tags", "scores"))])
    typed = ", ".join(f"{c} {type_of(c)}" for c in columns)
    key = ", ".join([f"({', '.join(column(k) for k in partition)})", *(column(k) for k in stored)])
    ways = ", ".join(f"{column(k)} {'DESC' if descending(k) else 'ASC'}" for k in stored)
    order = f" WITH CLUSTERING ORDER BY ({ways})" if ways else ""
    yield f"CREATE TABLE {name} ({typed}, PRIMARY KEY ({key})){order}"
    for index in body.get("indexes", ()):
        yield f"CREATE INDEX ON {name} ({index[0]})"


def descending(key: str) -> bool:
    return component(key, 0)[0].dir < 0


def condition(text: str) -> str:
    """`total >= 4000` in CQL."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    raw = rest.removeprefix(op).strip()
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


def selects(name: str, body: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """What the server is asked: as planned where the plan serves it, as typed where it does not."""
    limit = f" LIMIT {body['limit']}" if "limit" in body else ""
    made = any(" = " in k or "{" in k for k in body.get("partition", ()))
    served = plan.level is not Level.IMPOSSIBLE
    branches = [[*body.get("where", ()), *b] for b in body.get("any of", [[]])]
    for branch in branches:
        where = bound(plan.steps[0]) if made and served else [condition(c) for c in branch]
        asked = f"SELECT * FROM {name}" + (f" WHERE {' AND '.join(where)}" if where else "")
        yield asked + _order(body, plan, served) + limit


def _order(body: Mapping[str, Any], plan: Plan, served: bool) -> str:
    """Rows come as they lie, so only the reverse is asked for; it names the whole clustering key."""
    if not served and "order by" in body:
        ways = [(a.lstrip("-"), a[0] == "-") for a in body["order by"]]
    elif served and plan.steps[0].order == "reversed":
        ways = [(column(k), not descending(k)) for k in body["stored"]]
    else:
        return ""
    return " ORDER BY " + ", ".join(f"{a} {'DESC' if down else 'ASC'}" for a, down in ways)


@pytest.fixture(scope="module")
def space(cassandra: Any) -> Iterator[Any]:
    cassandra.execute(
        f"CREATE KEYSPACE {SPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    )
    cassandra.set_keyspace(SPACE)
    yield cassandra
    cassandra.execute(f"DROP KEYSPACE {SPACE}")


def planned(name: str, body: Mapping[str, Any], version: str) -> tuple[Plan, Record]:
    case = read_case("cassandra", name, body, dialect_of("cassandra", version))
    return plan_read(case.query, [case.record], case.world), case.record


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], space: Any, request: pytest.FixtureRequest) -> None:
    """The server accepts every request of a plan, and refuses what the plan calls impossible."""
    from cassandra import InvalidRequest  # noqa: PLC0415 (only where an engine is used)

    mine = request.node.callspec.id
    plan, _ = planned(name, body, "2.1")
    today, _ = planned(name, body, body.get("version", ""))
    assert (today.level is not plan.level) == (mine in NEWER)
    number = next(n for n, p in enumerate(CASES) if p.id == mine)
    for statement in table(f"orders_{number}", body):
        space.execute(statement)
    refusals = []
    asked = list(selects(f"orders_{number}", body, plan))
    for statement in asked:
        try:
            space.execute(statement)
        except InvalidRequest as refused:
            refusals.append(str(refused))
    assert not [r for r in refusals if "ndefined" in r or "nknown" in r], refusals
    assert bool(refusals) == (plan.level is Level.IMPOSSIBLE), (asked, refusals, plan.misses)
