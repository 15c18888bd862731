"""From a project as typed to plans: the same order desk in four stores."""

from __future__ import annotations

from functools import cache

import pytest

from app.model.project import Project
from app.model.text import read_yaml
from app.plan.lower_read import lower_read
from app.plan.read import plan_read
from app.plan.types import Level, Plan, Record
from app.plan.world import build_world
from app.stores import STORES

DESK = """
keywright: 1
name: Order desk
entities:
  - {name: user, count: 1M, fields: [id uuid key, name string avg 18 max 80, email string unique]}
  - name: order
    count: 10M
    keep: 7 years
    fields:
      - id string key avg 12
      - user_id uuid
      - {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}
      - created_at datetime monotonic
      - {name: total_cents, type: int64, computed: sum(line_item.qty * line_item.unit_price_cents)}
  - {name: line_item, fields: [order_id string, sku string avg 10, qty int32, unit_price_cents int32]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
  - {parent: order, child: line_item, via: order_id, children: {avg: 3, p99: 12, max: 200}}
patterns:
  - operation: Load order page
    get: order
    where: order.id = :order
    needs: [order, line_item, user.name]
    consistency: {order: read your writes, user.name: historical}
  - operation: Orders of a user, newest first
    list: order
    where: order.user_id = :user
    order by: order.created_at desc, order.id desc
    limit: 20
    needs: [order.id, order.status, order.total_cents]
    consistency: eventual 5 min
  - {operation: User by id, get: user, where: "user.id = :user", needs: [user.name], consistency: eventual 10 min}
  - {operation: Order or a newer one, list: order, where: "order.user_id = :user and order.created_at >= :since",
     span: {order.created_at: 90 days}, order by: "order.created_at desc", needs: [order.status]}
models:
  - name: Documents
    store: mongodb
    structures:
      - collection: orders
        of: order
        _id: order.id
        embed: [{what: line_item, as: items, max: 200, beyond: refuse}]
        copy: [{what: user.name, as: user_name, refresh: never, because: an order shows the name of its day}]
        computed: [{what: order.total_cents, refresh: same write}]
        indexes: [{keys: [order.user_id, order.created_at desc, order.id desc]}]
      - {collection: users, of: user, _id: user.id}
      - {store: redis, keys: "cache:user:{user.id}", type: hash, of: user, ttl: 300 s, purpose: cache, truth: users}
  - name: Items
    store: dynamodb
    structures:
      - table: desk
        records:
          - {of: user, pk: "USER#{user.id}", sk: PROFILE}
          - of: order
            pk: "USER#{order.user_id}"
            sk: "ORDER#{order.created_at}#{order.id}"
            embed: [{what: line_item, as: items}]
            copy: [{what: user.name, refresh: never}]
            computed: [{what: order.total_cents, refresh: same write}]
        gsi: [{name: GSI1, pk: "ORDER#{order.id}", sk: ORDER, of: [order], projection: all}]
  - name: Tables
    store: cassandra
    structures:
      - table: order_by_id
        of: order
        partition key: [order.id]
        embed: [{what: line_item, as: items}]
        copy: [{what: user.name, refresh: never}]
        computed: [{what: order.total_cents, refresh: same write}]
      - table: orders_by_user
        of: order
        partition key: [order.user_id, month = order.created_at|month]
        clustering key: [order.created_at desc, order.id desc]
        fields: [order.status]
"""


@cache
def desk() -> Project:
    return read_yaml(DESK)


def plan(model: str, operation: str) -> Plan:
    project = desk()
    world = build_world(project)
    candidate = next(m for m in project.models if m.name == model)
    records: list[Record] = []
    for structure in candidate.structures:
        store = STORES[structure.store or candidate.store]
        records += store.records(structure, candidate, world)
    pattern = next(p for p in project.patterns if p.operation == operation)
    return plan_read(lower_read(pattern, world), tuple(records), world)


def test_embedded_page() -> None:
    """Embedded lines and a copied name make the order page one document by its key."""
    page = plan("Documents", "Load order page")
    assert (page.level, page.requests.avg, page.records.avg) == (Level.KEY_LOOKUP, 1, 1)


def test_list_by_index() -> None:
    """The list follows its index: no sort, ten documents on average, twenty at most."""
    listed = plan("Documents", "Orders of a user, newest first")
    assert listed.level is Level.INDEX_RANGE
    assert [s.order for s in listed.steps] == ["stored"]
    assert listed.records.avg == pytest.approx(10)
    assert listed.records.max == pytest.approx(20)


def test_cache_before_truth() -> None:
    """A cache young enough is read before the truth."""
    user = plan("Documents", "User by id")
    assert (user.level, user.steps[0].store) == (Level.KEY_LOOKUP, "redis")
    assert "On a miss" in user.notes[0]


def test_index_cannot_read_own_writes() -> None:
    """The only way by order id is a GSI, which is eventual; the fix is the table's own key."""
    page = plan("Items", "Load order page")
    assert page.level >= Level.SCAN
    assert [m.code for m in page.misses] == ["stale"]
    assert "order.id" in page.misses[0].fix


def test_item_collection() -> None:
    """Orders lie in their user's partition, newest first by reading backwards."""
    listed = plan("Items", "Orders of a user, newest first")
    assert listed.level is Level.PARTITION_RANGE
    assert listed.steps[0].order == "reversed"
    assert listed.units > 0


def test_months_one_by_one() -> None:
    """Without the month each is a request, newest first; the total takes a second step by key."""
    listed = plan("Tables", "Orders of a user, newest first")
    assert listed.level is Level.FAN_OUT
    assert [s.how for s in listed.steps] == ["first", "each"]
    assert listed.steps[1].requests.max == pytest.approx(20)
    assert listed.steps[0].requests.max == pytest.approx(87)
    assert "One request per month" in listed.notes[0]
    assert "partition" in {m.code for m in listed.misses}


def test_few_months() -> None:
    """A range of 90 days meets four months."""
    assert plan("Tables", "Order or a newer one").steps[0].requests.avg == 4
