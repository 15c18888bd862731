"""What a read over one path costs: entries, records, requests, bytes; on average, at p99 and at most."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, sqrt

from app.model.spread import ONE, ZERO, Spread
from app.plan.asked import Asked, open_place
from app.plan.billed import units
from app.plan.flow import Figures, Flow
from app.plan.numbers import TINY, Numbers, share
from app.plan.order import Arranged
from app.plan.types import Dialect, Match

__all__ = ["Cost", "estimate", "share"]


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
    fetched: float = 0
    """Records read besides, by their keys, for what the path does not hold."""
    entry: float = 1
    """What walking an entry weighs, where fetching a record weighs two."""
    billed: float = 0
    """Bytes on average as the store bills and rounds them (0: as they are read)."""

    @property
    def work(self) -> float:
        """One figure to choose by: a request is worth many entries, half a kilobyte one."""
        size = self.billed or self.bytes.avg
        return 50 * self.requests.avg + self.entry * self.keys + 2 * self.records.avg + size / 500


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
    if single.limit and arranged.streaming and flow.passes * single.fill < 1:
        high, most = _late(flow, asked, high, most, widest)
    if arranged.kind == "partial":  # whole groups are read: more entries may end in a smaller last group
        high = _at_least(high, avg)
        most = _at_least(most, high)
    cost = _cost(flow, asked, numbers.size, (avg, high, most), entry_bytes, nodes)
    cost.entry = 2 / dialect.combine.fetch
    if unit := dialect.writing.read_unit:
        of = cost.requests.avg, cost.records.avg, cost.bytes.avg, cost.fetched, numbers.size.avg
        cost.billed = unit * units(match, dialect, 1.0, *of)
    return cost


def _at_least(figures: Figures, least: Figures) -> Figures:
    return max(figures[0], least[0]), max(figures[1], least[1]), max(figures[2], least[2]), max(figures[3], least[3])


def _late(flow: Flow, asked: Asked, high: Figures, most: Figures, widest: float) -> tuple[Figures, Figures]:
    """How far one reads until the limit is filled by what passes a filter.

    The p99 is k/p and 2.33 standard deviations √(k(1−p))/p; at most, everything within the bounds.
    """
    limit, passes = flow.match.single.limit, max(flow.passes * flow.match.single.fill, TINY)
    far = (limit + 2.33 * sqrt(limit * (1 - passes))) / passes
    keys, records, _, _ = flow.walked(widest, asked)
    share = far * flow.checked if flow.checked < 1 else far
    high = (max(high[0], min(far, keys)), max(high[1], min(share, records)), high[2], high[3])
    if flow.late and flow.match.single.fill == 1:
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
    fetched = _fetched(flow, asked, avg)
    return Cost(
        keys=avg[0],
        records=records,
        returned=Spread(avg[2], high[2], most[2]),
        requests=ONE if streams == 1 and asked.plain else _requests(flow, asked, found, read),
        bytes=read,
        partitions=asked.partitions * nodes,
        nodes=nodes,
        streams=streams + _batches(fetched, asked.batch),
        fetched=avg[0] if asked.inside else fetched,
        jumps=(flow.gap > 0 or flow.hops is not None) and avg[0] < flow.entries / 5,
        scattered=scattered,
        buckets=asked.buckets,
        visited=avg[3],
        filtered=flow.passes,
    )


def _requests(flow: Flow, asked: Asked, found: tuple[Figures, Figures, Figures], read: Spread) -> Spread:
    """Every value, shard and bucket, the pages of each, and a further request per record where these lack fields.

    Few buckets suffice on average; all of them where few records match.
    """
    avg, high, most = found
    last = max(asked.buckets, most[3]) if asked.chunk else asked.buckets
    often = high[3] if asked.chunk or asked.every else asked.buckets
    extra = [_batches(_fetched(flow, asked, f), asked.batch) for f in found]
    return Spread(
        _pages(asked.each * avg[3], read.avg, asked.page) + extra[0],
        _pages(asked.each * often, read.high, asked.page) + extra[1],
        _pages(asked.each * last, read.max, asked.page) + extra[2],
    )


def _fetched(flow: Flow, asked: Asked, found: Figures) -> float:
    """Records read one by one for what the entries lack: the results, or all that a condition is still asked of."""
    return found[1 if flow.match.residual else 2] if asked.fetches else 0.0


def _batches(records: float, size: int) -> float:
    return records if records == inf else float(ceil(round(records / size, 6)))


def _pages(streams: float, read: float, page: float) -> float:
    if not page or read <= page:
        return streams
    return inf if inf in (read, streams) else streams * max(1, ceil(read / streams / page))
