"""The workload as the planner sees it: counts, statistics, relationships, figures."""

from math import inf
from pathlib import Path

import pytest

from app.model.spread import ONE, Spread
from app.model.text import read_yaml
from app.plan.types import Edge
from app.plan.ways import fold, place, way
from app.plan.world import build_world
from tests.plan.desk import desk, world


def test_counts_are_typed_derived_or_assumed_and_said_to_be() -> None:
    w = world()
    assert w.counts["order"] == 1e7
    assert w.counts["line_item"] == 3e7  # 10M orders × 3
    assert w.counts["move"] == 86_400  # 1/s kept for a day
    assert w.counts["labelled"] == 2e7
    assert w.counts["mystery"] == 1000
    assert w.unknown_counts == {"mystery"}
    assert w.counts_assumed == {"mystery", "move"}


def test_inflow_comes_from_growth_or_from_inserts() -> None:
    w = world()
    assert w.inflow["order"] == 20
    assert w.inflow["user"] == pytest.approx(2000 / 86_400)
    assert w.keeps["order"] == 7 * 365 * 86_400


def test_children_that_grow_by_themselves_are_an_inflow() -> None:
    text = """
keywright: 1
name: Series
entities:
  - {name: sensor, count: 100k, fields: [id uuid key]}
  - {name: reading, fields: [sensor_id uuid, at datetime]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id, children: {avg: 130k, growth: 1440/day}}
"""
    w = build_world(read_yaml(text))
    assert w.inflow["reading"] == pytest.approx(1e5 * 1440 / 86_400)


def test_distinct_values_of_each_kind_of_attribute() -> None:
    stats = world().stats
    assert stats["order.id"].distinct == 1e7
    assert stats["order.id"].unique
    assert stats["order.buyer_id"].distinct == 1e6  # as many as there are users
    assert stats["order.seller_id"].distinct == 20_000  # only these have orders
    assert stats["order.status"].distinct == 3
    assert dict(stats["order.status"].shares) == {"open": 0.02, "paid": 0.05, "shipped": 0.93}
    assert stats["order.status"].top == 0.93
    assert stats["user.email"].unique
    assert not stats["order.seller_id"].assumed
    assert stats["user.name"].assumed  # nobody said how many names there are


def test_presence_arrays_and_busiest_parents() -> None:
    stats = world().stats
    assert stats["order.coupon"].present == 0.08
    assert stats["order.tags"].elements == 2
    assert stats["order.tags"].items == Spread(2, 0, 10)
    assert stats["order.tags"].type == "string[]"
    assert stats["order.seller_id"].top == pytest.approx(900_000 / 1e7)


def test_sizes_of_values() -> None:
    stats = world().stats
    assert stats["order.buyer_id"].bytes == Spread(16, 16, 16)
    assert stats["user.name"].bytes == Spread(18, 18, 80)
    assert stats["user.email"].bytes == Spread(24, 24, 24)  # no maximum given: what is known bounds it
    assert stats["order.status"].bytes == Spread(5, 7, 7)  # open, paid, shipped


def test_composite_keys_match_pairwise() -> None:
    rel = next(r for r in world().rels if r.child == "move")
    assert rel.key == ("stock.sku", "stock.warehouse")
    assert rel.via == ("move.sku", "move.warehouse")
    assert rel.role == "stock"
    assert rel.children == Spread(30, 0, inf)


def test_many_to_many_is_a_link_with_two_ends() -> None:
    w = world()
    ends = [r for r in w.rels if r.link == "labelled"]
    assert [(r.parent, r.via) for r in ends] == [
        ("order", ("labelled.order_id",)),
        ("label", ("labelled.label_id",)),
    ]
    assert w.fields["labelled"] == ("labelled.order_id", "labelled.label_id")
    assert w.keys["labelled"] == w.fields["labelled"]
    assert ends[1].children.avg == 40_000  # 20M links over 500 labels
    assert ends[1].assumed
    assert w.stats["labelled.order_id"].distinct == 1e7
    assert not w.stats["labelled.order_id"].unique


def test_many_to_many_of_one_entity_names_its_ends() -> None:
    text = """
keywright: 1
name: Friends
entities: [{name: person, count: 100, fields: [id uuid key]}]
relationships: [{name: knows, from: person, to: person, out: {avg: 5}}]
"""
    w = build_world(read_yaml(text))
    assert w.fields["knows"] == ("knows.from_id", "knows.to_id")
    assert {r.role for r in w.rels} == {"from", "to"}


def test_figures_come_from_computed_fields() -> None:
    (total,) = world().figures
    assert total.name == "=order.total_cents"
    assert total.of == "order"
    assert total.rel.child == "line_item"
    assert total.reads == {"line_item.qty", "line_item.unit_price_cents"}
    assert "order.total_cents" not in world().fields["order"]


def test_a_figure_over_a_sibling_reaches_all_its_holders(shared: Path) -> None:
    w = build_world(read_yaml((shared / "projects/chat.yaml").read_text()))
    unread = next(f for f in w.figures if f.name == "=member.unread")
    assert (unread.rel.key, unread.rel.via) == (("member.room_id",), ("message.room_id",))
    assert unread.rel.up == Spread(4.4, 80, 10_000)  # members of a room: all their counts change


def test_own_columns_by_role_and_never_by_guess() -> None:
    w = world()
    assert w.own("order", "buyer.id") == "order.buyer_id"
    assert w.own("order", "seller.id") == "order.seller_id"
    assert w.own("order", "user.id") == "user.id"  # buyer or seller: not told
    assert w.own("line_item", "order.id") == "line_item.order_id"
    assert w.own("order", "line_item.order_id") == "order.id"
    assert w.own("labelled", "label.id") == "labelled.label_id"


def test_keys_and_links_never_change() -> None:
    w = world()
    assert {"order.id", "stock.sku", "labelled.label_id"} <= w.immutable
    assert "order.status" not in w.immutable
    assert w.monotonic == {"order.created_at"}
    assert w.made_by["order"] == "client"
    assert w.made_by["move"] == "server"  # an integer of its own is a sequence
    assert w.soft_delete == {"note": "note.deleted_at"}
    assert frozenset({"stock.sku", "stock.warehouse"}) in w.unique_together["stock"]


def test_an_edit_of_a_read_keeps_the_world_and_an_edit_of_an_entity_does_not() -> None:
    one = desk()
    more = one.model_copy(update={"patterns": (*one.patterns, desk("{operation: R, list: order}").patterns[-1])})
    assert build_world(more) is build_world(one)
    faster = one.model_copy(update={"patterns": desk("{operation: W, insert: order, rate: 5/s}").patterns})
    assert build_world(faster) is not build_world(one)
    renamed = one.model_copy(update={"entities": one.entities[1:]})
    assert build_world(renamed) is not build_world(one)


def test_a_kind_has_what_it_is_a_kind_of_has() -> None:
    text = """
keywright: 1
name: Contents
entities:
  - {name: content, fields: [id uuid key, title string avg 20]}
  - {name: article, is a: content, count: 100, fields: [body text avg 4 KB]}
  - {name: video, is a: content, count: 50, fields: [seconds int32]}
"""
    w = build_world(read_yaml(text))
    assert w.fields["article"] == ("article.id", "article.title", "article.body")
    assert w.keys["video"] == ("video.id",)
    assert w.kinds == {"content": ("article", "video")}
    assert w.counts["content"] == 150


@pytest.mark.parametrize(
    ("anchor", "name", "steps"),
    [
        ("order", "buyer", [("buyer", False)]),
        ("order", "line_item", [("order", True)]),
        ("line_item", "buyer", [("order", False), ("buyer", False)]),
        ("order", "label", [("order", True), ("label", False)]),
        ("order", "labelled", [("order", True)]),
        ("order", "order", []),
    ],
)
def test_ways(anchor: str, name: str, steps: list[tuple[str, bool]]) -> None:
    found = way(world(), anchor, name)
    assert not found.why
    assert [(e.rel.role, e.down) for e in found.edges] == steps


def test_ways_that_are_a_question() -> None:
    assert way(world(), "order", "user").why == "user may be reached from order by buyer or by seller: name the role"
    assert "a relationship is missing" in way(world(), "order", "mystery").why
    assert place(world(), "order", "order.colour").why == "order has no field colour"


def test_a_key_is_read_where_it_is_nearest() -> None:
    spot = fold(place(world(), "line_item", "order.id"))
    assert (spot.attr, spot.edges) == ("line_item.order_id", ())
    far = fold(place(world(), "line_item", "buyer.id"))
    assert far.attr == "order.buyer_id"
    assert [e.down for e in far.edges] == [False]


def test_edges_meet_as_many_as_there_are() -> None:
    down = Edge(world().rels[0], True)
    assert down.count == Spread(10, 120, 5000)
    assert down.back().count == ONE


def test_every_shared_project_makes_a_world(shared: Path) -> None:
    for folder in ("projects", "cases"):
        for path in sorted((shared / folder).glob("*.yaml")):
            project = read_yaml(path.read_text())
            w = build_world(project)
            assert set(w.counts) >= {e.name for e in project.entities}, path.name
            assert all(r.parent in w.fields and r.child in w.fields for r in w.rels), path.name
