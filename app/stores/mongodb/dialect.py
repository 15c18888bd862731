"""What MongoDB accepts and who does the rest; how many bytes BSON takes.

Sizes are exact for one document: `4 + elements + 1`; an element is its type, its name, a zero byte and its value.
An array is a document whose names are "0", "1", … so that later elements cost more digits.
"""

from __future__ import annotations

from dataclasses import replace

from app.plan.types import Dialect, Encoding, Expand, Joins, Kind, Op, Use, Writing
from app.stores.mongodb.facts import FACTS

FIXED = {
    "int32": 4,
    "int64": 8,
    "float": 8,
    "double": 8,
    "decimal": 16,
    "bool": 1,
    "date": 8,
    "datetime": 8,
    "objectid": 12,
    "uuid": 21,
    "timeuuid": 21,
}
"""Bytes of values that do not vary: a uuid is binary, 4 + 1 + 16."""


def value_bytes(kind: str, size: float) -> float:
    """Bytes of one value of type `kind` whose content has `size` bytes."""
    if kind in FIXED:
        return FIXED[kind]
    if kind.startswith("vector("):
        length = int(kind[7:-1]) if kind[7:-1].isdigit() else 0
        return array_bytes(length, 8)
    if kind == "point":
        return 61  # {type: "Point", coordinates: [double, double]}
    if kind == "binary":
        return 5 + size
    if kind in ("json", "object"):
        return max(5.0, size)
    return 5 + size


def array_bytes(length: int, each: float) -> float:
    """An array of `length` values of `each` bytes: a document with counted names."""
    digits, start, width = 0, 0, 1
    while start < length:
        end = min(length, 10**width)
        digits += (end - start) * width
        start, width = end, width + 1
    return 5 + digits + length * (2 + each)


def field_bytes(name: str, kind: str, size: float) -> float:
    """One field: type byte, name, zero byte, value."""
    return 2 + len(name.encode()) + value_bytes(kind.removesuffix("[]"), size)


def element_bytes(position: float, size: float) -> float:
    """One array element: a document with fields of `size` bytes, or a text of `size` bytes; both cost 5 more."""
    return 2 + len(str(int(position))) + 5 + size


def nested_bytes(name: str, size: float) -> float:
    return 2 + len(name.encode()) + 5 + size


ENCODING = Encoding(
    field=field_bytes,
    record=5.0,
    element=element_bytes,
    nested=nested_bytes,
    array=nested_bytes,
    entry=lambda size: 11 + size,  # key string and record id, before prefix compression
    limit=FACTS["max_record_bytes"].value,
)

WORDING = {
    "scan": "No index starts with {attr}: MongoDB reads the whole collection.",
    "gap": "MongoDB uses index fields from the left: {blocker} comes before {attr} and is not bound by equality.",
    "filter": "{attr} is not in the index: every document found must be read to judge {op}.",
    "order": "A sort follows an index only if all fields before it are bound by equality and all "
    "directions agree or are all reversed; {attr} is sorted in memory instead.",
    "points": "A list of 201 values or more acts as a range: the order of {path} is lost.",
    "partial": "The index holds only some documents: the query must repeat its condition on {attr}.",
    "partition": "The shard key is not bound: every shard is asked.",
    "fields": "{attr} is not in {path}: the document must be read as well.",
    "stale": "A secondary may lag behind: read from the primary, or use a causal session with "
    "majority read and write concern.",
    "or": "Every branch of $or needs an index of its own, or the collection is scanned.",
    "hashed": "A hashed index answers equality only: no range and no order on {attr}.",
    "fix new": "Create an index on ({parts})",
    "fix extend": "Add {parts} at the end of the index {path}",
    "fix flip": "Declare {parts} in {path}",
    "fix reorder": "Order the index {path} as ({parts}): equality, sort, range",
    "fix hold": "Keep {parts} in the documents of {path}: embedded, copied or computed",
    "join": "$lookup reads the other collection once per document and needs an index on its field.",
}

DIALECT = Dialect(
    store="mongodb",
    title="MongoDB",
    ops={
        "=": Op(Kind.POINT),
        "contains": Op(Kind.POINT),
        "in": Op(Kind.POINTS),
        "!=": Op(Kind.SPANS),
        "not in": Op(Kind.SPANS),
        "not null": Op(Kind.SPANS),  # written as `$ne: null`: all entries before and after null
        # Bounded, but null and missing share an entry: the document is judged again.
        "null": Op(Kind.POINT, exact=False),
        "match": Op(Kind.ENTRY),
        "near": Op(Kind.RECORD),
        **dict.fromkeys(("<", "<=", ">", ">=", "between", "prefix"), Op(Kind.SPAN)),
    },
    encoding=ENCODING,
    joins=Joins(server=True, list_max=1000, hashed=FACTS["hash_join_documents"].value),
    writing=Writing(across="transaction", condition="transaction", by_condition=True),
    partition_points=Use.SERVER,
    order_points=Use.SERVER,
    later=Use.SERVER,
    lead=Use.EACH,
    skips=True,
    residual=Use.SERVER,
    sort=Use.SERVER,
    fetch=Use.SERVER,
    union=Use.SERVER,
    merge=int(FACTS["points_with_sort"].value),
    late_fetch=True,
    ranked=frozenset({"text"}),  # the query sorts by textScore
    rechecks=True,
    prefers_index=True,
    race=101,
    placed_by_prefix=True,
    expand=Expand(server=True, visited="global"),
    wording=WORDING,
)

WHOLE_ID = replace(DIALECT, encoding=replace(ENCODING, record=ENCODING.record + nested_bytes("_id", 0)))
"""Where `_id` is a document of several values: one level more."""
