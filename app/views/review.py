"""What somebody with a review link sees: the project to read, nothing to change.

The address in the message holds the secret; the first visit moves it into a cookie for this review alone and leads to
an address without it, so that it stays out of histories, screenshots and copied addresses. Nothing is decided on that
first visit: a wrong secret is found out on the page itself, and takes the same time as a right one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import ClassVar

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.analysis import ModelReport, Report, analyse
from app.errors import AppError, NotFound
from app.exporters.words import held, key_words
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.types import Plan
from app.rules.rule import Finding, Severity
from app.storage import links, proofs, snapshots
from app.storage.links import Shared
from app.storage.parts import load
from app.storage.proofs import Run
from app.templating import Page, render
from app.views import decisions
from app.views.opened import desk
from app.views.page import Toast
from app.views.proofs.evidence import Evidence, evidence
from app.views.workbench.rows import per_second, phrase

router = APIRouter()
COOKIE = "keywright-review"
SECRET = re.compile(r"(\d{1,17})\.([A-Za-z0-9_-]{20,128})")


@dataclass(frozen=True, slots=True)
class Row:
    """One pattern with its plan on every model."""

    number: int
    pattern: Pattern
    asked: str
    rate: float | None
    plans: tuple[tuple[str, Plan], ...]
    worst: Severity | None

    @property
    def per(self) -> str:
        """The rate; without a unit it is per second."""
        return "?" if self.rate is None else per_second(self.rate)


@dataclass(frozen=True, kw_only=True)
class Show(Page):
    """The whole review."""

    template: ClassVar[str] = "review/show.html"
    toast: ClassVar[Toast | None] = None
    shared: Shared
    report: Report
    change: int
    """Number of the last change of the project, which may be later than what is shown."""
    newer: str = ""
    """Name of a later named version."""
    proofs: tuple[Evidence, ...] = ()
    """What engines said of the models, held against what is shown."""

    @property
    def title(self) -> str:
        return f"Review: {self.project.name}"

    @property
    def project(self) -> Project:
        return self.shared.project

    @property
    def since(self) -> int:
        """Changes made after what is shown."""
        return self.change - self.shared.change if self.shared.snapshot else 0

    @cached_property
    def model(self) -> ModelReport | None:
        """The model the review is about: the chosen one, or the one that serves most."""
        models = self.report.models
        return next((m for m in models if m.model.chosen), max(models, key=lambda m: m.served, default=None))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Open findings of the workload and of the model in question, the worst first; then those of other models."""
        mine = self.model.model.name if self.model else ""
        open_ones = [f for f in self.report.findings if not f.accepted]
        return tuple(sorted(open_ones, key=lambda f: f.model not in {"", mine}))

    @property
    def judged(self) -> tuple[Finding, ...]:
        """What hurts, without what cannot be judged yet."""
        return tuple(f for f in self.findings if f.severity != "question")

    @property
    def questions(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.severity == "question")

    @property
    def version(self) -> str:
        """What the shown version is called, as a sentence begins."""
        name = self.shared.snapshot.name if self.shared.snapshot else ""
        return name if name.lower().startswith("version") else f"Version {name}"

    def number(self, operation: str) -> int:
        return next((i for i, p in enumerate(self.project.patterns, 1) if p.operation == operation), 0)

    @property
    def errors(self) -> int:
        return sum(f.severity == "error" for f in self.findings)

    @cached_property
    def limit(self) -> float | None:
        """Days until the first record of the model passes a hard limit at its maximum or p99."""
        crosses = [
            seconds
            for load in (self.model.loads.values() if self.model else ())
            for pair in load.record_crosses.values()
            for seconds in pair
            if seconds is not None
        ]
        return min(crosses) / 86_400 if crosses else None

    @property
    def limit_day(self) -> date | None:
        far = self.limit is None or self.limit > 36_500
        return None if far else datetime.now(UTC).date() + timedelta(days=self.limit or 0)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return tuple(self._row(i, p) for i, p in enumerate(self.project.patterns, 1))

    def _row(self, number: int, pattern: Pattern) -> Row:
        plans = tuple((m.model.name, m.plans[pattern.operation]) for m in self.report.models)
        beside = [f for f in self.findings if pattern.operation in f.patterns]
        worst = beside[0].severity if beside else None
        return Row(number, pattern, phrase(pattern), self.report.rates[pattern.operation][0], plans, worst)

    @property
    def structures(self) -> Sequence[tuple[ModelReport, tuple[tuple[str, str, list[str]], ...]]]:
        """Every model with its structures: name, what it holds, keys and indexes."""
        return [
            (m, tuple((s.name, held(s), key_words(s).split("; ")) for s in m.model.structures))
            for m in self.report.models
        ]

    def proved(self, model: str) -> tuple[Evidence, ...]:
        """The proofs of one model."""
        return tuple(e for e in self.proofs if e.model == model)

    @property
    def decisions(self) -> tuple[decisions.Line, ...]:
        return decisions.lines(self.project.decisions, self.report.findings)


@dataclass(frozen=True, kw_only=True)
class Gone(Page):
    """A link that leads nowhere: unknown, expired or revoked."""

    template: ClassVar[str] = "review/gone.html"
    status: ClassVar[int] = 404
    title: ClassVar[str] = "Not found"
    toast: ClassVar[Toast | None] = None
    error: AppError


@router.get("/r/{link}", name="review:show")
def show(request: Request, link: str) -> Response:
    """With the secret: keep it in a cookie and go to the clean address. Without: the review."""
    found = SECRET.fullmatch(link)
    if found:
        return _remember(request, found[1], link)
    db = desk(request).db
    kept = request.cookies.get(COOKIE, "") if link.isdigit() else ""
    secret = kept if kept.startswith(f"{link}.") else f"{link}.none"
    try:
        shared = links.open_link(db, secret)
    except NotFound as error:
        return render(Gone(error=error))
    newer = ""
    if shared.snapshot:
        every = snapshots.list_snapshots(db, shared.project_id)
        newer = next((s.name for s in every if s.change > shared.change), "")
    loaded = load(db, shared.project_id)
    proved = evidence_of(shared, proofs.current(db, shared.project_id), loaded.rows)
    shown = Show(shared=shared, report=analyse(shared.project), change=loaded.change, newer=newer, proofs=proved)
    return render(shown)


def evidence_of(shared: Shared, runs: Sequence[Run], rows: Mapping[str, int]) -> tuple[Evidence, ...]:
    """The proofs of the models that are shown; in a named version a model goes by the name it had when proved."""
    out = []
    for run in runs:
        now = (m.name for m in shared.project.models if rows.get(f"models/{m.name}") == run.model_row)
        name = run.model if shared.snapshot else next(now, "")
        if name and shared.project.model(name) and (found := evidence(run, shared.project, name)):
            out.append(found)
    return tuple(out)


def _remember(request: Request, number: str, secret: str) -> Response:
    answer = RedirectResponse(f"/r/{number}", 303)
    answer.set_cookie(
        COOKIE, secret, max_age=max(links.DAYS) * 86_400, path=f"/r/{number}", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


__all__ = ["Gone", "Show", "router"]
