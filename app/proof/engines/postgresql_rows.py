"""Rows of PostgreSQL out of stored records, and back: columns as the emitted tables have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from app.model.candidate import Candidate
from app.plan import lay
from app.plan.types import Held, Record, World
from app.proof.build import MEMBERS, Node, Stored, part_value
from app.stores.common_query import field_of, last, many
from app.stores.postgresql.tables import Column, Table, table_of


@dataclass(frozen=True, slots=True)
class Rows:
    """One kind of row: how its records are written and read. `identity`: the columns that tell a row from others."""

    kind: Record
    table: Table
    world: World
    identity: tuple[Column, ...]

    # ------------------------------------------------------------ writing

    def row(self, stored: Stored) -> dict[str, Any]:
        """Column → value; what is absent is left out."""
        found: dict[str, Any] = {}
        self._node(found, stored.root)
        if self.table.bucket:
            found[self.table.bucket] = [self._element(m) for m in stored.members]
        values = {**(stored.root.row or {}), **stored.root.values}
        for column in self.table.columns:
            if column.derived is not None:
                found[column.name] = part_value(column.derived, values, self.kind.of, self.world, stored.shard)
        own = {c.name: c.type for c in self.table.columns}
        return {c: bound(v, own[c]) for c, v in found.items() if c in own and v is not None}

    def _element(self, node: Node) -> dict[str, Any]:
        """A record inside its bucket."""
        mine = {a: self.table.ref(a) for a in node.values}
        return {
            (r.path[-1] if r.path else r.column): inner(node.values[a], r.type)
            for a, r in mine.items()
            if r.column == self.table.bucket and node.values[a] is not None
        }

    def _node(self, found: dict[str, Any], node: Node) -> None:
        """The columns of a row: its own, and copies of parents beside them."""
        for attr, value in node.values.items():
            self._put(found, self._column(node.at, attr), value)
        for at, kids in node.kids.items():
            held = self.kind.shape[at]
            if beside(held):
                for kid in kids:
                    self._node(found, kid)
            elif held.how != "for each":
                values = [self._inner(kid) for kid in kids]
                found[held.name or held.entity] = values if many(held.edge) else (values or [None])[0]

    def _put(self, found: dict[str, Any], place: tuple[str, ...], value: Any) -> None:
        name, *path = place
        if value is None or name == self.table.bucket:
            return
        if not path:
            found[name] = value
            return
        at = found.setdefault(name, {})
        for step in path[:-1]:
            at = at.setdefault(step, {})
        at[path[-1]] = inner(value)

    def _column(self, at: int, attr: str) -> tuple[str, ...]:
        """The column of an attribute, and the path inside it."""
        held = self.kind.shape[at]
        if at:
            given = dict(held.names).get(attr)
            if given is not None:
                return (given,)
        ref = self.table.refs.get(attr)
        return (ref.column, *ref.path) if ref is not None else (last(attr),)

    def _inner(self, kid: Node) -> Any:
        held = self.kind.shape[kid.at]
        shown = {a: v for a, v in kid.values.items() if not linked(held, a)}
        if held.how == "reference" and len(shown) == 1:
            return next(iter(shown.values()))
        made = {_name(held, a): inner(v) for a, v in shown.items() if v is not None}
        for at, kids in kid.kids.items():
            below = self.kind.shape[at]
            values = [self._inner(k) for k in kids]
            if beside(below):
                for value in values:
                    made |= value if isinstance(value, dict) else {}
            else:
                made[below.name or below.entity] = values if many(below.edge) else (values or [None])[0]
        return made

    # ------------------------------------------------------------ reading

    def read(self, row: Mapping[str, Any]) -> Node:
        """A stored row read back, all of it; of a bucket, with its elements apart."""
        node = self._read(row, 0)
        if not self.table.bucket:
            return node
        elements = row.get(self.table.bucket) or ()
        return Node(0, node.values, {MEMBERS: tuple(Node(0, self._member(e)) for e in elements)})

    def _member(self, element: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for attr in self.world.fields.get(self.kind.of, ()):
            ref = self.table.ref(attr)
            name = ref.path[-1] if ref.path else ref.column
            if ref.column == self.table.bucket and name in element:
                found[attr] = decoded(element[name], self.kind_of(attr))
        return found

    def _attrs(self, at: int) -> Iterable[str]:
        held = self.kind.shape[at]
        attrs: Iterable[str] = self.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        own = self.world.keys.get(self.kind.of, ()) if at == 0 else ()
        return dict.fromkeys((*attrs, *own, *sorted(held.computed)))

    def _read(self, row: Mapping[str, Any], at: int) -> Node:
        values: dict[str, Any] = {}
        for attr in self._attrs(at):
            name, *path = self._column(at, attr)
            value: Any = row.get(name) if name != self.table.bucket and name in row else MISSING
            for step in path:
                value = value.get(step, MISSING) if isinstance(value, Mapping) else MISSING
            if value is not MISSING:
                values[attr] = decoded(value, self.kind_of(attr))
        return Node(at, values, self._kids(row, at, self._read))

    def _read_inner(self, row: Mapping[str, Any], at: int) -> Node:
        held = self.kind.shape[at]
        named = {a: _name(held, a) for a in self._attrs(at) if not linked(held, a)}
        values = {a: decoded(row[n], self.kind_of(a)) for a, n in named.items() if n in row}
        return Node(at, values, self._kids(row, at, self._read_inner))

    def _kids(self, row: Mapping[str, Any], at: int, copied: Any) -> dict[int, tuple[Node, ...]]:
        kids: dict[int, tuple[Node, ...]] = {}
        for below, held in enumerate(self.kind.shape):
            if not below or held.up != at or held.how == "for each":
                continue
            if beside(held):
                node = copied(row, below)
                if any(v is not None for v in node.values.values()):
                    kids[below] = (node,)
                continue
            value = row.get(held.name or held.entity, MISSING)
            if value is not MISSING:
                elements = value if isinstance(value, list) else [value]
                kids[below] = tuple(self._element_node(e, below) for e in elements if e is not None)
        return kids

    def _element_node(self, element: Any, at: int) -> Node:
        if isinstance(element, Mapping):
            return self._read_inner(element, at)
        attrs = sorted(a for a in self.kind.shape[at].attrs or () if not linked(self.kind.shape[at], a))
        return Node(at, {attrs[0]: decoded(element, self.kind_of(attrs[0]))} if attrs else {})

    def listed(self, row: Mapping[str, Any]) -> dict[int, tuple[Node, ...]]:
        """The lists and documents in a row as it came back, whole or in part."""
        found = self._kids(row, 0, lambda _row, at: Node(at, {}))
        return {at: kids for at, kids in found.items() if not beside(self.kind.shape[at])}

    def kind_of(self, attr: str) -> str:
        stat = self.world.stats.get(attr)
        return stat.type if stat is not None else ""


MISSING: Any = object()


def beside(held: Held) -> bool:
    """Do its values stand in columns beside those of the row it belongs to?"""
    return held.how in ("copy", "reference") and not many(held.edge)


def linked(held: Held, attr: str) -> bool:
    """A child's foreign key is the key of the row it lies in."""
    return held.edge is not None and held.edge.down and held.how == "embed" and attr in held.edge.far


def _name(held: Held, attr: str) -> str:
    return dict(held.names).get(attr) or field_of(attr)


def inner(value: Any, _kind: str = "") -> Any:
    """A value inside a JSON document."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return f"({value[0]},{value[1]})"
    if isinstance(value, Mapping):
        return {k: inner(v) for k, v in value.items()}
    if isinstance(value, list):
        return [inner(v) for v in value]
    return value if isinstance(value, float) else str(value)


def bound(value: Any, kind: str = "") -> Any:
    """A value as the driver takes it. `kind`: the column's type, where it is known."""
    from psycopg.types.json import Jsonb  # noqa: PLC0415 - a driver, only where a proof is made

    if value is None or isinstance(value, bool | Jsonb):
        return value
    if kind == "jsonb" or isinstance(value, Mapping) or (isinstance(value, list) and any(map(_document, value))):
        return Jsonb(inner(value))
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return f"({value[0]},{value[1]})"
    return [bound(v) for v in value] if isinstance(value, list) else value


def _document(value: Any) -> bool:
    return isinstance(value, Mapping)


def decoded(value: Any, kind: str) -> Any:
    """A value as the driver reads it, also from a JSON document, in the words of the data."""
    if kind == "datetime" and isinstance(value, str):
        return datetime.fromisoformat(value)
    if kind == "date" and isinstance(value, str):
        return date.fromisoformat(value[:10])
    if kind == "decimal" and isinstance(value, int | float | str):
        return Decimal(str(value))
    if kind == "point" and isinstance(value, str):
        return tuple(float(v) for v in value.strip("()").split(","))
    return value


def rows_of(model: Candidate, records: Iterable[Record], world: World) -> dict[str, Rows]:
    """By name of the kind of record."""
    found: dict[str, Rows] = {}
    for kind in records:
        structure = model.structure(kind.structure)
        table = table_of(structure, model, world) if structure is not None else None
        if table is not None:
            found[kind.name] = Rows(kind, table, world, _identity(table, world))
    return found


def _identity(table: Table, world: World) -> tuple[Column, ...]:
    """The primary key, another unique one, else every column that can be compared."""
    if table.structure.primary_key:
        parts = table.structure.primary_key
        names = [
            next((c.name for c in table.columns if c.derived == p), "")
            or table.ref(lay.column(table.record.of, p.attr, world)).column
            for p in parts
        ]
    else:
        unique = [p for p in table.record.paths if p.unique and p.order and not p.only]
        unique.sort(key=lambda p: not p.primary)
        names = [table.ref(x.attr).column for x in unique[0].order] if unique else []
    own = tuple(c for c in table.columns if c.name in names)
    return own or tuple(c for c in table.columns if c.type != "jsonb" and not c.type.endswith("[]"))


__all__ = ["Rows", "bound", "decoded", "inner", "rows_of"]
