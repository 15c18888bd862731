"""The findings beside the table: counts, filters, the worst first, with evidence, fixes and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from urllib.parse import quote

from app.rules.rule import SEVERITIES, Finding
from app.templating import Page
from app.views.opened import Opened
from app.views.page import row_id

SHOWN = 60
"""Findings listed at once; more would only slow the page down."""
FILTERS = (*SEVERITIES, "accepted")
DEFAULT = frozenset(SEVERITIES)


@dataclass(frozen=True, slots=True)
class Listed:
    """A finding with the line it stands beside."""

    number: int
    finding: Finding
    place: str
    href: str


@dataclass(frozen=True, kw_only=True)
class Panel(Page):
    """The panel."""

    template: ClassVar[str] = "workbench/_panel.html"
    opened: Opened
    show: frozenset[str] = DEFAULT

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Number of findings by filter, those without any left out."""
        counts = dict(self.opened.report.counts())
        accepted = sum(f.accepted for f in self.opened.report.findings)
        every = [*((str(s), counts[s]) for s in SEVERITIES), ("accepted", accepted)]
        return tuple((name, n) for name, n in every if n)

    @cached_property
    def chosen(self) -> Sequence[Finding]:
        return [f for f in self.opened.report.findings if ("accepted" if f.accepted else f.severity) in self.show]

    @property
    def listed(self) -> tuple[Listed, ...]:
        numbers = {p.operation: i for i, p in enumerate(self.opened.project.patterns)}
        return tuple(self._listed(i, f, numbers) for i, f in enumerate(self.chosen[:SHOWN], 1))

    def _listed(self, number: int, finding: Finding, numbers: dict[str, int]) -> Listed:
        base = f"/p/{self.opened.id}"
        name = next((p for p in finding.patterns if p in numbers), "")
        if name:
            return Listed(number, finding, f"#{numbers[name] + 1} {name}", f"#{row_id(self.opened, name)}")
        if finding.model:
            where = f"{base}/models/{quote(finding.model, safe='')}"
            return Listed(number, finding, finding.structure or finding.model, where)
        listed, _, rest = finding.at.partition("/")
        href = f"{base}/entities" if listed in {"entities", "relationships"} else base
        return Listed(number, finding, rest or finding.at, href)

    @property
    def more(self) -> int:
        return max(0, len(self.chosen) - SHOWN)


def read_show(text: str) -> frozenset[str]:
    """Filters as the page sends them: words with spaces between; empty means the usual ones."""
    return frozenset(text.split()) & frozenset(FILTERS) if text else DEFAULT


__all__ = ["DEFAULT", "Listed", "Panel", "read_show"]
