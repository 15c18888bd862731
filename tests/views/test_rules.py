"""The rule catalogue."""

import pytest
from fastapi.testclient import TestClient

from app.rules import RULES
from app.views.rules import pieces


def test_every_rule_is_listed_the_worst_first(client: TestClient) -> None:
    page = client.get("/rules").context
    assert {r.id for r in page.rules} == set(RULES)
    found = [r.severity for r in page.rules]
    assert found == sorted(found, key=["error", "warning", "advice", "question"].index)


def test_the_list_is_narrowed_by_severity_and_scope(client: TestClient) -> None:
    page = client.get("/rules?severity=question&scope=pattern").context
    assert page.rules
    assert {(r.severity, r.scope) for r in page.rules} == {("question", "pattern")}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_has_a_page_with_its_examples_judged(client: TestClient, rule: str) -> None:
    answer = client.get(f"/rules/{rule}")
    assert answer.status_code == 200
    examples = [p for p in pieces(rule) if p.example]
    for example in examples:
        assert bool(example.verdict) is example.flagged
    assert " style=" not in answer.text


def test_a_docstring_is_shown_as_text_never_as_html(client: TestClient) -> None:
    for rule in RULES:
        assert "<script" not in "".join(str(p.html) for p in pieces(rule))


def test_a_rule_that_does_not_exist_is_not_found(client: TestClient) -> None:
    assert client.get("/rules/no-such-rule").status_code == 404
