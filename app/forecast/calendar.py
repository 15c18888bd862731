"""When a record outgrows its limit: sizes at a time to come, and the day p99 and maximum cross.

Times are seconds from now; a page adds the date. Children grow with their entity unless the workload gives their own
growth.
"""

from __future__ import annotations

from math import inf

from app.memory import Memory
from app.plan.size import record_size
from app.model.spread import Spread
from app.plan.types import Record, World
from app.plan.world import world_at

YEAR = 31_557_600.0
FAR = 100 * YEAR
"""Beyond this nothing is forecast."""
_WORLDS = Memory(2_000)


def later(world: World, seconds: float) -> World:
    """The workload's counts and children at a time to come."""
    return _WORLDS.of("world", (world,), lambda: world_at(world, seconds), round(seconds)) if seconds > 0 else world


def size_at(record: Record, world: World, seconds: float) -> Spread:
    """Bytes of one stored record at a time to come."""
    return record_size(record, later(world, seconds))


def crossings(record: Record, world: World, limit: float) -> tuple[float | None, float | None]:
    """Seconds from now until p99 and maximum of a record pass `limit` (0: already; None: not within a hundred years)."""
    if limit == inf:
        return None, None
    return _cross(record, world, limit, high=True), _cross(record, world, limit, high=False)


def _cross(record: Record, world: World, limit: float, *, high: bool) -> float | None:
    def over(seconds: float) -> bool:
        at = size_at(record, world, seconds)
        return (at.high if high else at.max) > limit and (high or at.max < inf)

    if over(0.0):
        return 0.0
    if not over(FAR):
        return None
    low, up = 0.0, FAR
    while up - low > 43_200:
        middle = (low + up) / 2
        low, up = (low, middle) if over(middle) else (middle, up)
    return up
