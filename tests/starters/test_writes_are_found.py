"""A starter's writes find their rows by an index, even where no read asks for them that way."""

from app.analysis import analyse
from app.cli.check import with_starters
from app.model.text import read_yaml

PROJECT = """
keywright: 1
name: Rooms
entities:
  - {name: room, count: 1k, fields: [id uuid key]}
  - {name: membership, count: 30k, fields: [user_id uuid distinct 10k, room_id uuid, unread int32],
     unique: [[user_id, room_id]]}
relationships:
  - {parent: room, child: membership, via: room_id, children: {avg: 30, p99: 200, max: 500}}
patterns:
  - {operation: Count up, update: membership, where: "membership.room_id = :r", set: {membership.unread: +1}, rate: 1/s}
  - {operation: Read one, update: membership, where: "membership.user_id = :u and membership.room_id = :r",
     set: {membership.unread: 0}, rate: 1/s}
"""


def test_rows_to_change_have_an_index() -> None:
    report = analyse(with_starters(read_yaml(PROJECT), ["postgresql"]))
    (made,) = report.models
    assert made.plans["Count up"].level.words == "index lookup"
    assert made.plans["Count up"].touches[0].find == "memberships.room_id_idx"
    assert "user_id" in made.plans["Read one"].touches[0].find
    (table,) = (s for s in made.model.structures if s.of == "membership")
    assert len(table.indexes) == 2  # the unique pair finds one row: it needs no further index
