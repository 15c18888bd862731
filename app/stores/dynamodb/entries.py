"""What an index entry is made of, in bytes: the keys of table and index under their stored names, and what it projects.

A key packed from several attributes is an attribute of its own, in the item and in each entry; what it is packed from
stands beside it only where the index projects that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from app.plan.keysize import key_text
from app.plan.types import AccessPath, Part, World
from app.stores.dynamodb.dialect import alone
from app.stores.dynamodb.encoding import ENCODING
from app.stores.dynamodb.keys import KeyAttribute


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One key attribute with the parts that make it."""

    name: str
    parts: tuple[Part, ...]

    @property
    def packed(self) -> bool:
        return not alone(self.parts)

    def bytes(self, world: World) -> float:
        """Of name and value: text where it is packed, else as the attribute is kept."""
        if self.packed:
            return ENCODING.field(self.name, "string", sum(key_text(p, world) for p in self.parts))
        return attribute_bytes(self.parts[0].attr, self.name, world)


def key_columns(schema: Iterable[KeyAttribute], parts: Sequence[Part]) -> tuple[KeyColumn, ...]:
    """Key attributes beside their parts, which share a column."""
    columns = dict.fromkeys(p.column for p in parts)
    made = (tuple(p for p in parts if p.column == c) for c in columns)
    return tuple(KeyColumn(key.name, own) for key, own in zip(schema, made, strict=False))


def attribute_bytes(attr: str, name: str, world: World) -> float:
    """One attribute with its name where it is present, all elements of an array."""
    stat = world.stats.get(attr)
    if stat is None:
        return ENCODING.field(name, "string", 8.0)
    if not stat.type.endswith("[]"):
        return ENCODING.field(name, stat.type, stat.bytes.avg)
    each = ENCODING.field("", stat.type.removesuffix("[]"), stat.bytes.avg)
    return ENCODING.array(name, stat.items.avg * ENCODING.element(0, each))


def entry_bytes(keys: Iterable[KeyColumn], listed: Iterable[str], world: World) -> float:
    """Bytes of an entry that has these keys and projects these attributes besides."""
    keys = tuple(dict.fromkeys(keys))
    taken = {p.attr for k in keys if not k.packed for p in k.parts}
    total = sum(k.bytes(world) for k in keys)
    for attr in sorted(set(listed) - taken):
        stat = world.stats.get(attr)
        present = stat.present if stat is not None else 1.0
        total += present * attribute_bytes(attr, attr.rpartition(".")[2], world)
    return total


def beside(keys: Iterable[KeyColumn], world: World) -> tuple[tuple[str, float, float], ...]:
    """Key attributes that an item has for an index only: name, bytes of the value, share of the items with it."""
    found = []
    for key in keys:
        if key.packed:
            stats = [world.stats[a] for a in dict.fromkeys(p.attr for p in key.parts) if a in world.stats]
            size = sum(key_text(p, world) for p in key.parts)
            found.append((key.name, size, prod(s.present for s in stats)))
    return tuple(found)


def packed(base: AccessPath, parts: Iterable[Part], listed: frozenset[str]) -> frozenset[str]:
    """Attributes that an entry has inside a packed key only."""
    ways = (*base.partition, *base.order), tuple(parts)
    every = {p.attr for way in ways for p in way if p.attr}
    return frozenset(every) - listed - alone(ways[0]) - alone(ways[1])
