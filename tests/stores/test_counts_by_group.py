"""A count by group gives one number for each group, not one for all."""

import pytest

from app.analysis import analyse
from app.cli.check import with_starters
from app.model.text import read_yaml

PROJECT = """
keywright: 1
name: Desk
entities:
  - name: ticket
    count: 10k
    fields: [id uuid key, account_id uuid distinct 100, {name: status, type: enum, values: {open: 3%, closed: 97%}}]
patterns:
  - {operation: Tally, count: ticket, where: "ticket.account_id = :a", group by: ticket.status, rate: 1/s}
"""


@pytest.mark.parametrize(
    ("store", "there", "not_there"),
    [
        ("postgresql", "GROUP BY 1", ""),
        ("mongodb", '$group: { _id: "$status", count: { $sum: 1 } }', "countDocuments"),
        ("cassandra", "worked out by the application", "count(*)"),
        ("dynamodb", "worked out in the application", '"COUNT"'),
        ("redis", "worked out by the caller", "CARD"),
    ],
)
def test_each_group_has_its_number(store: str, there: str, not_there: str) -> None:
    report = analyse(with_starters(read_yaml(PROJECT), [store]))
    made = next(m for m in report.models if m.model.store == store)
    (pattern,) = report.project.patterns
    text = made.store.query(pattern, made.plans["Tally"], made.model, report.world)
    assert there in text
    assert not not_there or not_there not in text
