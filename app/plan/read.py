"""Planning a read: from a pattern and the records of one model to how it is served.

A read of one entity from one record kind needs no search; everything else is a shortest path over what is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from app.model.spread import ONE
from app.plan.choose import Choice, best
from app.plan.cover import Way, age_of, holds, ways, young
from app.plan.ideal import fix, misses, nearest
from app.plan.reasons import missing, refused_parts
from app.plan.refuse import Refusal, say
from app.plan.search import Outcome, cheapest
from app.plan.serve import Missed, Served
from app.plan.steps import CACHED, Read, Search, entries
from app.plan.tell import tell
from app.plan.traverse import plan_walk
from app.plan.types import AccessPath, Level, Miss, NeedNode, Plan, Query, Record, Single, Use, World

WASTE = 5
"""Records read per record returned beyond which a second step may pay."""


def plan_read(query: Query, records: Sequence[Record], world: World) -> Plan:
    """How one model serves one read. Pure: equal arguments give equal plans.

    `records`: every kind of record of the model, with its access paths.
    """
    if query.course is not None:
        return plan_walk(query, records, world, plan_read)
    if len(query.needs) == 1:
        plan = _quick(query, records, world)
        if plan is not None:
            return plan
    return _searched(query, records, world)


def _searched(query: Query, records: Sequence[Record], world: World) -> Plan:
    search = Search(query, records, world)
    outcomes = [cheapest(search, e) for e in entries(query)]
    outcome = min(outcomes, key=_rank)
    if not outcome.reads:
        lost, why = missing(search, outcome)
        return Plan(query.name, Level.IMPOSSIBLE, missing=lost, misses=why, questions=query.questions)
    plan = tell(query, outcome.reads)
    if plan.level.served and not _unordered_at(outcome.reads):
        return plan
    why = refused_parts(search, outcome) if len(outcome.reads) > 1 else ()
    return replace(plan, misses=(*why, *explain(outcome.reads, outcome.found.choices)))


def _rank(outcome: Outcome) -> tuple[bool, float, int]:
    return not outcome.reads, outcome.cost, outcome.missing.bit_count()


def _unordered_at(reads: Sequence[Read]) -> bool:
    return any(r.served is not None and r.served.arranged.why for r in reads)


def _quick(query: Query, records: Sequence[Record], world: World) -> Plan | None:
    """One entity: the cheapest record kind that gives everything, or None where a search may find better."""
    need = query.needs[0]
    found: list[tuple[Record, Choice]] = []
    others = False
    for record in records:
        if record.of != need.entity:
            others = others or any(h.entity == need.entity for h in record.shape)
            continue
        paths, partly = _usable(record, need)
        others = others or partly
        if paths:
            choice = best(
                single_of(query, need, record), paths, record.dialect, world,
                size=record.size, nodes=record.nodes, matched=query.matched,
            )  # fmt: skip
            found.append((record, choice))
    usable = [(r, s) for r, c in found if (s := c.served_by) is not None and r.group <= 1]
    if not usable:
        return None
    record, served = usable[0]
    if len(usable) > 1:
        record, served = min(usable, key=lambda u: _price(*u))
    if others and not _good(served):
        return None
    choice = next(c for r, c in found if c.served_by is served)
    reads = (_read(record, choice, served),)
    plan = tell(query, reads)
    if plan.level.served and not served.arranged.why:
        return plan
    return replace(plan, misses=explain(reads, {record.name: [c for r, c in found if r is record]}))


def _usable(record: Record, need: NeedNode) -> tuple[tuple[AccessPath, ...], bool]:
    """Paths of a record that give everything needed, and whether there are others."""
    paths: tuple[AccessPath, ...] = ()
    partly = record.group > 1
    for way in ways(record):
        if gives(way, need):
            paths = (*paths, *way.paths)
        else:
            partly = True
    return paths, partly


def _price(record: Record, served: Served) -> float:
    return served.work * (CACHED if record.purpose == "cache" else 1)


def _good(served: Served) -> bool:
    cost = served.cost
    return served.level.served and cost.records.avg <= WASTE * max(cost.returned.avg, 1)


def gives(way: Way, need: NeedNode) -> bool:
    """Has the record, read this way, every attribute needed, and young enough?"""
    record, held = way.record, way.record.shape[0]
    keyed = record.key_attrs
    for attr in need.attrs:
        if way.only is not None:
            if attr not in way.only and attr not in keyed and not _in_path(way, attr):
                return False
        elif not holds(held, attr, keyed):
            return False
        age = age_of(record, held, attr)
        if age and attr not in keyed and not young(age + way.lag, need):
            return False
    return True


def _in_path(way: Way, attr: str) -> bool:
    path = way.paths[0]
    return any(p.attr == attr and p.kept.exact for p in (*path.partition, *path.order))


def single_of(query: Query, need: NeedNode, record: Record) -> Single:
    eventual = need.historical or need.strong or need.age == inf
    return Single(
        query.name, need.entity, need.where, need.any_of, need.order, query.limit, query.offset,
        need.attrs if record.dialect.fetch is Use.SERVER else frozenset(),
        need.strong and not need.historical, 0.0 if eventual else need.age,
    )  # fmt: skip


def _read(record: Record, choice: Choice, served: Served) -> Read:
    cost = served.cost
    return Read(
        (record,), 0, "where", "first", 1, 0, served.level, ONE, cost.requests, cost.records,
        cost.bytes, cost.keys, served, choice, 0,
    )  # fmt: skip


def explain(reads: Sequence[Read], choices: Mapping[str, Sequence[Choice]]) -> tuple[Miss, ...]:
    """Why the worst steps are no better: the nearest path, the buckets, the order that is made afterwards.

    `choices`: everything tried on a record kind to read it by the conditions.
    """
    found: dict[Miss, None] = {}
    for read in reads:
        served, choice = read.served, read.choice
        if served is None or choice is None or read.how == "collection":
            continue
        for miss in _bucketed(served, read.record):
            found[miss] = None
        if not read.level.served and not served.cost.buckets > 1:
            tried = choices.get(read.record.name, ()) if read.by == "where" else ()
            found.update(dict.fromkeys(misses(nearest([choice, *tried]))))
        elif served.arranged.why:
            found[_unordered(served, read.record, choice)] = None
    return tuple(found)


def _bucketed(served: Served, record: Record) -> list[Miss]:
    """A range over a bucket of the partition: the server takes equality only."""
    out = []
    for w in served.match.partition:
        if w.part.kept.bucket and w.count > 1:
            op = w.conds[0].op if w.conds else ""
            refusal = Refusal("partition", w.part.attr, op, w.part.attr, "buckets")
            miss = say(refusal, served.path.name, record.dialect)
            fix = "A coarser bucket in the partition, with the time in the stored order, takes fewer requests"
            out.append(replace(miss, fix=fix))
    return out


def _unordered(served: Served, record: Record, choice: Choice) -> Miss:
    arranged = served.arranged
    refusal = Refusal("order", arranged.attr, "order by", arranged.blocker, arranged.why)
    miss = say(refusal, served.path.name, record.dialect)
    return replace(miss, fix=fix(choice.task, Missed(served.match, (refusal,))))
