"""Where edits arrive: cells, parts, pasted rows, fixes, accepted findings, undo and redo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from app.errors import BadInput, Conflict, NotFound
from app.model.project import Decision
from app.rules.rule import Finding
from app.storage import history
from app.templating import plural
from app.views import reading
from app.views.answer import View, answer
from app.views.editing import Changed, commit, parts, store
from app.views.opened import AUTHOR, Opened, ProjectId, desk, open_project
from app.views.page import Toast
from app.views.workbench.page import Parts

router = APIRouter()
Text = Annotated[str, Form()]


def sent_view(page: Text = "", seen: Text = "", open: Text = "", show: Text = "") -> View:  # noqa: A002 - a form field
    """What the page on screen says about itself with every edit."""
    return View.of(page, seen, open, show)


Seen = Annotated[View, Depends(sent_view)]


def _number(text: str) -> int | None:
    """A positive number of a form; None for anything else."""
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 16 else None


def _undo_toast(changed: Changed, text: str) -> Toast:
    return Toast(text, action=f"/p/{changed.after.id}/undo", values={"number": str(changed.after.change_number)})


@router.patch("/p/{project_id}/cell", name="edit:cell")
def cell(
    request: Request, project_id: ProjectId, view: Seen, place: Text, field: Text = "", text: Text = "", v: Text = ""
) -> Response:
    """Set one field from its text form; see `app.views`."""
    version = _number(v)
    return answer(desk(request), commit(request, project_id, place, field, text, version), view)


@router.post("/p/{project_id}/parts/{verb}", name="edit:parts")
def change_parts(
    request: Request, project_id: ProjectId, verb: str, view: Seen, place: Text,
    text: Text = "", after: Text = "", by: Text = "0",
) -> Response:  # fmt: skip
    """Add, delete, move or duplicate a part; see `app.views`."""
    before = open_project(request, project_id)
    project, name = before.project, place.rpartition("/")[2]
    if verb == "add":
        text = text or parts.free_name("New pattern", [p.operation for p in project.patterns])
        new, made = parts.add(project, place, text, after)
        changed = store(request, before, new, f"{made.rpartition('/')[2]} added", made)
        return answer(desk(request), changed, view)
    if verb == "delete":
        changed = store(request, before, parts.delete(project, place), f"{name} deleted")
        return answer(desk(request), changed, view, _undo_toast(changed, f"{name} deleted."))
    if verb == "move":
        steps = (_number(by.removeprefix("-")) or 0) * (-1 if by.startswith("-") else 1)
        changed = store(request, before, parts.move(project, place, steps), f"{name} moved", place)
        return answer(desk(request), changed, view)
    if verb == "duplicate":
        new, made = parts.duplicate(project, place)
        changed = store(request, before, new, f"{name} duplicated", made)
        return answer(desk(request), changed, view)
    raise NotFound(f"Parts cannot be {verb}d.")


@router.post("/p/{project_id}/paste/reading", name="edit:paste_reading")
def paste_reading(request: Request, project_id: ProjectId, text: Text = "") -> Response:
    """How pasted rows would be read."""
    before = open_project(request, project_id)
    return reading.show(text, before.project, target="#paste-reading")


@router.post("/p/{project_id}/paste", name="edit:paste")
def paste(request: Request, project_id: ProjectId, view: Seen, text: Text) -> Response:
    """Add pasted or typed rows below the last one; one change, one undo."""
    before = open_project(request, project_id)
    imported = reading.read(text, before.project)
    added = len(imported.project.patterns) - len(before.project.patterns)
    if not added:
        raise BadInput("No row could be read from this.", place="patterns", fix="Type what the application does.")
    label = f"{plural(added, 'row')} added"
    last = f"patterns/{imported.project.patterns[-1].operation}"
    changed = store(request, before, imported.project, label, last)
    return answer(desk(request), changed, view, _undo_toast(changed, f"{label}.") if added > 1 else None)


def _finding(opened: Opened, key: str) -> Finding:
    found = next((f for f in opened.report.findings if f.key == key), None)
    if found is None:
        raise Conflict("This finding is gone.", place=key.partition("@")[2], fix="Somebody changed what it was about.")
    return found


@router.post("/p/{project_id}/fix", name="edit:fix")
def fix(request: Request, project_id: ProjectId, view: Seen, finding: Text, fix: Text = "0") -> Response:
    """Apply a fix of a finding."""
    before = open_project(request, project_id)
    fixes = _finding(before, finding).fixes
    at = _number(fix) or 0
    if at >= len(fixes):
        raise NotFound("This finding has no such fix.")
    chosen = fixes[at]
    changed = store(request, before, chosen.apply(before.project), chosen.label)
    return answer(desk(request), changed, view, _undo_toast(changed, f"Applied: {chosen.label}."))


@router.post("/p/{project_id}/accept", name="edit:accept")
def accept(request: Request, project_id: ProjectId, view: Seen, finding: Text, reason: Text) -> Response:
    """Accept a finding with a reason: a decision."""
    before = open_project(request, project_id)
    found = _finding(before, finding)
    if not reason.strip():
        raise BadInput("Say why this is fine.", place=found.at)
    decision = Decision(
        finding=found.rule, at=found.at, reason=reason.strip(), by=AUTHOR, date=datetime.now(UTC).date().isoformat(),
        numbers={e.label: e.value for e in found.evidence},
    )  # fmt: skip
    project = before.project
    kept = tuple(d for d in project.decisions if (d.finding, d.at) != (found.rule, found.at))
    new = project.model_copy(update={"decisions": (*kept, decision)})
    changed = store(request, before, new, f"{found.rule} accepted at {found.at}")
    return answer(desk(request), changed, view, _undo_toast(changed, "Accepted. The reason is kept in Decisions."))


@router.post("/p/{project_id}/undo", name="edit:undo")
def undo(request: Request, project_id: ProjectId, view: Seen, number: Text = "") -> Response:
    """Take back the last change, or the one with this number."""
    here, before = desk(request), open_project(request, project_id)
    applied = history.undo(here.db, project_id, AUTHOR, _number(number))
    changed = Changed(before, here.opened(applied.loaded), f"Undone: {before.undo_label}")
    toast = Toast(f"{changed.label}.", action=f"/p/{project_id}/redo", label="Redo")
    return answer(here, changed, view, toast)


@router.post("/p/{project_id}/redo", name="edit:redo")
def redo(request: Request, project_id: ProjectId, view: Seen) -> Response:
    """Do again what was undone last."""
    here, before = desk(request), open_project(request, project_id)
    applied = history.redo(here.db, project_id, AUTHOR)
    return answer(here, Changed(before, here.opened(applied.loaded), f"Done again: {before.redo_label}"), view)


@router.get("/p/{project_id}/fresh", name="edit:fresh")
def fresh(
    request: Request,
    project_id: ProjectId,
    page: str = "",
    seen: str = "",
    open: str = "",  # noqa: A002 - a parameter of the address
    show: str = "",
) -> Response:
    """What changed since the page was made."""
    now = open_project(request, project_id)
    return answer(desk(request), Changed(now, now, ""), View.of(page, seen, open, show))


__all__ = ["Parts", "router"]
