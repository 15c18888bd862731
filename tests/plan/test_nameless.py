"""Records without a key of their own are found by an index or by reading all, never by a key that nobody knows."""

import pytest

from app.analysis import analyse
from app.model.text import read_yaml

PROJECT = """
keywright: 1
name: Rooms
entities:
  - {name: user, count: 10k, fields: [id uuid key]}
  - {name: room, count: 1k, fields: [id uuid key]}
  - {name: membership, count: 30k, fields: [user_id uuid, room_id uuid, unread int32]}
relationships:
  - {parent: user, child: membership, via: user_id, children: {avg: 3, p99: 30, max: 50}}
  - {parent: room, child: membership, via: room_id, children: {avg: 30, p99: 200, max: 500}}
patterns:
  - {operation: Count up, update: membership, where: "membership.room_id = :r", set: {membership.unread: +1}, rate: 1/s}
models:
  - {name: M, store: STORE, structures: [{KIND: memberships, of: membership, indexes: [INDEX]}]}
"""


@pytest.mark.parametrize(("store", "kind"), [("postgresql", "table"), ("mongodb", "collection")])
@pytest.mark.parametrize(
    ("index", "level", "path"),
    [("membership.room_id", "index lookup", "room_id"), ("membership.user_id", "scan", "memberships")],
)
def test_a_write_is_found_by_an_index(store: str, kind: str, index: str, level: str, path: str) -> None:
    text = PROJECT.replace("STORE", store).replace("KIND", kind).replace("INDEX", f"{{keys: [{index}]}}")
    report = analyse(read_yaml(text))
    plan = report.models[0].plans["Count up"]
    assert plan.level.words == level
    assert path in plan.touches[0].find
    assert plan.touches[0].count.avg == 30
