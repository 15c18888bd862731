"""Why steps that work are no better: the nearest path, the buckets of a partition, an order made afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.plan.asked import open_place
from app.plan.choose import Choice
from app.plan.ideal import bucketed, fix, misses, new_path, placed
from app.plan.refuse import Refusal, by_weight, say
from app.plan.serve import Missed, Served
from app.plan.steps import Read
from app.plan.types import Level, Miss, Record


def explain(reads: Sequence[Read], choices: Mapping[str, Sequence[Choice]]) -> tuple[Miss, ...]:
    """Reasons for the steps above *index range* and for orders made afterwards.

    `choices`: everything tried on a record kind to read it by the conditions.
    """
    found: dict[Miss, None] = {}
    for read in reads:
        served, choice = read.served, read.choice
        if served is None or choice is None or read.how == "collection":
            continue
        found.update(dict.fromkeys(bucketed(served.match, read.record.dialect)))
        if served.cost.scattered:
            found[_scattered(served, read.record, choice)] = None
        elif read.level is Level.SCAN:
            tried = choices.get(read.record.name, ()) if read.by == "where" else ()
            found.update(dict.fromkeys(misses([choice, *tried])))
        elif served.arranged.why:
            found[_unordered(served, read.record, choice)] = None
    return by_weight(found)


def unexplained(reads: Sequence[Read]) -> bool:
    """Is there an order that no path gives?"""
    return any(r.served is not None and r.served.arranged.why for r in reads)


def _scattered(served: Served, record: Record, choice: Choice) -> Miss:
    """What would have to be known to ask one node only."""
    path = served.path
    attr = open_place(served.match, record.dialect.placed_by_prefix)
    miss = say(Refusal("partition", attr, "", attr, "scattered"), path.name, record.dialect)
    words = new_path(choice.task, True) if path.partition else placed(choice.task, path, attr)
    return replace(miss, fix=words)


def _unordered(served: Served, record: Record, choice: Choice) -> Miss:
    arranged = served.arranged
    refusal = Refusal("order", arranged.attr, "order by", arranged.blocker, arranged.why)
    miss = say(refusal, served.path.name, record.dialect)
    return replace(miss, fix=fix(choice.task, Missed(served.match, (refusal,))))
