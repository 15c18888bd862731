"""Items of DynamoDB out of stored records, and back: attributes and keys as the emitted requests have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.model.candidate import Candidate, Structure
from app.model.conditions import Literal
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Cond, Held, Record, World
from app.proof.build import Node, Seen, Stored, as_text, part_value
from app.stores.common_query import Names, field_of, many
from app.stores.dynamodb.items import packed_keys
from app.stores.dynamodb.keys import lone
from app.stores.dynamodb.names import table_name, ttl_attribute
from app.stores.dynamodb.records import kinds
from app.stores.dynamodb.spots import Spot, base_spot, columns
from app.stores.dynamodb.values import scalar

Item = dict[str, Any]
"""Attribute → value as the API writes it: `{"S": "…"}`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of item: how its records are written and read."""

    record: Record
    structure: Structure
    spot: Spot
    names: Names
    world: World
    moment: datetime

    @property
    def table(self) -> str:
        return table_name(self.structure.name)

    # ------------------------------------------------------------ writing

    def key(self, stored: Stored) -> Item:
        values = known(stored)
        found = {}
        for attribute, parts in columns(self.spot):
            value = self._key_value(parts, values, stored)
            if value is not None:
                found[attribute.name] = value
        return found

    def item(self, stored: Stored) -> Item:
        """All attributes; what is absent is left out."""
        values = known(stored)
        found: Item = {}
        for name, value in self._node(stored.root, inside=False).items():
            if value is not None:
                found[name] = encoded(value)
        for where, attribute, parts in packed_keys(self.spot, self.world):
            text = self._key_value(parts, values, stored)
            if text is not None and all(holds(c, values) for c in where):
                found[attribute.name] = text
        if self.record.ttl_text:
            name = ttl_attribute(self.structure)
            found[name] = {"N": str(self.expires(values))}
        return found | self.key(stored)

    def expires(self, values: Mapping[str, Any]) -> int:
        """Seconds since 1970."""
        at = values.get(f"{self.record.of}.{ttl_attribute(self.structure)}")
        if isinstance(at, datetime):
            return round(at.timestamp())
        return round(self.moment.timestamp() + (self.record.ttl or 86_400))

    def _key_value(self, parts: Sequence[KeyPart], values: Mapping[str, Any], stored: Stored) -> Item | None:
        made = [part_value(p, values, self.record.of, self.world, stored.shard) for p in parts]
        if any(v is None for v in made):
            return None
        if lone(tuple(parts)) is not None:
            return encoded(made[0])
        return {"S": "".join(self._text(p, v) for p, v in zip(parts, made, strict=True))}

    def _text(self, part: KeyPart, value: Any) -> str:
        """`hash` and `shard` come back as numbers; in a text they have the digits of the largest."""
        fan = part.kept.fan
        return str(value).zfill(len(str(fan - 1))) if fan and isinstance(value, int) and part.attr else as_text(value)

    def _node(self, node: Node, *, inside: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        held = self.record.shape[node.at]
        for attr, value in node.values.items():
            if not (inside and _linked(held, attr)):
                put(found, self._name(held, attr), value)
        for at, kids in node.kids.items():
            below = self.record.shape[at]
            if below.how == "for each":
                continue
            if below.how == "copy" and not many(below.edge):
                for kid in kids:
                    found |= self._node(kid, inside=inside)
                continue
            values = [self._value(below, kid) for kid in kids]
            found[below.name or below.entity] = values if many(below.edge) else (values or [None])[0]
        return found

    def _value(self, held: Held, kid: Node) -> Any:
        if held.how == "reference" and len(kid.values) == 1:
            return next(iter(kid.values.values()))
        return self._node(kid, inside=True)

    def _name(self, held: Held, attr: str) -> str:
        if held is self.record.shape[0]:
            return self.names(attr)
        return dict(held.names).get(attr) or field_of(attr)

    # ------------------------------------------------------------ reading

    def mine(self, item: Item) -> int:
        """How well the key of an item fits this kind: 0 it does not, else 1 and the letters that every one has."""
        letters = 1
        for attribute, parts in columns(self.spot):
            text = "".join(re.escape(p.literal) if p.is_literal else ".*" for p in parts)
            value = str(next(iter(item.get(attribute.name, {"S": ""}).values())))
            if not re.fullmatch(text, value, re.DOTALL):
                return 0
            letters += sum(len(p.literal) for p in parts if p.is_literal)
        return letters

    def seen(self, item: Item) -> Seen:
        root = self.read({n: decoded(v) for n, v in item.items()}, 0)
        return Seen(self.record, Node(0, {**self._packed(item), **root.values}, root.kids))

    def _packed(self, item: Item) -> dict[str, Any]:
        """What stands in the texts of keys: the application takes it out of there where nothing else holds it."""
        found: dict[str, Any] = {}
        keys = [*columns(self.spot), *((k, parts) for _, k, parts in packed_keys(self.spot, self.world))]
        for attribute, parts in keys:
            text = item.get(attribute.name, {}).get("S")
            if text is None or lone(tuple(parts)) is not None:
                continue
            form = "".join(re.escape(p.literal) if p.is_literal else "(.*?)" for p in parts)
            hit = re.fullmatch(form, text, re.DOTALL)
            held = [p for p in parts if not p.is_literal]
            for part, value in zip(held, hit.groups() if hit else (), strict=False):
                if part.attr and all(f.name == "pad" for f in part.filters):
                    attr = lay.column(self.record.of, part.attr, self.world)
                    found[attr] = self._typed(attr, self._unpacked(attr, value))
        return {a: v for a, v in found.items() if a.partition(".")[0] == self.record.of}

    def _unpacked(self, attr: str, text: str) -> Any:
        kind = scalar(attr, self.world)
        if kind == "N":
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        return text == "true" if kind == "BOOL" else text

    def read(self, found: Mapping[str, Any], at: int) -> Node:
        held = self.record.shape[at]
        attrs: Iterable[str] = self.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        if at == 0:
            keys = (p for _, parts in columns(self.spot) if (p := lone(parts)) is not None)
            attrs = dict.fromkeys((*attrs, *(lay.column(self.record.of, p.attr, self.world) for p in keys)))
        values = {}
        for attr in (*attrs, *sorted(held.computed)):
            value = got(found, self._name(held, attr))
            if value is not None:
                values[attr] = self._typed(attr, value)
        kids = {}
        for below, child in enumerate(self.record.shape):
            if below and child.up == at and (inner := self._below(found, child, below)) is not None:
                kids[below] = inner
        return Node(at, values, kids)

    def _below(self, found: Mapping[str, Any], held: Held, at: int) -> tuple[Node, ...] | None:
        if held.how == "copy" and not many(held.edge):
            node = self.read(found, at)
            return (node,) if any(v is not None for v in node.values.values()) else None
        name = held.name or held.entity
        if name not in found or held.how == "for each":
            return None
        value = found[name]
        elements = value if isinstance(value, list) else [value]
        return tuple(self._inner(held, e, at) for e in elements if e is not None)

    def _inner(self, held: Held, element: Any, at: int) -> Node:
        if isinstance(element, Mapping):
            return self.read(element, at)
        attr = min(held.attrs or ("",))
        return Node(at, {attr: self._typed(attr, element)})

    def _typed(self, attr: str, value: Any) -> Any:
        stat = self.world.stats.get(attr)
        kind = stat.type if stat is not None else ""
        if isinstance(value, list):
            return [_timed(kind.removesuffix("[]"), v) for v in value]
        return _timed(kind.removesuffix("[]"), value)


def _timed(kind: str, value: Any) -> Any:
    if kind == "datetime":
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        return datetime.fromisoformat(value)
    if kind in ("uuid", "timeuuid") and isinstance(value, str):
        return UUID(value)
    if kind == "date" and isinstance(value, str):
        return date.fromisoformat(value)
    if kind == "point" and isinstance(value, Mapping):
        return value.get("lon"), value.get("lat")
    return value


def _linked(held: Held, attr: str) -> bool:
    return held.edge is not None and held.edge.down and held.how == "embed" and attr in held.edge.far


def put(found: dict[str, Any], path: str, value: Any) -> None:
    """A value under a path with dots: maps inside maps."""
    *above, name = path.split(".")
    if value is None:
        return
    for word in above:
        found = found.setdefault(word, {})
    found[name] = value


def got(found: Mapping[str, Any], path: str) -> Any:
    value: Any = found
    for word in path.split("."):
        value = value.get(word) if isinstance(value, Mapping) else None
    return value


def known(stored: Stored) -> dict[str, Any]:
    """What a record's keys can be made of: its own values, and those of what it copies or is made for."""
    found: dict[str, Any] = {}
    for at, kids in stored.root.kids.items():
        held = stored.kind.shape[at]
        if len(kids) == 1 and not (many(held.edge) and held.how != "for each"):
            found |= {**(kids[0].row or {}), **kids[0].values}
    return {**found, **(stored.root.row or {}), **stored.root.values}


def holds(cond: Cond, values: Mapping[str, Any]) -> bool:
    """Does an item meet a condition of its index?"""
    value = values.get(cond.attr)
    if cond.op in ("null", "not null"):
        return (value is None) == (cond.op == "null")
    operands = cond.source.operands if cond.source is not None else ()
    given = [o.value for o in operands if isinstance(o, Literal)]
    if cond.op in ("=", "in"):
        return value in given
    return value not in given if cond.op in ("!=", "not in") else value is not None


def encoded(value: Any) -> Item:
    """A value as the API writes it: times and identifiers are text, as the sizes of the store's encoding have them."""
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int | float | Decimal):
        return {"N": number(value)}
    if isinstance(value, bytes):
        return {"B": value}
    if isinstance(value, Mapping):
        return {"M": {str(k): encoded(v) for k, v in value.items() if v is not None}}
    if isinstance(value, tuple) and len(value) == 2:
        return {"M": {"lon": encoded(value[0]), "lat": encoded(value[1])}}
    if isinstance(value, list | tuple):
        return {"L": [encoded(v) for v in value]}
    return {"S": as_text(value)}


def number(value: float | Decimal) -> str:
    return str(int(value)) if isinstance(value, int) else str(value)


def decoded(value: Item) -> Any:
    """A value of the API as Python's own."""
    (kind, inner), *_ = value.items()
    if kind == "N":
        return int(inner) if re.fullmatch(r"-?\d+", inner) else float(inner)
    if kind == "L":
        return [decoded(v) for v in inner]
    if kind == "M":
        return {k: decoded(v) for k, v in inner.items()}
    return None if kind == "NULL" else inner


def all_kinds(model: Candidate, records: Iterable[Record], world: World, moment: datetime) -> dict[str, Kind]:
    """By name of the kind of record."""
    wanted = {r.name: r for r in records}
    found: dict[str, Kind] = {}
    for structure in model.structures:
        if model.store_of(structure) != "dynamodb":
            continue
        for thing, record in kinds(structure, model, world):
            spot = base_spot(structure, thing, record, world)
            if spot is not None and record.name in wanted:
                found[record.name] = Kind(record, structure, spot, spot.names(world), world, moment)
    return found


__all__ = ["Item", "Kind", "all_kinds", "decoded", "encoded", "known", "number", "scalar"]
