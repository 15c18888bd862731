"""The rule catalogue: a list with filters, and a page per rule made of the docstring that is also its test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from fastapi import APIRouter
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import Response

from app.analysis import analyse
from app.errors import NotFound
from app.memory import Memory
from app.model.problem import BadProject
from app.model.text import read_yaml
from app.rules import RULES
from app.rules.rule import SEVERITIES, Finding, Rule
from app.templating import render
from app.views.page import StudioPage

router = APIRouter()
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
FENCE = re.compile(r"^```yaml (flagged|clean)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a rule's page: text, or an example with what the rule says of it."""

    html: Markup | None = None
    example: str = ""
    flagged: bool = False
    verdict: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class List(StudioPage):
    """All rules; `severity` and `scope` narrow them."""

    template: ClassVar[str] = "rules/list.html"
    here: ClassVar[str] = "rules"
    title: ClassVar[str] = "Rules"
    severity: str = ""
    scope: str = ""

    @property
    def rules(self) -> Sequence[Rule]:
        order = {s: i for i, s in enumerate(SEVERITIES)}
        found = [r for r in RULES.values() if self.severity in {"", r.severity} and self.scope in {"", r.scope}]
        return sorted(found, key=lambda r: (order[r.severity], r.id))

    @property
    def severities(self) -> Sequence[tuple[str, int]]:
        return [(s, n) for s in SEVERITIES if (n := sum(r.severity == s for r in RULES.values()))]

    @property
    def scopes(self) -> Sequence[tuple[str, int]]:
        every = [r.scope for r in RULES.values()]
        return [(s, every.count(s)) for s in dict.fromkeys(sorted(every))]


@dataclass(frozen=True, kw_only=True)
class Show(StudioPage):
    """One rule."""

    template: ClassVar[str] = "rules/show.html"
    here: ClassVar[str] = "rules"
    rule: Rule

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.rule.id

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return pieces(self.rule.id)


@lru_cache(maxsize=256)
def pieces(rule_id: str) -> tuple[Piece, ...]:
    """The docstring of a rule without its first line, examples set apart and judged."""
    rule = RULES[rule_id]
    text = "\n".join(line.removeprefix("    ") for line in rule.doc.strip().splitlines()[1:])
    out: list[Piece] = []
    at = 0
    for match in FENCE.finditer(text):
        out += _text(text[at : match.start()])
        out.append(Piece(example=match[2], flagged=match[1] == "flagged", verdict=_verdict(rule, match[2])))
        at = match.end()
    return (*out, *_text(text[at:]))


def _text(text: str) -> list[Piece]:
    html = Markup(MARKDOWN.render(text))  # noqa: S704 - raw HTML is off
    return [Piece(html=html)] if text.strip() else []


def _verdict(rule: Rule, example: str) -> tuple[Finding, ...]:
    try:
        report = analyse(read_yaml(example), Memory())
    except BadProject:
        return ()
    return tuple(f for f in report.findings if f.rule == rule.id)


@router.get("/rules", name="rules:list")
def list_rules(severity: str = "", scope: str = "") -> Response:
    """The catalogue."""
    return render(List(severity=severity, scope=scope))


@router.get("/rules/{rule_id}", name="rules:show")
def show(rule_id: str) -> Response:
    """One rule."""
    if rule_id not in RULES:
        raise NotFound(f"There is no rule called {rule_id}.", fix="The list of rules has them all.")
    return render(Show(rule=RULES[rule_id]))


__all__ = ["List", "Show", "pieces", "router"]
