"""Documents of MongoDB out of stored records, and back: names as the emitted script and queries have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from app.model.candidate import Candidate, Structure
from app.plan.types import Held, Record, World
from app.proof.build import MEMBERS, Node, Seen, Stored, Thing, as_text, part_value
from app.proof.data import Long, Oid, Row
from app.stores.common_query import field_of, many, things_of
from app.stores.common_record import record_name
from app.stores.mongodb.filters import Fields, fields_of

MISSING = object()


def encoded(value: Any) -> Any:
    """A value as the driver writes it."""
    from bson import Decimal128, Int64, ObjectId  # noqa: PLC0415 - a driver

    if isinstance(value, Long):
        return Int64(value)
    if isinstance(value, Decimal):
        return Decimal128(value)
    if isinstance(value, Oid):
        return ObjectId(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, tuple):
        return {"type": "Point", "coordinates": list(value)}
    if isinstance(value, list):
        return [encoded(v) for v in value]
    return value


def decoded(value: Any) -> Any:
    """A value as the driver reads it, in the words of the data."""
    from bson import Decimal128, ObjectId  # noqa: PLC0415 - a driver

    if isinstance(value, Decimal128):
        return value.to_decimal()
    if isinstance(value, ObjectId):
        return str(value)
    if isinstance(value, Mapping) and value.get("type") == "Point" and "coordinates" in value:
        return tuple(value["coordinates"])
    if isinstance(value, list):
        return [decoded(v) for v in value]
    return value


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of document: how its records are written and read."""

    kind: Record
    structure: Structure
    thing: Thing
    fields: Fields
    world: World

    @property
    def inside(self) -> str:
        """The list of a bucket; empty where the collection has none."""
        if self.structure.bucket is None:
            return ""
        return next(iter(sorted(self.fields.names.lists)), "items")

    # ------------------------------------------------------------ writing

    def document(self, stored: Stored) -> dict[str, Any]:
        made: dict[str, Any] = {}
        key = self.id_of(stored.root.row or {})
        if key is not None:
            made["_id"] = key
        if self.inside:
            for attr, value in stored.root.values.items():
                put(made, self.fields(attr), encoded(value))
            made[self.inside] = [self.element(m) for m in stored.members]
        else:
            self._node(made, stored.root)
        version = self.structure.schema_version
        if version:
            made["schema_version"] = int(version) if version.isdigit() else version
        return made

    def id_of(self, row: Row) -> Any:
        """`_id` where it is made of several parts or a text; None: it is a field, or the server's own."""
        parts = self.fields.id_parts
        of = self.kind.of
        if self.fields.text_id:
            return "".join(as_text(part_value(p, row, of, self.world)) for p in parts)
        if self.fields.whole_id:
            return {p.name or field_of(p.attr): encoded(part_value(p, row, of, self.world)) for p in parts}
        if len(parts) == 1 and not parts[0].kept.exact:
            return encoded(part_value(parts[0], row, of, self.world))
        return None

    def element(self, node: Node) -> dict[str, Any]:
        """A record inside its bucket."""
        made: dict[str, Any] = {}
        for attr, value in node.values.items():
            path = self.fields(attr)
            if path.startswith(f"{self.inside}.") and value is not None:
                put(made, path.removeprefix(f"{self.inside}."), encoded(value))
        return made

    def _node(self, made: dict[str, Any], node: Node) -> None:
        held = self.kind.shape[node.at]
        for attr, value in node.values.items():
            if value is not None and not self._linked(held, attr):
                path = self.fields(attr) if node.at == 0 else _name(held, attr)
                if not (path.startswith("_id.") and "_id" in made):
                    put(made, path, encoded(value))
        for at, kids in node.kids.items():
            self._hold(made, self.kind.shape[at], kids)

    def _hold(self, made: dict[str, Any], held: Held, kids: tuple[Node, ...]) -> None:
        if beside(held):
            for kid in kids:
                self._node(made, kid)
            return
        several = many(held.edge)
        values = [self.inner_value(held, kid) for kid in kids]
        name = held.name or held.entity
        if several:
            made[name] = values
        elif values:
            made[name] = values[0]

    def inner_value(self, held: Held, kid: Node) -> Any:
        shown = [v for a, v in kid.values.items() if not self._linked(held, a)]
        if held.how == "reference" and len(shown) == 1:
            return encoded(shown[0])
        inner: dict[str, Any] = {}
        self._node(inner, kid)
        return inner

    def _linked(self, held: Held, attr: str) -> bool:
        """A child's foreign key is the key of the document it lies in."""
        return held.edge is not None and held.edge.down and held.how == "embed" and attr in held.edge.far

    # ------------------------------------------------------------ reading

    def seen(self, document: Mapping[str, Any]) -> list[Seen]:
        """The records in a document as it came back, whole or in part."""
        if not self.inside:
            return [Seen(self.kind, self._read(document, 0))]
        elements = document.get(self.inside)
        shared = self._shared(document)
        if not isinstance(elements, list):
            return [Seen(self.kind, Node(0, {**shared, **self._element(document)}))]
        return [Seen(self.kind, Node(0, {**shared, **self._element(e)})) for e in elements]

    def whole(self, document: Mapping[str, Any]) -> Node:
        """A stored record read back: of a bucket, with its elements apart."""
        if not self.inside:
            return self._read(document, 0)
        elements = tuple(Node(0, self._element(e)) for e in document.get(self.inside) or ())
        figures = {
            f: decoded(v)
            for f in self.kind.shape[0].computed
            if (v := at_path(document, self.fields(f))) is not MISSING
        }
        return Node(0, {**self._shared(document), **figures}, {MEMBERS: elements})

    def _shared(self, document: Mapping[str, Any]) -> dict[str, Any]:
        paths = {a: self.fields(a) for a in self.world.fields.get(self.kind.of, ())}
        found = {a: at_path(document, p) for a, p in paths.items() if not p.startswith(f"{self.inside}.")}
        return {a: decoded(v) for a, v in found.items() if v is not MISSING}

    def _element(self, element: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for attr in self.world.fields.get(self.kind.of, ()):
            path = self.fields(attr)
            if path.startswith(f"{self.inside}."):
                value = at_path(element, path.removeprefix(f"{self.inside}."))
                if value is not MISSING:
                    found[attr] = decoded(value)
        return found

    def _read(self, document: Mapping[str, Any], at: int) -> Node:
        held = self.kind.shape[at]
        attrs: Iterable[str] = self.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        if at == 0:
            attrs = dict.fromkeys((*attrs, *self.world.keys.get(self.kind.of, ())))
        values: dict[str, Any] = {}
        for attr in (*attrs, *sorted(held.computed)):
            value = at_path(document, self.fields(attr) if at == 0 else _name(held, attr))
            if value is not MISSING:
                values[attr] = decoded(value)
        kids = {}
        for below, child in enumerate(self.kind.shape):
            if below and child.up == at:
                found = self._below(document, child, below)
                if found is not None:
                    kids[below] = found
        return Node(at, values, kids)

    def _below(self, document: Mapping[str, Any], held: Held, at: int) -> tuple[Node, ...] | None:
        if beside(held):
            node = self._read(document, at)
            return (node,) if node.values or node.kids else None
        value = document.get(held.name or held.entity, MISSING)
        if value is MISSING:
            return None
        elements = value if isinstance(value, list) else [value]
        return tuple(self._inner(held, e, at) for e in elements if e is not None)

    def _inner(self, held: Held, element: Any, at: int) -> Node:
        if isinstance(element, Mapping):
            return self._read(element, at)
        attrs = sorted(a for a in held.attrs or () if not self._linked(held, a))
        return Node(at, {attrs[0]: decoded(element)} if attrs else {})


def beside(held: Held) -> bool:
    """Do its fields stand beside those of the document it belongs to?"""
    return held.how == "copy" and not many(held.edge)


def _name(held: Held, attr: str) -> str:
    return dict(held.names).get(attr) or field_of(attr)


def put(made: dict[str, Any], path: str, value: Any) -> None:
    head, _, rest = path.partition(".")
    if value is None:
        return
    if rest:
        inner = made.setdefault(head, {})
        if isinstance(inner, dict):
            put(inner, rest, value)
    else:
        made[head] = value


def at_path(document: Any, path: str) -> Any:
    for word in path.split("."):
        if not isinstance(document, Mapping) or word not in document:
            return MISSING
        document = document[word]
    return document


def shapes(model: Candidate, records: Iterable[Record], world: World) -> dict[str, Shape]:
    """By name of the kind of record."""
    mine = {r.name: r for r in records}
    found: dict[str, Shape] = {}
    for structure in model.structures:
        for thing in things_of(structure):
            kind = mine.get(record_name(structure, thing))
            if kind is not None:
                found[kind.name] = Shape(kind, structure, thing, fields_of(structure, thing, kind, world), world)
    return found
