"""What a read judges after it has the records is named by its attribute, whatever is asked of it."""

import pytest

from app.analysis import analyse
from app.model.text import read_yaml

PROJECT = """
keywright: 1
name: Bookings
entities:
  - {name: room, count: 5k, fields: [id uuid key]}
  - {name: booking, count: 10M, fields: [id uuid key, room_id uuid, at datetime, note string present 2%, kind string distinct 40]}
relationships:
  - {parent: room, child: booking, via: room_id, children: {avg: 2k, p99: 8k, max: 20k}}
patterns:
  - {operation: Some, list: booking, where: "booking.room_id = :r and ASKED", order by: "booking.at desc", limit: 20,
     needs: booking, rate: 10/s}
models:
  - {name: M, store: postgresql, structures: [{table: bookings, of: booking, primary key: [booking.id],
     indexes: [{keys: [booking.room_id, booking.at desc]}]}]}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("asked", "attr"),
    [("booking.note is not null", "booking.note"), ("booking.kind in ('a', 'b')", "booking.kind"),
     ("booking.kind = :k", "booking.kind")],
)  # fmt: skip
def test_the_attribute_is_named(asked: str, attr: str) -> None:
    findings = analyse(read_yaml(PROJECT.replace("ASKED", asked))).findings
    (found,) = (f for f in findings if f.rule == "reads-more-than-it-returns")
    assert found.message.endswith(f": {attr} is judged after the read")
