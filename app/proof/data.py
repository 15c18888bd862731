"""Logical records: rows of entities and many-to-many relationships, and how they hang together. Knows no store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from app.plan.types import Edge, Figure, World
from app.proof.formula import worked_out

TIMES = ("datetime", "date", "timeuuid")
Row = dict[str, Any]
"""Attribute → value of one record: `order.id`. What is absent is None."""


class Long(int):
    """An integer of 64 bits."""


class Oid(str):
    """Twelve bytes in hexadecimal digits."""

    __slots__ = ()


def entity_of(attr: str) -> str:
    return attr.removeprefix("=").partition(".")[0]


@dataclass(slots=True)
class Data:
    """All rows by entity, in the order they came to be. Rows are found by values in indexes that are made on demand."""

    world: World
    moment: datetime
    rows: dict[str, list[Row]] = field(default_factory=dict)
    _indexes: dict[str, dict[tuple[str, ...], dict[tuple[Any, ...], list[Row]]]] = field(default_factory=dict)

    def find(self, attrs: tuple[str, ...], values: tuple[Any, ...]) -> Sequence[Row]:
        """Rows of one entity whose attributes have these values."""
        entity = entity_of(attrs[0])
        mine = self._indexes.setdefault(entity, {})
        if attrs not in mine:
            made: dict[tuple[Any, ...], list[Row]] = {}
            for row in self.rows.get(entity, ()):
                made.setdefault(tuple(hashable(row.get(a)) for a in attrs), []).append(row)
            mine[attrs] = made
        return mine[attrs].get(tuple(map(hashable, values)), ())

    def follow(self, row: Row, edge: Edge) -> Sequence[Row]:
        """The rows at the other end of a relationship."""
        near = tuple(row.get(a) for a in edge.near)
        if any(v is None for v in near):
            return ()
        return self.find(edge.far, near)

    def along(self, row: Row, edges: Iterable[Edge]) -> list[Row]:
        """The rows at the end of a way, each once, in the order they came to be met."""
        found = [row]
        for edge in edges:
            met = {id(r): r for one in found for r in self.follow(one, edge)}
            found = list(met.values())
        return found

    def value(self, row: Row, attr: str) -> Any:
        """An attribute or a maintained figure of a row."""
        return self.figure(row, attr) if attr.startswith("=") else row.get(attr)

    def figure(self, row: Row, name: str) -> Any:
        """A figure worked out from what it is made of; None where its formula is not understood."""
        made: Figure | None = next((f for f in self.world.figures if f.name == name), None)
        if made is None:
            return None
        kind = self.world.stats[name].type if name in self.world.stats else "int64"
        number = worked_out(made.formula, self.follow(row, Edge(made.rel, True)))
        if number is None or not isinstance(number, int | float | Decimal):
            return number  # the latest of some times is a time
        if kind in TIMES:
            return None  # of no rows: there is no latest
        if kind == "int64":
            return Long(number)
        return int(number) if kind == "int32" else float(number)

    # ------------------------------------------------------------ changes

    def replace(self, entity: str, rows: list[Row]) -> None:
        self.rows[entity] = rows
        self._indexes.pop(entity, None)

    def add(self, entity: str, row: Row) -> Callable[[], None]:
        """A new row; returns what undoes it."""
        self.rows.setdefault(entity, []).append(row)
        self._note(entity, row)

        def undo() -> None:
            self._forget(entity, row)
            self.rows[entity] = [r for r in self.rows[entity] if r is not row]

        return undo

    def remove(self, entity: str, row: Row) -> Callable[[], None]:
        """Takes a row out; returns what undoes it."""
        at = next(i for i, r in enumerate(self.rows[entity]) if r is row)
        self._indexes.pop(entity, None)
        del self.rows[entity][at]

        def undo() -> None:
            self.rows[entity].insert(at, row)
            self._indexes.pop(entity, None)

        return undo

    def change(self, entity: str, row: Row, values: Row) -> Callable[[], None]:
        """Changes a row; returns what undoes it."""
        old = {a: row.get(a) for a in values}

        def turn(new: Row) -> None:
            mine = self._indexes.get(entity, {})
            for attrs in [a for a in mine if set(a) & set(values)]:
                del mine[attrs]
            row.update(new)

        turn(values)
        return lambda: turn(old)

    def _note(self, entity: str, row: Row) -> None:
        for attrs, index in self._indexes.get(entity, {}).items():
            index.setdefault(tuple(hashable(row.get(a)) for a in attrs), []).append(row)

    def _forget(self, entity: str, row: Row) -> None:
        for attrs, index in self._indexes.get(entity, {}).items():
            key = tuple(hashable(row.get(a)) for a in attrs)
            index[key] = [r for r in index.get(key, ()) if r is not row]


def hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(hashable, value))
    return tuple(sorted((k, hashable(v)) for k, v in value.items())) if isinstance(value, dict) else value


__all__ = ["Data", "Long", "Oid", "Row", "entity_of"]
