"""The whole workbench, and its parts that have addresses of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from app.analysis import ModelReport
from app.errors import NotFound
from app.templating import Page, html_of, number, render
from app.views.opened import Opened, ProjectId, open_project
from app.views.page import ProjectPage
from app.views.workbench.details import details
from app.views.workbench.panel import Panel, read_show
from app.views.workbench.rows import row_html

router = APIRouter()


@dataclass(frozen=True, kw_only=True)
class Table(Page):
    """The table of all lines; those in `open` with their details."""

    template: ClassVar[str] = "workbench/_table.html"
    opened: Opened
    open: frozenset[str] = frozenset()

    @property
    def models(self) -> tuple[ModelReport, ...]:
        return self.opened.report.models

    @property
    def rows(self) -> Markup:
        return Markup("").join(rows(self.opened, self.open))


@dataclass(frozen=True, kw_only=True)
class Status(Page):
    """The line under the table."""

    template: ClassVar[str] = "workbench/_status.html"
    opened: Opened

    @property
    def patterns(self) -> int:
        return len(self.opened.project.patterns)

    def _sum(self, writes: bool, peak: bool) -> str:
        rates = self.opened.report.rates
        found = [rates[p.operation][peak] for p in self.opened.project.patterns if p.is_write is writes]
        return number(sum(r for r in found if r is not None), 4)

    @property
    def totals(self) -> Sequence[tuple[str, str, str]]:
        return tuple((w, self._sum(w == "writes", False), self._sum(w == "writes", True)) for w in ("reads", "writes"))


@dataclass(frozen=True, kw_only=True)
class Workbench(ProjectPage):
    """The page."""

    template: ClassVar[str] = "workbench/show.html"
    here: ClassVar[str] = "workbench"
    title: ClassVar[str] = "Workbench"

    @cached_property
    def table(self) -> Markup:
        return html_of(Table(opened=self.opened))

    @cached_property
    def panel(self) -> Markup:
        return html_of(Panel(opened=self.opened))

    @cached_property
    def status_line(self) -> Markup:
        return html_of(Status(opened=self.opened))


def rows(opened: Opened, open_rows: frozenset[str] = frozenset()) -> list[Markup]:
    """Every line, open ones followed by their details."""
    out: list[Markup] = []
    for i, pattern in enumerate(opened.project.patterns):
        row = f"r-{opened.rows[f'patterns/{pattern.operation}']}"
        is_open = row in open_rows
        out.append(row_html(opened, i, is_open))
        if is_open and (part := details(opened, row)):
            out.append(html_of(part))
    return out


@router.get("/p/{project_id}", name="workbench:show")
def show(request: Request, project_id: ProjectId) -> Response:
    """The workbench of a project."""
    return render(Workbench(opened=open_project(request, project_id)))


@dataclass(frozen=True, kw_only=True)
class Parts(Page):
    """Parts of a page in their wrappers: target, swap, HTML."""

    template: ClassVar[str] = "_parts.html"
    parts: tuple[tuple[str, str, Markup], ...]


@router.get("/p/{project_id}/rows/{row}", name="workbench:details")
def row_details(request: Request, project_id: ProjectId, row: str) -> Response:
    """The details of one line."""
    found = details(open_project(request, project_id), row)
    if found is None:
        raise NotFound("This row is gone.", fix="Reload the page.")
    return render(Parts(parts=((f"#m-{row}", "outerMorph", html_of(found)),)))


@router.get("/p/{project_id}/findings", name="workbench:findings")
def findings(request: Request, project_id: ProjectId, show: str = "") -> Response:
    """The panel with other filters; `show=none` hides everything."""
    panel = Panel(opened=open_project(request, project_id), show=read_show(show))
    return render(Parts(parts=(("#panel", "outerMorph", html_of(panel)),)))


__all__ = ["Parts", "Status", "Table", "Workbench", "router", "rows"]
