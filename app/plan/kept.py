"""A limit counts what is kept in the end: how many more records must be found where later steps drop some."""

from __future__ import annotations

from math import prod

from app.plan.cover import neighbours
from app.plan.joint import lift
from app.plan.numbers import share
from app.plan.steps import Search

LEAST = 1e-6


def filled(search: Search, entry: int) -> float:
    """Share of the records found where a plan enters that the conditions on other needs keep; 1 without a limit."""
    query = search.query
    if not query.limit or not any(n.required for i, n in enumerate(query.needs) if i != entry):
        return 1.0
    return max(LEAST, _beyond(search, entry, -1))


def _beyond(search: Search, need: int, came: int) -> float:
    """Chance that what lies beyond a need keeps one of its records."""
    kept = 1.0
    for other, edge in neighbours(search.query, need):
        if other == came:
            continue
        one = _own(search, need, other) * _beyond(search, other, need)
        if one < 1:  # of several children one that is kept is enough
            kept *= 1 - (1 - one) ** max(1.0, edge.count.avg) if edge.down else one
    return kept


def _own(search: Search, came: int, need: int) -> float:
    """Share that a need's own conditions keep, without what is fixed along the links that lead there."""
    node, world = search.query.needs[need], search.world
    if not node.required:
        return 1.0
    before = search.query.needs[came]
    joined = {a for e in (node.edge, before.edge) if e is not None for a in (*e.near, *e.far)}
    conds = [c for c in node.where if not (c.attr in joined and (need, c.attr) in search.fixed)]
    shares = [(c, share(c, world.stats)) for c in conds]
    kept = lift(shares, world.together.get(node.entity, ()), world.stats)
    kept *= prod(one for _, one in shares)
    if node.any_of:
        kept *= 1 - prod(1 - prod(share(c, world.stats) for c in branch) for branch in node.any_of)
    return min(1.0, kept)
