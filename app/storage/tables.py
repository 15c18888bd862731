"""What is stored: one row per part of a project, and what happened to it.

Rows are storage only: `table=True` classes do not validate, so nothing typed is ever put into one
without passing `app.model` first. JSON columns do not notice changes inside them, so a body is
always replaced as a whole, by a statement, never edited in place.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Text, TypeDecorator, UniqueConstraint
from sqlmodel import Field, SQLModel

# Named constraints can be altered later, also in SQLite. Must stand before the first table.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

AUTOINCREMENT = {"sqlite_autoincrement": True}
"""Ids are never used twice: addresses, links and remembered parts hold on to them."""


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


class Moment(TypeDecorator[datetime]):
    """A point in time; SQLite would give it back without its zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class ProjectRow(SQLModel, table=True):
    """A project and what stands at the top of its file; counts its changes."""

    __tablename__ = "project"
    __table_args__ = (AUTOINCREMENT,)

    id: int | None = Field(default=None, primary_key=True)
    name: str
    header: dict[str, Any] = Field(sa_type=JSON)
    """The project file without its parts."""
    schema_version: int
    version: int = 1
    """Of the header; raised by every edit of it."""
    change_number: int = 0
    created_at: datetime = Field(default_factory=now, sa_type=Moment)
    changed_at: datetime = Field(default_factory=now, sa_type=Moment)
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)


class PartRow(SQLModel):
    """What rows of all kinds of part have in common."""

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id", ondelete="CASCADE", index=True)
    position: int
    name: str
    """How places and edits address the part; unique within its kind and project."""
    version: int = 1
    schema_version: int
    body: dict[str, Any] = Field(sa_type=JSON)
    """The plain form of the part."""


class EntityRow(PartRow, table=True):
    """An entity with its fields."""

    __tablename__ = "entity"
    __table_args__ = (AUTOINCREMENT,)


class RelationshipRow(PartRow, table=True):
    """A relationship."""

    __tablename__ = "relationship"
    __table_args__ = (AUTOINCREMENT,)


class PatternRow(PartRow, table=True):
    """One row of the access-pattern table."""

    __tablename__ = "access_pattern"
    __table_args__ = (AUTOINCREMENT,)


class ModelRow(PartRow, table=True):
    """A candidate model with its structures."""

    __tablename__ = "candidate_model"
    __table_args__ = (AUTOINCREMENT,)


class DecisionRow(PartRow, table=True):
    """An accepted finding."""

    __tablename__ = "decision"
    __table_args__ = (AUTOINCREMENT,)


class ChangeRow(SQLModel, table=True):
    """One change: an ordered list of part edits, done and undone as a whole."""

    __tablename__ = "change"
    __table_args__ = (UniqueConstraint("project_id", "number"), AUTOINCREMENT)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id", ondelete="CASCADE")
    number: int
    """Counts up from 1 in each project without gaps."""
    author: str
    label: str
    kind: str = "edit"
    """`edit`, `undo` or `redo`."""
    edits: list[dict[str, Any]] = Field(sa_type=JSON)
    undoes: int | None = None
    """An undo: the number it took back. A redo: the number it did again."""
    undone_by: int | None = None
    """The number that took this one back, while it is taken back."""
    created_at: datetime = Field(default_factory=now, sa_type=Moment)


class SnapshotRow(SQLModel, table=True):
    """A named version: the whole project as canonical text."""

    __tablename__ = "snapshot"
    __table_args__ = (UniqueConstraint("project_id", "name"), AUTOINCREMENT)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id", ondelete="CASCADE")
    name: str
    note: str = ""
    change_number: int
    author: str
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=Moment)


class LinkRow(SQLModel, table=True):
    """A read-only link for people outside the team. The secret itself is not kept."""

    __tablename__ = "review_link"
    __table_args__ = (AUTOINCREMENT,)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id", ondelete="CASCADE", index=True)
    snapshot_id: int | None = Field(default=None, foreign_key="snapshot.id", ondelete="CASCADE", index=True)
    """None: always the current state."""
    label: str = ""
    secret_hash: str
    """SHA-256 of the secret, in hex; 256 random bits need no slow hash."""
    author: str
    created_at: datetime = Field(default_factory=now, sa_type=Moment)
    expires_at: datetime = Field(sa_type=Moment)
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)
    last_used_at: datetime | None = Field(default=None, sa_type=Moment)
    views: int = 0


class ProofRow(SQLModel, table=True):
    """One run of a candidate model on a real engine, while it runs and afterwards. No address, no password."""

    __tablename__ = "proof"
    __table_args__ = (AUTOINCREMENT,)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id", ondelete="CASCADE", index=True)
    model_row: int
    """The row of the model, which stays when it is renamed, and when a deletion is undone: no foreign key."""
    model: str
    """Its name at the time."""
    store: str
    state: str
    """`running`, `done`, `failed`, `cancelled` or `interrupted`."""
    change_number: int
    basis: dict[str, Any] = Field(sa_type=JSON)
    """Marks of the parts it ran with, see `app.proof.standing`."""
    scale: float
    seed: int
    author: str
    said: str = ""
    """What went wrong, as a sentence."""
    counts: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Engine, version and cards by verdict: what a list shows."""
    result: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    """The whole proof; only when done."""
    started_at: datetime = Field(default_factory=now, sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)


__all__ = [
    "ChangeRow",
    "DecisionRow",
    "EntityRow",
    "LinkRow",
    "ModelRow",
    "PartRow",
    "PatternRow",
    "ProjectRow",
    "ProofRow",
    "RelationshipRow",
    "SnapshotRow",
    "now",
]
