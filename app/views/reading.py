"""How a pasted text is read, and how that reading is shown before anything is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from starlette.responses import Response

from app.analysis import analyse
from app.errors import AppError
from app.importers import import_text, read_patterns
from app.importers.format import Imported, RowReading
from app.model.problem import BadProject
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.types import Level
from app.starters import starter
from app.templating import Page, html_of, render
from app.views.editing.fields import shown
from app.views.workbench.page import Parts
from app.views.workbench.rows import phrase

MOST = 100
"""Patterns up to which first models are tried out while somebody types."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row as it was understood."""

    number: int
    reading: RowReading
    pattern: Pattern | None
    questions: tuple[str, ...]

    @property
    def phrase(self) -> str:
        return f"{self.pattern.action} {phrase(self.pattern)}".strip() if self.pattern else ""

    @property
    def needs(self) -> str:
        if self.pattern is None:
            return ""
        return ", ".join(self.pattern.set) if self.pattern.is_write else ", ".join(n.what for n in self.pattern.needs)

    @property
    def rate(self) -> str:
        return shown(self.pattern.rate) if self.pattern and self.pattern.rate else ""

    @property
    def consistency(self) -> str:
        return shown(self.pattern.consistency) if self.pattern else ""


@dataclass(frozen=True, slots=True)
class First:
    """How well the first model for a store would serve the patterns."""

    store: str
    levels: tuple[Level, ...]
    served: int


@dataclass(frozen=True, kw_only=True)
class Reading(Page):
    """The reading of a text. `problem`: why nothing could be read."""

    template: ClassVar[str] = "projects/_reading.html"
    imported: Imported | None
    known: Project | None
    problem: str = ""
    id: str = "reading"
    meters: tuple[First, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        if self.imported is None:
            return ()
        asked: dict[str, list[str]] = {}
        for question in self.imported.questions:
            if question.place.startswith("patterns/"):
                name = question.place.removeprefix("patterns/").rpartition("/")[0]
                asked.setdefault(name, []).append(question.text)
        project = self.imported.project
        return tuple(
            Line(i, r, project.pattern(r.pattern), tuple(asked.get(r.pattern, ())))
            for i, r in enumerate(self.imported.rows, 1)
        )

    @property
    def other_questions(self) -> tuple[str, ...]:
        if self.imported is None:
            return ()
        return tuple(q.text for q in self.imported.questions if not q.place.startswith("patterns/"))

    @property
    def new_entities(self) -> tuple[tuple[str, str], ...]:
        """Names of entities that are new, with why they were inferred."""
        if self.imported is None:
            return ()
        old = {e.name for e in self.known.entities} if self.known else set()
        found = self.imported.project.entities
        return tuple((e.name, "; ".join(e.inferred.values())) for e in found if e.name not in old)

    @property
    def new_relationships(self) -> tuple[tuple[str, str], ...]:
        if self.imported is None:
            return ()
        old = {r.key for r in self.known.relationships} if self.known else set()
        found = [r for r in self.imported.project.relationships if r.key not in old]
        names = [f"{r.from_} n : n {r.to}" if r.many_to_many else f"{r.role} 1 : n {r.child}" for r in found]
        return tuple(zip(names, ("; ".join(r.inferred.values()) for r in found), strict=True))


def read(text: str, into: Project | None = None, filename: str = "") -> Imported:
    """Read a table, or lines of text, or a project file. Raises BadInput or BadProject."""
    if into is not None:
        return read_patterns(text, into)
    return import_text(text, filename)


def with_models(project: Project, stores: Sequence[str]) -> Project:
    """The project with a first model for each store, if it has no models of its own."""
    if project.models:
        return project
    bare = project.model_copy(update={"stores": tuple(stores)})
    return bare.model_copy(update={"models": tuple(starter(bare, s) for s in stores)})


def _first(project: Project, stores: Sequence[str]) -> tuple[First, ...]:
    if not stores or not project.patterns or len(project.patterns) > MOST:
        return ()
    report = analyse(with_models(project, stores))
    names = [p.operation for p in project.patterns]
    return tuple(First(m.store.title, tuple(m.plans[n].level for n in names), m.served) for m in report.models)


def make(
    text: str,
    known: Project | None = None,
    filename: str = "",
    id: str = "reading",  # noqa: A002 - the id of an element
    stores: Sequence[str] = (),
) -> Reading:
    """The reading of a text, or what is wrong with it."""
    if not text.strip():
        return Reading(imported=None, known=known, id=id)
    try:
        imported = read(text, known, filename)
        return Reading(imported=imported, known=known, id=id, meters=_first(imported.project, stores))
    except AppError as wrong:
        return Reading(imported=None, known=known, problem=" ".join(x for x in (wrong.detail, wrong.fix) if x), id=id)
    except BadProject as wrong:
        return Reading(imported=None, known=known, problem=str(wrong.problems[0]), id=id)


def show(
    text: str,
    known: Project | None = None,
    *,
    target: str = "#reading",
    filename: str = "",
    stores: Sequence[str] = (),
) -> Response:
    """The reading as a fragment for `target`."""
    part = html_of(make(text, known, filename, target.removeprefix("#"), stores))
    return render(Parts(parts=((target, "outerMorph", part),)))


__all__ = ["First", "Line", "Reading", "make", "read", "show", "with_models"]
