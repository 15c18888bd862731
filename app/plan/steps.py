"""The reads a plan may be made of, and what one read pattern finds in the records of one model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from app.model.spread import ONE, Spread
from app.plan.billed import units
from app.plan.choose import Choice, best
from app.plan.cover import Pieces, cover, neighbours, pieces, whole
from app.plan.known import Way, holding, known
from app.plan.serve import Served
from app.plan.types import Cond, Level, Query, Record, Single, World

CACHED = 0.5
"""A cache is there to be used: its reads count half."""


@dataclass(slots=True)
class Read:
    """One step that a plan may take: what it gives and asks, and what it costs for all its inputs.

    `how`: first, list, each, server, collection. `by`: where, key, or the link it follows.
    """

    records: tuple[Record, ...]
    need: int
    by: str
    how: str
    gives: int
    asks: int
    level: Level
    inputs: Spread
    requests: Spread
    read: Spread
    bytes: Spread
    keys: float
    served: Served | None = None
    choice: Choice | None = None
    root: int = -1
    parts: tuple[Read, ...] = ()
    """The reads that one request over a partition stands for."""

    @property
    def record(self) -> Record:
        return self.records[0]

    @property
    def units(self) -> float:
        """Read units as the store bills and rounds them, of a strong read (0: it bills none)."""
        cost = self.served.cost if self.served is not None else None
        match = self.served.match if self.served is not None and self.how != "collection" else None
        fetched, one = (cost.fetched, self.record.size.avg) if cost is not None and match is not None else (0.0, 0.0)
        return units(
            match, self.record.dialect, self.inputs.avg, self.requests.avg, self.read.avg, self.bytes.avg, fetched, one
        )

    @property
    def work(self) -> float:
        """The same figure as `Cost.work`, for all inputs."""
        sorts = self.served.work - self.served.cost.work if self.served else 0.0
        entry = self.served.cost.entry if self.served else 1.0
        size = self.units * self.record.dialect.writing.read_unit or self.bytes.avg
        total = 50 * self.requests.avg + entry * self.keys + 2 * self.read.avg + size / 500 + sorts
        return total * CACHED if self.record.purpose == "cache" else total


@dataclass(slots=True)
class Found:
    """All reads for one entry, and the choices that came to nothing."""

    reads: list[Read] = field(default_factory=list)
    dead: list[tuple[Record, int, Choice]] = field(default_factory=list)
    choices: dict[str, list[Choice]] = field(default_factory=dict)
    """What was tried by the conditions, per record kind."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One record kind read one way, anchored: its shape node `at` stands for `need`, its root for `root`."""

    way: Way
    at: int
    need: int
    gives: int
    root: int


class Search:
    """One read pattern over the records of one model: what all entries share."""

    def __init__(self, query: Query, records: Sequence[Record], world: World) -> None:
        self.query, self.world, self.everything = query, world, records
        self.records = holding(records, {n.entity for n in query.needs})
        keys: dict[str, frozenset[str]] = {}
        for r in self.records:
            keys[r.of] = keys.get(r.of, frozenset()) | known(r).keyed
        self.pieces: Pieces = pieces(query, keys)
        self.fixed = constants(query)
        self.start = 0
        for need, attr in self.fixed:
            bit = self.pieces.bits.get((need, attr))
            self.start |= 0 if bit is None else 1 << bit
        self.offers = list(self._offers())
        self._choices: dict[tuple[object, ...], Choice] = {}

    def _offers(self) -> Iterator[Offer]:
        query, bits = self.query, self.pieces.bits
        for record in self.records:
            for way in known(record).ways:
                for at, held in enumerate(record.shape):
                    for m, need in enumerate(query.needs):
                        if held.entity != need.entity or not whole(record, at, need):
                            continue
                        gives, root = cover(way, at, query, m, bits, self.world)
                        if gives:
                            yield Offer(way, at, m, gives, root)

    def best(self, offer: Offer, single: Single, matched: Spread | None) -> Choice:
        """The single-path planner, remembered for this search."""
        way, record = offer.way, offer.way.record
        key = (id(way.paths), single, matched)
        found = self._choices.get(key)
        if found is None:
            size = record.size if record.group <= 1 else record.size.times(1 / record.group)
            found = best(
                single, way.paths, record.dialect, self.world,
                size=size, nodes=record.nodes, matched=matched,
            )  # fmt: skip
            self._choices[key] = found
        return found


def constants(query: Query) -> dict[tuple[int, str], Cond]:
    """Attributes fixed by equality, carried along links."""
    fixed = {(i, c.attr): c for i, n in enumerate(query.needs) for c in n.where if c.op == "="}
    if not fixed or len(query.needs) == 1:
        return fixed
    for _ in query.needs:
        for i, need in enumerate(query.needs):
            if not need.edge:
                continue
            for near, far in zip(need.edge.near, need.edge.far, strict=True):
                a, b = (need.up, near), (i, far)
                if a in fixed and b not in fixed:
                    fixed[b] = replace(fixed[a], attr=far, share=None)
                if b in fixed and a not in fixed:
                    fixed[a] = replace(fixed[b], attr=near, share=None)
    return fixed


def entries(query: Query) -> list[int]:
    """Needs where a plan can enter: those that carry conditions."""
    return [i for i, n in enumerate(query.needs) if n.where or n.any_of] or [0]


def counts(query: Query, entry: int, fill: float = 1.0) -> list[Spread]:
    """How many records of each need belong to one answer, walking out from the need where the plan enters.

    `fill`: share of the records found there that the conditions of other needs keep.
    """
    out = [ONE] * len(query.needs)
    limit = (query.limit + query.offset) / fill if query.limit else 0
    stops = limit and (entry == 0 or not query.root.order)
    found = query.needs[entry].matched or query.matched
    out[entry] = found.at_most(limit) if stops else found
    todo, done = [entry], {entry}
    while todo:
        n = todo.pop()
        for m, edge in neighbours(query, n):
            if m in done:
                continue
            first = query.needs[m].first if edge.down else 0
            out[m] = out[n].of(edge.count.at_most(first) if first else edge.count)
            done.add(m)
            todo.append(m)
    return out
