"""What is offered as a fix of a plan, and what is not; how severity follows from the numbers."""

from __future__ import annotations

import pytest

from app.analysis import analyse
from app.memory import Memory
from app.model.text import read_yaml
from app.rules.rule import Finding

TICKETS = """
keywright: 1
name: Tickets
entities:
  - name: ticket
    count: {count}
    size: 500
    growth: 100/s
    fields: [id uuid key, agent_id uuid distinct 5000, {{name: status, type: enum, values: {{open: 5%, done: 95%}}}}]
patterns:
  - {{operation: Find, list: ticket, where: "{where}", limit: 20, rate: {rate}}}
models:
  - name: M
    store: {store}
    structures: [{structure}]
"""
TABLE = {
    "dynamodb": '{table: tickets, records: [{of: ticket, pk: "{ticket.id}"}]}',
    "cassandra": "{table: tickets, of: ticket, partition key: [ticket.id]}",
    "mongodb": "{collection: tickets, of: ticket, _id: ticket.id}",
}


def not_served(store: str, where: str, *, count: str = "5M", rate: str = "50/s") -> Finding:
    text = TICKETS.format(store=store, structure=TABLE[store], where=where, count=count, rate=rate)
    found = [f for f in analyse(read_yaml(text), Memory()).findings if f.rule == "pattern-not-served"]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("store", "label"),
    [
        ("dynamodb", "Add GSI by_agent_id to tickets"),
        ("cassandra", "Add table ticket_by_agent_id"),
        ("mongodb", "Add index agent_id to tickets"),
    ],
)
def test_each_store_is_offered_its_own_way_in(store: str, label: str) -> None:
    assert not_served(store, "ticket.agent_id = :a").fixes[0].label.startswith(label)


@pytest.mark.parametrize("store", ["dynamodb", "cassandra"])
def test_no_partition_for_each_of_two_values(store: str) -> None:
    assert not_served(store, "ticket.status = :s").fixes == ()


def test_an_index_on_few_values_is_no_partition() -> None:
    assert not_served("mongodb", "ticket.status = 'open'").fixes


@pytest.mark.parametrize(
    ("count", "rate", "severity"),
    [("1000", "1/day", "advice"), ("1000", "1/s", "warning"), ("5M", "1/day", "advice"), ("5M", "100/day", "warning")],
)
def test_a_scan_is_judged_by_records_a_second(count: str, rate: str, severity: str) -> None:
    finding = not_served("mongodb", "ticket.agent_id = :a", count=count, rate=rate)
    assert finding.severity == severity


def test_what_no_request_can_answer_is_an_error() -> None:
    assert not_served("cassandra", "ticket.agent_id = :a", rate="1/day").severity == "error"
