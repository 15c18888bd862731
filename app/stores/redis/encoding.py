"""How the values of one key family take up memory, by type: what the planner and the forecasts size with.

A record of a string or hash is one key. A record of a set, sorted set, list or stream is one member, with its share of
the key that holds it. Classes of the allocator and the step from a compact encoding to a table are met at the family's
average; `memory` has the exact figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from app.plan.types import Encoding
from app.stores.redis import memory
from app.stores.redis.facts import FACTS
from app.stores.redis.keys import KEY, MEMBER

TEXT = {
    "int32": 6,
    "int64": 10,
    "float": 8,
    "double": 10,
    "decimal": 8,
    "bool": 1,
    "date": 10,
    "datetime": 24,
    "uuid": 36,
    "timeuuid": 36,
    "objectid": 24,
    "point": 24,
}
"""Characters of a value as text, where its type says it."""
QUOTED = frozenset({"string", "text", "enum", "date", "datetime", "uuid", "timeuuid", "objectid", "binary"})
BINARY_FORMATS = frozenset({"msgpack", "protobuf", "cbor", "avro", "binary"})
MEMBERS = frozenset({"set", "sorted set", "list", "stream", "geo"})
"""Types whose records are members."""


@dataclass(frozen=True, slots=True)
class Family:
    """What the bytes of a key family depend on. `members`: per key on average; `fields`: of a hash; `longest`: its
    longest value on average; `old`: before 7.2; `expires`: it has a time to live."""

    type: str
    format: str = ""
    key_bytes: float = 20.0
    members: float = 1.0
    fields: float = 1.0
    longest: float = 16.0
    keys: float = 0.0
    expires: bool = False
    old: bool = False


def value_text(kind: str, size: float) -> float:
    """Bytes of one value as text."""
    return float(TEXT.get(kind.removesuffix("[]"), size))


def json_field(name: str, kind: str, size: float) -> float:
    """`"name":value,` of a JSON text; an element has no name."""
    label = len(name.encode()) + 3 if name else 0
    bare = {"bool": 5.0}.get(kind, value_text(kind, size))
    return label + bare + (2 if kind in QUOTED else 0) + 1


def json_nested(name: str, size: float) -> float:
    return (len(name.encode()) + 3 if name else 0) + 2 + size + 1


@lru_cache(maxsize=4_000)
def encoding(family: Family) -> Encoding:
    """The encoding of a family, its fixed part included: the same object for equal families, so that records made
    again are equal to those before."""
    body = _body(family)
    fixed = memory.key(family.key_bytes) + memory.slot(family.expires, family.keys)
    if family.type in MEMBERS or family.members > 1:
        fixed /= max(1.0, family.members)

    def field(name: str, kind: str, size: float) -> float:
        if name == KEY:
            return 0.0  # counted with the record
        return 0.0 if name == MEMBER else body.field(name, kind, size)

    return replace(
        body,
        field=field,
        record=body.record + fixed,
        entry=lambda size: size,
        limit=FACTS["max_record_bytes"].value,
    )


def _body(family: Family) -> Encoding:
    match family.type:
        case "hash" if family.members <= 1:
            return _hash(family)
        case "hash" | "set" | "sorted set" | "list" | "stream" | "geo":
            return _member(family)
        case "hyperloglog":
            return _constant(FACTS["hyperloglog_bytes"].value)
        case "bitmap":
            return _constant(memory.OBJECT + family.longest)
        case _:
            return _string(family)


def _constant(size: float) -> Encoding:
    return Encoding(
        field=lambda _name, _kind, _size: 0.0,
        record=size,
        element=lambda _i, _size: 0.0,
        nested=lambda _name, _size: 0.0,
        array=lambda _name, _size: 0.0,
        entry=lambda _size: 0.0,
    )


def _string(family: Family) -> Encoding:
    """One text: JSON unless it is binary, or a bare value."""
    slack = memory.OBJECT + 4 + 6  # object, header, and half an allocator class
    if family.format == "number":
        return _constant(memory.value(20, number=True))
    if family.format == "value":
        return Encoding(
            field=lambda _name, kind, size: value_text(kind, size),
            record=slack,
            element=lambda _i, size: size + 1,
            nested=json_nested,
            array=json_nested,
            entry=lambda size: size,
        )
    if family.format in BINARY_FORMATS:
        return Encoding(
            field=lambda _name, kind, size: 2 + value_text(kind, size),
            record=slack,
            element=lambda _i, size: size + 3,
            nested=lambda _name, size: 2 + size,
            array=lambda _name, size: 2 + size,
            entry=lambda size: size,
        )
    return Encoding(
        field=json_field,
        record=slack + 2,
        element=lambda _i, size: size + 3,
        nested=json_nested,
        array=json_nested,
        entry=lambda size: size,
    )


def _hash(family: Family) -> Encoding:
    """Fields and values, in one listpack or in a table of their own strings; what is nested is JSON in a value."""
    short = memory.hash_encoding(family.fields, family.longest) == "listpack"

    def pair(name: float, size: float, number: bool = False) -> float:
        if short:
            return memory.packed(name) + memory.packed(size, number)
        return memory.DICT_ENTRY + _smooth(name) + _smooth(size)

    def field(name: str, kind: str, size: float) -> float:
        if not name:  # an element of a list, which is JSON
            return json_field("", kind, size)
        return pair(len(name.encode()), value_text(kind, size), kind in ("int32", "int64"))

    def nested(name: str, size: float) -> float:
        return pair(len(name.encode()), size + 2) if name else size + 3

    head = memory.OBJECT + (14 if short else memory.table(family.fields) - 8)
    return Encoding(
        field=field,
        record=head,
        element=lambda _i, size: size + 3,
        nested=nested,
        array=nested,
        entry=lambda size: size,
    )


def _smooth(length: float) -> float:
    """A string of its own with half an allocator class, so that more content never takes less."""
    return length + 2 + 6


def _member(family: Family) -> Encoding:
    """One member: its text, and what an entry of the collection costs at its average length and number."""
    whole = _WHOLE[family.type](family)
    each = whole / max(1.0, family.members) - family.longest

    def field(name: str, kind: str, size: float) -> float:
        if family.type in ("stream", "list") and family.format != "value":
            return json_field(name, kind, size)
        return value_text(kind, size)

    return Encoding(
        field=field,
        record=max(1.0, each),
        element=lambda _i, size: size + 3,
        nested=json_nested,
        array=json_nested,
        entry=lambda size: size,
    )


_WHOLE: dict[str, Callable[[Family], float]] = {
    "hash": lambda f: (
        memory.hash_table(0, [(f.longest / 2, f.longest / 2)] * int(max(1, min(f.members, 2000))))
        * max(1.0, f.members / 2000)
        - memory.key(0)
    ),
    "set": lambda f: memory.plain_set(0, f.members, f.longest, old=f.old) - memory.key(0),
    "sorted set": lambda f: memory.sorted_set(0, f.members, f.longest) - memory.key(0),
    "geo": lambda f: memory.sorted_set(0, f.members, f.longest, 16) - memory.key(0),
    "list": lambda f: memory.plain_list(0, f.members, f.longest) - memory.key(0),
    "stream": lambda f: memory.stream(0, f.members, f.longest) - memory.key(0),
}
"""Bytes of a whole value without its key, by type."""
