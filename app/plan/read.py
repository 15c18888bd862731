"""Planning a read: from a pattern and the records of one model to how it is served.

A read of one entity from one record kind needs no search; everything else is a shortest path over what is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from app.model.spread import ONE
from app.plan.choose import Choice, best
from app.plan.cover import age_of, holds, young
from app.plan.ideal import fix, misses, nearest
from app.plan.known import Way, holders, known
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
    held = holders(records, need.entity)
    others, found = held.inside, []
    for record in held.own:
        paths, partly = _usable(record, need)
        others = others or partly
        if paths:
            choice = best(
                single_of(query, need, record),
                paths,
                record.dialect,
                world,
                size=record.size,
                nodes=record.nodes,
                matched=query.matched,
            )
            found.append((record, choice))
    usable = [(r, c) for r, c in found if c.served_by is not None]
    if not usable:
        return None if others or not found else _refused(query, found)
    record, choice = usable[0]
    if len(usable) > 1:
        record, choice = min(usable, key=lambda u: _price(*u))
    served = choice.served_by
    if served is None or (others and not _good(served)):
        return None
    reads = (_read(record, choice, served),)
    plan = tell(query, reads)
    if plan.level.served and not served.arranged.why:
        return plan
    return replace(plan, misses=explain(reads, {record.name: [c for r, c in found if r is record]}))


def _refused(query: Query, found: Sequence[tuple[Record, Choice]]) -> Plan:
    """Every record kind holds all of it, and none has a way in."""
    why = misses(nearest([c for _, c in found]))
    return Plan(query.name, Level.IMPOSSIBLE, misses=why, questions=query.questions)


def _usable(record: Record, need: NeedNode) -> tuple[tuple[AccessPath, ...], bool]:
    """Paths of a record that give everything needed, and whether there are others."""
    if record.group > 1:
        return (), True
    ways = known(record).ways
    if len(ways) == 1:
        return (ways[0].paths, False) if gives(ways[0], need) else ((), True)
    good = [w for w in ways if gives(w, need)]
    return tuple([p for w in good for p in w.paths]), len(good) < len(ways)


def _price(record: Record, choice: Choice) -> float:
    work = choice.served_by.work if choice.served_by else inf
    return work * CACHED if record.purpose == "cache" else work


def _good(served: Served) -> bool:
    cost = served.cost
    return served.level.served and cost.records.avg <= WASTE * max(cost.returned.avg, 1)


def gives(way: Way, need: NeedNode) -> bool:
    """Has the record, read this way, every attribute needed, and young enough?"""
    record, held, keyed = way.record, way.record.shape[0], way.keyed
    for attr in need.attrs:
        if attr in keyed:
            continue
        if way.only is not None and attr not in way.only:
            return False
        if way.only is None and not holds(held, attr, keyed):
            return False
        age = age_of(record, held, attr)
        if age and not young(age + way.lag, need):
            return False
    return True


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
