"""Projects as a whole: listed, created, renamed, copied, deleted and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ScalarSelect, func
from sqlmodel import Session, col, insert, select

from app.errors import BadInput, NotFound
from app.model.edit import PartEdit, key_of
from app.model.plain import to_plain
from app.model.problem import BadProject
from app.model.project import SCHEMA_VERSION, Project
from app.model.text import header_plain, project_from_plain
from app.storage.edits import Applied, apply_edits
from app.storage.engine import Database
from app.storage.parts import HEADER, KINDS, Loaded, live_project, load, load_in
from app.storage.tables import ChangeRow, ModelRow, PartRow, PatternRow, ProjectRow, now


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of the list of projects."""

    id: int
    name: str
    change: int
    changed_at: datetime
    patterns: int
    models: int
    deleted_at: datetime | None


def list_projects(db: Database, *, deleted: bool = False) -> Sequence[Summary]:
    """All projects, the ones changed last first; with `deleted` those that can be restored."""
    gone = col(ProjectRow.deleted_at)
    with db.read() as session:
        found = select(ProjectRow, _count(PatternRow), _count(ModelRow))
        found = found.where(gone.is_not(None) if deleted else gone.is_(None))
        rows = session.exec(found.order_by(col(ProjectRow.changed_at).desc(), col(ProjectRow.id).desc()))
        return [
            Summary(p.id or 0, p.name, p.change_number, p.changed_at, patterns, models, p.deleted_at)
            for p, patterns, models in rows
        ]


def create_project(db: Database, project: Project, author: str, label: str = "Created") -> Loaded:
    """Store a new project; its creation is change 1.

    Raises:
        BadInput: the project is not valid (values built around the checks of the model).
    """
    try:
        project = project_from_plain(to_plain(project))
    except BadProject as wrong:
        raise BadInput(str(wrong)) from wrong
    with db.write() as session:
        row = ProjectRow(
            name=project.name,
            header=header_plain(project),
            schema_version=SCHEMA_VERSION,
            change_number=1,
        )
        session.add(row)
        session.flush()
        assert row.id is not None  # noqa: S101  # it was flushed
        _add_parts(session, row.id, project)
        created = ChangeRow(project_id=row.id, number=1, author=author, label=label, kind="create", edits=[])
        session.add(created)
    return load(db, row.id)


def rename_project(db: Database, project_id: int, name: str, author: str) -> Applied:
    """Give a project another name; a change like any other."""
    before = header_plain(load(db, project_id).project)
    edit = PartEdit(HEADER, "", before, {**before, "name": name.strip()})
    return apply_edits(db, project_id, (edit,), author=author, label=f"Rename to {name.strip()}")


def duplicate_project(db: Database, project_id: int, author: str, name: str = "") -> Loaded:
    """A second project with the same content and a history of its own."""
    source = load(db, project_id).project
    name = name.strip() or f"{source.name} (copy)"
    copy = source.model_copy(update={"name": name})
    return create_project(db, copy, author, label=f"Copied from {source.name}")


def delete_project(db: Database, project_id: int) -> None:
    """Take a project out of the list, with everything that belongs to it kept for `restore_project`."""
    with db.write() as session:
        live_project(session, project_id, lock=True).deleted_at = now()


def restore_project(db: Database, project_id: int) -> Loaded:
    """Undo a deletion; the project is as it was.

    Raises:
        NotFound: there never was one.
    """
    with db.write() as session:
        row = session.get(ProjectRow, project_id, with_for_update=True)
        if row is None:
            raise NotFound(f"There is no project {project_id}.")
        row.deleted_at = None
    return load(db, project_id)


def _add_parts(session: Session, project_id: int, project: Project) -> None:
    for kind in KINDS.values():
        rows: list[dict[str, Any]] = [
            {
                "project_id": project_id,
                "position": position,
                "name": key_of(kind.word, part),
                "version": 1,
                "schema_version": SCHEMA_VERSION,
                "body": to_plain(part),
            }
            for position, part in enumerate(getattr(project, kind.listed))
        ]
        if rows:
            session.execute(insert(kind.row), rows)


def _count(table: type[PartRow]) -> ScalarSelect[int]:
    rows = select(func.count(col(table.id))).where(col(table.project_id) == col(ProjectRow.id))
    return rows.correlate(ProjectRow).scalar_subquery()


__all__ = [
    "Summary",
    "create_project",
    "delete_project",
    "duplicate_project",
    "list_projects",
    "load",
    "load_in",
    "rename_project",
    "restore_project",
]
