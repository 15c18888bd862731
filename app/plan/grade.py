"""The service level of a read over one path."""

from __future__ import annotations

from app.plan.estimate import Cost
from app.plan.order import Arranged
from app.plan.types import Kind, Level, Match


def grade(match: Match, arranged: Arranged, cost: Cost) -> Level:
    """Key lookup, range, index, fan-out, scatter or scan; the numbers only tell one request from several."""
    path = match.path
    if cost.scattered:
        return Level.SCATTER
    if cost.streams > 1 or cost.partitions > 1:
        return Level.FAN_OUT
    # what stands in the name of a structure picks it, and nothing inside it
    partition = [w for w in match.partition if w.part.column >= 0]
    steps = (*partition, *match.order)
    bound = any(w.part.attr and w.kind is not None and w.tight for w in steps)
    if not bound and not partition:
        ordered = arranged.streaming and arranged.ask
        walk = ordered and match.single.limit and not match.residual
        return Level.INDEX_RANGE if walk or cost.jumps else Level.SCAN
    whole = all(w.kind is Kind.POINT for w in steps)
    if whole and path.unique:
        return Level.KEY_LOOKUP if path.primary else Level.INDEX_LOOKUP
    if path.primary and partition:
        return Level.PARTITION_RANGE if path.order else Level.KEY_LOOKUP
    return Level.INDEX_LOOKUP if whole else Level.INDEX_RANGE
