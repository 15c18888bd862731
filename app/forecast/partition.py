"""How large the partitions of a path get: rows and bytes at average, p99 and maximum, and when they pass a limit.

A partition made of one foreign key holds that parent's children; further placeholders divide it. A time bucket limits
it to what arrives in one bucket, live as long as records are kept, on disk until they are purged. Kinds of record that
share a partition, and index entries kept beside the records, add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod

from app.forecast.calendar import CLOSE, FAR, YEAR, children_of, count_at
from app.forecast.load import PartitionSize
from app.forecast.share import composite, rels_of
from app.model.spread import ONE, ZERO, Spread, exactly
from app.plan.joint import of_entity
from app.plan.types import Part, Record, Rel, World

PAST = 2 * YEAR
"""Assumed time over which records came in, where neither their inflow nor how long they are kept is known."""
MANY = 100.0
"""Values above which the most frequent one is not met among the partitions up to p99."""


@dataclass(frozen=True, slots=True)
class Member:
    """One kind of record in a partition: the key's parts and the bytes of one row (`beside`: index entries)."""

    record: Record
    parts: tuple[Part, ...]
    entry: Spread
    beside: bool = False


def partition_size(
    path: str,
    members: Sequence[Member],
    world: World,
    limit: float,
    rows_limit: float,
    horizon: float,
    most: float = inf,
) -> PartitionSize:
    """Size of one path's partitions at the horizon; limits in bytes and rows (inf: none). `most`: rows kept at most."""

    def at(seconds: float) -> tuple[Spread, Spread]:
        return _total(members, world, seconds, most)

    rows, size = at(horizon)
    _, now = at(0.0)
    purged = sum(_purged(m, world, horizon, most) for m in members if not m.beside)
    purged_bytes = sum(_purged(m, world, horizon, most) * m.entry.avg for m in members)
    return PartitionSize(
        path,
        rows,
        size,
        purged_bytes,
        most == inf and _unbounded(members, world),
        max(0.0, (size.max - now.max) / horizon) if size.max < inf else 0.0,
        _crossing(lambda t: _over(*at(t), limit, rows_limit, high=True), horizon),
        _crossing(lambda t: _over(*at(t), limit, rows_limit, high=False), horizon),
        now,
        purged,
        limit,
        tuple(dict.fromkeys(m.record.name for m in members)),
        any(m.beside for m in members),
    )


def _over(rows: Spread, size: Spread, limit: float, rows_limit: float, *, high: bool) -> bool:
    if high:
        return size.high > limit or rows.high > rows_limit
    return limit < size.max < inf or rows_limit < rows.max < inf


def _total(members: Iterable[Member], world: World, seconds: float, most: float) -> tuple[Spread, Spread]:
    rows, size = ZERO, ZERO
    for m in members:
        own = rows_at(m.record, m.parts, world, seconds).at_most(most)
        if not m.beside:
            rows = rows + own
        size = size + Spread(own.avg * m.entry.avg, own.high * m.entry.avg, _times(own.max, m.entry.high))
    return rows, size


def _times(a: float, b: float) -> float:
    return a * b if a and b else 0.0


def rows_at(record: Record, parts: tuple[Part, ...], world: World, seconds: float, *, purged: bool = False) -> Spread:
    """Stored records in one partition at a time to come. `purged`: expired ones included, as long as their bucket."""
    if one_record(record, parts, world):
        return ONE
    total, bucket = _arrived(record, parts, world, seconds, purged)
    share = _share(parts, record, world, seconds)
    # a largest parent without a bound has no figure; p99 stands for it
    rows = Spread(total * share.avg, total * share.high, total * (share.max if share.max < inf else share.high))
    chunk = min((float(p.kept.chunk) for p in parts if p.kept.chunk), default=inf)
    return rows.at_most(min(chunk, total if bucket else inf))


def one_record(record: Record, parts: Iterable[Part], world: World) -> bool:
    """Does the partition's key tell every record apart?"""
    if record.value_type and record.per == ONE:
        return True
    exact = {p.attr for p in parts if p.attr and p.kept.exact}
    if record.entries.avg > 1:
        return False
    if any(world.stats[a].unique for a in exact if a in world.stats and a.partition(".")[0] == record.of):
        return True
    key = world.keys.get(record.of, ())
    if key and exact.issuperset(key):
        return True
    return any(together <= exact for together in world.unique_together.get(record.of, ()) if together)


def _arrived(record: Record, parts: Iterable[Part], world: World, seconds: float, purged: bool) -> tuple[float, float]:
    """Stored records that one run of time buckets divides, and the bucket's seconds (0: no bucket)."""
    now = world.counts.get(record.of, 0.0)
    per = record.count / now if now else 1.0
    count, inflow = count_at(record.of, world, seconds), world.inflow.get(record.of, 0.0)
    keep = min((k for k in (record.ttl, world.keeps.get(record.of, 0.0)) if k), default=0.0)
    bucket = min((p.kept.bucket for p in parts if p.kept.bucket), default=0.0)
    if not bucket:
        return per * (min(count, inflow * keep) if keep and inflow and not purged else count), 0.0
    lasting = bucket if purged or not keep else min(bucket, keep)
    if inflow:
        return per * inflow * lasting, bucket
    return per * count * min(1.0, lasting / (keep or max(lasting, PAST))), bucket


def _share(parts: tuple[Part, ...], record: Record, world: World, seconds: float) -> Spread:
    """Share of the records in one partition: average, p99, largest."""
    share = exactly(1.0)
    attrs = {p.attr for p in parts if p.attr}
    joint: set[str] = set()
    alone: dict[str, Spread] = {}
    for rel in composite(world):
        if rel.child == record.of and set(rel.via) <= attrs and not joint:
            joint = set(rel.via)
            share = _family(rel, world, seconds)
    for part in parts:
        if part.attr in joint or part.kept.bucket:
            continue
        if not part.attr:
            share = share.times(1 / part.kept.fan) if part.kept.fan else share
            continue
        one = _attr_share(part.attr, world, seconds)
        if part.kept.fan:
            least = 1 / part.kept.fan
            one = Spread(max(least, one.avg), max(least, one.high), max(least, one.max))
        elif part.kept.exact:
            alone[part.attr] = one
        share = Spread(share.avg * one.avg, share.high * one.high, _times(share.max, one.max))
    return _related(share, alone, world)


def _related(share: Spread, alone: Mapping[str, Spread], world: World) -> Spread:
    """Attributes that go together make fewer partitions, each with more: at most as much as any of them has alone."""
    apart = prod(world.stats[a].distinct for a in alone if a in world.stats)
    more = apart / of_entity((a for a in alone if a in world.stats), world) if len(alone) > 1 else 1.0
    if more <= 1:
        return share
    ones = alone.values()
    return Spread(
        min(share.avg * more, *(o.avg for o in ones)),
        min(share.high * more, *(o.high for o in ones)),
        min(share.max * more, *(o.max for o in ones)),
    )


def _family(rel: Rel, world: World, seconds: float) -> Spread:
    """Children of one parent as a share of all."""
    children = count_at(rel.child, world, seconds)
    spread = children_of(rel, world, seconds)
    if children <= 0:
        return exactly(1.0)
    top = spread.max / children
    return Spread(spread.avg / children, spread.high / children, min(1.0, top) if top < inf else inf)


def _attr_share(attr: str, world: World, seconds: float) -> Spread:
    for rel in rels_of(attr, world):
        if rel.child == attr.partition(".")[0] and rel.via == (attr,) and rel.children.avg > 0:
            return _family(rel, world, seconds)
    stat = world.stats.get(attr)
    if stat is None:
        return exactly(1.0)
    even = 1 / max(1.0, stat.distinct)
    top = stat.top if stat.top is not None else even
    return Spread(even, top if stat.distinct <= MANY else even, top)


def _purged(member: Member, world: World, seconds: float, most: float) -> float:
    """Rows of the largest partition until expired ones are purged."""
    rows = rows_at(member.record, member.parts, world, seconds, purged=True).max
    return min(rows, most)


def _unbounded(members: Iterable[Member], world: World) -> bool:
    """Does the largest partition grow for ever?"""
    for m in members:
        lasts = m.record.ttl or world.keeps.get(m.record.of)
        bucket = any(p.kept.bucket or p.kept.chunk for p in m.parts)
        if lasts or bucket or one_record(m.record, m.parts, world):
            continue
        grows = rows_at(m.record, m.parts, world, FAR / 10).max > rows_at(m.record, m.parts, world, 0.0).max
        via = {p.attr for p in m.parts if p.attr}
        if grows or any(r.children.max == inf and set(r.via) <= via for r in world.rels if r.child == m.record.of):
            return True
    return False


def _crossing(over: Callable[[float], bool], horizon: float) -> float | None:
    """Seconds from now until a limit is passed, to within half a day; None: not before the horizon."""
    if over(0.0):
        return 0.0
    if not over(horizon):
        return None
    low, up = 0.0, horizon
    while up - low > CLOSE:
        middle = (low + up) / 2
        low, up = (low, middle) if over(middle) else (middle, up)
    return up
