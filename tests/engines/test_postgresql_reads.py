"""The read cases of PostgreSQL, held against a real server: what it can do, and what it does of itself.

Two answers are judged. *Served by*: with sequential scans off (and bitmaps and sorts, where the plan says they are not
needed), the server enters the same index by the same columns, filters the same, sorts no more, and looks at as many
rows. *Likely*: with every setting as it comes, it takes the path that the plan calls likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import pytest

from app.plan.read import plan_read
from app.plan.types import Level, Plan, Step
from tests.engines import rows
from tests.engines.rows import Found
from tests.engines.test_postgresql_statements import PARAMETER, parts
from tests.plan.dialects import dialect_of
from tests.plan.notation import read_case
from tests.plan.test_cases import cases
from tests.stores.wiring import bench

CASES = [p for p in cases() if p.values[0] == "postgresql"]
KNOWN: Mapping[str, str] = {}
"""Where this server does otherwise than a plan calls likely, and why."""
BITMAP = ("gin", "text")
"""Kinds of index that are read into a bitmap; a hash is where it is given a list."""


@pytest.fixture(scope="module")
def table(postgresql: Any) -> Iterator[Any]:
    rows.create(postgresql)
    yield postgresql
    postgresql.execute("DROP TABLE orders")


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_served_by(store: str, name: str, body: Mapping[str, Any], table: Any) -> None:
    """The server can read by the path the planner names, needs no more sorts, and looks at as many rows."""
    case = read_case(store, name, body, dialect_of(store))
    plan = plan_read(case.query, [case.record], case.world)
    step = plan.steps[0]
    with rows.tried(table):
        rows.create_indexes(table, body)
        rows.set_to(table, able(step))
        found = rows.explained(table, rows.select(body, step.ask))
    assert differences(step, found, body) == [], (found, step)


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_likely(store: str, name: str, body: Mapping[str, Any], table: Any, request: pytest.FixtureRequest) -> None:
    """What the server does of itself is what the planner calls likely."""
    case = read_case(store, name, body, dialect_of(store))
    plan = plan_read(case.query, [case.record], case.world)
    with rows.tried(table):
        rows.create_indexes(table, body)
        found = rows.explained(table, rows.select(body, plan.steps[0].ask))
    differs = otherwise(plan, found, best=rows.ranked(body) is not None)
    known = KNOWN.get(request.node.callspec.id)
    assert bool(differs) == bool(known), (differs or f"no longer differs: {known}", found)


MEMBERS, FOLLOWS, DEPTH = 3000, 6, 3
NET = """
keywright: 1
name: Net
entities:
  - {{name: member, count: {members}, fields: [id int32 key, name string avg 10]}}
  - {{name: follow, count: {links}, fields: [follower_id int32 key, followee_id int32 key]}}
relationships:
  - {{name: follower, parent: member, child: follow, via: follower_id, children: exactly {follows}}}
  - {{name: followee, parent: member, child: follow, via: followee_id, children: {{avg: {follows}, p99: 13, max: 20}}}}
patterns:
  - operation: Reach
    traverse: member
    where: "member.id = :id"
    along: ["follow from follower to followee, 1..{depth}"]
    needs: [member.id]
    rate: 1/s
models:
  - name: Tables
    store: postgresql
    structures:
      - {{table: members, of: member, primary key: [member.id]}}
      - {{table: follows, of: follow, primary key: [{key}]}}
"""
"""Everybody follows six others, picked at random."""
ENTERED = "follow.follower_id, follow.followee_id"
TURNED = "follow.followee_id, follow.follower_id"


@pytest.mark.parametrize("key", [ENTERED, TURNED])
def test_walk(key: str, postgresql: Any) -> None:
    """A recursive query probes the index once per node it stands on, or reads the whole table at each depth."""
    text = NET.format(members=MEMBERS, links=MEMBERS * FOLLOWS, follows=FOLLOWS, depth=DEPTH, key=key)
    made = bench(text, "postgresql")
    plan = made.plan("Reach")
    (walk,) = (s for s in plan.steps if s.structure == "follows")
    with rows.tried(postgresql):
        for script in made.script.values():
            postgresql.execute(script.encode())
        follow(postgresql)
        rows.set_to(postgresql, {"enable_hashjoin": "off", "enable_mergejoin": "off"} if key == ENTERED else {})
        (statement,) = parts(made.text("Reach"))
        query = rows.Sql(PARAMETER.sub(lambda m: m[1] or f"%({m[2]})s", statement))
        looked = [rows.looked_at(postgresql, query, {"id": n}, "follows") for n in range(1, 21)]
    met = sum(looked) / len(looked)
    assert plan.level is (Level.TRAVERSAL if key == ENTERED else Level.SCAN)
    assert met == pytest.approx(walk.records.avg, rel=0.15)


def follow(connection: Any) -> None:
    connection.execute(
        f"INSERT INTO members SELECT i, 'm' || i FROM generate_series(1, {MEMBERS}) i;"
        "SELECT setseed(0.7);"
        "INSERT INTO follows (follower_id, followee_id) SELECT DISTINCT i, 1 + (random() * "
        f"{MEMBERS - 1})::int FROM generate_series(1, {MEMBERS}) i, generate_series(1, {FOLLOWS}) j;"
        "ANALYZE members; ANALYZE follows"
    )


def able(step: Step) -> Mapping[str, str]:
    """Settings under which the server does what it can rather than what it finds cheapest."""
    off = {"enable_seqscan": "off"}
    listed = kind_of(step) == "hash" and any("a list" in b for b in step.bounds)
    if not (step.branches or step.merged or kind_of(step) in BITMAP or listed):
        off["enable_bitmapscan"] = "off"
    if step.branches or step.merged:
        off["enable_indexonlyscan"] = "off"  # one index that holds all of it may be cheaper than several
    if step.order != "sorted":
        off["enable_sort"] = "off"
    if step.order not in ("sorted", "partial"):
        off["enable_incremental_sort"] = "off"
    return off


def kind_of(step: Step) -> str:
    return step.match.path.kind if step.match else ""


def leaves(step: Step) -> Sequence[Step]:
    """The paths that a step unites or intersects."""
    inner = step.branches or step.merged
    return [leaf for s in inner for leaf in leaves(s)] if inner else [step]


def indexes(step: Step) -> set[str]:
    """The indexes a step reads, as the server calls them."""
    steps = leaves(step)
    names = {s.path.partition(".")[2].partition(":")[0] for s in steps} - {""}
    return {n.replace("pkey", "orders_pkey") for n in names}


def walked(step: Step) -> set[str]:
    """The columns in whose order a step reads."""
    return {p.attr.removeprefix("order.") for p in step.match.path.order} if step.match else set()


def columns(step: Step, what: str) -> set[str]:
    steps = leaves(step)
    return {t.split()[0].removeprefix("order.") for s in steps for t in getattr(s, what)}


def differences(step: Step, found: Found, body: Mapping[str, Any], chance: float = 3) -> list[str]:
    out = []
    limit, scan = float(body.get("limit", 0)), not indexes(step)
    if (step.merged or step.branches) and found.indexes < indexes(step):
        return []  # it can, and finds it dearer: what is likely is judged apart
    if not scan and found.indexes != indexes(step):
        out.append(f"indexes {found.indexes}, planned {indexes(step)}")
    bounds = columns(step, "bounds") | columns(step, "checks")
    if found.bounded - cursor(body) - said(body) != bounds - said(body):
        out.append(f"index conditions on {found.bounded}, planned {bounds}")
    left = {t.split()[0].removeprefix("order.") for t in step.residual}
    if "or" in left:
        left = left - {"or"} | {t.split()[0] for branch in body["any of"] for t in branch}
    judged = found.filtered - again(step) - cursor(body)
    spared = any(s.merged for s in step.branches)  # an index less, and a filter more, where it finds that cheaper
    if not spared and judged != left - again(step) - cursor(body):
        out.append(f"filters on {found.filtered}, planned {left}")
    planned = "sorted" if rows.ranked(body) else step.order
    if found.order != (planned if planned in ("sorted", "partial") else "none"):
        out.append(f"{found.nodes}, planned order {step.order}")
    if found.covered != step.covered:
        out.append(f"{found.nodes} with {found.fetches} fetches, planned covered {step.covered}")
    if limit and left & walked(step):
        return out  # how soon the limit is filled depends on where in the order lies what is left out
    keys = step.records.avg if len(step.merged) > len(indexes(step)) else step.keys  # GIN intersects inside itself
    shared = any(s.merged for s in step.branches) and found.entries < keys  # what branches share is read once
    if not (scan or shared or columns(step, "checks") or near(found.entries, keys, limit, chance)):
        out.append(f"{found.entries} entries, planned {keys}")
    if not near(found.heap, step.records.avg, limit, chance):
        out.append(f"{found.heap} rows, planned {step.records.avg}")
    return out


def said(body: Mapping[str, Any]) -> set[str]:
    """Columns whose condition is that of a partial index: the server does not ask it again."""
    only = {t for i in rows.indexes_of(body) for t in i.get("only", ())}
    return {t.split()[0] for t in body.get("where", ()) if t in only}


def cursor(body: Mapping[str, Any]) -> set[str]:
    """Columns that say where the page before ended; the plan is that of any page."""
    return {a.lstrip("-") for a in body["order by"]} if "after" in body else set()


def again(step: Step) -> set[str]:
    """Columns that the server judges once more: starts of texts, and what an expression stands for."""
    conds = {c.attr for c in step.conds if c.op in ("prefix", "match")}
    bound = {w.part.attr for w in step.match.order if w.tight and not w.part.kept.exact} if step.match else set()
    return {a.removeprefix("order.") for a in conds | bound if a.removeprefix("order.") in columns(step, "bounds")}


def otherwise(plan: Plan, found: Found, best: bool = False) -> list[str]:
    """`best`: the query sorts by rank, which no plan calls an order."""
    step = plan.likely or plan.steps[0]
    out = []
    if found.indexes != indexes(step):
        out.append(f"indexes {found.indexes}, likely {indexes(step) or 'the table'}")
    planned = "sorted" if best else step.order
    if found.order != (planned if planned in ("sorted", "partial") else "none"):
        out.append(f"{found.nodes}, likely order {step.order}")
    return out


def near(got: float, planned: float, limit: float, chance: float = 3) -> bool:
    """Within 15 % and a dozen; what stops at a limit varies by chance, here up to three standard deviations."""
    luck = (chance - 3) * sqrt(planned)
    if 0 < limit < planned:
        kept = limit / planned
        luck = chance * sqrt(limit * (1 - kept)) / kept
    return abs(got - planned) <= 12 + 0.15 * planned + luck
