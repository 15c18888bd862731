"""What a read over one path costs: entries, records, requests, bytes; on average, at p99 and at most."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, prod, sqrt

from app.model.spread import ONE, ZERO, Spread
from app.plan.match import narrowing, whole_keys
from app.plan.numbers import TINY, Numbers, share
from app.plan.order import Arranged, follows
from app.plan.types import Dialect, Kind, Match, Use

__all__ = ["Cost", "estimate", "share"]

UNKNOWN_DISTINCT = 1e9
RANGES = frozenset({"<", "<=", ">", ">=", "between", "prefix"})
Figures = tuple[float, float, float, float]
"""Entries walked, records read, results returned, buckets visited."""


@dataclass(slots=True)
class Cost:
    """`keys`: index entries walked. `streams`: requests on average before paging. `buckets`: time buckets there are,
    `visited`: how many suffice on average. `filtered`: part of what is read that passes the conditions left over."""

    keys: float
    records: Spread
    returned: Spread
    requests: Spread
    bytes: Spread
    partitions: float
    nodes: float
    streams: float
    jumps: bool
    scattered: bool
    buckets: float = 1
    visited: float = 1
    filtered: float = 1

    @property
    def work(self) -> float:
        """One figure to choose by: a request is worth many entries, half a kilobyte one."""
        return 50 * self.requests.avg + self.keys + 2 * self.records.avg + self.bytes.avg / 500


def estimate(
    match: Match,
    arranged: Arranged,
    dialect: Dialect,
    numbers: Numbers,
    has_all: bool = True,
    entry_bytes: float = 0.0,
    nodes: float = 1,
) -> Cost:
    """`entry_bytes`: bytes of an entry of a path that holds all that is needed (0: records are read)."""
    flow = Flow(match, arranged, dialect, numbers)
    asked = Asked(match, dialect, flow.seeks, has_all)
    single, weight = match.single, flow.weight
    avg = high = most = flow.at(flow.entries, asked, single.offset)
    last, widest = max(single.peak_offset, single.offset), flow.entries
    if (weight and numbers.high != 1) or last:
        high = flow.at(min(flow.total, flow.entries * numbers.high**weight), asked, last)
    if (weight and numbers.most != 1) or last:
        top = numbers.most**weight if numbers.most < inf or not weight else inf
        widest = min(flow.total, flow.entries * top)
        most = flow.at(widest, asked, last)
        if top == inf and not single.limit:
            most = (inf, inf, inf, most[3])
    if single.limit and arranged.streaming and flow.passes < 1:
        high, most = _late(flow, asked, high, most, widest)
    return _cost(flow, asked, numbers.size, (avg, high, most), entry_bytes, nodes)


class Flow:
    """How many entries, records and results flow through one path, for any number of entries within its bounds.

    `total`: entries of the path; `entries`: within its bounds. `weight`: how much of the answer's spread the bounds
    carry. `gap`: entries jumped to when the engine skips over a part that is not bound (0: it cannot).
    """

    __slots__ = (
        "arranged", "arrays", "checked", "entries", "gap", "late", "match", "passes", "per_record", "population",
        "seeks", "stats", "total", "weight",
    )  # fmt: skip

    def __init__(self, match: Match, arranged: Arranged, dialect: Dialect, numbers: Numbers) -> None:
        self.match, self.arranged, self.stats = match, arranged, numbers.stats
        path = match.path
        self.population = numbers.population
        if path.only:
            self.population *= prod(share(c, numbers.stats) for c in path.only)
        elements, self.per_record, self.arrays = self._elements()
        self.total = self.population * elements
        bounded, logs = _bounded(match, numbers)
        self.entries = self.total * bounded
        if path.unique and (most := whole_keys(match)):
            self.total = min(self.total, most)  # no key has two records, whatever the selectivities say
            self.entries = min(self.entries, self.total)
        self.weight = min(1.0, logs / numbers.logs) if numbers.logs < 0 else 0.0
        self.checked = self.passes = 1.0
        if match.checks or match.residual:
            used = narrowing(match)
            self.checked = numbers.kept(c for c in match.checks if id(c) not in used)
            self.passes = self.checked * numbers.kept(c for c in match.residual if id(c) not in used)
        self.seeks = 1.0
        for w in match.order:
            if w.count != 1 and w.tight and w.kind is Kind.POINTS:
                self.seeks *= w.count
        self.gap = self._gap(numbers) if match.checks and dialect.skips else 0.0
        self.late = dialect.late_fetch and not match.residual and self._ordered_entries()

    def _elements(self) -> tuple[float, float, frozenset[str]]:
        """Entries per record, entries per record among those in the bounds, and the array attributes."""
        many = [w for w in self.match.order if w.part.many]
        if not many:
            return 1.0, 1.0, frozenset()
        arrays = frozenset(w.part.attr for w in many)
        elements = max((self.stats[a].elements for a in arrays if a in self.stats), default=1.0)
        picks_one = any(w.tight and w.kind is not None and w.kind <= Kind.POINTS for w in many)
        return elements, 1.0 if picks_one else elements, arrays

    def _gap(self, numbers: Numbers) -> float:
        for w in self.match.order:
            if w.part.attr and (not w.tight or (w.kind or 0) >= Kind.SPAN):
                stat = self.stats.get(w.part.attr)
                distinct = stat.distinct if stat else UNKNOWN_DISTINCT
                return 2 * self.seeks * distinct * (numbers.kept(w.conds) if w.tight else 1.0)
        return 0.0

    def _ordered_entries(self) -> bool:
        """Can the entries be put in order before a record is read?"""
        if self.arranged.streaming:
            return True
        steps = (*self.match.partition, *self.match.order)
        exact = {w.part.attr for w in steps if w.part.kept.exact}
        return {a for a, _ in self.arranged.ask} <= exact - self.arrays

    def at(self, entries: float, asked: Asked, offset: float = 0.0) -> Figures:
        """What is walked, read and returned for so many entries within the bounds."""
        found = self.walked(entries, asked)
        return self._stopped(found, asked, offset) if self.match.single.limit else found

    def walked(self, entries: float, asked: Asked) -> Figures:
        """The same without a limit."""
        keys, passed = entries, entries * self.checked
        if self.gap:
            keys = min(entries, self.gap + passed)
        records = passed / self.per_record
        if self.arrays and self.per_record == 1:
            records = min(passed, self.population)
        results = records * self.passes / self.checked
        visited = asked.buckets
        if asked.chunk:
            visited = max(1.0, ceil(results / asked.chunk)) if results < inf else results
        return keys, records, results, visited

    def _stopped(self, found: Figures, asked: Asked, offset: float) -> Figures:
        """Reading ends when the limit is filled, where results come in the order asked for."""
        keys, records, results, visited = found
        limit, arranged = self.match.single.limit, self.arranged
        want = limit + offset
        if arranged.kind == "partial":
            keys = records = min(keys, self._groups(keys, want))
        elif arranged.streaming:
            part = min(1.0, want / max(results, 1e-9))
            merged = arranged.kind == "merged"
            client = max(1.0, asked.each * asked.buckets) if merged else 1.0
            keys = min(keys, keys * part * client + arranged.streams - 1)
            records = min(records, records * part * client)
            if visited > 1 and not merged and self._sequential():
                visited = min(visited, ceil(want / max(results / visited, 1e-9)))
        results = min(max(results - offset, 0.0), limit) if offset else min(results, limit)
        return keys, min(records, limit) if self.late else records, results, visited

    def _groups(self, keys: float, want: float) -> float:
        stat = self.stats.get(self.arranged.ask[0][0])
        group = max(1.0, keys / (stat.distinct if stat else UNKNOWN_DISTINCT))
        return ceil(want / group) * group

    def _sequential(self) -> bool:
        return all(follows(w, self.arranged.ask) for w in self.match.partition if w.count > 1)


def _bounded(match: Match, numbers: Numbers) -> tuple[float, float]:
    """Share of entries within the bounds, and the sum of the logarithms of the record shares used."""
    kept, logs = 1.0, 0.0
    seen: set[int] = set()
    for w in match.order:
        if w.tight and w.conds:
            for c in w.conds:
                seen.add(id(c))
                kept *= numbers.entries(c) if w.part.many else numbers.share(c)
                logs += numbers.log(c)
    for w in match.partition:
        if not w.conds or w.kind is None or w.kind > Kind.POINTS:
            continue
        fresh = [c for c in w.conds if id(c) not in seen]
        if not fresh:
            continue
        seen.update(map(id, fresh))
        one = numbers.kept(fresh)
        if w.part.kept.bucket and fresh[0].seconds:
            one = min(1.0, one * w.count * w.part.kept.bucket / fresh[0].seconds)
        kept *= one
        logs += sum(map(numbers.log, fresh))
    return kept, logs


class Asked:
    """Requests that the keys themselves ask for: `each` value and shard, `buckets` of time, records per `chunk`."""

    __slots__ = ("buckets", "by_prefix", "chunk", "each", "fetched_by_server", "fetches", "page", "partitions")

    def __init__(self, match: Match, dialect: Dialect, seeks: float, has_all: bool) -> None:
        listed = made = self.buckets = self.partitions = 1.0
        self.chunk = 0
        whole = match.path.unique and whole_keys(match) > 0
        for w in match.partition:
            kept = w.part.kept
            if kept.chunk and not w.conds:
                self.chunk = kept.chunk
            if w.count <= 1:
                continue
            self.partitions *= w.count
            if kept.bucket and not (w.conds and w.conds[0].op in ("=", "in")):
                self.buckets *= w.count
            elif kept.chosen or kept.fan:
                made *= w.count
            elif dialect.partition_points is Use.EACH:
                listed *= w.count
        if dialect.order_points is Use.EACH:
            listed *= seeks
        if listed > 1 and whole and _batches(match, dialect):
            listed = ceil(listed / dialect.joins.list_max)
        self.each = listed * made
        self.fetches = not has_all and dialect.fetch is Use.EACH and not match.path.fetches
        self.page = 0.0 if whole else dialect.page_bytes
        self.by_prefix = dialect.placed_by_prefix
        self.fetched_by_server = dialect.fetch is Use.SERVER

    @property
    def plain(self) -> bool:
        """One request, whatever it finds."""
        return not (self.page or self.chunk or self.fetches or self.buckets > 1)


def _batches(match: Match, dialect: Dialect) -> bool:
    """Can a list of whole keys go in one request?"""
    joins, path = dialect.joins, match.path
    if joins.list_max <= 1 or (joins.by_key_only and not path.primary):
        return False
    return not joins.one_place or one_place(match)


def one_place(match: Match) -> bool:
    """Is what decides the place bound to one value?"""
    bound = {w.part.attr for w in match.partition if w.kind is Kind.POINT}
    return bool(match.path.placed_by) and all(not p.attr or p.attr in bound for p in match.path.placed_by)


def _late(flow: Flow, asked: Asked, high: Figures, most: Figures, widest: float) -> tuple[Figures, Figures]:
    """How far one reads until the limit is filled by what passes a filter.

    The p99 is k/p and 2.33 standard deviations √(k(1−p))/p; at most, everything within the bounds.
    """
    limit, passes = flow.match.single.limit, max(flow.passes, TINY)
    far = (limit + 2.33 * sqrt(limit * (1 - passes))) / passes
    keys, records, _, _ = flow.walked(widest, asked)
    share = far * flow.checked if flow.checked < 1 else far
    high = (max(high[0], min(far, keys)), max(high[1], min(share, records)), high[2], high[3])
    if flow.late:
        high, records = (high[0], min(high[1], limit), high[2], high[3]), min(records, limit)
    return high, (max(most[0], keys), max(most[1], records), most[2], most[3])


def _cost(
    flow: Flow, asked: Asked, size: Spread, found: tuple[Figures, Figures, Figures], entry_bytes: float, nodes: float
) -> Cost:
    avg, high, most = found
    if entry_bytes:
        records = ZERO if asked.fetched_by_server else Spread(avg[0], high[0], most[0])
        read = Spread(avg[0] * entry_bytes, high[0] * entry_bytes, most[0] * entry_bytes)
    else:
        records = Spread(avg[1], high[1], most[1])
        read = records.of(size) if records.max else records
    scattered = bool(open_place(flow.match, asked.by_prefix))
    nodes = max(nodes, 1.0) if scattered else 1.0
    streams = asked.each * avg[3]
    fetched = avg[2] if asked.fetches else 0.0
    return Cost(
        keys=avg[0],
        records=records,
        returned=Spread(avg[2], high[2], most[2]),
        requests=ONE if streams == 1 and asked.plain else _requests(asked, found, read),
        bytes=read,
        partitions=asked.partitions * nodes,
        nodes=nodes,
        streams=streams + fetched,
        jumps=flow.gap > 0 and avg[0] < flow.entries / 5,
        scattered=scattered,
        buckets=asked.buckets,
        visited=avg[3],
        filtered=flow.passes,
    )


def _requests(asked: Asked, found: tuple[Figures, Figures, Figures], read: Spread) -> Spread:
    """Every value, shard and bucket, the pages of each, and a further request per record where these lack fields.

    Few buckets suffice on average; all of them where few records match.
    """
    avg, high, most = found
    last = max(asked.buckets, most[3]) if asked.chunk else asked.buckets
    extra = (avg[2], high[2], most[2]) if asked.fetches else (0.0, 0.0, 0.0)
    return Spread(
        _pages(asked.each * avg[3], read.avg, asked.page) + extra[0],
        _pages(asked.each * (high[3] if asked.chunk else asked.buckets), read.high, asked.page) + extra[1],
        _pages(asked.each * last, read.max, asked.page) + extra[2],
    )


def _pages(streams: float, read: float, page: float) -> float:
    if not page or read <= page:
        return streams
    return inf if inf in (read, streams) else streams * max(1, ceil(read / streams / page))


def open_place(match: Match, by_prefix: bool) -> str:
    """The attribute that decides the node and is left open, so that every node must be asked; "" where none is."""
    path = match.path
    if not path.placed_by or (path.partition and all(p in path.partition for p in path.placed_by)):
        return ""
    equal = {c.attr for c in match.single.where if c.op in ("=", "in")}
    placing = [p for p in path.placed_by if p.attr]
    if not by_prefix:
        return next((p.attr for p in placing if p.attr not in equal), "")
    first = placing[0] if placing else None
    if first is None or first.attr in equal:
        return ""
    ranged = {c.attr for c in match.single.where if c.op in RANGES}
    return "" if first.kept.order and first.attr in ranged else first.attr
