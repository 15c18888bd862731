"""How many bytes a record has, and what they are made of."""

from dataclasses import replace
from math import inf
from pathlib import Path
from uuid import UUID

import bson
import pytest

from app.model.spread import Spread
from app.model.text import read_yaml
from app.plan import lay
from app.plan.keysize import key_text, packed_keys
from app.plan.size import breakdown, sample, size_of, sum_of
from app.plan.types import Encoding, Held, Part, Record, Rel, World
from app.plan.world import build_world
from app.stores import STORES
from tests.plan.desk import world

BARE = Encoding(
    field=lambda name, _kind, size: len(name) + size,
    record=10,
    element=lambda _i, size: size + 2,
    nested=lambda name, size: len(name) + size + 3,
    array=lambda name, size: len(name) + size + 3,
    entry=lambda size: size,
)
"""Names and values, 10 for a record, 3 for a container, 2 for an element."""


def records(text: str) -> tuple[World, tuple[Record, ...]]:
    project = read_yaml(text)
    w = build_world(project)
    model = project.models[0]
    found = [r for s in model.structures for r in STORES[model.store_of(s)].records(s, model, w)]
    return w, tuple(found)


def desk_shape(of: str, body: str) -> tuple[Held, ...]:
    text = f"""
keywright: 1
name: M
models: [{{name: m, store: mongodb, structures: [{{collection: c, of: {of}, {body}}}]}}]
"""
    thing = read_yaml(text).models[0].structures[0]
    return lay.shape(thing, of, world())


def bare_size(shape: tuple[Held, ...], children: dict[Rel, Spread] | None = None) -> Spread:
    return sum_of(breakdown(shape, world(), BARE, children=children))


def test_own_fields_with_their_names() -> None:
    # name 4 + 18, id 2 + 16, email 5 + 24, record 10
    assert bare_size(desk_shape("user", "_id: user.id")).avg == 22 + 18 + 29 + 10
    assert bare_size(desk_shape("user", "_id: user.id")).max == 84 + 18 + 29 + 10


def test_optional_fields_count_as_often_as_they_are_there() -> None:
    only = desk_shape("order", "fields: [order.coupon]")
    size = bare_size(only)
    assert size.avg == pytest.approx(10 + 0.08 * (6 + 16))
    assert size.high == pytest.approx(10 + 22)  # one in a hundred has it


def test_arrays_count_their_elements() -> None:
    size = bare_size(desk_shape("order", "fields: [order.tags]"))
    assert size.avg == 10 + 4 + 3 + 2 * (16 + 2)
    assert size.max == 10 + 4 + 3 + 10 * (16 + 2)


def test_embeds_count_children_up_to_their_bound() -> None:
    line = 3 + 10 + 3 + 4 + 16 + 4  # sku, qty, unit_price_cents with their names; the order's key is not repeated
    free = breakdown(desk_shape("order", "fields: none, embed: [{what: line_item, as: items}]"), world(), BARE)
    assert free[0].path == "items[]"
    assert free[0].each.avg == line
    assert free[0].bytes.avg == 5 + 3 + 3 * (line + 2)
    assert free[0].bytes.high == 5 + 3 + 12 * (line + 2)
    assert free[0].bytes.max == 5 + 3 + 200 * (line + 2)
    capped = desk_shape("order", "fields: none, embed: [{what: line_item, as: items, max: 8, beyond: refuse}]")
    assert breakdown(capped, world(), BARE)[0].bytes.max == 5 + 3 + 8 * (line + 2)
    first = desk_shape("order", "fields: none, embed: [{what: line_item, as: items, first: 2}]")
    assert breakdown(first, world(), BARE)[0].bytes.avg == 5 + 3 + 2 * (line + 2)


def test_copies_stand_beside_own_fields_and_references_are_ids() -> None:
    shape = desk_shape("order", "fields: none, copy: [{what: buyer.name, as: buyer_name, refresh: never}]")
    (copied, _) = breakdown(shape, world(), BARE)
    assert (copied.path, copied.kind, copied.bytes.avg) == ("buyer_name", "copy", 10 + 18)
    ids = desk_shape("order", "fields: none, reference: [{what: label, as: label_ids}]")
    (listed, _) = breakdown(ids, world(), BARE)
    assert (listed.path, listed.kind) == ("label_ids[]", "reference")
    assert listed.bytes.avg == 9 + 3 + 2 * (16 + 2)
    assert listed.bytes.max == 9 + 3 + 5 * (16 + 2)


def test_figures_are_numbers() -> None:
    shape = desk_shape("order", "fields: none, computed: [{what: order.total_cents, refresh: same write}]")
    (total, _) = breakdown(shape, world(), BARE)
    assert (total.path, total.kind, total.bytes.avg) == ("total_cents", "computed", 11 + 8)


def test_a_size_that_was_given_decides() -> None:
    assert bare_size(desk_shape("note", "_id: note.id")).avg == 2048 + 10


def test_children_at_another_time() -> None:
    shape = desk_shape("order", "fields: none, embed: [{what: line_item, as: items}]")
    rel = next(r for r in world().rels if r.child == "line_item")
    now = bare_size(shape)
    later = bare_size(shape, {rel: Spread(6, 24, 400)})
    assert later.avg - 18 == 2 * (now.avg - 18)


def test_keys_made_of_several_parts_are_stored_besides() -> None:
    w = world()
    root = Held("order")
    packed = (Part(literal="ORDER#", column=0), Part("order.id", column=0), Part("order.created_at", column=1))
    assert packed_keys(packed, root, w) == {"pk": 6 + 12}  # the sort key is the field itself
    assert key_text(Part("order.buyer_id"), w) == 36  # a uuid as text
    assert key_text(Part("order.created_at"), w) == 24


@pytest.mark.parametrize(("bucket", "width"), [(60, 16), (3600, 13), (86_400, 10), (604_800, 8), (2_592_000, 7)])
def test_time_buckets_have_a_width(bucket: float, width: float) -> None:
    part = Part("order.created_at")
    assert key_text(replace(part, kept=replace(part.kept, bucket=bucket, exact=False)), world()) == width


C12 = """
keywright: 1
name: Articles of a person
entities:
  - {name: person, count: 50k, size: 0.5 KB, fields: [id string key avg 8]}
  - {name: article, size: 0.6 KB, fields: [person_id string, pmid int32]}
relationships:
  - {parent: person, child: article, via: person_id, children: {avg: 40, p99: 900}}
models:
  - name: One item
    store: dynamodb
    structures:
      - table: analysis
        records: [{of: person, pk: "{person.id}", embed: [{what: article, as: articles}]}]
"""


def test_900_articles_of_600_bytes_are_540_kb_though_the_average_is_24() -> None:
    w, (person,) = records(C12)
    articles = next(i for i in sample(person, w) if i.path == "articles[]")
    assert articles.each.avg == pytest.approx(0.6 * 1024)
    assert articles.bytes.avg / 1024 == pytest.approx(24, rel=0.01)
    assert articles.bytes.high / 1024 == pytest.approx(540, rel=0.01)
    assert size_of(person, w).high > STORES["dynamodb"].facts["max_record_bytes"].value
    assert size_of(person, w).max == inf  # nobody said how many there may be


def test_a_bucket_repeats_what_differs_and_not_what_its_key_says() -> None:
    text = """
keywright: 1
name: Series
entities:
  - {name: sensor, count: 100, fields: [id uuid key]}
  - {name: reading, count: 1M, keep: 90 days, fields: [sensor_id uuid, at datetime, value double]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id, children: {avg: 10k, growth: 1440/day}}
models:
  - name: A document per sensor and day
    store: mongodb
    structures:
      - collection: readings
        of: reading
        bucket:
          by: [reading.sensor_id, reading.at|day]
          as: values
          max: 1440
          computed: [{what: count(reading), as: n}]
        _id: "{reading.sensor_id}:{reading.at|day}"
"""
    w, (reading,) = records(text)
    assert reading.group == pytest.approx(1440)
    lines = {i.path: i for i in sample(reading, w)}
    assert {"sensor_id", "n", "values[]", "values[].at", "values[].value"} <= lines.keys()
    assert lines["values[]"].count.avg == pytest.approx(1440)
    assert "values[].sensor_id" not in lines


def test_sizes_are_those_of_the_real_encoder() -> None:
    text = """
keywright: 1
name: Orders
entities:
  - {name: user, count: 100, fields: [id uuid key, name string avg 18 max 18]}
  - name: order
    count: 1k
    fields: [id string key avg 12, user_id uuid, status string avg 7, at datetime, "tags string[] items avg 3 max 3"]
  - {name: line, fields: [order_id string, sku string avg 10, qty int32]}
relationships:
  - {parent: user, child: order, via: user_id, children: 10}
  - {parent: order, child: line, via: order_id, children: {avg: 12, max: 12}}
models:
  - name: One document
    store: mongodb
    structures:
      - collection: orders
        of: order
        _id: order.id
        embed: [{what: line, as: items}]
        copy: [{what: user.name, as: user_name, refresh: never}]
"""
    w, (order,) = records(text)
    document = {
        "_id": "x" * 12,
        "user_id": bson.Binary.from_uuid(UUID(int=1)),
        "status": "shipped",
        "at": bson.datetime.datetime(2026, 1, 1),
        "tags": ["x" * 16] * 3,
        "items": [{"sku": "x" * 10, "qty": 1}] * 12,
        "user_name": "x" * 18,
    }
    assert size_of(order, w).avg == pytest.approx(len(bson.encode(document)), abs=2)


def test_every_shared_record_has_a_size(shared: Path) -> None:
    for folder in ("projects", "cases"):
        for path in sorted((shared / folder).glob("*.yaml")):
            project = read_yaml(path.read_text())
            w = build_world(project)
            for model in project.models:
                for s in model.structures:
                    store = STORES.get(model.store_of(s))
                    for r in store.records(s, model, w) if store else ():
                        size = size_of(r, w)
                        assert 0 < size.avg <= size.high <= size.max + 1e-6, (path.name, r.name, size)
                        assert sample(r, w)


def test_a_comment_meets_posts_in_proportion_to_their_comments() -> None:
    text = """
keywright: 1
name: Blog
entities:
  - {name: post, count: 1M, size: 4 KB, fields: [id uuid key]}
  - {name: comment, size: 250, fields: [post_id uuid]}
relationships:
  - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: 1500}}
models:
  - {name: Inside, store: mongodb, structures: [{collection: posts, of: post, _id: post.id, embed: [{what: comment}]}]}
"""
    w, (post,) = records(text)
    (rel,) = w.rels
    met_by = rel.children.met_by_size
    assert met_by == pytest.approx(42.9, abs=0.05)
    mean, met = size_of(post, w).avg, size_of(post, w, {rel: Spread(met_by, met_by, 1500)}).avg
    assert (met - mean) / (mean - 4096) == pytest.approx(32.9 / 10, rel=0.02)
