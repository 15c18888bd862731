"""Jumping inside an index over parts that are not bound: from one value of such a part to the next.

An engine that reads whole pages of entries gains nothing by jumping over less than one: where the runs of equal values
are shorter it walks on. PostgreSQL 18 was seen to search once per value of runs of 400 entries and more, and to walk
the index through below.
"""

from __future__ import annotations

from app.plan.numbers import UNKNOWN_DISTINCT, Numbers
from app.plan.types import Kind, Match

AIMS = 2
"""Entries met in vain for each value: before and after what is sought."""


def jumps(match: Match, numbers: Numbers, entries: float, seeks: float, shortest: float) -> tuple[float, float]:
    """Entries met in vain, and the share of the others that is walked; (0, 1) where it does not jump.

    `entries` lie within the bounds, in `seeks` places. `shortest`: entries of a run that it jumps over.
    """
    runs, along, jumped = seeks, 1.0, False
    last = max((i for i, w in enumerate(match.order) if w.conds), default=-1)
    for i, step in enumerate(match.order[: last + 1]):
        if not step.part.attr or (step.tight and (step.kind or 0) < Kind.SPAN):
            continue
        kept = numbers.kept(step.conds)
        if step.conds and not step.tight:
            along *= kept
        if step.conds and step.kind is not None and step.kind <= Kind.POINTS:
            runs *= step.count
            continue
        if i == last:
            break
        stat = numbers.stats.get(step.part.attr)
        values = max(1.0, (stat.distinct if stat else UNKNOWN_DISTINCT) * (kept if step.conds else 1.0))
        if entries * along / (runs * values) < shortest:
            break
        runs, jumped = runs * values, True
    return (AIMS * runs, along) if jumped else (0.0, 1.0)
