"""Where the values of a later step come from: which step before read the entity that a link leads to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.plan.types import Cond, Step, World
from app.stores.common_query import field_of, linked


def origin(cond: Cond, earlier: Sequence[Step], world: World) -> tuple[str, int]:
    """(field, number of the step, from 1) of the nearest step before that read the value; 0: none is known."""
    for number in range(len(earlier), 0, -1):
        step = earlier[number - 1]
        met = {step.entity, *(part.entity for part in step.branches)}
        if attr := linked(cond, met, world):
            return field_of(attr), number
    return field_of(cond.attr), len(earlier)


def source(conds: Iterable[Cond], earlier: Sequence[Step], world: World) -> int:
    """The step whose records a later step is repeated for; 0 for a first step."""
    links = [origin(c, earlier, world)[1] for c in conds if c.source is None]
    return max(links, default=len(earlier))
