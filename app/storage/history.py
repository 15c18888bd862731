"""What happened to a project: the list of changes, undo and redo.

Undo takes back the last change that stands, whoever made it, by writing its inverse as a new change;
redo takes back the last undo, as long as nothing else was changed since. Nothing is ever removed from
the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select, update

from app.errors import Conflict, NotFound
from app.model.edit import PartEdit
from app.storage.edits import Applied, How, write
from app.storage.engine import Database
from app.storage.parts import live_project
from app.storage.rows import Wanted
from app.storage.tables import ChangeRow


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the history."""

    number: int
    author: str
    label: str
    kind: str
    """`create`, `edit`, `undo` or `redo`."""
    edits: tuple[PartEdit, ...]
    created_at: datetime
    undoes: int | None
    undone_by: int | None


def changes(db: Database, project_id: int, *, before: int | None = None, limit: int = 100) -> Sequence[Change]:
    """The newest changes first; `before` a number, for the next page."""
    with db.read() as session:
        live_project(session, project_id)
        found = select(ChangeRow).where(col(ChangeRow.project_id) == project_id)
        if before is not None:
            found = found.where(col(ChangeRow.number) < before)
        rows = session.exec(found.order_by(col(ChangeRow.number).desc()).limit(limit))
        return [_change(row) for row in rows]


def undoable(db: Database, project_id: int) -> Change | None:
    """What undo would take back now."""
    with db.read() as session:
        live_project(session, project_id)
        row = _last_standing(session, project_id)
        return _change(row) if row else None


def redoable(db: Database, project_id: int) -> Change | None:
    """What redo would do again now."""
    with db.read() as session:
        live_project(session, project_id)
        row = _last_undo(session, project_id)
        return _change(_numbered(session, project_id, row.undoes)) if row else None


def undo(db: Database, project_id: int, author: str, number: int | None = None) -> Applied:
    """Take back change `number`, or the last one that stands.

    Raises:
        Conflict: what it changed has been changed again since; nothing is written.
        NotFound: nothing to undo, or no such change.
    """
    with db.write() as session:
        live_project(session, project_id, lock=True)
        row = _numbered(session, project_id, number) if number else _last_standing(session, project_id)
        if row is None:
            raise NotFound("There is nothing to undo.", place="history")
        if row.kind != "edit" or row.undone_by is not None:
            raise Conflict(f"Change {row.number} does not stand any more.", place="history")
        how = How(author, f"Undo: {row.label}", "undo", row.number)
        applied = _write_again(db, session, row, _inverse(row.edits), how)
        _mark(session, row, applied.loaded.change)
    db.remember(project_id, applied.loaded)
    return applied


def redo(db: Database, project_id: int, author: str) -> Applied:
    """Do again what was undone last.

    Raises:
        Conflict: it does not fit what is there now. NotFound: nothing to redo.
    """
    with db.write() as session:
        live_project(session, project_id, lock=True)
        row = _last_undo(session, project_id)
        if row is None:
            raise NotFound("There is nothing to redo.", place="history")
        done = _numbered(session, project_id, row.undoes)
        how = How(author, f"Redo: {done.label}", "redo", row.number)
        applied = _write_again(db, session, row, _inverse(row.edits), how)
        _mark(session, row, applied.loaded.change)
        _mark(session, done, None)
    db.remember(project_id, applied.loaded)
    return applied


def _write_again(db: Database, session: Session, row: ChangeRow, wanted: Sequence[Wanted], how: How) -> Applied:
    try:
        return write(db, session, row.project_id, wanted, how)
    except Conflict as clash:
        by = next((c.by for c in clash.clashes if c.by), "somebody")
        raise Conflict(
            f"“{row.label}” cannot be taken back: {by} changed the same place since.",
            clashes=clash.clashes,
            fix="Take back the later change first, or type the value you want.",
        ) from clash


def _inverse(records: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """The way back, last step first, so that every row returns to its place."""
    return [
        Wanted(
            kind=r["kind"],
            key=r["name"] if r["name"] is not None else r["key"],
            before=r["after"],
            after=r["before"],
            row=r["row"],
            version=r["version"],
            at=r.get("was"),
        )
        for r in reversed(records)
    ]


def _mark(session: Session, row: ChangeRow, number: int | None) -> None:
    session.exec(update(ChangeRow).where(col(ChangeRow.id) == row.id).values(undone_by=number))


def _numbered(session: Session, project_id: int, number: int | None) -> ChangeRow:
    found = select(ChangeRow).where(col(ChangeRow.project_id) == project_id, col(ChangeRow.number) == number)
    row = session.exec(found).first()
    if row is None:
        raise NotFound(f"There is no change {number}.", place="history")
    return row


def _last(session: Session, project_id: int, kind: str, *, standing: bool) -> ChangeRow | None:
    found = select(ChangeRow).where(col(ChangeRow.project_id) == project_id, col(ChangeRow.kind) == kind)
    if standing:
        found = found.where(col(ChangeRow.undone_by).is_(None))
    return session.exec(found.order_by(col(ChangeRow.number).desc()).limit(1)).first()


def _last_standing(session: Session, project_id: int) -> ChangeRow | None:
    return _last(session, project_id, "edit", standing=True)


def _last_undo(session: Session, project_id: int) -> ChangeRow | None:
    """The undo that redo would take back: none once something else was changed after it."""
    row = _last(session, project_id, "undo", standing=True)
    newest = _last(session, project_id, "edit", standing=False)
    return row if row and newest and newest.number < row.number else None


def _change(row: ChangeRow) -> Change:
    edits = tuple(
        PartEdit(
            r["kind"],
            r["key"] if r["key"] is not None else r["name"],
            r["before"],
            r["after"],
            at=r.get("at"),
            was=r.get("was"),
        )
        for r in row.edits
    )
    return Change(
        row.number,
        row.author,
        row.label,
        row.kind,
        edits,
        row.created_at,
        row.undoes,
        row.undone_by,
    )


__all__ = ["Change", "changes", "redo", "redoable", "undo", "undoable"]
