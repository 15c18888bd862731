"""Choosing by what is billed and sent, not by the number of records alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.model.spread import Spread
from app.plan.read import plan_read
from app.plan.types import Plan, Query
from tests.plan import worlds as w
from tests.plan.notation import read_case


def page(size: float) -> Plan:
    return plan_read(w.order_page(), w.orders_rows(size), w.ORDERS)


@pytest.mark.parametrize(
    ("size", "requests", "units"),
    [
        # 12 items of 200 bytes: 2,400 bytes in one Query are one unit; the head and three lines apart are two
        (200, 1, 1),
        (900, 1, 3),
        # 12 items of 20,000 bytes are 59 units; the head by its key is 5, three lines are 15
        (20_000, 2, 20),
    ],
)
def test_head_and_lines_with_history_between(size: float, requests: float, units: float) -> None:
    """One interval of sort keys with what lies between, or two requests: it flips with the size of the items."""
    steps = [s for s in page(size).steps if "user" not in s.records_of]
    assert sum(s.requests.avg for s in steps) == requests
    assert sum(s.units for s in steps) == pytest.approx(units)
    cheaper = {"collection"} if requests == 1 else {"first"}
    assert {s.how for s in steps} == cheaper


def test_units_are_rounded_as_they_are_billed() -> None:
    """Ten small records by key are ten units; in one page they are one."""
    keyed = {"partition": ["user_id"], "stored": ["id"], "size": "100", "expect": {}}
    ranged = read_case("dynamodb", "page", {**keyed, "where": ["user_id = 7"]}, w.D)
    plan = plan_read(ranged.query, [ranged.record], ranged.world)
    assert (plan.units, plan.records.avg) == (1, 50)
    listed = read_case("dynamodb", "keys", {"partition": ["id"], "where": ["id in 1,2,3"], "expect": {}}, w.D)
    assert plan_read(listed.query, [listed.record], listed.world).units == pytest.approx(1.5)


@pytest.mark.parametrize(("size", "how"), [(200, "server"), (20_000, "list")])
def test_a_server_join_or_a_list_by_the_client(size: float, how: str) -> None:
    """A server joins one parent to each of its children again and again; a client asks for it once. Small parents are
    read ten times sooner than a second request is made, large ones are not."""
    buyers = 4.0
    world = replace(w.ORDERS, counts={**w.ORDERS.counts, "user": buyers}, memo={})
    by_seller = (("seller", (), ("order.seller_id",), (), False, True),)
    orders = w.record("orders", "orders", "order", w.M, ("order.id",), indexes=by_seller)
    users = w.record("users", "users", "user", w.M, ("user.id",), size=Spread(size))
    needs = (
        w.need("order", {"order.status"}, where=(w.eq("order.seller_id"),)),
        w.need("user", {"user.name"}, w.up(w.BUYER), 0),
    )
    plan = plan_read(Query("Sold", "list", needs, Spread(10)), (orders, users), world)
    assert [s.how for s in plan.steps] == ["first", how]
