"""How many bytes a PostgreSQL row and an index entry have."""

from __future__ import annotations

from math import ceil

from app.plan.types import Encoding

ITEM = 4.0
"""Line pointer of a row in its page."""
HEADER = 24.0
"""Tuple header of 23 bytes, with up to 8 columns' null bits in its last one."""
FIXED = {
    "int32": 4.0,
    "int64": 8.0,
    "float": 4.0,
    "double": 8.0,
    "bool": 1.0,
    "date": 4.0,
    "datetime": 8.0,
    "uuid": 16.0,
    "timeuuid": 16.0,
    "point": 16.0,
}
SHORT = 126.0
"""Longest content of a value with a length of one byte."""
MOVED = 2000.0
CHUNK = 1996.0
ARRAY = 24.0
"""Header of an array of one dimension: length, dimensions, flags, element type, size, lower bound."""


def varlena(size: float) -> float:
    """A value of variable length: one byte of length, or four with their alignment."""
    if size <= SHORT:
        return 1 + size
    if size <= MOVED:
        return 4 + size + 1.5
    return 18 + size * (1 + (ITEM + HEADER + 12) / CHUNK)


def value_bytes(kind: str, size: float) -> float:
    kind = kind.removesuffix("[]")
    if kind in FIXED:
        return FIXED[kind]
    if kind.startswith("vector("):
        length = kind[7:-1]
        return 8 + 4.0 * int(length) if length.isdigit() else varlena(size)
    if kind == "objectid":
        return 1 + 24.0
    if kind == "decimal":
        return 1 + 2 + 2.0 * ceil((size + 2) / 4)
    return varlena(size)


ENCODING = Encoding(
    field=lambda _name, kind, size: value_bytes(kind, size),
    record=ITEM + HEADER,
    element=lambda _i, size: size + 3,
    nested=lambda name, size: len(name.encode()) + 8 + size,
    array=lambda _name, size: ARRAY + size,
    entry=lambda size: 4 + 8 * ceil((8 + size) / 8),
)
