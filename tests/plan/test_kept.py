"""Conditions on what is joined decide which records count: they are read, and the limit is filled from what is left."""

from __future__ import annotations

import pytest

from app.analysis import analyse
from app.model.text import read_yaml
from app.plan.read import plan_read
from app.plan.types import Level, Plan
from tests.plan import worlds as w

TEXT = """
keywright: 1
name: Shop
entities:
  - {name: user, count: 1M, fields: [id uuid key, name string avg 20, tier string distinct 20]}
  - {name: order, count: 10M, fields: [id uuid key, user_id uuid, shop string distinct 1000, at datetime]}
  - {name: line, fields: [id uuid key, order_id uuid, sku string distinct 50, qty int32]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
  - {parent: order, child: line, via: order_id, children: {avg: 3, p99: 12, max: 200}}
patterns:
  - {operation: With a product, list: order, where: order.shop = :u and line.sku = :s, order by: order.at desc,
    limit: 20, needs: [order.id, order.at], rate: 10/s}
  - {operation: By gold users, list: order, where: order.shop = :u and user.tier = :t, order by: order.at desc,
    limit: 20, needs: [order.id, order.at], rate: 10/s}
  - {operation: Newest with their gold lines, list: order, where: order.shop = :u, order by: order.at desc, limit: 20,
    needs: [order.id, {what: line, where: line.sku = :s}], rate: 10/s}
  - {operation: How many with a product, count: order, where: order.shop = :u and line.sku = :s, rate: 10/s}
models:
  - name: Documents
    store: mongodb
    structures:
      - {collection: orders, of: order, _id: order.id, indexes: [{keys: [order.shop, order.at desc]}]}
      - {collection: lines, of: line, _id: line.id, indexes: [{keys: [line.order_id]}]}
      - {collection: users, of: user, _id: user.id}
  - name: Items
    store: dynamodb
    structures:
      - {table: orders, of: order, pk: "{order.id}"
        , gsi: [{name: shop, pk: "{order.shop}", sk: "{order.at}", projection: all}]}
      - {table: lines, of: line, pk: "{line.order_id}", sk: "{line.id}"}
      - {table: users, of: user, pk: "{user.id}"}
  - name: Inside
    store: mongodb
    structures:
      - {collection: orders, of: order, _id: order.id, indexes: [{keys: [order.shop, order.at desc]}]
        , embed: [{what: line, as: lines}], copy: [{what: user.tier, refresh: same write}]}
"""


@pytest.fixture(scope="module")
def report() -> object:
    return analyse(read_yaml(TEXT))


def planned(report, model: int, operation: str) -> Plan:  # type: ignore[no-untyped-def]
    found: Plan = report.models[model].plans[operation]
    return found


def text(report, model: int, operation: str) -> str:  # type: ignore[no-untyped-def]
    made = report.models[model]
    pattern = report.project.pattern(operation)
    return str(made.store.query(pattern, made.plans[operation], made.model, report.world))


def test_what_only_decides_is_read_as_well(report: object) -> None:
    """Nothing of the lines is shown, and yet they say which orders count."""
    plan = planned(report, 0, "With a product")
    assert plan.level is Level.JOIN
    assert [s.structure for s in plan.steps] == ["orders", "lines"]
    assert plan.steps[1].required


def test_the_limit_is_filled_from_what_is_kept(report: object) -> None:
    """One user in twenty: 400 orders are read for a page of 20, and their users in lists of a hundred."""
    plan = planned(report, 1, "By gold users")
    first, users = plan.steps
    assert (first.records.avg, first.limit) == (pytest.approx(400), 20)
    assert first.records.high == pytest.approx(400 + 2.33 * (20 * 0.95) ** 0.5 / 0.05)
    assert users.requests.avg == pytest.approx(4)
    assert "0.05 of the order found are kept by what is asked of user: about 400 are read" in " ".join(plan.notes)


def test_one_child_of_several_is_enough(report: object) -> None:
    """Three lines of fifty products: an order has the product with 1 − 0.98³."""
    plan = planned(report, 0, "With a product")
    assert plan.steps[0].records.avg == pytest.approx(20 / (1 - 0.98**3), rel=0.01)


def test_conditions_on_what_is_shown_drop_nothing(report: object) -> None:
    """Orders without such a line are shown without lines."""
    plan = planned(report, 0, "Newest with their gold lines")
    assert plan.steps[0].records.avg == pytest.approx(20)
    assert not any(s.required for s in plan.steps)


def test_what_lies_inside_needs_no_join(report: object) -> None:
    """Embedded lines and a copied tier are judged on the order."""
    assert [s.structure for s in planned(report, 2, "With a product").steps] == ["orders"]
    assert [s.structure for s in planned(report, 2, "By gold users").steps] == ["orders"]


def test_the_limit_stands_behind_what_drops(report: object) -> None:
    """MongoDB joins, drops what found nothing, and takes the first twenty; DynamoDB pages until it has them."""
    joined = text(report, 0, "By gold users")
    assert joined.index("$lookup") < joined.index("user: { $ne: [] }") < joined.index("$limit")
    assert '"Limit"' not in text(report, 1, "By gold users")


def test_a_count_reads_both(report: object) -> None:
    """Neither the orders of the shop nor the lines of the product are the answer alone."""
    for model in (0, 1):
        plan = planned(report, model, "How many with a product")
        assert {s.structure for s in plan.steps} == {"orders", "lines"}


def test_who_sorts_what_several_reads_bring() -> None:
    """No path orders the posts of all followed authors: the application does, and the step says so."""
    plan = plan_read(w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR), w.SOCIAL)
    assert plan.steps[1].note.startswith("sorted by the application (post.")
    assert any(n.startswith("What posts_by_author brings is sorted by the application") for n in plan.notes)
    pushed = plan_read(w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR, w.TIMELINE_TABLE), w.SOCIAL)
    assert not any(s.note for s in pushed.steps)
