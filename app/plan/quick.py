"""A read that one record gives: the cheapest kind that holds all of it, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from app.model.spread import ONE
from app.plan.choose import Choice, decide
from app.plan.cover import age_of, holds, laid, late, young
from app.plan.explain import explain
from app.plan.ideal import misses
from app.plan.known import Way, holders, known
from app.plan.serve import Served, Task, hopeful
from app.plan.steps import CACHED, Read
from app.plan.tell import tell_one
from app.plan.types import AccessPath, Held, Level, Miss, NeedNode, Plan, Query, Record, Single, Use, World

WASTE = 5
"""Records read per record returned beyond which a second step may pay."""
NO_KEYS: frozenset[str] = frozenset()
MUCH = 50_000
"""Bytes read beyond which smaller records may pay."""


def quick(query: Query, records: Sequence[Record], world: World) -> Plan | None:
    """The plan, or None where several steps may do better than one."""
    if any(n.where or n.any_of for n in query.needs[1:]):
        return None
    held = holders(records, query.needs[0].entity)
    entity = _Entity(query, world)
    partly = held.inside
    for record in held.own:
        partly = entity.consider(record) or partly
    partly = partly or len(query.needs) > 1
    best = entity.best()
    if best is None:
        return None if partly or not entity.tries else entity.refused()
    record, choice, served = best
    if partly and not _good(served):
        return None
    return entity.told(record, choice, served)


def _good(served: Served) -> bool:
    cost = served.cost
    lean = cost.records.avg <= WASTE * max(cost.returned.avg, 1) and cost.bytes.avg <= MUCH
    return served.level.served and lean


class _Entity:
    """The needs, tried on record kind after record kind; all are found by the conditions of the first."""

    def __init__(self, query: Query, world: World) -> None:
        self.query, self.need, self.world = query, query.needs[0], world
        self.several = len(query.needs) > 1
        self.names = {c.attr for c in self.need.where}
        self.lead = self.need.order[0][0] if self.need.order else ""
        self.tries: list[tuple[Record, tuple[AccessPath, ...]]] = []
        self.tried: dict[str, Choice] = {}
        """The last choice for each record kind."""
        self._singles: dict[bool, Single] = {}

    def consider(self, record: Record) -> bool:
        """Note the paths that give all of it; true where the record has others, or holds several in one."""
        if record.group > 1:
            return True
        ways = known(record).ways
        good = [w for w in ways if (covers(w, self.query) if self.several else gives(w, self.need))]
        if good:
            paths = good[0].paths if len(good) == 1 else tuple([p for w in good for p in w.paths])
            self.tries.append((record, paths))
        return len(good) < len(ways)

    def best(self) -> tuple[Record, Choice, Served] | None:
        """The cheapest of all; whole structures only where nothing else serves."""
        return self._cheapest(False) or self._cheapest(True)

    def _cheapest(self, scans: bool) -> tuple[Record, Choice, Served] | None:
        found: tuple[Record, Choice, Served] | None = None
        least = inf
        for record, paths in self.tries:
            if not scans and not self._may(record, paths):
                continue
            choice = decide(self.task(record), paths, scans)
            self.tried[record.name] = choice
            served = choice.served_by
            if served is None or (served.level is Level.SCAN and not scans):
                continue
            work = served.work * (CACHED if record.purpose == "cache" else 1)
            if work < least:
                found, least = (record, choice, served), work
        return found

    def _may(self, record: Record, paths: Sequence[AccessPath]) -> bool:
        if self.need.any_of:
            return True
        names, lead, dialect = self.names, self.lead, record.dialect
        return any(not p.scan and hopeful(p, names, lead, dialect) for p in paths)

    def task(self, record: Record) -> Task:
        server = record.dialect.fetch is Use.SERVER or any(p.fetches for p in record.paths)
        single = self._singles.get(server)
        if single is None:
            attrs = None if self.several else self.need.attrs
            attrs = attrs if server else frozenset()
            single = self._singles[server] = single_of(self.query, self.need, attrs)
        return Task(single, record.dialect, self.world, record.size, record.nodes, self.query.matched)

    def refused(self) -> Plan:
        """Every record kind holds all of it, and none has a way in."""
        why = misses(tuple(self.tried.values()))
        return Plan(self.query.name, Level.IMPOSSIBLE, misses=why, questions=self.query.questions)

    def told(self, record: Record, choice: Choice, served: Served) -> Plan:
        cost = served.cost
        read = Read(
            records=(record,),
            need=0,
            by="where",
            how="first",
            gives=1,
            asks=0,
            level=served.level,
            inputs=ONE,
            requests=cost.requests,
            read=cost.records,
            bytes=cost.bytes,
            keys=cost.keys,
            served=served,
            choice=choice,
            root=0,
        )
        why: tuple[Miss, ...] = ()
        if not served.level.served or served.arranged.why:
            why = explain((read,), {})
        return tell_one(self.query, read, why)


def gives(way: Way, need: NeedNode) -> bool:
    """Has the record, read this way, every attribute needed, and young enough?"""
    record, held, keyed, only = way.record, way.record.shape[0], way.keyed, way.only
    for attr in need.attrs:
        if attr in keyed:
            continue
        if attr not in only if only is not None else not holds(held, attr, keyed):
            return False
        age = age_of(record, held, attr)
        if age and not young(age + way.lag, need):
            return False
    return True


def covers(way: Way, query: Query) -> bool:
    """The same for a tree of needs: everything lies inside this record."""
    record = way.record
    laid_at: dict[int, Held] = {}
    for s, n, enough in laid(record, 0, query, 0):
        held, want = record.shape[s], query.needs[n]
        if not enough or (s and (way.only is not None or late(way, want))):
            return False
        here = way.keyed if s == 0 else NO_KEYS
        for attr in want.attrs:
            if attr in here or (want.edge and attr in want.edge.far and _linked(want, attr, laid_at)):
                continue
            if way.only is not None and attr not in way.only:
                return False
            age = age_of(record, held, attr)
            if not holds(held, attr, here) or (age and not young(age + way.lag, want)):
                return False
        laid_at[n] = held
    return len(laid_at) == len(query.needs)


def _linked(want: NeedNode, attr: str, laid_at: dict[int, Held]) -> bool:
    """A joining value is given by the other side of the link as well."""
    edge, above = want.edge, laid_at.get(want.up)
    return edge is not None and above is not None and holds(above, edge.near[edge.far.index(attr)], NO_KEYS)


def single_of(query: Query, need: NeedNode, attrs: frozenset[str] | None) -> Single:
    """The whole read as one of a single record kind."""
    strong = need.strong and not need.historical
    age = 0.0 if need.historical or strong or need.age == inf else need.age
    return Single(
        query.name,
        need.entity,
        need.where,
        need.any_of,
        need.order,
        query.limit,
        query.offset,
        attrs,
        strong,
        age,
        query.peak_offset,
    )
