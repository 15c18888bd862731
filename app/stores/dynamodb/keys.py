"""The key attributes of a table and its indexes: which templates make them, their stored names and types.

A key that is one attribute of every kind of record is that attribute (`id`, `status`); a key made of a text or
of several parts is an attribute of its own (`pk`, `GSI1_sk`), written beside the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.model.candidate import Index, Structure
from app.model.keys import KeyPart, Template
from app.plan.types import World
from app.stores.common_home import Thing
from app.stores.common_query import things_of

NUMBERS = frozenset({"int32", "int64", "float", "double", "decimal"})


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """One attribute of a key schema."""

    name: str
    type: str
    """S, N or B."""
    role: str
    """HASH or RANGE."""


@dataclass(frozen=True, slots=True)
class Way:
    """How one kind of record is found by a table or index: texts of its partition and sort key."""

    pk: tuple[tuple[KeyPart, ...], ...]
    """One tuple of parts per key attribute: a table has one, an index up to four."""
    sk: tuple[tuple[KeyPart, ...], ...] = ()


def things(structure: Structure) -> tuple[Thing, ...]:
    """The kinds of record of a table that say what they are of."""
    return tuple(t for t in things_of(structure) if t.of)


def base_way(thing: Thing, structure: Structure) -> Way | None:
    """The table's key for one kind of record; None where it has no partition key."""
    pk, sk = thing.pk or structure.pk, thing.sk or structure.sk
    return _way(pk, sk)


def _way(pk: Template | None, sk: Template | None) -> Way | None:
    if pk is None or not pk.parts:
        return None
    return Way((pk.parts,), (sk.parts,) if sk is not None and sk.parts else ())


def index_way(index: Index, thing: Thing, structure: Structure) -> Way | None:
    """The index's key for one kind of record; None where that kind is not in it."""
    for own in index.records:
        if own.of == thing.of:
            return _way(own.pk or index.pk, own.sk or index.sk)
    if index.records or not _covers(index, thing, structure):
        return None
    if index.keys and index.pk is None:
        split = _split(index)
        columns = tuple((part,) for part in index.keys)
        return Way(columns[:split], columns[split:])
    return _way(index.pk, index.sk)


def included(index: Index) -> tuple[str, ...] | None:
    """Attributes a projection lists beside the keys; None: it has all of them."""
    listed = index.projection
    if listed is None or listed == ("all",):
        return None
    return () if listed in (("keys",), ("keys only",), ("none",)) else listed


def _split(index: Index) -> int:
    """How many of `keys` are partition attributes: `options: {partition: 2}`, else 1."""
    text = str(index.options.get("partition", "1"))
    return min(max(int(text), 1), len(index.keys)) if text.isdigit() else 1


def _covers(index: Index, thing: Thing, structure: Structure) -> bool:
    if thing.purpose == "unique":
        return False
    if index.of:
        return thing.of in index.of and not repeats(thing, structure)
    attributes = {p.attr for key in (index.pk, index.sk) if key for p in key.parts if p.attr}
    attributes |= {p.attr for p in index.keys if p.attr}
    return len(things(structure)) == 1 or all(a.partition(".")[0] == thing.of for a in attributes)


def repeats(thing: Thing, structure: Structure) -> bool:
    """A second copy in a table that also holds the first: the index keeps the first only."""
    if not thing.purpose:
        return False
    return any(s.of == thing.of and not s.purpose for s in things(structure))


def local_way(index: Index, thing: Thing, structure: Structure) -> Way | None:
    """An LSI: the table's partition key with another sort key."""
    base = base_way(thing, structure)
    if base is None or (index.of and thing.of not in index.of) or thing.purpose == "unique":
        return None
    other = index.sk.parts if index.sk is not None else index.keys
    return Way(base.pk, (tuple(other),)) if other else None


def lone(parts: tuple[KeyPart, ...]) -> KeyPart | None:
    """The part, where a key is one attribute as it is."""
    only = parts[0] if len(parts) == 1 else None
    return only if only is not None and only.attr and not only.filters else None


def attribute_type(attr: str, of: str, world: World) -> str:
    """S, N or B for an attribute that is a key by itself."""
    stat = world.stats.get(world.own(of, attr))
    kind = stat.type if stat is not None else "string"
    return "N" if kind in NUMBERS else "B" if kind == "binary" else "S"


def _attribute(
    columns: Iterable[tuple[str, tuple[KeyPart, ...]]], given: str, default: str, role: str, world: World
) -> KeyAttribute:
    """Name and type of one key attribute from its parts in every kind of record: (entity, parts)."""
    whole = [(of, lone(parts)) for of, parts in columns]
    names = {p.attr.rpartition(".")[2] if p is not None else "" for _, p in whole}
    types = {attribute_type(p.attr, of, world) if p is not None else "S" for of, p in whole}
    name = next(iter(names)) if len(names) == 1 else ""
    kind = next(iter(types)) if len(types) == 1 else "S"
    if not name:
        kind = "S"
    return KeyAttribute(given or name or default, kind, role)


def key_attributes(
    ways: Iterable[tuple[str, Way]], given: dict[str, str], prefix: str, world: World
) -> tuple[KeyAttribute, ...]:
    """The key schema that serves every kind of record: (entity, way) pairs in order.

    `given`: stored names under `pk` and `sk`; `prefix`: starts the default names (`GSI1_`).
    """
    ways = tuple(ways)
    found: list[KeyAttribute] = []
    for word, role in (("pk", "HASH"), ("sk", "RANGE")):
        sides = [(of, way.pk if word == "pk" else way.sk) for of, way in ways]
        for at in range(max((len(columns) for _, columns in sides), default=0)):
            mine = [(of, columns[at]) for of, columns in sides if at < len(columns)]
            number = str(at + 1) if at else ""
            name = given.get(word, "") if not at else ""
            found.append(_attribute(mine, name, f"{prefix}{word}{number}", role, world))
    return tuple(found)


def table_key(structure: Structure, world: World) -> tuple[KeyAttribute, ...]:
    """The table's key schema; empty where no kind of record has a key."""
    ways = ((t.of, base_way(t, structure)) for t in things(structure))
    given = dict(structure.attributes)
    return key_attributes(((of, w) for of, w in ways if w is not None), given, "", world)


def index_key(index: Index, structure: Structure, world: World) -> tuple[KeyAttribute, ...]:
    """A GSI's key schema; empty where no kind of record is in it."""
    ways = ((s.of, index_way(index, s, structure)) for s in things(structure))
    given = dict(index.attributes)
    mine = tuple((of, w) for of, w in ways if w is not None)
    return key_attributes(mine, given, f"{index.name}_", world)


def local_key(index: Index, structure: Structure, world: World) -> tuple[KeyAttribute, ...]:
    """An LSI's key schema: the table's partition attribute and its own sort attribute."""
    ways = ((s.of, local_way(index, s, structure)) for s in things(structure))
    own = key_attributes(((of, w) for of, w in ways if w is not None), dict(index.attributes), f"{index.name}_", world)
    base = [k for k in table_key(structure, world) if k.role == "HASH"]
    return (*base, *(k for k in own if k.role == "RANGE"))
