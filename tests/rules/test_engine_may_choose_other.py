"""What serves a read best and what the engine will probably run are two answers; where they differ, both are named."""

import pytest

from app.analysis import analyse
from app.model.text import read_yaml
from app.rules.rule import Finding

TEXT = """
keywright: 1
name: Tickets
entities:
  - name: ticket
    count: 5M
    fields: [id uuid key, {{name: status, type: enum, values: {{open: 30%, done: 70%}}}}, created_at datetime]
patterns:
  - operation: Newest open tickets
    list: ticket
    where: ticket.status = 'open'
    order by: ticket.created_at desc, ticket.id desc
    matches: 50k
    limit: 2000
    rate: 5/s
models:
  - name: Rows
    store: {store}
    structures:
      - {{{word}: tickets, of: ticket, {key}: {first}, indexes: [{indexes}]}}
"""
APART = "{keys: [ticket.status]}, {keys: [ticket.created_at desc, ticket.id desc]}"
TOGETHER = "{keys: [ticket.status, ticket.created_at desc, ticket.id desc]}"


def found(store: str, indexes: str) -> Finding | None:
    word, key, first = (
        ("table", "primary key", "[ticket.id]") if store == "postgresql" else ("collection", "_id", "ticket.id")
    )
    text = TEXT.format(store=store, word=word, key=key, first=first, indexes=indexes)
    findings = analyse(read_yaml(text)).findings
    return next((f for f in findings if f.rule == "engine-may-choose-other"), None)


@pytest.mark.parametrize("store", ["mongodb", "postgresql"])
def test_both_paths_are_named(store: str) -> None:
    """One index finds 50,000 records and sorts them; the other reads in order until 2,000 are open, and is taken."""
    finding = found(store, APART)
    assert finding is not None
    best, likely = (e.label.removeprefix("records by ") for e in reversed(finding.evidence[:2]))
    assert "status" in best
    assert "created_at" in likely
    assert f"will probably run by {likely} and examine 200,000 records" in finding.message
    assert f"not 50,000 by {best}" in finding.message
    assert finding.fixes[0].label.startswith("Add index status, created_at desc, id desc")


@pytest.mark.parametrize("store", ["mongodb", "postgresql"])
def test_nothing_to_say_where_they_are_the_same(store: str) -> None:
    assert found(store, TOGETHER) is None


def test_one_path_in_two_ways_is_not_set_against_itself() -> None:
    """The index has the order, and the server will probably collect its rows and sort them."""
    parts = "{keys: [parcel.courier_id, parcel.stop, parcel.id, parcel.created_at]}"
    text = f"""
keywright: 1
name: Parcels
entities:
  - name: parcel
    count: 130M
    fields: [id uuid key, courier_id uuid distinct 1000, stop string, created_at datetime monotonic, address string]
patterns:
  - operation: Day of a courier
    list: parcel
    where: parcel.courier_id = :c and parcel.created_at >= :since and parcel.created_at < :until
    order by: parcel.stop, parcel.id
    matches: 4320
    needs: parcel.address
    rate: 80/s
models:
  - name: Rows
    store: postgresql
    structures:
      - {{table: parcels, of: parcel, primary key: [parcel.id], indexes: [{parts}]}}
"""
    finding = next(f for f in analyse(read_yaml(text)).findings if f.rule == "engine-may-choose-other")
    assert "sort them in memory at 80/s, not walk it in its order" in finding.message
