"""The one function that changes a project.

A change is an ordered list of part edits. In one transaction it is held against the rows as they are
now, merged with what others did since, written, checked, and recorded; then the change number of the
project goes up by one. Either all of it happens or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.errors import BadInput, Clash, Conflict
from app.model.edit import PartEdit, place_of
from app.model.part import Part
from app.model.problem import BadProject, Unreadable
from app.model.project import check_names
from app.model.text import part_from_plain
from app.storage.engine import Database
from app.storage.merge import merge
from app.storage.parts import Held, Loaded, advance, live_project, read_project
from app.storage.rows import Found, Rows, Trail, Wanted
from app.storage.tables import ChangeRow, now


@dataclass(frozen=True, slots=True)
class Applied:
    """The project after a change. `number` is None if nothing differed and nothing was recorded."""

    number: int | None
    loaded: Loaded


@dataclass(frozen=True, slots=True)
class How:
    """What a change record says beside its edits."""

    author: str
    label: str
    kind: str = "edit"
    undoes: int | None = None


def apply_edits(
    db: Database,
    project_id: int,
    edits: Sequence[PartEdit],
    *,
    author: str,
    label: str,
    based_on: Mapping[str, int] | None = None,
) -> Applied:
    """Make one change out of `edits` and record it.

    `based_on` maps places to the row versions the author saw. If a row has a later version, or is no
    longer what the edit says it was, the two changes are merged cell by cell.

    Raises:
        Conflict: the same cell was changed; carries both values of every such cell.
        BadInput: the result is no valid part or project. NotFound: no such project.
    """
    seen = based_on or {}
    wanted = [Wanted(e.kind, e.key, e.before, e.after, at=e.at, based_on=seen.get(e.place)) for e in edits]
    return commit(db, project_id, wanted, How(author, label))


def commit(db: Database, project_id: int, wanted: Sequence[Wanted], how: How) -> Applied:
    """Write a change in a transaction of its own."""
    with db.write() as session:
        applied = write(db, session, project_id, wanted, how)
    db.remember(project_id, applied.loaded)
    return applied


def write(db: Database, session: Session, project_id: int, wanted: Sequence[Wanted], how: How) -> Applied:
    """The same inside a session. Do not remember the result before the session is committed."""
    project = live_project(session, project_id, lock=True)
    before = db.recalled(project_id)
    if before is None or before.change != project.change_number:
        before = read_project(session, project, before)
    rows = Rows(session, project_id, before)
    trail = Trail(session, project_id)
    held = rows.find(wanted, trail)
    values = _merged(wanted, held, trail)
    made = [rows.replace(*each) for each in zip(wanted, held, values, strict=True)]
    records = [record for record in made if record is not None]
    if not records:
        return Applied(None, before)
    new = {
        (r["kind"], r["row"]): None if value is None else Held(r["version"], value)
        for r, value in zip(made, values, strict=True)
        if r is not None
    }
    number, moment = project.change_number + 1, now()
    loaded = advance(before, new, rows.settle(), number, moment)
    try:
        check_names(loaded.project)
    except Unreadable as wrong:
        raise BadInput(wrong.what, fix=wrong.fix) from wrong
    project.change_number, project.changed_at = number, moment
    session.add(
        ChangeRow(
            project_id=project_id,
            number=number,
            author=how.author,
            label=how.label,
            kind=how.kind,
            undoes=how.undoes,
            edits=records,
            created_at=moment,
        )
    )
    session.flush()
    return Applied(number, loaded)


def _merged(wanted: Sequence[Wanted], held: Sequence[Found | None], trail: Trail) -> list[Part | None]:
    """What each row shall hold; None to have it gone."""
    clashes: list[Clash] = []
    values: list[Part | None] = []
    for want, part in zip(wanted, held, strict=True):
        value, found = _merged_one(want, part, trail)
        values.append(value)
        clashes += found
    if clashes:
        places = ", ".join(dict.fromkeys(c.place for c in clashes))
        raise Conflict(
            f"Somebody else changed {places} in the meantime.",
            clashes=tuple(clashes),
            fix="Choose which value to keep.",
        )
    return values


def _merged_one(want: Wanted, held: Found | None, trail: Trail) -> tuple[Part | None, list[Clash]]:
    place = place_of(want.kind, want.key)
    base, current = want.before, held.body if held else None
    if held is not None and want.based_on is not None and want.based_on != held.version:
        base = trail.body_at(want.kind, held.row, want.based_on) or base
    merged, found = merge(base, want.after, current)
    wrong: BadProject | None = None
    value: Part | None = None
    if not found and merged is not None:
        try:
            value = part_from_plain(want.kind, merged)
        except BadProject as error:
            wrong = error
    if wrong is not None and merged == want.after:
        raise BadInput(str(wrong), place=place) from wrong
    if not found and wrong is None:
        return value, []
    by = trail.author_of(want.kind, held.row if held else want.row)
    if wrong is not None:
        # Each of the two changes reads well by itself, and both together do not.
        return None, [Clash(place, "", base, want.after, current, by)]
    return None, [Clash(place, c.path, c.base, c.mine, c.theirs, by) for c in found]


__all__ = ["Applied", "How", "apply_edits", "commit", "write"]
