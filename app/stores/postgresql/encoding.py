"""How many bytes a PostgreSQL row and an index entry have.

A row is its line pointer, its header and its columns in their order, each where its type may begin, and ends at a
multiple of 8. Names are stored once, in the catalogue; inside a JSON document each value has its name. Text inside a
document is counted like a column, so that documents are right to about a fifth only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod

from app.plan.types import Encoding
from app.stores.postgresql.facts import FACTS

ITEM = FACTS["item_bytes"].value
"""Line pointer of a row or an index entry in its page."""
HEADER = 23
"""Header of a row, before the bits that say which columns are empty."""
WORD = 8
"""Rows and index entries begin at multiples of this."""
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
ALIGNED = {"int32": 4, "float": 4, "date": 4, "int64": 8, "double": 8, "datetime": 8, "point": 8}
"""Types that begin at multiples of more than one byte."""
SHORT = 126.0
"""Longest content of a value with a length of one byte."""
MOVED = FACTS["toast_bytes"].value
CHUNK = 1996.0
"""Bytes in one row of the table that holds long values."""
ARRAY = 20.0
"""Header of an array of one dimension, beside its length: dimensions, flags, element type, size, lower bound."""
TEXT = 5.5
"""What a text costs in an array beside its bytes: a length of 4 and, on average, 1.5 to the next multiple of 4."""


def varlena(size: float) -> float:
    """A value of variable length: one byte of length, or four at a multiple of four; beyond 2 KB out of line."""
    if size <= SHORT:
        return 1 + size
    if size <= MOVED:
        return 4 + size + 1.5
    return 18 + size * (1 + (ITEM + HEADER + 1 + 12) / CHUNK)


def value_bytes(kind: str, size: float) -> float:
    """One column of a workload type; `size`: its bytes as text, used where the type does not say."""
    kind = kind.removesuffix("[]")
    if kind in FIXED:
        return FIXED[kind]
    if kind.startswith("vector("):
        length = kind[7:-1]
        return varlena(ARRAY + 4.0 * int(length)) if length.isdigit() else varlena(size)
    if kind == "objectid":
        return 1 + 24.0
    if kind == "decimal":  # four digits in two bytes, before and behind the point
        return 1 + 2 + 2.0 * ceil((size + 2) / 4)
    return varlena(size)


def field_bytes(name: str, kind: str, size: float) -> float:
    """One column; without a name one element of an array, beyond what `element` says of a text."""
    if name:
        return value_bytes(kind, size)
    plain = kind.removesuffix("[]")
    return (FIXED[plain] if plain in FIXED else TEXT + size) - TEXT


def entry_bytes(size: float) -> float:
    """One entry of a B-tree: line pointer, header of 8, columns, up to a multiple of 8."""
    return ITEM + WORD * ceil((WORD + size) / WORD)


ENCODING = Encoding(
    field=field_bytes,
    record=ITEM + HEADER + 1 + 3.5,
    element=lambda _i, size: size + TEXT,
    nested=lambda _name, size: varlena(4 + size),
    array=lambda _name, size: varlena(ARRAY + size),
    entry=entry_bytes,
    pair=14.0,  # two entries of 4 bytes in the document's directory, and a name of some 6 letters
    inner=2.5,  # 4 for the entry in the list's directory and 4 for the document's own header, less TEXT
)


def overhead(columns: Sequence[tuple[str, float, float]]) -> float:
    """What a row costs beside the bytes of its values: pointer, header, what is left free between columns and at the
    end. `columns`: type, average bytes, share of rows in which it is there, in their order."""
    bits = WORD * ceil((HEADER + ceil(len(columns) / 8)) / WORD)
    full = prod(present for _, _, present in columns)
    return ITEM + full * (HEADER + 1) + (1 - full) * bits + _gaps(tuple(columns))


@lru_cache(maxsize=4096)
def _gaps(columns: tuple[tuple[str, float, float], ...]) -> float:
    """Bytes left free, on average over where in a word each column may begin; behind a text, anywhere."""
    places, gaps = [1.0, *[0.0] * (WORD - 1)], 0.0
    for kind, size, present in columns:
        width = 1 if kind.endswith("[]") else ALIGNED.get(kind, 1)
        gaps += present * _gap(places, width)
        behind = [1 / WORD] * WORD
        if kind in FIXED:
            behind = [0.0] * WORD
            for at, share in enumerate(places):
                behind[int(at + -at % width + size) % WORD] += share
        places = [present * b + (1 - present) * p for b, p in zip(behind, places, strict=True)]
    return gaps + _gap(places, WORD)


def _gap(places: Sequence[float], width: int) -> float:
    """Bytes to the next multiple of `width`; `places`: share of each position in a word."""
    return sum(share * (-at % width) for at, share in enumerate(places))
