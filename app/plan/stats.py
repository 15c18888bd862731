"""What is known of one attribute: how many values, how big, how often present, how they are shared.

What nobody typed is a default by type and marked assumed.
"""

from __future__ import annotations

from app.model.spread import ONE, Spread, exactly
from app.model.workload import Field
from app.plan.types import Stat

FIXED = {
    "int32": 4, "int64": 8, "float": 4, "double": 8, "decimal": 16, "bool": 1, "date": 4,
    "datetime": 8, "uuid": 16, "objectid": 12, "timeuuid": 16, "point": 16,
}  # fmt: skip
"""Bytes of a value of the types that have a fixed size."""
LOOSE = {"string": 16, "text": 500, "binary": 500, "json": 200, "object": 100, "enum": 8}
"""Bytes assumed where a value of variable size has none given."""
ITEMS = Spread(5)
"""Elements assumed of an array that says nothing."""
FEW = {"bool": 2, "enum": 5}
"""Distinct values of types that have few."""
EVERY = {"uuid", "objectid", "timeuuid", "datetime", "float", "double", "text", "json", "binary"}
"""Types whose values hardly ever repeat."""


def base_type(field: Field) -> str:
    return field.type.removesuffix("[]")


def value_bytes(field: Field) -> Spread:
    """Bytes of one value (one element of an array). A size nobody bounded counts as its p99."""
    kind = base_type(field)
    given = field.bytes.spread if field.bytes else None
    if given is not None:
        return Spread(given.avg, given.high, given.max if given.max < float("inf") else given.high)
    if kind.startswith("vector"):
        digits = "".join(c for c in kind if c.isdigit())
        return exactly(4.0 * int(digits or 1))
    if kind == "enum" and field.values and field.values.values:
        lengths = [len(v) for v in field.values.values]
        return Spread(sum(lengths) / len(lengths), max(lengths), max(lengths))
    return exactly(float(FIXED.get(kind, LOOSE.get(kind, 16))))


def items_of(field: Field) -> Spread:
    """Elements per record of an array; one for everything else."""
    if not field.is_array:
        return ONE
    return (field.items.spread if field.items else None) or ITEMS


def stat(field: Field, count: float, parents: float | None, top: float | None) -> Stat:
    """What is known of a field of an entity with `count` records.

    `parents`: records of the entity whose key it holds, for a foreign key; `top`: share of the
    busiest of them.
    """
    present = field.present.value if field.present and field.present.value is not None else 1.0
    items = items_of(field)
    distinct, assumed = _distinct(field, max(1.0, count * present), parents)
    shares = field.values
    unique = field.unique
    if shares is not None:
        top = shares.top(distinct)
    elif unique:
        top = 1 / distinct
    return Stat(
        distinct=distinct,
        elements=items.avg,
        unique=unique,
        present=present,
        shares=dict(shares.values) if shares else {},
        top=top,
        type=field.type,
        bytes=value_bytes(field),
        assumed=assumed,
        items=items,
    )


def _distinct(field: Field, held: float, parents: float | None) -> tuple[float, bool]:
    """Distinct values among `held` records that have one, and whether that is a default."""
    if field.distinct and field.distinct.value:
        return max(1.0, field.distinct.value), field.distinct.assumed
    if field.unique:
        return held, False
    if field.values and field.values.values:
        return float(len(field.values.values)), False
    if parents is not None:
        return max(1.0, min(parents, held)), False
    kind = base_type(field)
    if kind in FEW:
        return float(FEW[kind]), kind != "bool"
    if kind in EVERY or field.monotonic:
        return held, True
    return max(1.0, min(held, held / 10, 10_000.0)), True
