"""Accepted findings."""

import pytest
from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM

LISTS = """
keywright: 1
name: Shop
entities:
  - {name: user, count: 100k, fields: [id uuid key]}
  - {name: order, count: 10M, fields: [id uuid key, user_id uuid]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 3k, max: 50k}}
patterns:
  - {operation: Orders of a user, list: order, where: "order.user_id = :u", rate: 20/s, consistency: strong}
"""


@pytest.fixture
def lists(client: TestClient) -> str:
    made = client.post("/projects", data={"text": LISTS, "filename": "shop.yaml"}, follow_redirects=False)
    address = made.headers["location"]
    data = {"finding": "unbounded-list@patterns/Orders of a user", "reason": "Only the export asks for it."}
    assert client.post(f"{address}/accept", data=data, headers=PROBLEM).status_code == 200
    return address


def test_a_decision_shows_why_who_and_when(client: TestClient, lists: str) -> None:
    answer = client.get(f"{lists}/decisions")
    (line,) = answer.context.lines
    assert line.decision.reason == "Only the export asks for it."
    assert line.finding is not None
    assert line.decision.by in answer.text
    assert line.decision.date in answer.text


def test_numbers_that_moved_since_are_shown(client: TestClient, lists: str) -> None:
    data = {"place": "relationships/user-order", "field": "children.p99", "text": "9k"}
    assert client.patch(f"{lists}/cell", data=data, headers=PROBLEM).status_code == 200
    (line,) = client.get(f"{lists}/decisions").context.lines
    assert any("9,000" in now for _, _, now in line.moved)


def test_what_is_no_longer_found_is_said(client: TestClient, lists: str) -> None:
    data = {"place": "patterns/Orders of a user", "field": "limit", "text": "20"}
    client.patch(f"{lists}/cell", data=data, headers=PROBLEM)
    assert "no longer found" in client.get(f"{lists}/decisions").text


def test_a_decision_is_taken_back(client: TestClient, lists: str) -> None:
    data = {"finding": "unbounded-list", "at": "patterns/Orders of a user", "page": "decisions"}
    assert client.post(f"{lists}/decisions/withdraw", data=data, headers=PROBLEM).status_code == 200
    page = client.get(f"{lists}/decisions").context
    assert not page.lines
    assert any(f.rule == "unbounded-list" and not f.accepted for f in page.report.findings)
    assert client.post(f"{lists}/decisions/withdraw", data=data, headers=PROBLEM).status_code == 404
