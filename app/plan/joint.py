"""Attributes whose values go with each other: as many combinations as the project says, not all that could be.

Without a word from the project attributes are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from app.plan.types import Cond, Stat, World

EQUAL = frozenset({"=", "in", "contains"})
Groups = Sequence[tuple[frozenset[str], float]]
"""Attributes that go together and how many combinations of them there are; those that name most attributes first."""


def combinations(attrs: Iterable[str], groups: Groups, stats: Mapping[str, Stat]) -> float:
    """Distinct combinations of the values of some attributes.

    Of some of a group there are at most as many as of all of it.
    """
    left = dict.fromkeys(a for a in attrs if a in stats)
    found = 1.0
    for names, distinct in groups:
        mine = [a for a in left if a in names]
        if len(mine) > 1:
            found *= min(distinct, prod(stats[a].distinct for a in mine))
            for attr in mine:
                del left[attr]
    return found * prod(stats[a].distinct for a in left)


def of_entity(attrs: Iterable[str], world: World) -> float:
    """The same for attributes of one entity of the world; those it knows nothing of count once."""
    attrs = tuple(attrs)
    entity = attrs[0].partition(".")[0] if attrs else ""
    return combinations(attrs, world.together.get(entity, ()), world.stats)


def lift(found: Iterable[tuple[Cond, float]], groups: Groups, stats: Mapping[str, Stat]) -> float:
    """How many times as many records meet all of these conditions as if their attributes were independent.

    `found`: each condition with its own share. At most as many records as meet the narrowest of them.
    """
    left = {c.attr: share for c, share in found if c.op in EQUAL and c.attr in stats}
    factor = 1.0
    for names, distinct in groups:
        mine = [a for a in left if a in names]
        if len(mine) < 2:
            continue
        apart = prod(stats[a].distinct for a in mine)
        shares = [left.pop(a) for a in mine]
        factor *= max(1.0, min(apart / min(distinct, apart), min(shares) / prod(shares)))
    return factor
