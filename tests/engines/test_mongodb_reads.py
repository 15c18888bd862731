"""The read cases of MongoDB, held against a real server: what it runs, what it reads, whether it sorts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from app.plan.read import plan_read
from tests.engines.finds import create_indexes, differences, explained, find_of
from tests.engines.orders import orders
from tests.engines.server import WORKER
from tests.plan.dialects import dialect_of
from tests.plan.notation import read_case
from tests.plan.test_cases import cases

SPACE = f"keywright_test_orders_{WORKER}"
KNOWN: Mapping[str, str] = {
    "mongodb/arrays/range and sort on one array": "6.0 tries both ways and keeps what gives its first results sooner: "
    "the whole index in order, judging every document, instead of sorting what the bounds find",
    "mongodb/special/text and a condition": "6.0 fetches and counts each document twice where a condition follows the "
    "words: once in TEXT_MATCH, once to judge the condition",
    "mongodb/covered/covered key": "answered from the entries of _id alone; planned with the documents, which is more",
}
"""Where this server differs from what a case says, and why."""
CASES = [p for p in cases() if p.values[0] == "mongodb" and "sharded by" not in p.values[2]]


@pytest.fixture(scope="module")
def database(mongodb: Any) -> Iterator[Any]:
    """5,000 orders."""
    found = mongodb[SPACE]
    found.orders.insert_many({"_id": o.pop("id"), **o} for o in orders())
    yield found
    mongodb.drop_database(SPACE)


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], database: Any, request: pytest.FixtureRequest) -> None:
    """The server reads by the path the planner names, sorts where it says so, and examines as much."""
    case = read_case(store, name, body, dialect_of(store))
    plan = plan_read(case.query, [case.record], case.world)
    database.orders.drop_indexes()  # and with them the plans the server remembers
    create_indexes(database.orders, body)
    found = explained(database, find_of(body, (plan.likely or plan.steps[0]).ask))
    differs = differences(plan, found, float(body.get("limit", 0)))
    known = KNOWN.get(request.node.callspec.id)
    assert bool(differs) == bool(known), (differs or f"no longer differs: {known}", found)
