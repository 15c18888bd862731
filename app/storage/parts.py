"""Reading projects: rows become the frozen values of `app.model`, each body only once.

A part stays the same object until its row gets a new version, and a list of parts stays the same
tuple until one of them does, so that analysis can remember results by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from app.errors import NotFound, Refused
from app.model.edit import HEADER, LIST_OF, key_of, place_of
from app.model.part import Part
from app.model.project import SCHEMA_VERSION, Project
from app.model.text import part_from_plain
from app.storage.engine import Database
from app.storage.tables import (
    DecisionRow,
    EntityRow,
    ModelRow,
    PartRow,
    PatternRow,
    ProjectRow,
    RelationshipRow,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of part: its table, and the list of the project that it fills."""

    word: str
    row: type[PartRow]
    listed: str


TABLES: tuple[type[PartRow], ...] = (EntityRow, RelationshipRow, PatternRow, ModelRow, DecisionRow)
KINDS: Mapping[str, Kind] = {
    str(row.__tablename__): Kind(str(row.__tablename__), row, LIST_OF[str(row.__tablename__)]) for row in TABLES
}
"""By the word for the kind of part, which is also the name of its table."""


@dataclass(frozen=True, slots=True)
class Held:
    """A part and the version of its row."""

    version: int
    part: Part


@dataclass(frozen=True, slots=True)
class Loaded:
    """A project at one change number.

    `versions` and `rows` go by place (`patterns/Load order page`, `project` for the header): send
    the version along with an edit to say what it was based on; the row id never changes, also when
    the part is renamed.
    """

    id: int
    project: Project
    change: int
    versions: Mapping[str, int]
    rows: Mapping[str, int]
    changed_at: datetime
    parts: Mapping[str, Mapping[int, Held]] = field(repr=False)
    """By kind and row id, each kind in the order of its list; the header stands under `project`."""

    def place(self, kind: str, row: int) -> str | None:
        """Where a row is now, or None if it is gone."""
        held = self.parts[kind].get(row)
        return _place(kind, held) if held else None


def load(db: Database, project_id: int) -> Loaded:
    """The project as it is now; the same object while nothing changes.

    Raises:
        NotFound: no such project, or it was deleted.
    """
    with db.read() as session:
        return load_in(db, session, project_id)


def load_in(db: Database, session: Session, project_id: int) -> Loaded:
    """The same inside a session that has written nothing: what is read here is remembered."""
    row = live_project(session, project_id)
    before = db.recalled(project_id)
    if before is not None and before.change == row.change_number:
        return before
    loaded = read_project(session, row, before)
    db.remember(project_id, loaded)
    return loaded


def live_project(session: Session, project_id: int, *, lock: bool = False) -> ProjectRow:
    """The row of a project that was not deleted; `lock` keeps other writers out until the end.

    Raises:
        NotFound: there is none.
    """
    row = session.get(ProjectRow, project_id, with_for_update=lock)
    if row is None:
        raise NotFound(f"There is no project {project_id}.")
    if row.deleted_at is not None:
        raise NotFound(f"The project {row.name} was deleted.", fix="It can still be restored.")
    return row


def read_project(session: Session, row: ProjectRow, before: Loaded | None) -> Loaded:
    """Read all rows, and the bodies of those that `before` does not hold at this version."""
    assert row.id is not None  # noqa: S101  # it was read
    known = before.parts if before else {}
    header = known.get(HEADER, {}).get(row.id)
    if header is None or header.version != row.version:
        header = Held(row.version, _value(HEADER, row.header, row.schema_version))
    parts = {word: _read_kind(session, row.id, kind, known.get(word, {})) for word, kind in KINDS.items()}
    return _loaded(row.id, parts | {HEADER: {row.id: header}}, row.change_number, row.changed_at, before)


def advance(
    before: Loaded,
    new: Mapping[tuple[str, int], Held | None],
    orders: Mapping[str, Sequence[int]],
    change: int,
    changed_at: datetime,
) -> Loaded:
    """`before` after a change, without reading the rows again.

    `new` holds what became of the rows written (None: deleted), `orders` the rows of each kind whose
    list is another one now.
    """
    parts = dict(before.parts)
    for word in {kind for kind, _ in new}:
        held = {**parts[word], **{row: h for (kind, row), h in new.items() if kind == word and h}}
        parts[word] = {row: held[row] for row in orders.get(word, parts[word])}
    return _loaded(before.id, parts, change, changed_at, before)


def _loaded(
    project_id: int,
    parts: Mapping[str, Mapping[int, Held]],
    change: int,
    changed_at: datetime,
    before: Loaded | None,
) -> Loaded:
    lists: dict[str, tuple[Part, ...]] = {}
    for word, kind in KINDS.items():
        old: tuple[Part, ...] = getattr(before.project, kind.listed) if before else ()
        new = tuple(held.part for held in parts[word].values())
        same = len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
        lists[kind.listed] = old if same else new
    header = parts[HEADER][project_id].part
    assert isinstance(header, Project)  # noqa: S101  # the header is a project without parts
    by_place = {_place(word, h): (h, row) for word, held in parts.items() for row, h in held.items()}
    return Loaded(
        id=project_id,
        project=header.model_copy(update=lists),
        change=change,
        versions={place: held.version for place, (held, _) in by_place.items()},
        rows={place: row for place, (_, row) in by_place.items()},
        changed_at=changed_at,
        parts=parts,
    )


def _place(kind: str, held: Held) -> str:
    return place_of(kind, key_of(kind, held.part))


def _read_kind(session: Session, project_id: int, kind: Kind, known: Mapping[int, Held]) -> dict[int, Held]:
    table = kind.row
    columns = select(table.id, table.version).where(col(table.project_id) == project_id)
    rows = [(i or 0, v) for i, v in session.exec(columns.order_by(col(table.position), col(table.id)))]
    old = {i: known[i] for i, version in rows if i in known and known[i].version == version}
    new = [i for i, _ in rows if i not in old]
    bodies = _bodies(session, project_id, table, new, everything=not old)
    return {i: old[i] if i in old else Held(version, _value(kind.word, *bodies[i])) for i, version in rows}


def _bodies(
    session: Session, project_id: int, table: type[PartRow], ids: Sequence[int], *, everything: bool
) -> dict[int, tuple[Any, int]]:
    if not ids:
        return {}
    found: dict[int, tuple[Any, int]] = {}
    for where in [col(table.project_id) == project_id] if everything else _in_pieces(table, ids):
        rows = session.exec(select(table.id, table.body, table.schema_version).where(where))
        found.update({i or 0: (body, schema) for i, body, schema in rows})
    return found


def _in_pieces(table: type[PartRow], ids: Sequence[int]) -> Iterable[ColumnElement[bool]]:
    """Databases limit how many values a statement may carry."""
    return (col(table.id).in_(ids[i : i + 500]) for i in range(0, len(ids), 500))


def _value(kind: str, body: Any, schema_version: int) -> Part:
    if schema_version > SCHEMA_VERSION:
        raise Refused(
            f"A newer Keywright wrote this project (schema {schema_version}, known {SCHEMA_VERSION}).",
            fix="Start that version.",
        )
    part: Part = part_from_plain(kind, body, schema_version)
    return part


__all__ = ["HEADER", "KINDS", "Held", "Kind", "Loaded", "advance", "live_project", "load", "load_in", "read_project"]
