"""Store a change and say what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request

from app.model.edit import HEADER, LIST_OF, PartEdit, diff, key_of
from app.model.plain import to_plain
from app.model.project import Project
from app.model.text import header_plain
from app.storage.edits import apply_edits
from app.views.editing.fields import set_field
from app.views.editing.places import find
from app.views.opened import AUTHOR, Desk, Opened, desk


@dataclass(frozen=True, slots=True)
class Changed:
    """A project before and after a change. `label`: what was done, as the history shows it."""

    before: Opened
    after: Opened
    label: str
    place: str = ""


def commit(request: Request, project_id: int, place: str, field: str, text: str, version: int | None = None) -> Changed:
    """Set one field from its text form. `version`: of the row the text was typed over (None: the present one).

    Raises:
        BadInput: the text means nothing there. Conflict: somebody else changed the same cell since.
        NotFound: the place or project is gone.
    """
    here = desk(request)
    before = here.open(project_id)
    target = find(before.project, place)
    after = set_field(before.project, place, field, text)
    label = _label(target.key or before.project.name, field, text)
    based_on = {} if version is None else {target.place: version}
    return _stored(here, before, after, label, based_on, place)


def store(request: Request, before: Opened, after: Project, label: str, place: str = "") -> Changed:
    """Store a whole changed project as one change: one undo."""
    return _stored(desk(request), before, after, label, {}, place)


def _stored(here: Desk, before: Opened, after: Project, label: str, based_on: Mapping[str, int], place: str) -> Changed:
    edits = _edits(before.project, after)
    if not edits:
        return Changed(before, before, "", place)
    applied = apply_edits(here.db, before.id, edits, author=AUTHOR, label=label, based_on=based_on)
    return Changed(before, here.opened(applied.loaded), label, place)


def _edits(before: Project, after: Project) -> tuple[PartEdit, ...]:
    """The difference; without the search for moved parts where no part moved."""
    edits: list[PartEdit] = []
    for kind, listed in LIST_OF.items():
        old, new = getattr(before, listed), getattr(after, listed)
        if old is new:
            continue
        if len(old) != len(new) or any(key_of(kind, a) != key_of(kind, b) for a, b in zip(old, new, strict=True)):
            return diff(before, after)
        edits += [
            PartEdit(kind, key_of(kind, a), to_plain(a), to_plain(b))
            for a, b in zip(old, new, strict=True)
            if a is not b and a != b
        ]
    one, other = header_plain_of(before), header_plain_of(after)
    if one != other:
        edits.insert(0, PartEdit(HEADER, "", header_plain(before), header_plain(after)))
    return tuple(edits)


def header_plain_of(project: Project) -> tuple[object, ...]:
    """What stands at the top of the file, for comparing."""
    return tuple(getattr(project, name) for name in Project.model_fields if name not in LIST_OF.values())


def _label(name: str, field: str, text: str) -> str:
    shown = text if len(text) <= 40 else f"{text[:39]}…"
    return f"{field} of {name}: {shown}" if text else f"{field} of {name} removed"


__all__ = ["Changed", "commit", "store"]
