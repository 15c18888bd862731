"""MongoDB: sizes against the real encoder, ways in, refusals, scripts and queries."""

import uuid
from datetime import UTC, datetime
from typing import Any

import bson
import pytest
from bson import Binary, Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from app.analysis import analyse
from app.memory import Memory
from app.model.project import Project
from app.model.text import read_yaml
from app.plan.types import Level
from app.plan.world import build_world
from app.stores import STORES
from app.stores.mongodb.dialect import (
    array_bytes,
    element_bytes,
    field_bytes,
    nested_bytes,
)
from tests.stores.shop import SHOP
from tests.stores.wiring import Bench, bench

UUID = Binary(uuid.UUID(int=7).bytes, 4)
FIELDS = "[id uuid key, at datetime, 'tags string[]', 'names string[]']"
NOW = datetime(2026, 8, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def shop() -> Bench:
    return bench(SHOP, "mongodb")


def project(structures: str, fields: str = FIELDS) -> Project:
    return read_yaml(
        "keywright: 1\nname: Small\nentities:\n"
        f"  - name: thing\n    count: 100\n    fields: {fields}\n"
        f"models:\n  - name: Model\n    store: mongodb\n    structures:\n{structures}"
    )


def problems_of(structures: str, fields: str = FIELDS) -> str:
    made = project(structures, fields)
    model, world = made.models[0], build_world(made)
    store = STORES["mongodb"]
    return "\n".join(p.what for s in model.structures for p in store.problems(s, model, world))


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("kind", "value", "size"),
    [
        ("string", "a" * 9, 9),
        ("text", "é" * 5, 10),
        ("enum", "open", 4),
        ("int32", 7, 10),
        ("int64", bson.Int64(7), 10),
        ("double", 1.5, 8),
        ("float", 1.5, 8),
        ("decimal", Decimal128("1.5"), 8),
        ("bool", True, 1),
        ("date", NOW, 24),
        ("datetime", NOW, 24),
        ("uuid", UUID, 36),
        ("timeuuid", UUID, 36),
        ("objectid", ObjectId(b"a" * 12), 24),
        ("binary", b"x" * 33, 33),
        ("point", {"type": "Point", "coordinates": [1.0, 2.0]}, 16),
        ("vector(8)", [0.5] * 8, 32),
    ],
)
def test_a_field_takes_what_the_encoder_writes(kind: str, value: Any, size: int) -> None:
    assert 5 + field_bytes("naïve", kind, size) == len(bson.encode({"naïve": value}))


def test_arrays_grow_with_the_digits_of_their_positions() -> None:
    for length in (0, 1, 9, 10, 11, 99, 100, 101, 1001):
        encoded = len(bson.encode({"a": [7] * length})) - 5 - 3
        assert array_bytes(length, 4) == encoded


tree = st.recursive(
    st.text("abcé", max_size=12),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=4),
    max_leaves=30,
)


@given(st.dictionaries(st.text("xyz", min_size=1), tree, max_size=5))
def test_nested_documents_take_what_the_encoder_writes(document: dict[str, Any]) -> None:
    assert 5 + sum(_size(k, v) for k, v in document.items()) == len(bson.encode(document))


def _size(name: str, value: Any) -> float:
    if isinstance(value, str):
        return field_bytes(name, "string", len(value.encode()))
    if isinstance(value, dict):
        return nested_bytes(name, sum(_size(k, v) for k, v in value.items()))
    return nested_bytes(name, sum(_element(i, v) for i, v in enumerate(value)))


def _element(position: int, value: Any) -> float:
    """An element of `size` bytes inside: a text, or a document's fields; both cost five more."""
    if isinstance(value, str):
        return element_bytes(position, len(value.encode()))
    if isinstance(value, dict):
        return element_bytes(position, sum(_size(k, v) for k, v in value.items()))
    return element_bytes(position, sum(_element(i, v) for i, v in enumerate(value)))


def test_a_whole_document_is_sized_as_encoded(shop: Bench) -> None:
    line = {"sku": "s" * 6, "qty": 1, "price": 1}
    order = {
        "_id": UUID,
        "user_id": UUID,
        "status": "x" * 8,
        "created_at": NOW,
        "note": "n" * 30,
        "tags": ["t" * 5] * 3,
        "lines": [line] * 3,
        "user_name": "n" * 10,
        "total": bson.Int64(1),
    }
    status = shop.world.stats["order.status"].bytes.avg
    order["status"] = "x" * int(status)
    with_note = len(bson.encode(order))
    del order["note"]
    assert shop.record("orders").size.avg == (with_note + len(bson.encode(order))) / 2


def test_a_compound_id_is_one_level_more() -> None:
    text = "      - {collection: things, of: thing, _id: [thing.a, thing.b]}\n"
    made = project(text, "[a uuid key, b uuid key]")
    record = STORES["mongodb"].records(made.models[0].structures[0], made.models[0], build_world(made))[0]
    assert record.size.avg == len(bson.encode({"_id": {"a": UUID, "b": UUID}}))


# ---------------------------------------------------------------- ways in


def test_the_id_and_every_index_are_ways_in(shop: Bench) -> None:
    paths = {p.name: p for p in shop.record("orders").paths}
    assert paths["orders._id"].unique
    assert paths["orders._id"].primary
    assert [p.attr for p in paths["orders.user_id_1_created_at_-1__id_-1"].order] == [
        "order.user_id",
        "order.created_at",
        "order.id",
    ]
    assert paths["orders.status_1_created_at_-1"].only[0].attr == "order.status"
    assert paths["orders.tags_1"].order[0].many
    assert paths["orders"].scan


def test_an_expiring_field_is_indexed(shop: Bench) -> None:
    assert any(p.kind == "ttl" and p.order[0].attr == "review.at" for p in shop.record("reviews").paths)


def test_a_shard_key_places_documents_and_needs_an_index() -> None:
    text = "      - {collection: things, of: thing, _id: thing.id, shard key: [thing.at hashed]}\n"
    made = project(text)
    record = STORES["mongodb"].records(made.models[0].structures[0], made.models[0], build_world(made))[0]
    assert all(p.placed_by[0].attr == "thing.at" for p in record.paths)
    assert record.paths[-1].kind == "shard key"
    assert record.paths[-1].hashed


def test_a_name_with_a_placeholder_asks_for_its_value() -> None:
    text = '      - {collection: "things_{thing.id}", of: thing, _id: thing.at}\n'
    made = project(text)
    record = STORES["mongodb"].records(made.models[0].structures[0], made.models[0], build_world(made))[0]
    assert all(p.partition[0].attr == "thing.id" for p in record.paths)


def test_a_wildcard_index_serves_each_field_alone() -> None:
    text = "      - {collection: things, of: thing, _id: thing.id, indexes: [{name: w, keys: [], type: wildcard}]}\n"
    made = project(text)
    record = STORES["mongodb"].records(made.models[0].structures[0], made.models[0], build_world(made))[0]
    assert {p.name for p in record.paths if p.kind == "wildcard"} >= {"things.w:at", "things.w:tags"}


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("keys: [thing.tags, thing.names]", "parallel arrays"),
        ("keys: [thing.tags hashed]", "cannot hold the array"),
        ("keys: [thing.at hashed], unique: yes", "cannot be unique"),
        ("keys: [thing.at], sparse: yes, where: thing.at is not null", "one of the two"),
        ("keys: [thing.at], where: thing.at <> '2026'", "cannot be limited"),
        ("keys: [thing.id], where: thing.at is null", "_id has an index already"),
        ("keys: [thing.id, thing.at], sparse: yes", "holds every document"),
        ("keys: [thing.colour]", "thing.colour"),
    ],
)
def test_what_an_index_cannot_be_is_said(keys: str, said: str) -> None:
    text = f"      - {{collection: things, of: thing, _id: thing.id, indexes: [{{{keys}}}]}}\n"
    assert said in problems_of(text)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("thing.at, thing.note", True),
        ("thing.note", False),
        ("thing.id, thing.note", False),
        ("thing.at, thing.tags", False),
    ],
)
def test_a_unique_sparse_index_of_several_fields_refuses_what_lacks_one(keys: str, told: bool) -> None:
    index = f"{{keys: [{keys}], unique: yes, sparse: yes}}"
    text = f"      - {{collection: things, of: thing, _id: thing.id, indexes: [{index}]}}\n"
    said = problems_of(text, "[id uuid key, at datetime, note string present 20%, 'tags string[]']")
    assert ("Use a partial index: where: thing.note is not null." in said) is told


def test_two_fields_of_one_embedded_list_are_one_array(shop: Bench) -> None:
    assert not shop.problems


def test_a_unique_index_of_a_sharded_collection_starts_with_its_key() -> None:
    text = (
        "      - {collection: things, of: thing, _id: thing.id, shard key: [thing.id],"
        " indexes: [{keys: [thing.at], unique: yes}]}\n"
    )
    assert "must start with the whole shard key" in problems_of(text)


@pytest.mark.parametrize(
    ("ttl", "said"),
    [("30 days", "say which"), ("30 days after thing.names", "no date"), ("1 h after thing.x", "not a field")],
)
def test_expiry_needs_a_date(ttl: str, said: str) -> None:
    assert said in problems_of(f"      - {{collection: things, of: thing, _id: thing.id, ttl: {ttl}}}\n")


def test_an_unknown_entity_is_named_and_never_raises() -> None:
    text = "      - {collection: ghosts, of: ghost, _id: ghost.id, embed: [{what: x}]}\n"
    assert "ghost" in problems_of(text)


# ---------------------------------------------------------------- plans


def test_plans_are_those_of_the_engine(shop: Bench) -> None:
    assert shop.plan("Order page").level is Level.KEY_LOOKUP
    orders = shop.plan("Orders of a user")
    assert orders.level is Level.INDEX_RANGE
    assert orders.steps[0].order == "stored"
    assert shop.plan("Rename").scope == "transaction"
    assert shop.plan("Add line").scope == "record"


# ---------------------------------------------------------------- scripts and queries


def test_the_script_creates_validators_indexes_and_expiry(shop: Bench) -> None:
    (text,) = shop.script.values()
    assert 'db.createCollection("orders"' in text
    assert "maxItems: 50" in text
    assert "db.orders.createIndex({ user_id: 1, created_at: -1, _id: -1 });" in text
    assert 'partialFilterExpression: { status: "open" }' in text
    assert "db.reviews.createIndex({ at: 1 }, { expireAfterSeconds: 7776000 });" in text


def test_a_second_page_starts_behind_the_last_record(shop: Bench) -> None:
    text = shop.text("Orders of a user")
    assert ".sort({ created_at: -1, _id: -1 }).limit(20)" in text
    assert "created_at: { $lte: last.created_at }" in text
    assert "{ created_at: last.created_at, _id: { $lt: last._id } }" in text


def test_a_join_is_a_lookup_after_sort_and_limit(shop: Bench) -> None:
    text = shop.text("Orders with users")
    assert text.index("$limit") < text.index("$lookup")
    assert 'from: "users", localField: "user_id", foreignField: "_id"' in text


def test_an_insert_writes_children_copies_and_figures_at_once(shop: Bench) -> None:
    text = shop.text("Place order")
    assert "lines: p.line_list" in text
    assert "user_name: p.user_name" in text
    assert "created_at: new Date()" in text
    assert "startSession" not in text


def test_a_push_is_bounded_and_moves_its_figure(shop: Bench) -> None:
    text = shop.text("Add line")
    assert '"lines.49": { $exists: false }' in text
    assert "$inc: { total: p.total_change }" in text


def test_an_element_is_changed_in_place(shop: Bench) -> None:
    assert '{ _id: p.order, "lines.sku": p.sku }, { $inc: { "lines.$.qty": 1 } }' in shop.text("More of it")


def test_copies_are_refreshed_in_the_same_transaction(shop: Bench) -> None:
    text = shop.text("Rename")
    assert "withTransaction" in text
    assert "tx.orders.updateMany({ user_id: p.user }, { $set: { user_name: p.name } });" in text


def test_figures_are_grouped(shop: Bench) -> None:
    assert 'avg_stars: { $avg: "$stars" }' in shop.text("Stars")
    assert "countDocuments({ user_id: p.user })" in shop.text("Reviews")


PLACES = """
keywright: 1
name: Places
entities:
  - name: city
    count: 1000
    fields: [id uuid key, place point, name string, "tags string[] items avg 3", deleted_at datetime present 1%]
    soft delete: deleted_at
  - {name: shop, count: 5000, fields: [id uuid key, city_id uuid, kind string, price int32, opened datetime]}
relationships:
  - {parent: city, child: shop, via: city_id, children: {avg: 5, p99: 20, max: 100}}
patterns:
  - {operation: Near, list: city, where: "near(city.place, :at, :km)", limit: 10, needs: [city.name]}
  - {operation: Kinds, list: shop, where: "shop.kind = 'a' or shop.price > 5", limit: 10}
  - {operation: Names, list: shop, where: "starts_with(shop.kind, :k)", order by: shop.kind, limit: 10, paging: offset}
  - operation: City with shops
    list: city
    where: city.name = :n
    needs: [city, {what: shop, order by: shop.opened desc, limit: 2}]
    limit: 5
  - {operation: Tag, upsert: city, where: "city.id = :c", set: {city.name: ":n", city.tags: {push: ":t"}}, inserts: 30%}
  - {operation: Remove, delete: city, where: "city.id = :c"}
models:
  - name: M
    store: mongodb
    structures:
      - collection: cities
        of: city
        _id: city.id
        indexes: [{keys: [city.place], type: 2dsphere}, {keys: [city.name]}]
      - collection: shops
        of: shop
        _id: shop.id
        indexes: [{keys: [shop.city_id, shop.opened desc]}, {keys: [shop.kind]}, {keys: [shop.price]}]
"""


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("Near", '$near: { $geometry: { type: "Point", coordinates: p.at }, $maxDistance: p.km * 1000 }'),
        ("Kinds", '$or: [{ kind: "a" }, { price: { $gt: 5 } }]'),
        ("Names", 'kind: { $gte: p.k, $lt: p.k + "\\uffff" }'),
        ("Names", ".skip(p.skip).limit(10)"),
        ("City with shops", "pipeline: [{ $sort: { opened: -1 } }, { $limit: 2 }]"),
        ("Tag", "{ $set: { name: p.n }, $push: { tags: p.t }, $setOnInsert: { place: p.place } }, { upsert: true }"),
        ("Remove", "$set: { deleted_at: new Date() }"),
    ],
)
def test_every_kind_of_condition_and_change_has_its_text(operation: str, said: str) -> None:
    assert said in " ".join(bench(PLACES, "mongodb").text(operation).split())


@pytest.mark.parametrize(("nodes", "level", "asked"), [(3, "key lookup", 1), (6, "scatter", 2)])
def test_three_nodes_are_one_shard(nodes: int, level: str, asked: float) -> None:
    """A shard is a replica set: three nodes hold everything in one, and nothing is asked twice."""
    project = read_yaml(f"""
keywright: 1
name: Orders
entities: [{{name: order, count: 1M, fields: [id uuid key, user_id uuid]}}]
patterns: [{{operation: Load, get: order, where: "order.id = :o"}}]
models:
  - name: Sharded
    store: mongodb
    nodes: {nodes}
    structures: [{{collection: orders, of: order, _id: order.id, shard key: [order.user_id hashed]}}]
""")
    plan = analyse(project, Memory()).models[0].plans["Load"]
    assert plan.level.words == level
    assert plan.partitions == asked


def test_the_name_of_a_collection_finds_nothing_inside_it() -> None:
    """A collection per tenant is one place; a field without an index is looked for in all of it."""
    project = read_yaml("""
keywright: 1
name: Desk
entities:
  - {name: account, count: 4k, fields: [id uuid key]}
  - {name: ticket, count: 80M, fields: [account_id uuid key, id int64 key, external string avg 20]}
relationships: [{parent: account, child: ticket, via: account_id, children: {avg: 20k}}]
patterns:
  - {operation: By id, get: ticket, where: "ticket.account_id = :a and ticket.id = :t"}
  - {operation: From, list: ticket, where: "ticket.account_id = :a and ticket.id >= :t", matches: 50}
  - {operation: External, get: ticket, where: "ticket.account_id = :a and ticket.external = :x"}
models: [{name: Apart, store: mongodb, structures: [{collection: "tickets_{account.id}", of: ticket, _id: ticket.id}]}]
""")
    plans = analyse(project, Memory()).models[0].plans
    levels = {name: plan.level.words for name, plan in plans.items()}
    assert levels == {"By id": "key lookup", "From": "index range", "External": "scan"}


def test_a_document_found_by_another_is_written_by_its_key() -> None:
    project = read_yaml("""
keywright: 1
name: Blog
entities:
  - {name: post, count: 1M, fields: [id uuid key, title string avg 50]}
  - {name: comment, count: 10M, fields: [id uuid key, post_id uuid, likes int32]}
relationships: [{parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80}}]
patterns: [{operation: Like, update: comment, where: "comment.id = :c", set: {comment.likes: +1}}]
models:
  - name: Both
    store: mongodb
    structures:
      - {collection: posts, of: post, _id: post.id, embed: [{what: comment, as: newest, first: 10}]}
      - {collection: comments, of: comment, _id: comment.id}
""")
    report = analyse(project, Memory())
    plan = report.models[0].plans["Like"]
    text = STORES["mongodb"].query(project.patterns[0], plan, project.models[0], report.world)
    assert "// what names the document is read first, by comments._id" in text
    assert '{ _id: p.post_id, "newest.id": p.c }' in text


def test_an_index_of_what_has_a_value_is_written_as_the_server_takes_it() -> None:
    """`$ne` is refused in the filter of an index; `$exists` is not, and serves `$ne: null`."""
    index = "{keys: [thing.at], where: thing.at is not null}"
    made = project(f"      - {{collection: things, of: thing, _id: thing.id, indexes: [{index}]}}\n")
    script = STORES["mongodb"].script(made.models[0], made, build_world(made))
    assert "{ partialFilterExpression: { at: { $exists: true } } }" in next(iter(script.values()))


ROOMS = """
keywright: 1
name: Chat
entities:
  - name: room
    count: 5M
    fields: [id uuid key, title string avg 20, {name: last_at, type: datetime, computed: max(message.sent_at)}]
  - {name: member, count: 20M, fields: [room_id uuid key, user_id uuid key, joined_at datetime]}
  - {name: message, count: 1B, fields: [id uuid key, room_id uuid, sent_at datetime, body string avg 100]}
relationships:
  - {parent: room, child: message, via: room_id, children: {avg: 200}}
  - {parent: room, child: member, via: room_id, children: {avg: 4}}
patterns:
  - {operation: Send, insert: message}
  - {operation: Take back, delete: message, where: "message.id = :m and message.room_id = :r"}
models:
  - name: Model
    store: mongodb
    structures:
      - {collection: rooms, of: room, _id: room.id, computed: [room.last_at]}
      - {collection: members, of: member, _id: [member.room_id, member.user_id], copy: [room.title, room.last_at]}
      - {collection: messages, of: message, _id: message.id}
"""


def test_a_greatest_value_is_raised_and_never_stepped() -> None:
    made = bench(ROOMS, "mongodb")
    sent = made.text("Send")
    assert "rooms.updateOne({ _id: p.room_id }, { $max: { last_at: p.sent_at } });" in sent
    assert "$inc" not in sent
    assert 'updateMany({ "_id.room_id": p.room_id }, { $max: {' in sent, "every member holds the copy"
    gone = made.text("Take back")
    assert "// last_at is worked out again: max(message.sent_at)" in gone
    assert 'last_at: { bsonType: "date" }' in "\n".join(made.script.values())


def test_a_new_element_is_whole_and_makes_no_half_parent() -> None:
    made = bench(
        """
keywright: 1
name: Prices
entities:
  - {name: product, count: 1M, fields: [id uuid key, title string avg 20]}
  - {name: price, count: 5M, fields: [product_id uuid key, market string key, cents int32, valid_from date]}
relationships: [{parent: product, child: price, via: product_id, children: {avg: 5, max: 30}}]
patterns:
  - {operation: Change, upsert: price, where: "price.product_id = :p and price.market = :m", set: {price.cents: ":c"}}
models:
  - {name: Model, store: mongodb, structures: [{collection: products, of: product, _id: product.id, embed: [price]}]}
""",
        "mongodb",
    )
    text = made.text("Change")
    assert "{ market: p.m, cents: p.c, valid_from: p.valid_from }" in text
    assert "upsert: true" not in text


def test_a_parent_that_is_needed_whole_comes_as_the_key_its_child_keeps() -> None:
    made = read_yaml(
        "keywright: 1\nname: Small\nentities:\n"
        "  - {name: depot, count: 100, fields: [id uuid key]}\n"
        "  - {name: scan, count: 10k, fields: [id uuid key, depot_id uuid, note string avg 9]}\n"
        "relationships:\n  - {parent: depot, child: scan, via: depot_id}\n"
        "patterns:\n  - {operation: Open, get: scan, where: 'scan.id = :s', needs: [scan.note, depot]}\n"
        "models:\n  - {name: Model, store: mongodb, structures: [{collection: scans, of: scan, _id: scan.id}]}\n"
    )
    report = analyse(made, Memory())
    plan = report.models[0].plans["Open"]
    text = STORES["mongodb"].query(made.patterns[0], plan, made.models[0], report.world)
    assert "{ note: 1, depot_id: 1, _id: 0 }" in text
