"""Reads of one partition become one request: an interval of sort keys, with whatever kinds lie between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.model.spread import ONE, ZERO, Spread
from app.plan.cover import same
from app.plan.steps import Read, Search
from app.plan.types import Level, Part, Record

Place = tuple[object, ...]


def coalesce(search: Search, reads: Sequence[Read]) -> list[Read]:
    """One more read for every interval of record kinds whose both ends are wanted."""
    groups: dict[Place, dict[str, Read]] = {}
    for read in reads:
        place = _place(search, read)
        if place is not None:
            groups.setdefault(place, {}).setdefault(read.record.name, read)
    out: list[Read] = []
    for kinds in groups.values():
        if len(kinds) > 1:
            out += _hulls(search, kinds)
    return out


def _place(search: Search, read: Read) -> Place | None:
    """The structure and the values that pick one partition, where these are known from the start."""
    record = read.record
    if read.asks or read.how != "first" or not record.dialect.joins.whole_partition:
        return None
    if read.served is None or not read.served.path.primary:
        return None
    bound: list[object] = [record.structure]
    for part in record.primary.partition:
        if not part.attr and not part.kept.chosen:
            bound.append(part.literal)
        elif part.kept.exact and (read.need, part.attr) in search.fixed:
            bound.append(same(search.query, read.need, part.attr))
        else:
            return None
    return tuple(bound)


def _hulls(search: Search, kinds: dict[str, Read]) -> Iterator[Read]:
    first = next(iter(kinds.values())).record
    literals = _literals(first.primary.partition)
    every = sorted(
        (r for r in search.everything if r.structure == first.structure and _literals(r.primary.partition) == literals),
        key=_sort_start,
    )
    for i in range(len(every)):
        for j in range(i + 1, len(every)):
            hull = every[i : j + 1]
            used = [kinds[r.name] for r in hull if r.name in kinds]
            if len(used) > 1 and hull[0].name in kinds and hull[-1].name in kinds:
                yield _one(used, hull)


def _one(used: Sequence[Read], hull: Sequence[Record]) -> Read:
    gives, records, size = 0, ZERO, ZERO
    for read in used:
        gives |= read.gives
    for record in hull:
        if not record.static:  # static columns come with any row
            records = records + record.per
            size = size + record.per.of(record.size)
    lead = used[0]
    page = lead.record.dialect.page_bytes
    pages = Spread(*(_pages(n, page) for n in (size.avg, size.high, size.max))) if page else ONE
    return Read(
        tuple(hull), lead.need, "where", "collection", gives, 0, Level.PARTITION_RANGE, ONE, pages,
        records, size, records.avg, lead.served, lead.choice, lead.root, tuple(used),
    )  # fmt: skip


def _pages(size: float, page: float) -> float:
    return max(1.0, -(-size // page)) if size < 1e18 else size


def _literals(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple("" if p.attr else p.literal for p in parts)


def _sort_start(record: Record) -> str:
    """Literal start of the sort key; static columns come first."""
    order = record.primary.order
    return order[0].literal if order and not order[0].attr and not record.static else ""
