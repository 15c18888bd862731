"""From the words of a candidate model to key parts, conditions and shapes."""

from math import inf
from pathlib import Path
from typing import Any

import pytest

from app.model.candidate import Structure
from app.model.spread import ONE, Spread
from app.model.text import read_yaml
from app.plan import lay
from app.plan.types import Held
from app.plan.world import build_world
from tests.plan.desk import world


def thing(body: str, store: str = "mongodb", kind: str = "collection") -> Structure:
    text = f"keywright: 1\nname: M\nmodels: [{{name: m, store: {store}, structures: [{{{kind}: c, {body}}}]}}]\n"
    return read_yaml(text).models[0].structures[0]


def shape(body: str, of: str = "order") -> tuple[Held, ...]:
    return lay.shape(thing(f"of: {of}, {body}"), of, world())


def seen(nodes: tuple[Held, ...]) -> list[tuple[Any, ...]]:
    return [(h.entity, h.how, h.up, None if h.attrs is None else set(h.attrs), h.age) for h in nodes]


# ---------------------------------------------------------------- keys


def test_parts_of_a_template_share_a_column() -> None:
    made = lay.parts(thing('pk: "O#{order.buyer_id}#{order.id}"', "dynamodb", "table").pk, "order", world())
    assert [(p.literal, p.attr, p.column) for p in made] == [
        ("O#", "", 0),
        ("", "order.buyer_id", 0),
        ("#", "", 0),
        ("", "order.id", 0),
    ]


def test_parts_of_a_list_have_a_column_each() -> None:
    key = thing("clustering key: [order.created_at desc, day = order.created_at|day]", "cassandra", "table")
    made = lay.parts(key.clustering_key, "order", world(), at=2)
    assert [(p.attr, p.dir, p.column, p.name) for p in made] == [
        ("order.created_at", -1, 2, ""),
        ("order.created_at", 1, 3, "day"),
    ]
    assert made[1].kept.bucket == 86_400


@pytest.mark.parametrize(
    ("path", "of", "attr"),
    [
        ("order.id", "order", "order.id"),
        ("buyer.id", "order", "order.buyer_id"),
        ("order.id", "line_item", "line_item.order_id"),
        ("label.id", "labelled", "labelled.label_id"),
        ("order.total_cents", "order", "=order.total_cents"),
        ("buyer.name", "order", "user.name"),
        ("order.colour", "order", "order.colour"),
    ],
)
def test_attributes_are_own_columns_where_they_can_be(path: str, of: str, attr: str) -> None:
    assert lay.column(of, path, world()) == attr


def test_arrays_have_an_entry_per_element() -> None:
    index = thing("of: order, indexes: [{keys: [order.tags, order.id, line_item.sku]}]").indexes[0]
    made = lay.parts(index.keys, "order", world())
    assert [p.many for p in made] == [True, False, True]


def test_hashed_parts_keep_no_order() -> None:
    key = thing("of: order, shard key: [order.buyer_id hashed]").shard_key
    (made,) = lay.parts(key, "order", world())
    assert made.kept.order == 0
    assert made.kept.exact


def test_partial_and_sparse_indexes() -> None:
    body = "of: order, indexes: [{keys: [order.coupon, order.id], where: \"order.status in ('open', 'paid')\"}]"
    index = thing(body).indexes[0]
    (only,) = lay.conds(index.where, "order", world())
    assert (only.attr, only.op, only.share) == ("order.status", "in", pytest.approx(0.07))
    assert only.source is not None
    (there,) = lay.sparse(lay.parts(index.keys, "order", world()), world())
    assert (there.attr, there.op, there.share) == ("order.coupon", "not null", 0.08)


def test_projections() -> None:
    w = world()
    assert lay.holds(("all",), "order", w) is None
    assert lay.holds(("keys",), "order", w) == frozenset()
    assert lay.holds(None, "order", w) == frozenset()
    assert lay.holds(("order.status", "order.total_cents"), "order", w) == {"order.status", "=order.total_cents"}


def test_stored_names() -> None:
    made = lay.stored_names(thing("of: user, attributes: {user.name: n}"), "user", world())
    assert made == {"user.id": "id", "user.name": "n", "user.email": "email"}


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("300 s", 300),
        ("10 min", 600),
        ("60 s sliding", 60),
        ("300 s jitter 10%", 300),
        ("30 days after cart.updated_at", 2_592_000),
        ("at cart.expires_at", 0),
        ("none", 0),
        ("", 0),
        ("a while", 0),
    ],
)
def test_time_to_live(text: str, seconds: float) -> None:
    assert lay.ttl_seconds(text) == seconds


def test_what_a_time_to_live_says_besides() -> None:
    assert lay.ttl("60 s sliding").sliding
    assert lay.ttl("300 s jitter 10%").jitter == 0.1
    assert lay.ttl("30 days after cart.updated_at").after == "cart.updated_at"
    assert lay.ttl("at cart.expires_at").at == "cart.expires_at"
    assert lay.ttl("none").none
    assert lay.ttl("at cart.expires_at").expires
    assert lay.ttl("a while").unclear
    assert not lay.ttl("").unclear


@pytest.mark.parametrize(
    ("text", "age"),
    [("never", inf), ("same write", 0), ("same transaction", 0), ("", 0), ("async within 10 min", 600), ("async", inf)],
)
def test_how_old_a_copy_may_be(text: str, age: float) -> None:
    assert lay.refresh_age(text) == age


def test_a_copy_that_runs_out_is_as_old_as_it_lives() -> None:
    assert lay.refresh_age("on expiry", "300 s") == 300
    assert lay.refresh_age("on expiry") == inf


# ---------------------------------------------------------------- shapes


def test_own_fields_and_a_list_of_them() -> None:
    assert seen(shape("_id: order.id")) == [("order", "own", -1, None, 0)]
    assert seen(shape("fields: [order.status]")) == [("order", "own", -1, {"order.status"}, 0)]
    assert seen(shape("fields: none")) == [("order", "own", -1, set(), 0)]
    listed = shape("fields: [order.status, order.total_cents]")[0]
    assert (listed.attrs, listed.computed) == ({"order.status"}, {"=order.total_cents"})


def test_embeds_with_all_they_say() -> None:
    nodes = shape(
        "embed: [{what: line_item, as: items, max: 200, beyond: refuse, first: 10, order by: line_item.qty desc, "
        "fields: [line_item.sku]}]"
    )
    line = nodes[1]
    assert (line.how, line.name, line.limit, line.beyond, line.first) == ("embed", "items", 200, "refuse", 10)
    assert line.order == (("line_item.qty", -1),)
    assert line.attrs == {"line_item.sku"}
    assert line.edge
    assert line.edge.down


def test_what_is_inside_an_embed_hangs_below_it() -> None:
    nodes = lay.shape(
        thing(
            "of: user, embed: [{what: order, fields: none, embed: [{what: line_item}], copy: [{what: seller.name}]}]"
        ),
        "user",
        world(),
    )
    assert len(nodes) == 1  # a user's orders may be those bought or those sold: not told
    nodes = lay.shape(
        thing("of: order, embed: [{what: note, copy: [{what: buyer.name, refresh: never}]}]"), "order", world()
    )
    assert seen(nodes)[1:] == [
        ("note", "embed", 0, None, 0),
        ("order", "copy", 1, set(), inf),
        ("user", "copy", 2, {"user.name"}, inf),
    ]


def test_a_reference_to_many_holds_the_link() -> None:
    assert seen(shape("reference: [{what: label, as: label_ids, max: 20}]"))[1:] == [
        ("labelled", "reference", 0, {"labelled.label_id"}, 0)
    ]
    assert shape("reference: [{what: label, max: 20}]")[1].limit == 20
    ids = lay.shape(thing("of: cart, reference: [{what: cart_item}]"), "cart", world())
    assert seen(ids)[1:] == [("cart_item", "reference", 0, set(), 0)]  # a value without a key has no id


def test_copies_of_one_age_are_one_node() -> None:
    nodes = shape(
        "copy: [{what: buyer.name, as: buyer_name, refresh: never}, {what: buyer.email, refresh: never}, "
        "{what: seller.name, refresh: async within 10 min}]"
    )
    assert seen(nodes)[1:] == [
        ("user", "copy", 0, {"user.name", "user.email"}, inf),
        ("user", "copy", 0, {"user.name"}, 600),
    ]
    assert nodes[1].names == (("user.name", "buyer_name"),)
    assert [h.edge.rel.role for h in nodes[1:] if h.edge] == ["buyer", "seller"]


def test_figures_of_the_workload_and_of_the_model() -> None:
    nodes = shape("computed: [{what: order.total_cents, refresh: same write}, {what: count(note), as: notes}]")
    assert nodes[0].computed == {"=order.total_cents", "=order.count(note)"}
    assert dict(nodes[0].names)["=order.count(note)"] == "notes"
    ages = lay.figure_ages(
        thing("of: order, computed: [{what: order.total_cents, refresh: async within 1 min}]"), "order", world()
    )
    assert ages == {"=order.total_cents": 60}
    # a formula the workload has a field for is that field
    same = shape('computed: [{what: "sum(line_item.qty * line_item.unit_price_cents)", as: total}]')
    assert same[0].computed == {"=order.total_cents"}


def test_all_in_a_cache_is_as_old_as_the_cache() -> None:
    cache = thing("of: order, ttl: 300 s jitter 10%, purpose: cache, embed: [line_item], copy: [buyer.name]")
    assert [h.age for h in lay.shape(cache, "order", world())] == [300, 300, 300]
    kept = thing("of: order, purpose: cache, on change: delete key")
    assert lay.shape(kept, "order", world())[0].age == 0
    forgotten = thing("of: order, purpose: cache")
    assert lay.shape(forgotten, "order", world())[0].age == inf


def test_a_second_copy_refreshed_later_is_that_old() -> None:
    assert shape("purpose: second copy, refresh: async within 1 min")[0].age == 60


def test_a_counter_holds_a_count_and_nothing_else() -> None:
    counter = thing('type: string, counts: order, purpose: ""', "redis", "keys")
    (root,) = lay.shape(counter, "order", world())
    assert (root.attrs, root.computed) == (frozenset(), {"=order.count(order)"})
    assert lay.purpose(counter) == "counter"


def test_a_set_holds_its_member_and_score() -> None:
    board = thing('type: sorted set, of: move, member: "{move.id}", score: move.qty', "redis", "keys")
    (root,) = lay.shape(board, "move", world())
    assert root.attrs == {"move.id", "move.qty"}


def test_unknown_names_are_left_out() -> None:
    nodes = shape("embed: [{what: nothing}], copy: [{what: nothing.name}], reference: [{what: nothing}]")
    assert len(nodes) == 1


def test_buckets_hold_as_many_as_come_in_one() -> None:
    w = world()
    by_hour = thing("of: move, bucket: {by: [move.sku, move.at|hour]}")
    distinct = w.stats["move.sku"].distinct
    assert lay.group(by_hour, "move", w) == max(1, 3600 / distinct)
    whole = thing("of: line_item, bucket: {by: [line_item.order_id]}")
    assert lay.group(whole, "line_item", w) == pytest.approx(3)
    capped = thing("of: line_item, bucket: {by: [line_item.order_id], max: 2}")
    assert lay.group(capped, "line_item", w) == 2
    assert lay.stored(whole, "line_item", w) == pytest.approx(1e7)
    assert lay.group(thing("of: order"), "order", w) == 1


def test_stored_records_meet_their_condition() -> None:
    some = thing("of: order, where: \"order.status = 'open'\"")
    assert lay.stored(some, "order", world()) == pytest.approx(2e5)


def test_one_record_for_each_follower(shared: Path) -> None:
    project = read_yaml((shared / "projects/social-graph.yaml").read_text())
    w = build_world(project)
    timeline = next(s for m in project.models for s in m.structures if s.name == "timeline")
    nodes = lay.shape(timeline, "post", w)
    assert [(h.entity, h.how, h.up) for h in nodes] == [
        ("post", "own", -1),
        ("user", "for each", 0),
        ("follow", "for each", 1),
    ]
    assert nodes[2].attrs == {"follow.follower_id", "follow.followee_id"}
    assert lay.entries(timeline, "post", w) == Spread(150, 3000, 30e6)
    assert lay.purpose(timeline) == "for each"
    assert lay.stored(timeline, "post", w) == 2e8 * 150
    assert lay.entries(thing("of: order"), "order", world()) == ONE
