"""The rows of one project inside one change: found, replaced, put in order; and their past."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, delete, insert, select, update

from app.model.edit import key_of, place_of
from app.model.part import Part
from app.model.plain import to_plain
from app.model.project import SCHEMA_VERSION
from app.storage.parts import HEADER, KINDS, Loaded
from app.storage.tables import ChangeRow, ProjectRow

Body = Any
"""The plain form of a part; None where there is no part."""
Record = dict[str, Any]
"""One edit as the change keeps it: `kind key name before after row version`, and `at` and `was` where
the order of a list changed. `key` and `name` are the names before and after."""
AT_THE_END = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """One edit with what storage knows beyond it.

    `at` is the place in the list after the change, as in `PartEdit`. `row` is the row it means, also
    for one that is to be put back; `version` the last one that row had; `based_on` the version the
    author saw.
    """

    kind: str
    key: str
    before: Body
    after: Body
    at: int | None = None
    row: int | None = None
    version: int = 0
    based_on: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A row as it is before the change."""

    row: int
    version: int
    key: str
    body: Body


class Trail:
    """What happened to the rows of a project, newest first, read only as far back as needed."""

    def __init__(self, session: Session, project_id: int) -> None:
        self._read: list[tuple[str, Mapping[str, Any]]] = []
        self._more = self._changes(session, project_id)

    def author_of(self, kind: str, row: int | None) -> str:
        """Who changed the row last; empty if nobody did since it was created."""
        for author, record in self._records(kind):
            if record["row"] == row and record["before"] != record["after"]:
                return author
        return ""

    def body_at(self, kind: str, row: int, version: int) -> Body:
        """The row as it was at an earlier version, or None if that is not known."""
        for _, record in self._records(kind):
            changed = record["before"] != record["after"]
            if changed and record["row"] == row and record["version"] == version + 1:
                return record["before"]
        return None

    def renamed(self, kind: str, key: str) -> int | None:
        """The row that had this name last and has another one now."""
        for _, record in self._records(kind):
            if record["key"] == key and record["name"] != key:
                return int(record["row"])
        return None

    def _records(self, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        i = 0
        while True:
            if i == len(self._read):
                batch = next(self._more, None)
                if batch is None:
                    return
                self._read += batch
                continue
            if self._read[i][1]["kind"] == kind:
                yield self._read[i]
            i += 1

    @staticmethod
    def _changes(session: Session, project_id: int) -> Iterator[list[tuple[str, Mapping[str, Any]]]]:
        below, size = 2**62, 20
        columns = select(ChangeRow.number, ChangeRow.author, ChangeRow.edits)
        while True:
            found = columns.where(col(ChangeRow.project_id) == project_id, col(ChangeRow.number) < below)
            rows = session.exec(found.order_by(col(ChangeRow.number).desc()).limit(size)).all()
            for number, author, edits in rows:
                below = number
                yield [(author, record) for record in reversed(edits)]
            if len(rows) < size:
                return


class Rows:
    """The rows as they are, and the statements that change them."""

    def __init__(self, session: Session, project_id: int, loaded: Loaded) -> None:
        self._session = session
        self._project_id = project_id
        self._loaded = loaded
        self._order = {word: list(loaded.parts[word]) for word in KINDS}
        self._gone: dict[str, set[int]] = {}
        self._placed: dict[str, list[tuple[int, Record]]] = {}

    def find(self, wanted: Sequence[Wanted], trail: Trail) -> list[Found | None]:
        """The row each edit means: by id, by name, or by the name it had until it was renamed."""
        held = [self._find(want, trail) if want.before is not None else None for want in wanted]
        taken = {(w.kind, h.row) for w, h in zip(wanted, held, strict=True) if h is not None}
        for i, want in enumerate(wanted):
            if want.before is None:
                # A new part may take the name of one that this very change renames or removes.
                namesake = self._find(want, trail)
                held[i] = None if namesake and (want.kind, namesake.row) in taken else namesake
        return held

    def _find(self, want: Wanted, trail: Trail) -> Found | None:
        row = want.row
        if row is None:
            row = self._loaded.rows.get(place_of(want.kind, want.key))
        if row is None and want.before is not None:
            row = trail.renamed(want.kind, want.key)
        held = self._loaded.parts[want.kind].get(row) if row is not None else None
        if row is None or held is None:
            return None
        return Found(row, held.version, key_of(want.kind, held.part), to_plain(held.part))

    def replace(self, want: Wanted, held: Found | None, value: Part | None) -> Record | None:
        """Insert, update, move or delete one row; the record of it, or None if nothing differs."""
        after = None if value is None else to_plain(value)
        before = held.body if held else None
        moved = held is not None and value is not None and want.at is not None
        if before == after and not moved:
            return None
        record: Record = {"kind": want.kind, "before": before, "after": after}
        record["key"] = held.key if held else None
        record["name"] = None if value is None else key_of(want.kind, value)
        if held is None:
            self._insert(want, record)
        elif value is None:
            self._delete(held, record)
        else:
            self._update(held, record)
            if moved:
                record["was"] = self._order[want.kind].index(held.row)
                self._gone.setdefault(want.kind, set()).add(held.row)
                self._place(want.at, record)
        return record

    def settle(self) -> dict[str, list[int]]:
        """Put every list that got, lost or moved a row in order; the new orders by kind.

        As in `app.model.edit`: all that goes is taken out first, then what comes is put in by place.
        The places are noted in the records.
        """
        orders: dict[str, list[int]] = {}
        for word in {*self._gone, *self._placed}:
            old = self._order[word]
            order = [row for row in old if row not in self._gone.get(word, ())]
            placed = sorted(self._placed.get(word, ()), key=lambda item: item[0])
            for at, record in placed:
                order.insert(at, record["row"])
            for _, record in placed:
                record["at"] = order.index(record["row"])
            self._number(word, order)
            orders[word] = order
        return orders

    def _number(self, word: str, order: Sequence[int]) -> None:
        table = KINDS[word].row
        columns = select(table.id, table.position).where(col(table.project_id) == self._project_id)
        stands = dict(self._session.exec(columns).all())
        moved = [{"id": row, "position": at} for at, row in enumerate(order) if stands[row] != at]
        if moved:
            self._session.execute(update(table), moved)

    def _place(self, at: int | None, record: Record) -> None:
        self._placed.setdefault(record["kind"], []).append((AT_THE_END if at is None else at, record))

    def _insert(self, want: Wanted, record: Record) -> None:
        values = {
            "project_id": self._project_id,
            "position": AT_THE_END,
            "name": record["name"],
            "version": want.version + 1,
            "schema_version": SCHEMA_VERSION,
            "body": record["after"],
        }
        if want.row is not None:
            values["id"] = want.row
        table = KINDS[want.kind].row
        made = self._session.execute(insert(table).values(values).returning(col(table.id)))
        record |= {"row": int(made.scalar_one()), "version": want.version + 1}
        self._place(want.at, record)

    def _update(self, held: Found, record: Record) -> None:
        record |= {"row": held.row, "version": held.version}
        if record["before"] == record["after"]:
            return
        record["version"] += 1
        values = {"name": record["name"], "version": record["version"], "schema_version": SCHEMA_VERSION}
        if record["kind"] == HEADER:
            values |= {"name": record["after"]["name"], "header": record["after"]}
            self._session.execute(update(ProjectRow).where(col(ProjectRow.id) == held.row).values(**values))
            return
        table = KINDS[record["kind"]].row
        values["body"] = record["after"]
        self._session.execute(update(table).where(col(table.id) == held.row).values(**values))

    def _delete(self, held: Found, record: Record) -> None:
        kind = record["kind"]
        table = KINDS[kind].row
        self._session.execute(delete(table).where(col(table.id) == held.row))
        record |= {"row": held.row, "version": held.version + 1}
        record["was"] = self._order[kind].index(held.row)
        self._gone.setdefault(kind, set()).add(held.row)


__all__ = ["Body", "Found", "Record", "Rows", "Trail", "Wanted"]
