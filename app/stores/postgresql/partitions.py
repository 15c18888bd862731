"""How a table is cut into partitions: by ranges of time, by lists of values, by a hash."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from app.model.candidate import Structure
from app.model.keys import BUCKETS, KeyPart
from app.plan import lay
from app.plan.types import World
from app.stores.common_query import field_of
from app.stores.postgresql.names import quoted, text

GRAIN = dict(BUCKETS)
"""Seconds of a partition of time."""
PIECES = 8
"""Partitions of a hash whose number is not given."""
KEPT = 12.0
"""Partitions of time where nothing says how long rows are kept."""
AHEAD = 3
"""Partitions of time that are made at once: this one and what comes next."""
SUFFIX = {"year": "YYYY", "month": "YYYY_MM", "hour": "YYYY_MM_DD_HH24", "minute": "YYYY_MM_DD_HH24_MI"}


def method(structure: Structure, world: World) -> str:
    """`range`, `list` or `hash`; empty where the table is one piece."""
    parts = structure.partition_by or ()
    if not parts:
        return ""
    part = parts[0]
    if part.hashed or any(f.name == "hash" for f in part.filters):
        return "hash"
    stat = world.stats.get(lay.column(structure.of, part.attr, world))
    kind = stat.type if stat is not None else ""
    if any(f.name in BUCKETS for f in part.filters) or kind in ("date", "datetime"):
        return "range"
    return "list" if kind in ("enum", "bool") and len(parts) == 1 else "hash"


def grain(structure: Structure) -> str:
    """The unit of time of a partition: `month` of `order.created_at|month`, or where nothing is said."""
    first = (structure.partition_by or (KeyPart(),))[0]
    return next((f.name for f in first.filters if f.name in BUCKETS), "month")


def _hashed(structure: Structure) -> int:
    """Partitions of a hash."""
    first = (structure.partition_by or (KeyPart(),))[0]
    return next((f.n for f in first.filters if f.name == "hash"), PIECES)


def pieces(structure: Structure, world: World) -> float:
    """How many partitions there are: of time, those that rows are kept in."""
    how, of = method(structure, world), structure.of
    if how == "range":
        count, inflow = world.counts.get(of, 0.0), world.inflow.get(of, 0.0)
        kept = world.keeps.get(of, 0.0) or (count / inflow if inflow else 0.0)
        return max(1.0, ceil(kept / GRAIN[grain(structure)])) if kept else KEPT
    if how == "list":
        stat = world.stats.get(lay.column(of, (structure.partition_by or (KeyPart(),))[0].attr, world))
        return 1.0 + len(stat.shares if stat is not None else ())
    return float(_hashed(structure)) if how == "hash" else 1.0


def _columns(structure: Structure, world: World) -> list[str]:
    return [field_of(lay.column(structure.of, p.attr, world)) for p in structure.partition_by or () if p.attr]


def partitioned(structure: Structure, world: World) -> str:
    """` PARTITION BY RANGE (created_at)`, or nothing."""
    how = method(structure, world)
    return f" PARTITION BY {how.upper()} ({', '.join(map(quoted, _columns(structure, world)))})" if how else ""


def partitions(structure: Structure, world: World) -> Iterator[str]:
    """The first partitions; those of time are made by a job from then on."""
    how, name = method(structure, world), structure.name
    if how == "hash":
        count = _hashed(structure)
        for n in range(count):
            piece = quoted(f"{name}_{n}")
            yield (
                f"CREATE TABLE IF NOT EXISTS {piece} PARTITION OF {quoted(name)}"
                f" FOR VALUES WITH (MODULUS {count}, REMAINDER {n});"
            )
    elif how == "list":
        attr = lay.column(structure.of, (structure.partition_by or ())[0].attr, world)
        stat = world.stats.get(attr)
        for one in sorted(stat.shares) if stat is not None else ():
            piece = quoted(f"{name}_{one}")
            yield f"CREATE TABLE IF NOT EXISTS {piece} PARTITION OF {quoted(name)} FOR VALUES IN ({text(str(one))});"
        yield f"CREATE TABLE IF NOT EXISTS {quoted(f'{name}_rest')} PARTITION OF {quoted(name)} DEFAULT;"
    elif how == "range":
        yield from _of_time(structure)


def _of_time(structure: Structure) -> Iterator[str]:
    unit = grain(structure)
    name, form = structure.name, SUFFIX.get(unit, "YYYY_MM_DD")
    yield f"-- One partition for each {unit}: a job makes them ahead of time and drops those that are too old."
    yield "DO $$\nDECLARE"
    yield f"  at timestamptz := date_trunc('{unit}', now());"
    yield "BEGIN"
    yield f"  FOR n IN 1..{AHEAD} LOOP"
    yield "    EXECUTE format("
    yield "      'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',"
    yield f"      {text(f'{name}_')} || to_char(at, '{form}'), {text(name)}, at, at + interval '1 {unit}'"
    yield "    );"
    yield f"    at := at + interval '1 {unit}';"
    yield "  END LOOP;\nEND $$;"
