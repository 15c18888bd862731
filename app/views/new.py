"""New projects: from pasted rows, a file, an example, or blank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.analysis import analyse
from app.errors import BadInput, NotFound
from app.examples import EXAMPLES
from app.examples import Example as Source
from app.model.project import Project
from app.plan.types import Level
from app.storage import projects
from app.stores import STORES
from app.stores.store import Store
from app.templating import render
from app.views import reading
from app.views.opened import AUTHOR, desk
from app.views.page import StudioPage

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Example:
    """A finished project to start from, with how its first model serves it."""

    name: str
    title: str
    summary: str
    patterns: int
    stores: str
    levels: tuple[Level, ...]


@dataclass(frozen=True, kw_only=True)
class New(StudioPage):
    """Paste on the left, what was understood on the right, examples below."""

    template: ClassVar[str] = "projects/new.html"
    here: ClassVar[str] = "new"
    title: ClassVar[str] = "New project"
    reading: reading.Reading
    text: str = ""
    name: str = ""
    chosen: frozenset[str]
    problem: str = ""

    @property
    def stores(self) -> Sequence[Store]:
        return tuple(STORES.values())

    @property
    def examples(self) -> Sequence[Example]:
        return tuple(_example(name, EXAMPLES[name]) for name in EXAMPLES)


def _example(name: str, example: Source) -> Example:
    project = example.project()
    report = analyse(project)
    first = report.models[0] if report.models else None
    levels = tuple(first.plans[p.operation].level for p in project.patterns) if first else ()
    titles = dict.fromkeys(m.store.title for m in report.models)
    return Example(name, example.title, example.summary, len(project.patterns), ", ".join(titles), levels)


@router.get("/new", name="new:show")
def show() -> Response:
    """The empty form."""
    return render(New(reading=reading.make(""), chosen=frozenset(STORES)))


@router.post("/new/reading", name="new:reading")
def read(
    text: Annotated[str, Form()] = "",
    filename: Annotated[str, Form()] = "",
    stores: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """How the text is read so far, and how well first models would serve it."""
    return reading.show(text, filename=filename, stores=[s for s in STORES if s in (stores or [])])


@router.post("/projects", name="new:create")
def create(
    request: Request,
    text: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
    filename: Annotated[str, Form()] = "",
    stores: Annotated[list[str] | None, Form()] = None,
    blank: Annotated[str, Form()] = "",
) -> Response:
    """Make the project with a first model for every chosen store."""
    chosen = [s for s in STORES if s in (stores or [])]
    if blank:
        project = Project(name=name.strip() or "New project", stores=tuple(chosen))
        return _created(request, project, "Created blank")
    made = reading.make(text, filename=filename)
    problem = made.problem or ("" if made.imported else "Paste some rows first, or start blank.")
    if problem or made.imported is None:
        page = New(reading=made, text=text, name=name, chosen=frozenset(chosen), problem=problem)
        return render(page, status=BadInput.status)
    project = made.imported.project
    project = project.model_copy(update={"name": name.strip() or project.name or "New project"})
    return _created(request, reading.with_models(project, chosen), "Created from a pasted table")


@router.post("/examples/{name}", name="new:example")
def example(request: Request, name: str) -> Response:
    """An own copy of an example."""
    if name not in EXAMPLES:
        raise NotFound(f"There is no example called {name}.")
    return _created(request, EXAMPLES[name].project(), f"Created from the example {EXAMPLES[name].title}")


def _created(request: Request, project: Project, label: str) -> Response:
    made = projects.create_project(desk(request).db, project, AUTHOR, label)
    return RedirectResponse(f"/p/{made.id}", 303)


__all__ = ["New", "router"]
