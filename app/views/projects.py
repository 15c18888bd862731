"""The list of projects: open, rename, duplicate, delete with undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.errors import BadInput
from app.storage import projects
from app.storage.projects import Summary
from app.templating import render
from app.views.opened import AUTHOR, ProjectId, desk
from app.views.page import StudioPage, Toast
from app.views.proofs.panel import prover

router = APIRouter()


@dataclass(frozen=True, kw_only=True)
class List(StudioPage):
    """All projects, the ones changed last first."""

    template: ClassVar[str] = "projects/list.html"
    here: ClassVar[str] = "projects"
    title: ClassVar[str] = "Projects"
    projects: Sequence[Summary]
    deleted: Sequence[Summary] = ()


@router.get("/", name="projects:list")
def show(request: Request, gone: int = 0) -> Response:
    """The list; `gone`: a project that was just deleted and can be brought back."""
    db = desk(request).db
    deleted = projects.list_projects(db, deleted=True)
    name = next((p.name for p in deleted if p.id == gone), "")
    toast = Toast(f"{name} deleted.", action=f"/p/{gone}/restore") if name else None
    return render(List(projects=projects.list_projects(db), deleted=deleted, toast=toast))


@router.post("/p/{project_id}/rename", name="projects:rename")
def rename(request: Request, project_id: ProjectId, name: Annotated[str, Form()]) -> Response:
    """Another name for a project."""
    if not name.strip():
        raise BadInput("A project needs a name.", place="project")
    projects.rename_project(desk(request).db, project_id, name, AUTHOR)
    return RedirectResponse("/", 303)


@router.post("/p/{project_id}/duplicate", name="projects:duplicate")
def duplicate(request: Request, project_id: ProjectId) -> Response:
    """A copy with a history of its own."""
    made = projects.duplicate_project(desk(request).db, project_id, AUTHOR)
    return RedirectResponse(f"/p/{made.id}", 303)


@router.post("/p/{project_id}/delete", name="projects:delete")
def delete(request: Request, project_id: ProjectId) -> Response:
    """Out of the list; it can be restored."""
    projects.delete_project(desk(request).db, project_id)
    prover(request).cancel(project_id)
    return RedirectResponse(f"/?gone={project_id}", 303)


@router.post("/p/{project_id}/restore", name="projects:restore")
def restore(request: Request, project_id: ProjectId) -> Response:
    """Back into the list."""
    projects.restore_project(desk(request).db, project_id)
    return RedirectResponse("/", 303)


__all__ = ["List", "router"]
