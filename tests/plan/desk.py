"""A small workload with most of what a file can say, for the tests of the planner's input."""

from functools import cache

from app.model.project import Project
from app.model.text import read_yaml
from app.plan.types import World
from app.plan.world import build_world

DESK = """
keywright: 1
name: Desk
entities:
  - name: user
    count: 1M
    growth: 2k/day
    fields: [id uuid key, name string avg 18 max 80, email string unique avg 24]
  - name: order
    count: 10M
    keep: 7 years
    fields:
      - id string key avg 12
      - buyer_id uuid
      - seller_id uuid
      - {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}
      - created_at datetime monotonic
      - coupon string present 8%
      - tags string[] distinct 500 items avg 2 max 10
      - {name: total_cents, type: int64, computed: sum(line_item.qty * line_item.unit_price_cents)}
  - {name: line_item, fields: [order_id string, sku string avg 10, qty int32, unit_price_cents int32]}
  - {name: cart, count: 300k, fields: [user_id uuid key, updated_at datetime]}
  - {name: cart_item, fields: [user_id uuid, sku string avg 10, qty int32]}
  - {name: stock, count: 200k, fields: [sku string key avg 10, warehouse string key avg 4, available int32]}
  - {name: move, growth: 1/s, keep: 1 day, fields: [id int64 key, sku string, warehouse string, at datetime, qty int32]}
  - {name: note, size: 2 KB, fields: [id uuid key, order_id string, deleted_at datetime present 25%]
    , soft delete: deleted_at}
  - {name: label, count: 500, fields: [id uuid key, text string unique]}
  - {name: mystery, fields: [id uuid key]}
relationships:
  - {name: buyer, parent: user, child: order, via: buyer_id, children: {avg: 10, p99: 120, max: 5k}}
  - {name: seller, parent: user, child: order, via: seller_id, children: {avg: 500, p99: 20k, max: 900k, parents: 20k}}
  - {parent: order, child: line_item, via: order_id, children: {avg: 3, p99: 12, max: 200}, on delete: cascade}
  - {parent: cart, child: cart_item, via: user_id, children: {avg: 4, p99: 30, max: 200}, on delete: cascade}
  - {parent: stock, child: move, via: [sku, warehouse], children: {avg: 30, max: none}}
  - {parent: order, child: note, via: order_id, children: {avg: 2}}
  - {name: labelled, from: order, to: label, out: {avg: 2, max: 5}}
patterns:
  - {operation: New order, insert: order, rate: 20/s}
"""


def desk(patterns: str = "") -> Project:
    """The workload with further patterns: one flow mapping a line."""
    lines = "".join(f"  - {line.strip()}\n" for line in patterns.strip().splitlines())
    return read_yaml(DESK + lines)


@cache
def world() -> World:
    return build_world(desk())
