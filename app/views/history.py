"""What happened to a project: every change with its undo, and named versions to go back to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.exporters.format import slug
from app.model.text import write_yaml
from app.storage import history, snapshots
from app.storage.history import Change
from app.storage.snapshots import Snapshot
from app.templating import render
from app.views.answer import answer
from app.views.edit import Seen
from app.views.editing import Changed
from app.views.opened import AUTHOR, desk, open_project
from app.views.page import ProjectPage

router = APIRouter()
SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class List(ProjectPage):
    """Changes, the newest first, and named versions. `before`: the change this older page starts under (0: none)."""

    template: ClassVar[str] = "history/list.html"
    here: ClassVar[str] = "history"
    title: ClassVar[str] = "History"
    changes: Sequence[Change]
    snapshots: Sequence[Snapshot]
    before: int = 0
    days: dict[str, list[Change]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for change in self.changes:
            self.days.setdefault(change.created_at.date().isoformat(), []).append(change)

    @property
    def older(self) -> int:
        """The number to ask for the next page with; 0 where this is the last."""
        last = self.changes[-1].number if self.changes else 0
        return last if len(self.changes) == SHOWN and last > 1 else 0


@router.get("/p/{project_id}/history", name="history:list")
def show(request: Request, project_id: int, before: int = 0) -> Response:
    """The history of a project."""
    opened, db = open_project(request, project_id), desk(request).db
    changes = history.changes(db, project_id, before=before or None, limit=SHOWN)
    kept = snapshots.list_snapshots(db, project_id)
    return render(List(opened=opened, changes=changes, snapshots=kept, before=before))


@router.post("/p/{project_id}/versions", name="history:keep")
def keep(
    request: Request, project_id: int, name: Annotated[str, Form()], note: Annotated[str, Form()] = ""
) -> Response:
    """Keep the project as it is now under a name."""
    snapshots.create_snapshot(desk(request).db, project_id, name, AUTHOR, note)
    return RedirectResponse(f"/p/{project_id}/history", 303)


@router.post("/p/{project_id}/versions/{number}/restore", name="history:restore")
def restore(request: Request, project_id: int, number: int, view: Seen) -> Response:
    """Make the project what it was; one change, undone like any other."""
    here, before = desk(request), open_project(request, project_id)
    applied = snapshots.restore_snapshot(here.db, project_id, number, AUTHOR)
    return answer(here, Changed(before, here.opened(applied.loaded), "Back to a named version"), view)


@router.get("/p/{project_id}/versions/{number}", name="history:download")
def download(request: Request, project_id: int, number: int) -> Response:
    """A named version as a project file."""
    snapshot, project = snapshots.load_snapshot(desk(request).db, project_id, number)
    name = f"{slug(project.name)}-{slug(snapshot.name)}.yaml"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(write_yaml(project), media_type="application/yaml", headers=headers)


__all__ = ["List", "router"]
