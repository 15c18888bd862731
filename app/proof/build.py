"""Stored records: what a model's structures hold of the rows. Generic; adapters give names, keys and encoding."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import product
from math import isinf
from typing import Any

from app.model.candidate import Candidate, RecordShape, Structure
from app.model.key_values import part_example
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.counted import arrays, template
from app.plan.types import Record, World
from app.proof.conditions import meets
from app.proof.data import Data, Row, entity_of
from app.proof.formula import worked_out
from app.stores.common_query import things_of
from app.stores.common_record import record_name

Thing = Structure | RecordShape
MEMBERS = -1
"""Where a bucket that was read back has its elements among its `kids`."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a stored record, beside its `Held` (`record.shape[at]`): the values kept there, by attribute, and
    what hangs below by position in the shape. `row`: the logical record it was made of; None where it was read."""

    at: int
    values: Mapping[str, Any]
    kids: Mapping[int, tuple[Node, ...]] = field(default_factory=dict)
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """One stored record. `members`: the logical records of a bucket (`root` holds what they share); else empty.
    `shard`: what `{shard N}` in its key is, at most as many as `hash 1000000007` gives: take it modulo N."""

    kind: Record
    thing: Thing
    root: Node
    members: tuple[Node, ...] = ()
    shard: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """One record as it came back from the engine: its kind, and the values that were visible in it.

    A bucket's elements come one by one, each a `Seen` with the bucket's own values in it.
    """

    kind: Record
    root: Node


class Builder:
    """Makes the stored records of a model from data."""

    def __init__(
        self, data: Data, model: Candidate, records: Sequence[Record],
        holds: Callable[[Stored, World], bool] = lambda *_: True,
    ) -> None:  # fmt: skip
        """`holds`: whether the store can have a record at all; a part of its key may be absent."""
        self.data, self.world, self.model, self.holds = data, data.world, model, holds
        self.past: dict[int, Row] = {}
        """What rows said before a change, by identity: copies that are never refreshed still say it."""
        self.things: dict[str, Thing] = {}
        for structure in model.structures:
            for thing in things_of(structure):
                self.things[record_name(structure, thing)] = thing
        self.records = [r for r in records if r.name in self.things or r.structure in self.things]

    def thing(self, kind: Record) -> Thing:
        return self.things.get(kind.name) or self.things[kind.structure]

    def shared(self, kind: Record) -> bool:
        """Do several logical records share a stored one: a bucket, a counter?"""
        thing = self.thing(kind)
        return thing.bucket is not None or bool(getattr(thing, "counts", ""))

    def all(self, kind: Record, between: Callable[[], None] = lambda: None) -> list[Stored]:
        """Every stored record of a kind. `between` is called now and then, and may raise."""
        return self.of(kind, _watched(self.data.rows.get(kind.of, ()), between), every=True)

    def of(self, kind: Record, rows: Iterable[Row], *, every: bool = False) -> list[Stored]:
        """The stored records that these rows take part in; of a bucket, with all its other members. `every`: the rows
        are all there are."""
        thing = self.thing(kind)
        bucket = thing.bucket
        counted = getattr(thing, "counts", "")
        if bucket is not None:
            return self._grouped(kind, thing, self._groups(kind, bucket.by, rows, every=every), whole=True)
        if counted and isinstance(thing, Structure):
            return self._grouped(kind, thing, self._groups(kind, self._key(thing), rows, every=every), whole=False)
        found: list[Stored] = []
        for row in rows:
            if thing.where is None or meets(self.data, kind.of, row, thing.where.terms, {}):
                found += (s for s in self._one(kind, thing, row) if self.holds(s, self.world))
        return found

    def _key(self, thing: Structure) -> tuple[KeyPart, ...]:
        return tuple(p for p in template(thing.name) if p.attr) if "{" in thing.name else ()

    def _one(self, kind: Record, thing: Thing, row: Row) -> Iterator[Stored]:
        several = arrays(thing, kind.of, self.world)
        choices = [[(a, v) for v in row.get(a) or ()] for a in several]
        for picked in product(*choices):
            root = self.node(kind, 0, row, dict(picked))
            for each in self._each(kind, root):
                yield Stored(kind, thing, each, shard=number(identity(row, kind.of, self.world)))

    def _each(self, kind: Record, root: Node) -> Iterator[Node]:
        """One for everybody a record is `for each` of."""
        at = next((i for i, h in enumerate(kind.shape) if i and h.how == "for each" and h.up == 0), None)
        if at is None:
            yield root
            return
        for kid in root.kids.get(at, ()):
            yield Node(0, root.values, {**root.kids, at: (kid,)}, root.row)

    def _groups(self, kind: Record, by: Iterable[KeyPart], rows: Iterable[Row], *, every: bool) -> list[list[Row]]:
        """Rows by the record they share, each group with all its members."""
        by = tuple(by)
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(self._cut(kind, by, row), []).append(row)
        if every:
            return list(groups.values())
        exact = self._exact(kind, by)
        found = []
        for key, some in groups.items():
            near = self.data.find(exact, tuple(some[0].get(a) for a in exact)) if exact else self.data.rows[kind.of]
            found.append([r for r in near if self._cut(kind, by, r) == key])
        return [members for members in found if members]

    def _exact(self, kind: Record, by: Iterable[KeyPart]) -> tuple[str, ...]:
        return tuple(lay.column(kind.of, p.attr, self.world) for p in by if p.attr and p.kept.exact)

    def _grouped(self, kind: Record, thing: Thing, groups: list[list[Row]], *, whole: bool) -> list[Stored]:
        by = thing.bucket.by if thing.bucket is not None else self._key(thing) if isinstance(thing, Structure) else ()
        exact = self._exact(kind, by)
        found = []
        for members in groups:
            nodes = tuple(self.node(kind, 0, r, {}) for r in members)
            shared = self._shared(kind, members) if whole else {f: len(members) for f in kind.shape[0].computed}
            root = Node(0, {**{a: members[0].get(a) for a in exact}, **shared}, {}, members[0])
            found.append(Stored(kind, thing, root, nodes, number(repr(self._cut(kind, tuple(by), members[0])))))
        return found

    def _shared(self, kind: Record, members: list[Row]) -> dict[str, Any]:
        """Figures of a bucket, made of its members."""
        found = {f: worked_out(f.partition(".")[2], members) for f in sorted(kind.shape[0].computed)}
        return {f: made for f, made in found.items() if made is not None}

    def _cut(self, kind: Record, by: tuple[KeyPart, ...], row: Row) -> tuple[Any, ...]:
        return tuple(part_value(p, row, kind.of, self.world) for p in by)

    def node(self, kind: Record, at: int, row: Row, picked: Mapping[str, Any]) -> Node:
        """A node of a record's shape with all below it."""
        held = kind.shape[at]
        attrs = self.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        values = {a: row.get(a) for a in attrs}
        if isinf(held.age):
            values.update({a: v for a, v in self.past.get(id(row), {}).items() if a in values})
        values.update({f: self.data.value(row, f) for f in sorted(held.computed)})
        if at == 0:
            # the key is there whatever `fields` says
            values.update({a: self.data.value(row, a) for a in sorted(kind.key_attrs) if entity_of(a) == kind.of})
            values.update(picked)
        kids: dict[int, tuple[Node, ...]] = {}
        for below, child in enumerate(kind.shape):
            if below and child.up == at and child.edge is not None:
                rows = list(self.data.follow(row, child.edge))
                rows = sorted_by(self.data, rows, child.order)
                if child.first:
                    rows = rows[: int(child.first)]
                kids[below] = tuple(self.node(kind, below, r, {}) for r in rows)
        return Node(at, values, kids, row)

    # ------------------------------------------------------------ what a change reaches

    def reached(self, kind: Record, entity: str, row: Row) -> list[Row]:
        """The root rows of the stored records of a kind that hold anything of a row, or a figure made of it."""
        found: dict[int, Row] = {}
        for at, held in enumerate(kind.shape):
            nodes: list[Row] = [row] if held.entity == entity else []
            for figure in self.world.figures:
                if figure.name in held.computed and figure.rel.child == entity:
                    nodes += self.data.find(figure.rel.key, tuple(row.get(v) for v in figure.rel.via))
            for one in nodes:
                for top in self._up(kind, at, one):
                    found[id(top)] = top
        return list(found.values())

    def _up(self, kind: Record, at: int, row: Row) -> list[Row]:
        rows = [row]
        while at:
            held = kind.shape[at]
            if held.edge is None:
                return []
            back = held.edge.back()
            rows = [r for one in rows for r in self.data.follow(one, back)]
            at = held.up
        return rows


def sorted_by(data: Data, rows: list[Row], order: Iterable[tuple[str, int]]) -> list[Row]:
    """Rows in an order of own attributes and figures; what is absent comes first, as the smallest."""
    found = list(rows)
    for attr, way in reversed(tuple(order)):
        found.sort(key=lambda r: ordered(data.value(r, attr)), reverse=way < 0)
    return found


def ordered(value: Any) -> tuple[int, Any]:
    """A value as it sorts: version 1 identifiers by their time."""
    if value is None:
        return 0, 0
    if getattr(value, "version", None) == 1:
        return 1, (value.time, value.int)
    return 1, value


# ---------------------------------------------------------------- keys


def identity(row: Row, entity: str, world: World) -> str:
    """What tells a logical record from all others, as a text."""
    attrs = world.keys.get(entity) or world.fields.get(entity, ())
    return "|".join(str(row.get(a)) for a in attrs)


def number(text: str) -> int:
    """A number that follows from a text, the same everywhere."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def as_text(value: Any) -> str:
    """A value as keys made of text write it: times as `2026-08-05T13:05:00.000Z`."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"
    if isinstance(value, date):
        return value.isoformat()
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def part_value(part: KeyPart, values: Mapping[str, Any], of: str, world: World, shard: int = 0) -> Any:
    """One component of a key: the value itself, or the text its filters make of it; a shard's number."""
    if not part.attr:
        return shard % part.kept.fan if part.kept.fan else part.literal
    value = values.get(lay.column(of, part.attr.removesuffix("[]"), world))
    if not part.filters or value is None:
        return value
    made = part_example(part, as_text(value))
    return int(made) if {"hash", "shard", "chunk"} & {f.name for f in part.filters} else made


def _watched(rows: Iterable[Row], between: Callable[[], None]) -> Iterator[Row]:
    for at, row in enumerate(rows):
        if at % 500 == 0:
            between()
        yield row


__all__ = [
    "MEMBERS", "Builder", "Node", "Seen", "Stored", "Thing", "as_text", "identity", "number", "ordered", "part_value",
    "sorted_by",
]  # fmt: skip
