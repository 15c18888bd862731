"""When a record outgrows its limit: children and sizes at a time to come, and when p99 and maximum cross.

Times are seconds from now; a page adds the date. Children grow with their entity unless the workload gives their own
growth.
"""

from __future__ import annotations

from math import inf

from app.model.spread import Spread
from app.plan.size import size_of
from app.plan.types import Record, Rel, World

YEAR = 31_557_600.0
FAR = 100 * YEAR
"""Beyond this nothing is forecast."""
CLOSE = 43_200.0
"""A crossing is found to within half a day."""


def count_at(entity: str, world: World, seconds: float) -> float:
    """Records of an entity at a time to come: linear or compound, at most what arrives while records are kept."""
    now = world.counts.get(entity, 0.0)
    inflow = world.inflow.get(entity, 0.0)
    compound = world.compounds.get(entity)
    later = now * (1 + compound[0]) ** (seconds / compound[1]) if compound else now + inflow * seconds
    keep = world.keeps.get(entity, 0.0)
    return min(later, max(now, inflow * keep)) if keep else later


def children_of(rel: Rel, world: World, seconds: float) -> Spread:
    """Children per parent at a time to come: by their own growth, else as the numbers of both ends grow."""
    return _grown(rel, world, seconds) if seconds > 0 else rel.children


def _grown(rel: Rel, world: World, seconds: float) -> Spread:
    now = rel.children
    growth = world.child_growth.get((rel.role, rel.child))
    if growth is not None:
        keep = world.keeps.get(rel.child, inf)
        most = growth.max if growth.max < inf else growth.high
        high = _risen(now.p99, growth.high, seconds, keep) if now.p99 else 0.0
        return Spread(_risen(now.avg, growth.avg, seconds, keep), high, _risen(now.max, most, seconds, keep))
    before = world.counts.get(rel.child, 0.0) / max(1.0, world.counts.get(rel.parent, 0.0))
    if before <= 0:
        return now
    after = count_at(rel.child, world, seconds) / max(1.0, count_at(rel.parent, world, seconds))
    return now.times(max(1.0, after / before)) if after > before else now


def _risen(start: float, growth: float, seconds: float, keep: float) -> float:
    """`start + growth·t`, at most what comes in while children are kept, never below what is there."""
    later = start + growth * seconds
    return later if inf in (keep, start) else min(later, max(start, growth * keep))


def size_at(record: Record, world: World, seconds: float) -> Spread:
    """Bytes of one stored record at a time to come."""
    if seconds <= 0:
        return record.size
    held = {h.edge.rel for h in record.shape if h.edge is not None and h.edge.down}
    return size_of(record, world, {rel: _grown(rel, world, seconds) for rel in held}) if held else record.size


def crossings(record: Record, world: World, limit: float) -> tuple[float | None, float | None]:
    """Seconds from now until p99 and maximum of a record pass `limit` (0: already; None: not within a hundred years).

    A maximum without a bound is not a date: it has none until one is given.
    """
    if limit == inf:
        return None, None
    return _cross(record, world, limit, high=True), _cross(record, world, limit, high=False)


def _cross(record: Record, world: World, limit: float, *, high: bool) -> float | None:
    def over(seconds: float) -> bool:
        at = size_at(record, world, seconds)
        return at.high > limit if high else limit < at.max < inf

    if over(0.0):
        return 0.0
    if len(record.shape) < 2 or not over(FAR):
        return None
    low, up = 0.0, FAR
    while up - low > CLOSE:
        middle = (low + up) / 2
        low, up = (low, middle) if over(middle) else (middle, up)
    return up
