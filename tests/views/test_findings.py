"""Fixes, accepted findings and their way back, on the example of an order page."""

import pytest
from fastapi.testclient import TestClient

from app.model.text import write_yaml
from tests.views.conftest import PROBLEM


@pytest.fixture
def desk(client: TestClient) -> str:
    answer = client.post("/examples/order-page", follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_every_fix_is_applied_and_taken_back_with_one_click(client: TestClient, desk: str) -> None:
    page = client.get(desk).context
    before = write_yaml(page.project)
    fixes = [(f.key, i) for f in page.report.findings for i in range(len(f.fixes))]
    assert fixes
    for key, i in fixes:
        view = {"page": "workbench", "seen": str(client.get(desk).context.change_number)}
        answer = client.post(f"{desk}/fix", data={**view, "finding": key, "fix": str(i)}, headers=PROBLEM)
        assert answer.status_code == 200, (key, answer.text)
        assert "Applied: " in answer.text
        changed = client.get(desk).context
        assert write_yaml(changed.project) != before, key
        number = str(changed.change_number)
        assert client.post(f"{desk}/undo", data={**view, "number": number}, headers=PROBLEM).status_code == 200
        assert write_yaml(client.get(desk).context.project) == before, key


def test_a_finding_that_is_gone_is_a_conflict(client: TestClient, desk: str) -> None:
    answer = client.post(f"{desk}/fix", data={"finding": "none@patterns/x"}, headers=PROBLEM)
    assert answer.status_code == 409
    key = client.get(desk).context.report.findings[0].key
    assert client.post(f"{desk}/fix", data={"finding": key, "fix": "99"}, headers=PROBLEM).status_code == 404


def test_accepting_needs_a_reason_and_records_the_numbers(client: TestClient, desk: str) -> None:
    found = next(f for f in client.get(desk).context.report.findings if f.evidence and not f.accepted)
    form = {"finding": found.key, "reason": " "}
    assert client.post(f"{desk}/accept", data=form, headers=PROBLEM).status_code == 422
    form["reason"] = "Known and wanted."
    assert client.post(f"{desk}/accept", data=form, headers=PROBLEM).status_code == 200
    page = client.get(desk).context
    decision = page.project.decisions[-1]
    assert (decision.finding, decision.at, decision.reason) == (found.rule, found.at, "Known and wanted.")
    assert set(decision.numbers) == {e.label for e in found.evidence}
    assert next(f for f in page.report.findings if f.key == found.key).accepted
