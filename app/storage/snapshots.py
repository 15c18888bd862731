"""Named versions: the whole project as canonical text, kept word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.errors import BadInput, Conflict, NotFound
from app.model.edit import diff
from app.model.project import Project
from app.model.text import read_yaml, write_yaml
from app.storage.edits import Applied, apply_edits
from app.storage.engine import Database
from app.storage.parts import live_project, load, load_in
from app.storage.tables import SnapshotRow


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named version without its text. `change` is the number of the last change in it."""

    id: int
    name: str
    note: str
    change: int
    author: str
    created_at: datetime


def create_snapshot(db: Database, project_id: int, name: str, author: str, note: str = "") -> Snapshot:
    """Keep the project as it is now under a name of its own.

    Raises:
        BadInput: no name. Conflict: the name is taken. NotFound: no such project.
    """
    name = name.strip()
    if not name:
        raise BadInput("A version needs a name.", place="versions")
    with db.write() as session:
        loaded = load_in(db, session, project_id)
        taken = select(SnapshotRow.id).where(col(SnapshotRow.project_id) == project_id, col(SnapshotRow.name) == name)
        if session.exec(taken).first() is not None:
            raise Conflict(
                f"There is a version called {name} already, and versions do not change.",
                place=f"versions/{name}",
                fix="Choose another name.",
            )
        row = SnapshotRow(
            project_id=project_id,
            name=name,
            note=note.strip(),
            change_number=loaded.change,
            author=author,
            text=write_yaml(loaded.project),
        )
        session.add(row)
        session.flush()
        return _snapshot(row)


def list_snapshots(db: Database, project_id: int) -> Sequence[Snapshot]:
    """All named versions, newest first."""
    with db.read() as session:
        live_project(session, project_id)
        found = select(SnapshotRow).where(col(SnapshotRow.project_id) == project_id)
        rows = session.exec(found.order_by(col(SnapshotRow.id).desc()))
        return [_snapshot(row) for row in rows]


def load_snapshot(db: Database, project_id: int, snapshot_id: int) -> tuple[Snapshot, Project]:
    """A named version and the project as it was.

    Raises:
        NotFound: this project has no such version.
    """
    with db.read() as session:
        live_project(session, project_id)
        return snapshot_in(session, project_id, snapshot_id)


def restore_snapshot(db: Database, project_id: int, snapshot_id: int, author: str) -> Applied:
    """Make the project what it was in a named version: one change, undone like any other.

    Raises:
        NotFound: no such project or version.
    """
    snapshot, project = load_snapshot(db, project_id, snapshot_id)
    edits = diff(load(db, project_id).project, project)
    return apply_edits(db, project_id, edits, author=author, label=f"Back to version {snapshot.name}")


def snapshot_in(session: Session, project_id: int, snapshot_id: int) -> tuple[Snapshot, Project]:
    """The same inside a session."""
    row = session.get(SnapshotRow, snapshot_id)
    if row is None or row.project_id != project_id:
        raise NotFound("There is no such version of this project.", place="versions")
    return _snapshot(row), read_yaml(row.text)


def _snapshot(row: SnapshotRow) -> Snapshot:
    assert row.id is not None  # noqa: S101  # it was flushed or read
    return Snapshot(row.id, row.name, row.note, row.change_number, row.author, row.created_at)


__all__ = ["Snapshot", "create_snapshot", "list_snapshots", "load_snapshot", "restore_snapshot"]
