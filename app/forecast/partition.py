"""How large the partitions of a path get: rows and bytes at average, p99 and maximum, and when they pass a limit.

A partition made of one foreign key holds that parent's children; further placeholders divide it. A time bucket limits it
to what arrives in one bucket, live as long as records are kept, on disk until they are purged.
"""

from __future__ import annotations

from math import inf

from app.forecast.calendar import count_at
from app.forecast.load import PartitionSize
from app.model.spread import Spread
from app.plan.types import AccessPath, Part, Record, World


def partition_size(
    record: Record, path: AccessPath, world: World, entry: Spread, limit: float, rows_limit: float, horizon: float
) -> PartitionSize:
    """Size of one path's partitions at the horizon. `entry`: bytes of one stored entry; limits in bytes and rows (inf: none)."""
    parts = path.partition or path.placed_by
    count = _count(record, world, horizon)
    share = _share(parts, record, world)
    bucket = next((p.kept.bucket for p in parts if p.kept.bucket), 0.0)
    keep = record.ttl or world.keeps.get(record.of, 0.0)
    inflow = world.inflow.get(record.of, 0.0)
    if bucket:
        lasting = min(bucket, keep) if keep else bucket
        live = (
            share.times(inflow * lasting)
            if inflow
            else share.times(count * min(1.0, lasting / (keep or horizon or lasting)))
        )
        whole = share.max * inflow * bucket if inflow else live.max
        grows = 0.0
    else:
        live = share.times(count)
        whole = live.max
        grows = 0.0 if keep else inflow * share.max * entry.avg
    per_stored = max(1.0, record.group)
    live = live.times(1 / per_stored)
    unbounded = (
        not bucket
        and not keep
        and (
            inflow > 0
            or any(
                r.children.max == inf
                for r in world.rels
                if r.child == record.of and set(r.via) & {p.attr for p in parts}
            )
        )
    )
    size = Spread(live.avg * entry.avg, live.high * entry.avg, live.max * entry.high)
    tight = min(limit, rows_limit * entry.avg) if entry.avg else limit
    return PartitionSize(
        path.name,
        live,
        size,
        whole / per_stored * entry.avg,
        unbounded,
        grows,
        _crossing(size.high, grows, tight, horizon),
        _crossing(size.max, grows, tight, horizon),
    )


def _count(record: Record, world: World, horizon: float) -> float:
    """Entity records held at the horizon, before buckets put several into one stored record."""
    now = count_at(record.of, world, horizon) * max(1.0, record.entries.avg)
    keep, inflow = record.ttl, world.inflow.get(record.of, 0.0)
    return min(now, inflow * keep) if keep and inflow else now


def _share(parts: tuple[Part, ...], record: Record, world: World) -> Spread:
    """Share of the records in one partition: average, p99, largest."""
    share = Spread(1.0, 1.0, 1.0)
    for part in parts:
        if not part.attr:
            if part.kept.fan:
                share = share.times(1 / part.kept.fan)
            continue
        if part.kept.bucket:
            continue
        one = _attr_share(part.attr, record, world)
        if part.kept.fan:
            least = 1 / part.kept.fan
            one = Spread(max(least, one.avg), max(least, one.high), max(least, one.max))
        share = Spread(share.avg * one.avg, share.high * one.high, share.max * one.max)
    return share


def _attr_share(attr: str, record: Record, world: World) -> Spread:
    children = world.counts.get(record.of, 0.0)
    for rel in world.rels:
        if rel.child == record.of and attr in rel.via and children > 0:
            spread = rel.children
            top = spread.max if spread.max < inf else spread.high
            return Spread(spread.avg / children, spread.high / children, min(1.0, top / children))
    stat = world.stats.get(attr)
    if stat is None:
        return Spread(1.0, 1.0, 1.0)
    even = 1 / max(1.0, stat.distinct)
    top = stat.top if stat.top is not None else even
    return Spread(even, top, top)


def _crossing(now: float, grows: float, limit: float, horizon: float) -> float | None:
    """Seconds from now until a size passes a limit. `now` is the size at the horizon, so growth runs backwards from it."""
    if limit == inf or now <= limit:
        return None
    if grows <= 0:
        return 0.0
    return max(0.0, horizon - (now - limit) / grows)
