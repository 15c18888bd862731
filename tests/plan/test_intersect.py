"""Several paths for one conjunction, walked side by side: an engine that keeps the order they share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.plan.read import plan_read
from app.plan.types import Combine, Dialect, Level, Plan, Use
from app.stores.postgresql.dialect import DIALECT as POSTGRESQL
from tests.plan.notation import read_case

SIDE_BY_SIDE: Dialect = replace(
    POSTGRESQL,
    store="postgresql",
    combine=Combine(most=30, alike=True),
    residual=Use.REFUSED,
    sort=Use.REFUSED,
    later=Use.REFUSED,
    lead=Use.REFUSED,
    skips=False,
    reverse=False,
)
"""Firestore's rules: nothing filters, nothing sorts; indexes merge where they go on alike."""


def plan(indexes: list[list[str]], where: list[str], order: list[str] | None = None, limit: str = "0") -> Plan:
    body = {"indexes": indexes, "where": where, "order by": order or [], "limit": limit, "expect": {}}
    case = read_case("postgresql", "case", body, SIDE_BY_SIDE)
    return plan_read(case.query, [case.record], case.world)


def test_two_equalities_are_served_by_two_paths() -> None:
    found = plan([["user_id"], ["region"]], ["user_id = 7", "region = r2"])
    assert found.level is Level.INDEX_RANGE
    assert found.steps[0].path == "orders.index1 & orders.index2"
    assert found.records.avg == pytest.approx(5)


def test_the_order_they_share_is_kept_and_reading_stops() -> None:
    alike = [["user_id", "-created_at"], ["status", "-created_at"]]
    found = plan(alike, ["user_id = 7", "status = s1"], ["-created_at"], "5")
    step = found.steps[0]
    assert (step.order, found.records.avg) == ("stored", pytest.approx(5))
    assert step.keys == pytest.approx(2 * 50 * 5 / 10)
    assert "in no order" not in " ".join(found.notes)


def test_paths_that_go_on_differently_do_not_merge() -> None:
    found = plan([["user_id", "created_at"], ["status"]], ["user_id = 7", "status = s1"], ["created_at"])
    assert found.level is Level.IMPOSSIBLE
    assert {m.code for m in found.misses} & {"filter", "order"}


def test_as_many_paths_as_the_engine_takes() -> None:
    indexes, where = [["user_id"], ["region"], ["status"]], ["user_id = 7", "region = r2", "status = s1"]
    assert plan(indexes, where).steps[0].path.count("&") == 2
    two = replace(SIDE_BY_SIDE, combine=Combine(most=2, alike=True))
    case = read_case("postgresql", "case", {"indexes": indexes, "where": where, "expect": {}}, two)
    assert plan_read(case.query, [case.record], case.world).level is Level.IMPOSSIBLE


def test_the_paths_are_all_named_as_used() -> None:
    found = plan([["user_id"], ["region"]], ["user_id = 7", "region = r2"])
    assert {"orders.index1", "orders.index2"} <= {s.path for s in found.every_step}
