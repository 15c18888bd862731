"""An `or`: each branch served by its own path, if every branch has one; never half of each."""

from __future__ import annotations

from collections.abc import Sequence

from app.model.spread import ONE, ZERO, Spread
from app.plan.estimate import Cost
from app.plan.order import Arranged
from app.plan.refuse import Refusal
from app.plan.serve import Served, Task
from app.plan.types import Level, Use


def unite(task: Task, each: Sequence[Served | None]) -> tuple[Served | None, tuple[Refusal, ...]]:
    """The union of what serves each branch, or the branches that have no way in."""
    if task.dialect.union is Use.REFUSED:
        return None, (Refusal("or", "the store unites no branches"),)
    parts = [s for s in each if s is not None and s.level < Level.SCAN]
    blocked = tuple(
        Refusal("or", (text := " and ".join(f"{c.attr} {c.op}" for c in branch)), fix=f"Add a way in for {text}")
        for branch, s in zip(task.single.any_of, each, strict=True)
        if s is None or s.level >= Level.SCAN
    )
    return (None, blocked) if blocked else (_joined(task, parts), ())


def _joined(task: Task, parts: list[Served]) -> Served:
    single, dialect = task.single, task.dialect
    total = _sum([p.cost.returned for p in parts])
    keys, records = sum(p.cost.keys for p in parts), _sum([p.cost.records for p in parts])
    read = _sum([p.cost.bytes for p in parts])
    kind, streams = "none", True
    if task.ask:
        streams = all(p.arranged.streaming for p in parts) and len(parts) <= max(dialect.merge, 1)
        kind = "merged" if streams else "sorted" if dialect.sort is Use.SERVER else "client"
    if streams and single.limit and total.avg:
        part = min(1.0, (single.limit + single.offset) / total.avg)
        keys = keys if dialect.heap else keys * part + (len(parts) - 1 if task.ask else 0)
        records, read = records.times(part), read.times(part)
    requests = _sum([p.cost.requests for p in parts]) if dialect.union is Use.EACH else ONE
    level = max(p.level for p in parts)
    if requests.avg > 1:
        level = max(level, Level.FAN_OUT)
    returned = total.at_most(single.limit) if single.limit else total
    cost = Cost(
        keys=keys, records=records, returned=returned, requests=requests, bytes=read,
        partitions=sum(p.cost.partitions for p in parts), nodes=max(p.cost.nodes for p in parts),
        streams=requests.avg, jumps=False, scattered=any(p.cost.scattered for p in parts), entry=parts[0].cost.entry,
    )  # fmt: skip
    short = next((p.arranged for p in parts if p.arranged.why), Arranged())
    arranged = Arranged(kind, task.ask, len(parts), 0, short.why, short.attr, short.blocker)
    return Served(parts[0].match, arranged, cost, level, covered=all(p.covered for p in parts), branches=tuple(parts))


def _sum(spreads: list[Spread]) -> Spread:
    out = ZERO
    for spread in spreads:
        out = out + spread
    return out
