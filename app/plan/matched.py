"""How many records do a pattern's conditions find? Average, p99 and most."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from app.model.spread import ONE, Spread
from app.plan.joint import lift
from app.plan.numbers import share
from app.plan.types import Cond, World


def found_by(entity: str, where: Sequence[Cond], any_of: tuple[tuple[Cond, ...], ...], world: World) -> Spread:
    """Records of an entity that meet conditions on its own columns.

    Count × selectivities; where the key of a parent is given, its children, as they spread.
    """
    fixed = {c.attr for c in where if c.op == "=" and c.n == 1}
    if any(together <= fixed for together in world.unique_together.get(entity, ())):
        return ONE
    base, used = _children(entity, fixed, world)
    rest = [c for c in where if c.attr not in used]
    kept = prod(share(c, world.stats) for c in rest)
    if groups := world.together.get(entity):
        kept = min(1.0, kept * lift(((c, share(c, world.stats)) for c in where), groups, world.stats))
    if any_of:
        kept *= 1 - prod(1 - prod(share(c, world.stats) for c in b) for b in any_of)
    if used or not rest:
        return base.times(kept)
    top = max(kept, prod(_busiest(c, world) for c in rest))
    count = base.avg
    return Spread(count * kept, count * max(top, kept) if top < 1 else 0.0, count * top if top < 1 else inf)


def _children(entity: str, fixed: set[str], world: World) -> tuple[Spread, set[str]]:
    """Children of the bound parent with fewest of them, and the columns that bind it; else all records."""
    bound = [r for r in world.rels if r.child == entity and set(r.via) <= fixed]
    if bound:
        fewest = min(bound, key=lambda r: r.children.avg)
        used = set(fewest.via)
        for other in bound:
            # a ticket's agent belongs to the ticket's account: who knows the agent knows the account
            if any(r.parent == other.parent and r.child == fewest.parent for r in world.rels):
                used |= set(other.via)
        return fewest.children, used
    count = world.counts.get(entity, 0.0)
    return Spread(count, count, count), set()


def _busiest(c: Cond, world: World) -> float:
    """Share of the records at worst: of the busiest value where it is known, else 1."""
    if c.share is not None:
        return c.share
    stat = world.stats.get(c.attr)
    if c.op in ("=", "contains", "in") and stat is not None and stat.top is not None:
        return min(1.0, stat.top * c.n)
    return 1.0
