"""What a model says of how a pattern is really run limits the plan."""

from __future__ import annotations

from app.analysis import analyse
from app.memory import Memory
from app.model.text import read_yaml
from app.plan.types import Plan

PROJECT = """
keywright: 1
name: Desk
entities:
  - {name: order, count: 1M, fields: [id uuid key, buyer_id uuid, created_at datetime monotonic, total int32]}
patterns:
  - {operation: Read, get: order, where: "order.id = :id", needs: order, rate: 10/s, consistency: NEED}
models:
  - name: Two tables
    store: mongodb
    structures:
      - {collection: orders, of: order, _id: order.id}
      - collection: archive
        of: order
        purpose: second copy
        _id: [order.buyer_id, order.id]
        indexes: [{keys: [order.id]}]
    serves: {Read: SERVES}
"""


def plan(serves: str, need: str = "eventual 1 min") -> Plan:
    project = read_yaml(PROJECT.replace("SERVES", serves).replace("NEED", need))
    return analyse(project, Memory()).models[0].plans["Read"]


def test_a_named_place_is_used_even_where_another_is_cheaper() -> None:
    assert plan("{note: nothing named}").where == "orders._id"
    assert plan("{path: archive}").where.startswith("archive.")


def test_a_place_that_does_not_exist_changes_nothing() -> None:
    assert plan("{path: nowhere}").where == "orders._id"


def test_a_replica_cannot_give_what_must_be_current() -> None:
    assert plan("{read preference: secondary}").served
    asked = plan("{read preference: secondary}", "strong")
    assert any("cannot" in note for note in asked.notes)
    assert asked.where == "orders._id"
