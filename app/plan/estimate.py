"""What a read over one path costs: entries, records, requests, bytes; on average, at p99 and at most.

Selectivities are independent. Where the number of records matched is known by other means, all selectivities are
bent alike (raised to one power) until together they give that number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, inf, log, prod, sqrt

from app.model.spread import Spread
from app.plan.match import narrowing
from app.plan.order import Arranged, follows
from app.plan.types import Cond, Dialect, Kind, Match, Single, Stat, Use, World

TINY = 1e-15
UNKNOWN_COUNT = 1e6
UNKNOWN_DISTINCT = 1e9
ANY_RANGE = 0.3
ANY_EQUALITY = 0.1
ONE_RECORD = Spread(500)


def share(cond: Cond, stats: Mapping[str, Stat]) -> float:
    """The part of all records that a condition keeps on average."""
    if cond.share is not None:
        return max(cond.share, TINY)
    stat = stats.get(cond.attr)
    if stat is None:
        return ANY_EQUALITY if cond.op == "=" else ANY_RANGE
    one = _share(cond, stat)
    if stat.elements > 1:
        one = 1 - float((1 - one) ** stat.elements)
    return max(one, TINY)


def entry_share(cond: Cond, stats: Mapping[str, Stat]) -> float:
    """The part of all index entries it keeps: of an array, each element has one."""
    stat = stats.get(cond.attr)
    if stat is None or stat.elements <= 1:
        return share(cond, stats)
    if cond.share is not None:
        return max(1 - (1 - min(cond.share, 1 - TINY)) ** (1 / stat.elements), TINY)
    return max(_share(cond, stat), TINY)


def _share(cond: Cond, stat: Stat) -> float:
    match cond.op:
        case "=" | "contains":
            return 1 / max(stat.distinct, 1)
        case "in":
            return min(1.0, cond.n / max(stat.distinct, 1))
        case "!=":
            return 1 - 1 / max(stat.distinct, 1)
        case "null":
            return 1 - stat.present
        case "exists" | "not null":
            return stat.present
        case _:
            return ANY_RANGE


class Numbers:
    """What is known of one read before a path is chosen: population, selectivities, spread of the answer."""

    __slots__ = ("bend", "high", "logs", "most", "population", "shares", "size", "stats", "world")

    def __init__(self, single: Single, world: World, matched: Spread | None = None, size: Spread = ONE_RECORD) -> None:
        self.world, self.stats, self.size = world, world.stats, size
        self.population = world.counts.get(single.of) or UNKNOWN_COUNT
        self.shares = {id(c): share(c, self.stats) for c in single.where}
        total = prod(self.shares.values())
        self.logs = log(max(total, 1e-300))
        self.bend, self.high, self.most = 1.0, 1.0, 1.0
        if matched is None or matched.avg <= 0:
            return
        self.high = matched.high / matched.avg
        self.most = matched.max / matched.avg
        found = matched.avg / self.population
        if not single.any_of and total < 1 and found < 1 and abs(found - total) > 1e-6 * total:
            self.bend = log(found) / self.logs

    def share(self, cond: Cond) -> float:
        """Selectivity of one condition, bent so that all together give the number matched."""
        plain = self.shares.get(id(cond))
        if plain is None:
            plain = share(cond, self.stats)
        return plain if self.bend == 1 else plain**self.bend

    def kept(self, conds: Iterable[Cond]) -> float:
        out = 1.0
        for cond in conds:
            out *= self.share(cond)
        return out


@dataclass(frozen=True, slots=True)
class Cost:
    """`keys`: index entries walked. `streams`: requests on average before paging. `buckets`: time buckets there are,
    `visited`: how many suffice on average. `expected`, `spread`: records read until the limit is filled."""

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


class Flow:
    """How many entries, records and results flow through one path, for any number of entries within its bounds."""

    __slots__ = (
        "arranged", "arrays", "bounded", "buckets", "check_share", "dialect", "each", "entries",
        "fetches", "gap", "late", "match", "partitions", "per_record", "population",
        "residual_share", "seeks", "stats", "total", "weight",
    )  # fmt: skip

    def __init__(self, match: Match, arranged: Arranged, dialect: Dialect, numbers: Numbers, has_all: bool) -> None:
        self.match, self.arranged, self.dialect = match, arranged, dialect
        self.stats = stats = numbers.stats
        path = match.path
        many = [w for w in match.order if w.part.many]
        self.arrays = frozenset(w.part.attr for w in many)
        elements = 1.0
        if many:
            elements = max((stats[a].elements for a in self.arrays if a in stats), default=1.0)
        narrowed = narrowing(match)
        self.population = numbers.population
        if path.only:
            self.population *= prod(share(c, stats) for c in path.only)
        self.total = self.population * elements
        self.bounded, bound_log = self._bounded(numbers)
        self.entries = self.total * self.bounded
        self.weight = min(1.0, bound_log / numbers.logs) if numbers.logs < 0 else 0.0
        self.check_share = numbers.kept(c for c in match.checks if id(c) not in narrowed)
        self.residual_share = numbers.kept(c for c in match.residual if id(c) not in narrowed)
        picks_one = any(w.tight and w.kind is not None and w.kind <= Kind.POINTS for w in many)
        self.per_record = elements if many and not picks_one else 1.0
        self.seeks = 1.0
        for w in match.order:
            if w.tight and w.kind is Kind.POINTS:
                self.seeks *= w.count
        self.gap = self._gap(numbers)
        self._requests(has_all)
        rest = {a for a, _ in arranged.ask}
        self.late = (
            dialect.late_fetch
            and not match.residual
            and (arranged.streaming or rest <= _exact_attrs(match) - self.arrays)
        )

    def _bounded(self, numbers: Numbers) -> tuple[float, float]:
        """Share of entries within the bounds, and the sum of the logarithms of the record shares used."""
        kept, logs, seen = 1.0, 0.0, set()
        for w in self.match.order:
            if not w.tight:
                continue
            for c in w.conds:
                seen.add(id(c))
                plain = numbers.shares.get(id(c), 1.0)
                one = entry_share(c, numbers.stats) if w.part.many else plain
                kept *= one if numbers.bend == 1 else one**numbers.bend
                logs += log(plain)
        for w in self.match.partition:
            fresh = [c for c in w.conds if id(c) not in seen]
            if not fresh or w.kind is None or w.kind > Kind.POINTS:
                continue
            seen.update(map(id, fresh))
            one = numbers.kept(fresh)
            if w.part.kept.bucket and fresh[0].seconds:
                one = min(1.0, one * w.count * w.part.kept.bucket / fresh[0].seconds)
            kept *= one
            logs += sum(log(numbers.shares.get(id(c), 1.0)) for c in fresh)
        return kept, logs

    def _gap(self, numbers: Numbers) -> float:
        """Entries jumped to when the engine skips over the first part that is not bound to one value (0: it cannot)."""
        if not (self.match.checks and self.dialect.skips):
            return 0.0
        for w in self.match.order:
            if w.part.attr and (not w.tight or (w.kind or 0) >= Kind.SPAN):
                stat = numbers.stats.get(w.part.attr)
                distinct = stat.distinct if stat else UNKNOWN_DISTINCT
                return 2 * self.seeks * distinct * (numbers.kept(w.conds) if w.tight else 1.0)
        return 0.0

    def _requests(self, has_all: bool) -> None:
        """Requests that the keys themselves ask for: each value, each shard, each bucket."""
        dialect, path = self.dialect, self.match.path
        listed = made = self.buckets = self.partitions = 1.0
        whole = path.unique
        for w in self.match.partition:
            if w.kind is not Kind.POINT:
                whole = whole and w.kind is Kind.POINTS
            if w.count <= 1:
                continue
            self.partitions *= w.count
            kept = w.part.kept
            if kept.bucket and not (w.conds and w.conds[0].op in ("=", "in")):
                self.buckets *= w.count
            elif kept.chosen or kept.fan:
                made *= w.count
            elif dialect.partition_points is Use.EACH:
                listed *= w.count
        if dialect.order_points is Use.EACH:
            listed *= self.seeks
        if listed > 1 and whole and _batches(self.match, dialect):
            listed = ceil(listed / dialect.joins.list_max)
        self.each = listed * made
        self.fetches = not has_all and dialect.fetch is Use.EACH and not path.fetches

    def at(self, entries: float, limit: float, offset: float) -> tuple[float, float, float, float]:
        """Entries walked, records read, results returned, buckets visited."""
        passed = entries * self.check_share
        keys = entries
        if self.gap:
            keys = min(entries, self.gap + passed)
        records = passed / self.per_record
        if self.per_record == 1 and self.arrays:
            records = min(passed, self.population)
        results = records * self.residual_share
        visited = self.buckets
        arranged = self.arranged
        if limit:
            want = limit + offset
            if arranged.kind == "partial":
                keys = records = min(keys, self._groups(keys, want))
            elif arranged.streaming:
                part = min(1.0, want / max(results, 1e-9))
                merged = arranged.kind == "merged"
                client = max(1.0, self.each * self.buckets) if merged else 1.0
                keys = min(keys, keys * part * client + arranged.streams - 1)
                records = min(records, records * part * client)
                if not merged and self._sequential():
                    visited = min(visited, ceil(want / max(results / visited, 1e-9)))
            results = min(max(results - offset, 0.0), limit) if offset else min(results, limit)
            if self.late:
                records = min(records, limit)
        return keys, records, results, visited

    def _groups(self, keys: float, want: float) -> float:
        first = self.arranged.ask[0][0]
        stat = self.stats.get(first)
        group = max(1.0, keys / (stat.distinct if stat else UNKNOWN_DISTINCT))
        return ceil(want / group) * group

    def _sequential(self) -> bool:
        return self.buckets > 1 and all(follows(w, self.arranged.ask) for w in self.match.partition if w.count > 1)


def _exact_attrs(match: Match) -> frozenset[str]:
    return frozenset(w.part.attr for w in (*match.partition, *match.order) if w.part.kept.exact)


def _batches(match: Match, dialect: Dialect) -> bool:
    """Can a list of whole keys go in one request?"""
    joins, path = dialect.joins, match.path
    if joins.list_max <= 1 or (joins.by_key_only and not path.primary):
        return False
    if any(w.kind is None or w.kind > Kind.POINTS for w in match.order):
        return False
    return not joins.one_place or one_place(match)


def one_place(match: Match) -> bool:
    """Is what decides the place bound to one value?"""
    bound = {w.part.attr for w in match.partition if w.kind is Kind.POINT}
    return bool(match.path.placed_by) and all(not p.attr or p.attr in bound for p in match.path.placed_by)


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
    flow = Flow(match, arranged, dialect, numbers, has_all)
    single = match.single
    limit, offset = single.limit, single.offset
    keys, records, results, visited = flow.at(flow.entries, limit, offset)
    high = most = (keys, records, results, visited)
    if numbers.high != 1 and flow.weight:
        entries = min(flow.total, flow.entries * numbers.high**flow.weight)
        high = flow.at(entries, limit, offset)
    if numbers.most != 1 and flow.weight:
        top = numbers.most**flow.weight if numbers.most < inf else inf
        entries = min(flow.total, flow.entries * top)
        most = flow.at(entries, limit, offset)
        if top == inf and not limit:
            most = (inf, inf, inf, most[3])
    filtered = flow.check_share * flow.residual_share
    if limit and arranged.streaming and filtered < 1:
        high = _late(high, most, limit, filtered)
    return _cost(flow, numbers, (keys, records, results, visited), high, most, entry_bytes, nodes)


Four = tuple[float, float, float, float]


def _late(high: Four, most: Four, limit: float, passes: float) -> Four:
    """The p99 of how far one reads until `limit` pass a filter: k/p and 2.33 standard deviations √(k(1−p))/p."""
    far = (limit + 2.33 * sqrt(limit * (1 - passes))) / max(passes, TINY)
    keys, records = min(max(high[0], far), most[0]), min(max(high[1], far), most[1])
    return (max(high[0], keys), max(high[1], records), high[2], high[3])


def _cost(
    flow: Flow,
    numbers: Numbers,
    avg: Four,
    high: Four,
    most: Four,
    entry_bytes: float,
    nodes: float,
) -> Cost:
    size = numbers.size
    if entry_bytes:
        walked = Spread(avg[0], high[0], most[0])
        records, read = Spread(0.0, 0.0, 0.0), walked.times(entry_bytes)
    else:
        records = Spread(avg[1], high[1], most[1])
        read = records.of(size) if records.max else records
    scattered = _scattered(flow.match)
    nodes = max(nodes, 1.0) if scattered else 1.0
    per = flow.each
    streams = per * avg[3]
    extra = (avg[2], high[2], most[2]) if flow.fetches else (0.0, 0.0, 0.0)
    worst = per * flow.buckets
    page = flow.dialect.page_bytes
    requests = Spread(
        _pages(streams, read.avg, page) + extra[0],
        _pages(worst, read.high, page) + extra[1],
        _pages(worst, read.max, page) + extra[2],
    )
    return Cost(
        keys=avg[0],
        records=records,
        returned=Spread(avg[2], high[2], most[2]),
        requests=requests,
        bytes=read,
        partitions=flow.partitions * nodes,
        nodes=nodes,
        streams=streams + extra[0],
        jumps=bool(flow.gap) and avg[0] < flow.entries / 5,
        scattered=scattered,
        buckets=flow.buckets,
        visited=avg[3],
        filtered=flow.check_share * flow.residual_share,
    )


def _pages(streams: float, read: float, page: float) -> float:
    if not page or read <= page:
        return streams
    return inf if read == inf else streams * max(1, ceil(read / streams / page))


def _scattered(match: Match) -> bool:
    """Is what decides the node left open, so that every node must be asked?"""
    path = match.path
    if not path.placed_by or (path.partition and all(p in path.partition for p in path.placed_by)):
        return False
    equal = {c.attr for c in match.single.where if c.op in ("=", "in")}
    return any(p.attr and p.attr not in equal for p in path.placed_by)
