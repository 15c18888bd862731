"""Every rule is documented, and its documented examples hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt

from app.analysis import Report, analyse
from app.memory import Memory
from app.model.text import read_yaml, write_yaml
from app.rules import RULES
from app.rules.rule import Finding, Rule

HEADINGS = ["What it flags", "Why it hurts", "Example", "Instead", "When to allow it", "Sources"]


def dedented(rule: Rule) -> str:
    lines = rule.doc.strip().splitlines()
    margin = min((len(x) - len(x.lstrip()) for x in lines[1:] if x.strip()), default=0)
    return "\n".join([lines[0], *(x[margin:] for x in lines[1:])])


def examples(rule: Rule) -> Iterator[tuple[str, str]]:
    for token in MarkdownIt().parse(dedented(rule)):
        if token.type == "fence" and token.info.startswith("yaml "):
            yield token.info.split()[1], token.content


def examples_of_all() -> list[tuple[str, str, str]]:
    return [(rule.id, kind, text) for rule in RULES.values() for kind, text in examples(rule)]


def report(text: str) -> Report:
    return analyse(read_yaml(text), Memory())


@pytest.mark.parametrize(("rule", "kind", "text"), examples_of_all(), ids=lambda x: x if len(x) < 40 else "")
def test_example_holds(rule: str, kind: str, text: str) -> None:
    found = [f for f in report(text).findings if f.rule == rule]
    if kind == "flagged":
        assert found, f"{rule}: the flagged example has no finding"
    else:
        assert not found, f"{rule}: the clean example has {found[0].message!r}"


@pytest.mark.parametrize(("rule", "kind", "text"), examples_of_all(), ids=lambda x: x if len(x) < 40 else "")
def test_every_fix_removes_its_finding(rule: str, kind: str, text: str) -> None:
    for finding in report(text).findings:
        if finding.rule == rule:
            for fix in finding.fixes:
                changed = fix.apply(read_yaml(text))
                assert not still_there(finding, changed), f"{fix.label} does not remove {finding.message}"


def still_there(finding: Finding, project: object) -> bool:
    changed = read_yaml(write_yaml(project))  # type: ignore[arg-type]  # a fix gives a project
    return any(f.key == finding.key and f.severity == finding.severity for f in analyse(changed, Memory()).findings)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda r: r.id)
class TestEveryRule:
    def test_has_its_headings_in_order(self, rule: Rule) -> None:
        tokens = MarkdownIt().parse(dedented(rule))
        found = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
        assert found == HEADINGS

    def test_has_both_kinds_of_example(self, rule: Rule) -> None:
        assert {kind for kind, _ in examples(rule)} >= {"flagged", "clean"}

    def test_title_is_a_sentence(self, rule: Rule) -> None:
        assert rule.title.endswith(".")
        assert len(rule.title) <= 90


def test_there_are_enough_rules() -> None:
    assert len(RULES) >= 24
