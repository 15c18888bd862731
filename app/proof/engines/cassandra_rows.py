"""Rows of Cassandra out of stored records, and back: columns as the emitted tables have them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from app.model.candidate import Candidate, Structure
from app.model.key_values import part_example
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Held, Record, World
from app.proof.build import Node, Seen, Stored, as_text, part_value
from app.stores.cassandra.types import Types, columns_of, key_column, static_names
from app.stores.common_query import Names, field_of, many, names_of


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of row: how its records are written and read. `columns`: all of the table, in order."""

    kind: Record
    structure: Structure
    names: Names
    columns: tuple[str, ...]
    world: World

    @property
    def keys(self) -> tuple[KeyPart, ...]:
        clustering = () if self.kind.static else tuple(self.structure.clustering_key or ())
        return (*(self.structure.partition_key or ()), *clustering)

    def key_names(self) -> tuple[str, ...]:
        return tuple(key_column(p, self.structure.of, self.world).name for p in self.keys)

    # ------------------------------------------------------------ writing

    def row(self, stored: Stored) -> dict[str, Any]:
        """Column → value; what is absent is left out."""
        found: dict[str, Any] = {}
        self._node(found, stored.root, inside=False)
        if stored.members:
            found[self.bucket] = [self._element(m) for m in stored.members]
        found.update(key_values(self.structure, self.keys, stored, self.world))
        return {c: v for c, v in found.items() if c in self.columns and v is not None}

    @property
    def bucket(self) -> str:
        return (self.structure.bucket.as_ or "items") if self.structure.bucket is not None else ""

    def _element(self, node: Node) -> dict[str, Any]:
        return {field_of(a): encoded(v) for a, v in node.values.items()}

    def _node(self, found: dict[str, Any], node: Node, *, inside: bool) -> None:
        held = self.kind.shape[node.at]
        for attr, value in node.values.items():
            if not (inside and _linked(held, attr)):
                found[self._name(held, attr)] = encoded(value)
        for at, kids in node.kids.items():
            below = self.kind.shape[at]
            if below.how == "copy" and not many(below.edge):
                for kid in kids:
                    self._node(found, kid, inside=inside)
            elif below.how != "for each":
                values = [self._value(below, kid) for kid in kids]
                found[below.name or below.entity] = values if many(below.edge) else (values or [None])[0]

    def _value(self, held: Held, kid: Node) -> Any:
        if held.how == "reference" and len(kid.values) == 1:
            return encoded(next(iter(kid.values.values())))
        inner: dict[str, Any] = {}
        self._node(inner, kid, inside=True)
        return inner

    def _name(self, held: Held, attr: str) -> str:
        if held is self.kind.shape[0]:
            return self.names(attr).partition(".")[0]
        return dict(held.names).get(attr) or field_of(attr)

    # ------------------------------------------------------------ reading

    def seen(self, row: Mapping[str, Any]) -> list[Seen]:
        """The records in a row as it came back, whole or in part."""
        elements = row.get(self.bucket) if self.bucket else None
        if elements is None:
            return [Seen(self.kind, self.read(row, 0))]
        shared = self.read(row, 0).values
        return [Seen(self.kind, Node(0, {**shared, **self._member(e)})) for e in elements]

    def _member(self, element: Any) -> dict[str, Any]:
        fields = _fields(element)
        return {f"{self.kind.of}.{name}": decoded(v) for name, v in fields.items()}

    def read(self, row: Mapping[str, Any], at: int) -> Node:
        held = self.kind.shape[at]
        attrs: Iterable[str] = self.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        if at == 0:
            attrs = dict.fromkeys((*attrs, *self.world.keys.get(self.kind.of, ()), *self._own_keys()))
        values = {}
        for attr in (*attrs, *sorted(held.computed)):
            column = self._name(held, attr)
            if column in row:
                values[attr] = self._typed(attr, row[column])
        kids = {}
        for below, child in enumerate(self.kind.shape):
            if below and child.up == at:
                found = self._below(row, child, below)
                if found is not None:
                    kids[below] = found
        return Node(at, values, kids)

    def _own_keys(self) -> tuple[str, ...]:
        found = (lay.column(self.kind.of, p.attr, self.world) for p in self.keys if p.attr and not p.filters)
        return tuple(a for a in found if a.partition(".")[0] == self.kind.of)

    def _typed(self, attr: str, value: Any) -> Any:
        stat = self.world.stats.get(attr)
        if stat is not None and stat.type == "json" and isinstance(value, str):
            return json.loads(value)
        return decoded(value)

    def _below(self, row: Mapping[str, Any], held: Held, at: int) -> tuple[Node, ...] | None:
        if held.how == "copy" and not many(held.edge):
            node = self.read(row, at)
            return (node,) if any(v is not None for v in node.values.values()) else None
        name = held.name or held.entity
        if name not in row or held.how == "for each":
            return None
        value = row[name]
        elements = value if isinstance(value, list | tuple) and not hasattr(value, "_fields") else [value]
        return tuple(self._inner(held, e, at) for e in elements if e is not None)

    def _inner(self, held: Held, element: Any, at: int) -> Node:
        fields = _fields(element)
        return self.read(fields, at) if fields else Node(at, {min(held.attrs or ("",)): decoded(element)})


def _linked(held: Held, attr: str) -> bool:
    return held.edge is not None and held.edge.down and held.how == "embed" and attr in held.edge.far


def _fields(element: Any) -> dict[str, Any]:
    """The fields of a value of a user-defined type."""
    if hasattr(element, "_asdict"):
        return dict(element._asdict())
    return dict(element) if isinstance(element, Mapping) else {}


def encoded(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    return [encoded(v) for v in value] if isinstance(value, list) else value


def decoded(value: Any) -> Any:
    """A value as the driver reads it, in the words of the data."""
    if hasattr(value, "days_from_epoch"):
        return value.date()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        made = [decoded(v) for v in value]
        return tuple(made) if isinstance(value, tuple) else made
    return value


def bound(value: Any, kind: Any) -> Any:
    """A value as a prepared statement's type takes it: fields of a user-defined type in their order."""
    name = getattr(kind, "typename", "")
    if value is None:
        return None
    inner: tuple[Any, ...] = tuple(getattr(kind, "subtypes", ()))
    if getattr(kind, "fieldnames", None) and isinstance(value, Mapping):
        return tuple(bound(value.get(f), t) for f, t in zip(kind.fieldnames, inner, strict=True))
    if name in ("list", "set") and isinstance(value, list):
        return [bound(v, inner[0]) for v in value]
    if name == "frozen" and inner:
        return bound(value, inner[0])
    if name in ("text", "varchar", "ascii") and isinstance(value, Mapping):
        return json.dumps(value)
    if name == "timestamp" and isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - the driver takes it as UTC
    return value


def key_values(structure: Structure, keys: Iterable[KeyPart], stored: Stored, world: World) -> dict[str, Any]:
    """The key columns of a row."""
    of = stored.kind.of
    found = {}
    beside: dict[str, Any] = {}
    for at, kids in stored.root.kids.items():
        if len(kids) == 1 and stored.kind.shape[at].how in ("copy", "for each"):
            beside |= {**(kids[0].row or {}), **kids[0].values}
    for part in keys:
        values = {**beside, **(stored.root.row or {}), **stored.root.values}
        if stored.kind.static:
            values |= {
                lay.column(structure.of, p.attr, world): values.get(a) for p, a in _parent_keys(stored, world, keys)
            }
        name = key_column(part, structure.of, world).name
        found[name] = encoded(part_value(part, values, structure.of if stored.kind.static else of, world, stored.shard))
    return found


def _parent_keys(stored: Stored, world: World, keys: Iterable[KeyPart]) -> Iterable[tuple[KeyPart, str]]:
    """A static column's row is of the parent: its key stands in the child's column."""
    own = world.keys.get(stored.kind.of, ())
    return zip((p for p in keys if p.attr), own, strict=False)


def filtered(part: KeyPart, value: Any) -> Any:
    """What the filters of a key part make of a value the caller brings: `:since` as `:since_hour`."""
    made = part_example(part, as_text(value))
    return int(made) if {"hash", "chunk"} & {f.name for f in part.filters} else made


def tables(model: Candidate, records: Iterable[Record], world: World) -> dict[str, Table]:
    """By name of the kind of record."""
    found: dict[str, Table] = {}
    for kind in records:
        structure = model.structure(kind.structure)
        if structure is None:
            continue
        names = names_of(structure, kind, world)
        if structure.static:
            paths = {**names.paths, **static_names(structure, world)}
            names = Names(names.of, paths, names.lists)
        columns = tuple(c.name for c in columns_of(structure, world, Types()))
        found[kind.name] = Table(kind, structure, names, columns, world)
    return found
