"""Findings the team accepted: why, who, when; and what has changed since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from app.model.project import Decision
from app.rules.rule import Finding
from app.storage import decisions
from app.templating import render
from app.views.answer import answer
from app.views.edit import Seen
from app.views.editing import Changed
from app.views.opened import AUTHOR, desk, open_project
from app.views.page import ProjectPage

router = APIRouter()
LONG = 32
"""Characters from which on a piece of evidence is a sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """One decision with the finding it still covers (None: that is gone). `moved`: numbers that differ since."""

    decision: Decision
    finding: Finding | None
    moved: tuple[tuple[str, str, str], ...]

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """Figures it was accepted at, sentences left out."""
        found = ((str(k), str(v)) for k, v in self.decision.numbers.items())
        return tuple((k, v) for k, v in found if len(v) <= LONG)


@dataclass(frozen=True, kw_only=True)
class List(ProjectPage):
    """All decisions."""

    template: ClassVar[str] = "decisions/list.html"
    here: ClassVar[str] = "decisions"
    title: ClassVar[str] = "Decisions"

    @property
    def lines(self) -> tuple[Line, ...]:
        return lines(self.project.decisions, self.report.findings)


def lines(made: tuple[Decision, ...], findings: tuple[Finding, ...]) -> tuple[Line, ...]:
    """Decisions, the latest first, beside what is found now."""
    return tuple(_line(d, findings) for d in reversed(made))


def _line(d: Decision, findings: tuple[Finding, ...]) -> Line:
    found = [f for f in findings if f.rule == d.finding and (f.at == d.at or f.at.startswith(f"{d.at}/"))]
    now = {e.label: e.value for e in found[0].evidence} if found else {}
    moved = tuple((k, str(v), now[k]) for k, v in d.numbers.items() if k in now and str(v) != now[k])
    return Line(d, found[0] if found else None, moved)


@router.get("/p/{project_id}/decisions", name="decisions:list")
def show(request: Request, project_id: int) -> Response:
    """The accepted findings of a project."""
    return render(List(opened=open_project(request, project_id)))


@router.post("/p/{project_id}/decisions/withdraw", name="decisions:withdraw")
def withdraw(
    request: Request, project_id: int, view: Seen, finding: Annotated[str, Form()], at: Annotated[str, Form()]
) -> Response:
    """Take a decision back; the finding counts again."""
    here, before = desk(request), open_project(request, project_id)
    applied = decisions.unaccept(here.db, project_id, finding, at, author=AUTHOR)
    changed = Changed(before, here.opened(applied.loaded), f"{finding} counts again")
    return answer(here, changed, view)


__all__ = ["Line", "List", "lines", "router"]
