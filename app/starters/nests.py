"""What belongs inside what: children that are bounded, reached through one parent, and read or written with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from app.plan.types import Rel
from app.starters.asks import Down
from app.starters.design import Design, Nest
from app.starters.size import bytes_of

FEW = 200.0
"""Children beyond which embedding is no longer a first choice."""
GUESS = 100.0
"""Bound written where nobody said how many children there are at most."""
ROOM = 0.1
"""Share of the record limit that one embedded list may take at its maximum."""


def nested(design: Design) -> Design:
    """The design with its nests."""
    return replace(design, nests=tuple(_nests(design)))


def _nests(design: Design) -> Iterator[Nest]:
    for entity in design.project.entities:
        rels = [r for r in design.world.rels if r.child == entity.name and not r.link]
        for rel in rels:
            found = _nest(design, rel, [r for r in rels if r is not rel])
            if found is not None:
                yield found
                break


def _nest(design: Design, rel: Rel, others: list[Rel]) -> Nest | None:
    """Whether children live inside their parent: bounded, reached through it, and not asked for by themselves."""
    if rel.parent == rel.child:
        return None
    value = not design.world.keys.get(rel.child)
    together = design.downs(rel)
    shared = any(design.downs(r) for r in others)
    reached = _is_value(design, rel) or together or _only_through_parent(design, rel)
    if not reached or _alone(design, rel) or shared:
        return None
    why = f"read with its {rel.parent}" if together else f"only reached through its {rel.parent}"
    if rel.assumed and rel.children.max == inf:
        return _guessed(design, rel, why, bool(together))
    most = rel.children.max if rel.children.max < inf else rel.children.high
    if most > FEW or not _fits(design, rel) or not (rel.children.max < inf or value):
        return _subset(design, rel, together)
    return Nest(rel, f"{why}: {most:,.0f} at most", max(1.0, most))


def _guessed(design: Design, rel: Rel, why: str, together: bool) -> Nest | None:
    """Nobody said how many there are: parts go inside up to a guess; the rest only where nothing else reads as well."""
    part = rel.child.startswith(f"{rel.parent}_") or not design.world.keys.get(rel.child)
    beside = design.kind in ("single_table", "table_per_query")
    if beside and together and not part:
        return None  # one partition holds parent and children, and has no bound
    return Nest(rel, f"{why}; {GUESS:.0f} at most is a guess: how many can there be?", GUESS)


def _is_value(design: Design, rel: Rel) -> bool:
    """No key of its own, and few enough to be a value of its parent."""
    return not design.world.keys.get(rel.child) and (rel.children.max <= FEW or rel.assumed)


def _alone(design: Design, rel: Rel) -> bool:
    """The child is asked for by itself, by its key or in part, or it ends before its parent."""
    asks = [a for a in design.asks_of(rel.child) if a.main]
    if any(not set(a.bound) <= set(rel.via) or not a.bound or a.by_key(design.world) for a in asks):
        return True
    part = any(a.spans or a.action in ("count", "aggregate") for a in asks)
    ends = design.world.keeps.get(rel.child, inf) < design.world.keeps.get(rel.parent, inf)
    return part or ends


def _only_through_parent(design: Design, rel: Rel) -> bool:
    """No read wants the child, and no change names it by its own key: it is written, and only for its parent's sake."""
    key = set(design.world.keys.get(rel.child, ()))
    changes = [c for w in design.writes for c in w.changes if c.entity == rel.child]
    by_key = [c for c in changes if c.kind != "insert" and key and key <= c.known]
    grown = rel.children.max == inf and not rel.assumed
    return bool(changes) and not by_key and not grown and not design.asks_of(rel.child)


def _subset(design: Design, rel: Rel, together: list[Down]) -> Nest | None:
    """The first few children inside, when reads want only those; all of them stand apart.

    Only where a copy inside can be found again by an index of its own.
    """
    if design.kind != "documents":
        return None
    firsts = [d for d in together if d.first and d.order and not d.conditions]
    if not firsts or len(firsts) != len(together):
        return None
    most = max(firsts, key=lambda d: d.first)
    return Nest(rel, f"reads want the first {most.first:,.0f} only", first=most.first, order=most.order)


def _fits(design: Design, rel: Rel) -> bool:
    if not design.limit or rel.children.max == inf:
        return True
    return rel.children.max * bytes_of(rel.child, design.world) <= design.limit * ROOM
