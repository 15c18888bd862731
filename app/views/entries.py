"""What a part has room for: one more entry of a list (field, index, embed, copy), or a word not said yet."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from app.errors import BadInput
from app.model.project import Project
from app.views.answer import answer
from app.views.edit import Seen
from app.views.editing import commit, store
from app.views.editing.fields import set_field, text_of
from app.views.opened import desk, open_project

router = APIRouter()


def append(project: Project, place: str, field: str, text: str) -> Project:
    """The project with one more entry at the end of a list. Raises BadInput for what cannot be read."""
    text = text.strip()
    if not text:
        raise BadInput("Type what to add.", place=place)
    before = text_of(project, place, field)
    return set_field(project, place, field, f"{before}, {text}" if before else text)


@router.post("/p/{project_id}/entries", name="entries:add")
def add(
    request: Request, project_id: int, view: Seen,
    place: Annotated[str, Form()], field: Annotated[str, Form()], text: Annotated[str, Form()],
) -> Response:  # fmt: skip
    """Add an entry to the list `field` of `place`."""
    before = open_project(request, project_id)
    new = append(before.project, place, field, text)
    name = place.rpartition("/")[2]
    changed = store(request, before, new, f"{text.strip()[:40]} added to {field} of {name}", place)
    return answer(desk(request), changed, view)


@router.post("/p/{project_id}/words", name="entries:say")
def say(
    request: Request, project_id: int, view: Seen,
    place: Annotated[str, Form()], field: Annotated[str, Form()], text: Annotated[str, Form()],
) -> Response:  # fmt: skip
    """Say the field `field` of `place`, which was not said before."""
    return answer(desk(request), commit(request, project_id, place, field, text), view)


__all__ = ["append", "router"]
