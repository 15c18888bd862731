"""Keys that keep a partition small: a time bucket, or one more attribute, worked out from the numbers."""

from __future__ import annotations

from math import ceil, inf

from app.forecast.heat import placing
from app.forecast.load import PartitionSize
from app.forecast.partition import one_record, rows_at
from app.forecast.structure import horizon_of
from app.model.keys import BUCKETS, Kept
from app.plan.types import AccessPath, Part, Record
from app.rules.rule import Fix, StructureCase
from app.rules.spread_key import clock, spread

SLOTS = 32
"""Slots that a reader may be made to ask."""


def cut(case: StructureCase, record: Record, path: AccessPath, held: PartitionSize, rough: float) -> tuple[Fix, ...]:
    """Keys under which the largest partition stays below the limits: of bytes, and `rough` times that of rows."""
    if case.store.can.by_key_only:
        return ()
    parts = placing(path, case.store.can.range_sharded)
    each = held.bytes.max / held.rows.max if held.rows.max else 0.0
    facts = case.store.facts
    most = facts["partition_bytes"].value / each if "partition_bytes" in facts and each else inf
    if "partition_rows" in facts:
        most = min(most, facts["partition_rows"].value * rough)
    time = clock(path, record.of, case.world)
    present = next((p for p in parts if p.kept.bucket), None)
    cuts: tuple[Fix, ...] = ()
    attr = present.attr if present is not None else time
    if attr and not case.store.can.range_sharded:
        rest = tuple(p for p in parts if p is not present)
        names = [n for n, s in BUCKETS.items() if _rows(case, record, (*rest, Part(attr, kept=_bucket(s)))) <= most]
        if names:
            name = max(names, key=BUCKETS.__getitem__)
            label = f"Cut {path.name} by {name} of {attr}"
            cuts = spread(case, path, label, (f"{attr}|{name}",), instead=present.attr if present is not None else "")
    return (*_further(case, record, path, most), *cuts) if present is not None or not cuts else cuts


def _bucket(seconds: float) -> Kept:
    return Kept(exact=False, bucket=seconds)


def _rows(case: StructureCase, record: Record, parts: tuple[Part, ...]) -> float:
    """Rows of the largest partition with another key, expired ones included."""
    return rows_at(record, parts, case.world, horizon_of(case.project), purged=True).max


def _further(case: StructureCase, record: Record, path: AccessPath, most: float) -> tuple[Fix, ...]:
    """One more attribute of the key: the coarsest that is enough."""
    parts = placing(path, case.store.can.range_sharded)
    inside = {p.attr for p in parts}
    stats = case.world.stats
    own = [p.attr for p in path.order if p.attr in stats and p.kept.exact and not p.attr.startswith("=")] + list(
        case.world.keys.get(record.of, ())
    )
    times = ("datetime", "date")
    more = {a for a in own if a not in inside and stats[a].type not in times}
    if not case.store.can.range_sharded:
        more = {a for a in more if not stats[a].unique}  # one record each: no list would be left
    found = sorted(more, key=lambda a: (stats[a].distinct, a))
    if not case.store.can.range_sharded:  # one record each: no list would be left
        found = [a for a in found if not one_record(record, (*parts, Part(a)), case.world)]
    enough = next((a for a in found if _rows(case, record, (*parts, Part(a))) <= most), "")
    if enough:
        return spread(case, path, f"Add {enough} to the key of {path.name}", (enough,))
    return _slots(case, record, path, most) if path.primary else ()


def _slots(case: StructureCase, record: Record, path: AccessPath, most: float) -> tuple[Fix, ...]:
    """Slots worked out from the rest of the key: a list then asks each of them."""
    parts = path.partition
    key = next((a for a in case.world.keys.get(record.of, ()) if a not in {p.attr for p in parts}), "")
    slots = ceil(_rows(case, record, parts) / most) if most >= 1 else 0
    if not key or not 1 < slots <= SLOTS or any(p.kept.bucket for p in parts) or case.store.can.range_sharded:
        return ()
    if _rows(case, record, (*parts, Part(key, kept=Kept(order=0, exact=False, fan=slots)))) > most:
        return ()
    return spread(case, path, f"Spread {path.name} over {slots} slots of {key}", (f"{key}|hash {slots}",))
