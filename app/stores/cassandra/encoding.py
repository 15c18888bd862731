"""How many bytes a Cassandra row has, by the vendor's sizing formula.

Keys: their values. Other columns: value and 8 bytes of metadata for each cell. Names are not stored. Single
replica, before compression. Source: cassandra.apache.org, data-modeling_refining.html.
"""

from __future__ import annotations

from app.plan.types import Encoding
from app.stores.cassandra.facts import FACTS

CELL = FACTS["cell_bytes"].value
LENGTH = 4.0
"""Length prefix of a collection, of each of its elements and of each field of a user-defined type."""
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
    "objectid": 12.0,
    "decimal": 10.0,  # 4 of scale, 6 of digits: a sum of money with room
    "point": 24.0,  # tuple of two doubles, each with its length
}


def value_bytes(kind: str, size: float) -> float:
    """One value of a workload type; `size`: its bytes as text, used where the type does not say."""
    kind = kind.removesuffix("[]")
    if kind.startswith("vector("):
        count = kind.removeprefix("vector(").removesuffix(")")
        return 4.0 * int(count) if count.isdigit() else size
    return FIXED.get(kind, size)


ENCODING = Encoding(
    field=lambda _name, kind, size: CELL + value_bytes(kind, size),
    record=0.0,
    element=lambda _i, size: LENGTH + size,
    nested=lambda name, size: (CELL if name else 0.0) + size,
    array=lambda _name, size: CELL + LENGTH + size,
    entry=lambda size: CELL + size,
    limit=FACTS["max_record_bytes"].value,
    key=value_bytes,
)
