"""Findings the team accepted: with a reason, a name and a date, as a change like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.errors import BadInput, NotFound
from app.model.edit import PartEdit, key_of
from app.model.plain import to_plain
from app.model.project import Decision
from app.storage.edits import Applied, apply_edits
from app.storage.engine import Database
from app.storage.parts import load
from app.storage.tables import now


def accept(
    db: Database,
    project_id: int,
    finding: str,
    at: str,
    *,
    author: str,
    reason: str,
    numbers: Mapping[str, Any] | None = None,
    review_by: str = "",
) -> Applied:
    """Accept the finding of rule `finding` at place `at`, today; an earlier decision is replaced.

    `numbers` are those of the finding now, so that it can be shown again when they change.

    Raises:
        BadInput: no reason given.
    """
    if not reason.strip():
        raise BadInput("Say why this is accepted; the documents will show it.", place=at)
    plain = {
        "finding": finding,
        "at": at,
        "reason": reason.strip(),
        "by": author,
        "date": now().date().isoformat(),
        "review by": review_by,
        "numbers": dict(numbers or {}),
    }
    old = _decision(db, project_id, finding, at)
    new = {key: value for key, value in plain.items() if value}
    edit = PartEdit("decision", _key(finding, at), to_plain(old) if old else None, new)
    return apply_edits(db, project_id, (edit,), author=author, label=f"Accept {finding} at {at}")


def unaccept(db: Database, project_id: int, finding: str, at: str, *, author: str) -> Applied:
    """Take a decision back; the finding counts again.

    Raises:
        NotFound: it was not accepted.
    """
    old = _decision(db, project_id, finding, at)
    if old is None:
        raise NotFound(f"{finding} is not accepted there.", place=at)
    edit = PartEdit("decision", _key(finding, at), to_plain(old), None)
    label = f"No longer accept {finding} at {at}"
    return apply_edits(db, project_id, (edit,), author=author, label=label)


def _decision(db: Database, project_id: int, finding: str, at: str) -> Decision | None:
    decisions = load(db, project_id).project.decisions
    return next((d for d in decisions if d.finding == finding and d.at == at), None)


def _key(finding: str, at: str) -> str:
    return key_of("decision", Decision(finding=finding, at=at))


__all__ = ["accept", "unaccept"]
