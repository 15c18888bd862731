"""What must hold for any read over any keys: the search finds the cheapest steps, and figures stay within bounds."""

from __future__ import annotations

from itertools import permutations
from math import inf
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.spread import Spread
from app.plan.read import plan_read
from app.plan.search import Edge, shortest, undominated
from app.plan.types import AccessPath, Cond, Held, Kind, Level, NeedNode, Part, Query, Record
from tests.plan.dialects import dialect_of
from tests.plan.notation import COUNT, STATS, world

STORES = ("mongodb", "dynamodb", "cassandra", "redis", "postgresql")
ATTRS = sorted(a for a in STATS if STATS[a].elements == 1)


def edge(gives: int, asks: int, cost: int) -> Edge:
    read = cast(Any, SimpleNamespace(how="each"))
    return Edge(gives, asks, float(cost), read)


EDGES = st.lists(
    st.builds(edge, st.integers(1, 31), st.sampled_from([0, 0, 1, 2, 4, 8]), st.integers(1, 20)), max_size=5
)


def exhaustive(edges: list[Edge], goal: int) -> float:
    """The cheapest sequence of any length, by trying all."""
    least = inf
    for n in range(1, len(edges) + 1):
        for order in permutations(edges, n):
            mask, cost = 0, 0.0
            for e in order:
                if e.asks & ~mask:
                    break
                mask, cost = mask | e.gives, cost + e.cost
            else:
                if mask & goal == goal:
                    least = min(least, cost)
    return least


@given(EDGES, st.integers(1, 31))
def test_search_is_exhaustive(edges: list[Edge], goal: int) -> None:
    """The shortest path over masks costs what the best of all sequences costs, and misses what none gives."""
    done, cost, reached = shortest(undominated(edges), 0, goal)
    least = exhaustive(edges, goal)
    assert (done is None) == (least == inf)
    if done is not None:
        assert cost == least
        assert reached & goal == goal


@st.composite
def reads(draw: st.DrawFn) -> tuple[Query, Record]:
    store = draw(st.sampled_from(STORES))
    dialect = dialect_of(store)
    named = draw(st.lists(st.sampled_from(ATTRS), max_size=3, unique=True))
    ops = sorted(dialect.ops)
    where = tuple(Cond(f"order.{a}", draw(st.sampled_from(ops)), draw(st.sampled_from([1, 3]))) for a in named)
    order = tuple(
        (f"order.{a}", draw(st.sampled_from([1, -1])))
        for a in draw(st.lists(st.sampled_from(ATTRS), max_size=2, unique=True))
    )
    need = NeedNode("order", frozenset({"order.total"}), where=where, order=order, strong=draw(st.booleans()))
    limit = draw(st.sampled_from([0.0, 10.0]))
    matched = Spread(draw(st.sampled_from([0.1, 5.0, 900.0])), 1000, inf)
    query = Query("q", "list", (need,), matched, limit, draw(st.sampled_from([0.0, 40.0])) if limit else 0.0)
    flat = store in ("mongodb", "postgresql")
    paths = [AccessPath("scan", "order", scan=True, kind="scan")] if store != "redis" else []
    paths.append(AccessPath("key", "order", *keys(draw, flat), unique=True, primary=True))
    for i in range(draw(st.integers(0, 2))):
        holds = draw(st.sampled_from([None, frozenset(), frozenset({"order.total"})]))
        lag = draw(st.sampled_from([0, 1]))
        paths.append(AccessPath(f"index{i}", "order", *keys(draw, flat), holds, strong=not lag, lag=lag, kind="index"))
    return query, Record("orders", "orders", "order", (Held("order"),), tuple(paths), dialect, Spread(300, 900, 4000))


def keys(draw: st.DrawFn, flat: bool) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    attrs = draw(st.lists(st.sampled_from(ATTRS), min_size=1, max_size=3, unique=True))
    made = tuple(Part(f"order.{a}", draw(st.sampled_from([1, -1])), column=i) for i, a in enumerate(attrs))
    return ((), made) if flat else (made[:1], made[1:])


@given(reads())
def test_any_read_has_a_plan_or_a_reason(read: tuple[Query, Record]) -> None:
    """A plan has steps with figures in bounds; no plan has a reason in words."""
    query, record = read
    plan = plan_read(query, (record,), world())
    if plan.level is Level.IMPOSSIBLE:
        assert plan.misses
        assert all(m.what and "{" not in m.what for m in plan.misses)
        return
    assert plan.steps
    assert 0 <= plan.records.avg <= COUNT * len(plan.steps) * (1 + 1e-6)
    assert plan.records.avg <= plan.records.high * (1 + 1e-9) <= plan.records.max * (1 + 1e-6)
    assert plan.requests.avg >= 1
    assert plan.rounds >= 1
    for step in plan.steps:
        assert step.match is not None
        assert all(w.kind is not None and w.kind <= Kind.POINTS for w in step.match.partition)
        assert step.level <= plan.level


@pytest.mark.parametrize("store", STORES)
def test_scan_of_everything(store: str) -> None:
    """Without conditions everything is read, or there is no way in."""
    need = NeedNode("order", frozenset({"order.total"}))
    paths = (AccessPath("scan", "order", scan=True, kind="scan"),)
    record = Record("orders", "orders", "order", (Held("order"),), paths, dialect_of(store))
    plan = plan_read(Query("q", "list", (need,), Spread(COUNT)), (record,), world())
    assert (plan.level, plan.records.avg) == (Level.SCAN, COUNT)
