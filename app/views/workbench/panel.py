"""The findings beside the table: counts, filters, the worst first, with evidence, fixes and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from urllib.parse import quote

from markupsafe import Markup

from app.rules.rule import SEVERITIES, Finding
from app.templating import Page, html_of
from app.views.opened import Opened
from app.views.workbench.rows import MEMORY

SHOWN = 40
"""Findings listed at once; more would only slow the page down."""
FILTERS = (*SEVERITIES, "accepted")
DEFAULT = frozenset(SEVERITIES)


@dataclass(frozen=True, kw_only=True)
class Article(Page):
    """A finding with the line it stands beside."""

    template: ClassVar[str] = "workbench/_finding.html"
    opened: Opened
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

    def looks_like(self, other: Panel) -> bool:
        """Whether both would show the same."""
        mine, others = self.chosen, other.chosen
        return (
            len(mine) == len(others)
            and self.counts == other.counts
            and mine[:SHOWN] == others[:SHOWN]
            and self.opened.numbers == other.opened.numbers
        )

    @cached_property
    def chosen(self) -> Sequence[Finding]:
        return [f for f in self.opened.report.findings if ("accepted" if f.accepted else f.severity) in self.show]

    @property
    def articles(self) -> Markup:
        """The findings listed, each rendered once for as long as it stands at the same number."""
        return Markup("").join(self._article(i, f) for i, f in enumerate(self.chosen[:SHOWN], 1))

    def _article(self, number: int, finding: Finding) -> Markup:
        place, href = self._where(finding)
        article = Article(opened=self.opened, number=number, finding=finding, place=place, href=href)
        return MEMORY.of("article", (), lambda: html_of(article), (finding, self.opened.id, number, place, href))

    def _where(self, finding: Finding) -> tuple[str, str]:
        base = f"/p/{self.opened.id}"
        name = next((p for p in finding.patterns if p in self.opened.numbers), "")
        if name:
            number, row = self.opened.numbers[name]
            return f"#{number} {name}", f"#{row}"
        if finding.model:
            return finding.structure or finding.model, f"{base}/models/{quote(finding.model, safe='')}"
        listed, _, rest = finding.at.partition("/")
        return rest or finding.at, f"{base}/entities" if listed in {"entities", "relationships"} else base

    @property
    def more(self) -> int:
        return max(0, len(self.chosen) - SHOWN)


def read_show(text: str) -> frozenset[str]:
    """Filters as the page sends them: words with spaces between; empty means the usual ones."""
    return frozenset(text.split()) & frozenset(FILTERS) if text else DEFAULT


__all__ = ["DEFAULT", "Article", "Panel", "read_show"]
