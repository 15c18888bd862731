"""Review links of a project: make one, see who used it, revoke it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.errors import BadInput
from app.storage import links, snapshots
from app.storage.links import DAYS, Link
from app.storage.snapshots import Snapshot
from app.templating import render
from app.views.opened import AUTHOR, Opened, desk, open_project
from app.views.page import ProjectPage

router = APIRouter()


@dataclass(frozen=True, kw_only=True)
class Show(ProjectPage):
    """The form and the list. `made`: the address of the link made just now, shown this once."""

    template: ClassVar[str] = "share/show.html"
    here: ClassVar[str] = "share"
    title: ClassVar[str] = "Share"
    links: Sequence[Link]
    snapshots: Sequence[Snapshot]
    made: str = ""
    days: tuple[int, ...] = DAYS

    @property
    def versions(self) -> Mapping[int, str]:
        return {s.id: s.name for s in self.snapshots}

    @property
    def alive(self) -> int:
        return sum(link.is_open for link in self.links)


def page(request: Request, opened: Opened, made: str = "") -> Response:
    """The page of a project's links."""
    db = desk(request).db
    shown = links.list_links(db, opened.id)
    return render(Show(opened=opened, links=shown, snapshots=snapshots.list_snapshots(db, opened.id), made=made))


@router.get("/p/{project_id}/share", name="share:show")
def show(request: Request, project_id: int) -> Response:
    """The review links of a project."""
    return page(request, open_project(request, project_id))


@router.post("/p/{project_id}/share", name="share:create")
def create(
    request: Request, project_id: int,
    days: Annotated[str, Form()] = "30", version: Annotated[str, Form()] = "", label: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """A new link; its secret is on the answer and nowhere else."""
    opened = open_project(request, project_id)
    if not days.isdigit() or (version and not version.isdigit()):
        raise BadInput("A link needs a number of days and a version of this project.", place="links")
    snapshot = int(version) if version else None
    _, secret = links.create_link(
        desk(request).db, project_id, AUTHOR, days=int(days), snapshot_id=snapshot, label=label
    )
    return page(request, opened, f"{request.base_url}r/{secret}")


@router.post("/p/{project_id}/share/{link_id}/revoke", name="share:revoke")
def revoke(request: Request, project_id: int, link_id: int) -> Response:
    """Close a link at once."""
    links.revoke_link(desk(request).db, project_id, link_id)
    return RedirectResponse(f"/p/{project_id}/share", 303)


__all__ = ["Show", "router"]
