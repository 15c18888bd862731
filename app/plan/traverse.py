"""How a model serves a traversal: one read per hop and frontier node, or the whole walk in the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.model.spread import ONE, ZERO, Spread
from app.plan.reasons import joined
from app.plan.types import (
    Cond,
    Expand,
    Hop,
    Level,
    NeedNode,
    Plan,
    Query,
    Record,
    Step,
    World,
)  # fmt: skip
from app.plan.walk import Walk, each, walk

Reader = Callable[[Query, Sequence[Record], World], Plan]
LISTED = (Level.KEY_LOOKUP, Level.INDEX_LOOKUP, Level.INDEX_RANGE)
SUPERNODE = 0.01
"""Chance of meeting the largest node from which on it is worth a note."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One hop with the plan of a single read along it."""

    hop: Hop
    plan: Plan

    @property
    def works(self) -> bool:
        return bool(self.plan.steps)


def plan_walk(query: Query, records: Sequence[Record], world: World, read: Reader) -> Plan:
    """Plan a traversal. `read` plans the single reads it is made of."""
    course = query.course
    if course is None or not course.hops:
        return Plan(query.name, Level.IMPOSSIBLE, questions=query.questions)
    legs = [Leg(hop, read(_along(query, hop, world), records, world)) for hop in course.hops]
    broken = [leg for leg in legs if not leg.works]
    if broken:
        missing = tuple(dict.fromkeys(a for leg in broken for a in leg.plan.missing))
        found = joined(tuple(dict.fromkeys(m for leg in broken for m in leg.plan.misses)))
        return Plan(
            query.name, Level.IMPOSSIBLE, missing=missing, misses=found,
            questions=query.questions,
        )  # fmt: skip
    dialects = {r.name: r.dialect for r in records}
    first = dialects[legs[0].plan.steps[0].records_of[0]]
    one_place = len({s.structure for leg in legs for s in leg.plan.steps}) == 1
    server = first.expand.server and one_place
    expand = first.expand if server else Expand(visited="global" if course.shortest else "none")
    batch = _batch(legs, dialects[legs[0].plan.steps[0].records_of[0]].joins.list_max)
    walked = walk(course, expand, batch)
    steps = _steps(legs, walked, server)
    around = _ends(query, records, world, read, walked)
    return _told(query, legs, walked, (*around[0], *steps, *around[1]), server)


def _along(query: Query, hop: Hop, world: World) -> Query:
    """The read of one hop: from one node's key to the keys of its neighbours."""
    first = hop.edges[0]
    attrs = hop.edges[1].near if len(hop.edges) > 1 else world.keys.get(first.to, first.far)
    where = tuple(Cond(a) for a in first.far)
    need = NeedNode(first.to, frozenset(attrs), where=where, age=query.root.age)
    return Query(f"{query.name}: {hop.name}", "list", (need,), hop.out if first.down else ONE)


def _batch(legs: Sequence[Leg], most: int) -> float:
    """Starting nodes in one request: a list, where the path takes one and one request answers a node."""
    steps = [s for leg in legs for s in leg.plan.steps]
    listed = all(s.level in LISTED for s in steps)
    return most if listed and most > 1 else 1


def _steps(legs: Sequence[Leg], walked: Walk, server: bool) -> list[Step]:
    """One step per kind of hop, with the figures of all depths at which it is made."""
    out = []
    for i, leg in enumerate(legs):
        depths = range(i, len(walked.paths), len(legs))
        requests = edges = ZERO
        for d in depths:
            requests, edges = requests + walked.requests[d], edges + walked.paths[d]
        if server:
            requests = ONE if i == 0 else ZERO
        for step in leg.plan.steps:
            size = Spread(step.bytes.avg / step.records.avg) if step.records.avg else Spread(0.0)
            records, keys = edges, edges.avg
            if step.level is Level.SCAN:  # each depth reads all of it once more, a client for each node
                passes = Spread(float(len(depths))) if server else requests
                whole = step.records if step.records.avg else Spread(step.keys)
                records, keys = passes.of(whole), step.keys * passes.avg
            walked_step = replace(
                step,
                how="server" if server else "each",
                by=leg.hop.name,
                level=max(step.level, Level.TRAVERSAL) if step.level < Level.SCAN else step.level,
                requests=requests,
                records=records,
                bytes=records.of(size),
                keys=keys,
                units=step.units * requests.avg,
                partitions=step.partitions * max(requests.avg, 1),
            )
            out.append(walked_step)
    return out


def _ends(
    query: Query, records: Sequence[Record], world: World, read: Reader, walked: Walk
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Reads around the walk: finding the start where its key is not given, and the fields of what was reached."""
    root = query.root
    keys = frozenset(world.keys.get(root.entity, ()))
    before: tuple[Step, ...] = ()
    if not keys <= {c.attr for c in root.where if c.op == "="} and root.where:
        start = replace(query, needs=(replace(root, attrs=keys),), course=None, limit=0)
        before = read(start, records, world).steps
    wanted = root.attrs - keys
    if not wanted or not keys:
        return before, ()
    need = NeedNode(root.entity, wanted, where=tuple(Cond(a) for a in sorted(keys)), age=root.age)
    plan = read(Query(query.name, "get", (need,)), records, world)
    reached = walked.nodes[-1].at_most(query.limit) if query.limit else walked.nodes[-1]
    listed = {r.name: r.dialect.joins.list_max for r in records}
    return before, tuple([_fetched(s, reached, listed[s.records_of[0]]) for s in plan.steps])


def _fetched(step: Step, reached: Spread, listed: float) -> Step:
    """The fields of what was reached, in lists where the store takes them."""
    many = listed > 1 and step.level in LISTED
    return replace(
        step,
        how="list" if many else "each",
        by="key",
        requests=each(reached, listed if many else 1),
        records=reached,
        bytes=reached.of(step.bytes),
        keys=reached.avg,
        units=step.units * reached.avg,
    )


def _told(query: Query, legs: Sequence[Leg], walked: Walk, steps: Sequence[Step], server: bool) -> Plan:
    requests = records = size = ZERO
    for s in steps:
        requests, records, size = requests + s.requests, records + s.records, size + s.bytes
    course = query.course
    depth = course.most if course else 0
    worst = max(s.level for s in steps)
    notes = [f"Meets {walked.edges.avg:,.0f} edges on average, {walked.edges.high:,.0f} at p99"]
    if walked.supernode >= SUPERNODE:
        notes.append(f"{walked.supernode:.0%} of walks meet the largest node, with {walked.at_worst:,.0f} edges")
    if query.root.order or query.limit:
        notes.append("The whole walk is made before the first results are known")
    around = sum(1 for s in steps if s.by == "key")
    return Plan(
        query.name, max(worst, Level.TRAVERSAL), tuple(steps), (), requests, records, size,
        (1 if server else depth) + around, sum(s.partitions for s in steps),
        sum(s.units for s in steps), misses=tuple(dict.fromkeys(m for leg in legs for m in leg.plan.misses)),
        notes=tuple(notes), questions=query.questions,
    )  # fmt: skip
