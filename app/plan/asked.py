"""Which requests the keys themselves ask for: values, shards, buckets and nodes."""

from __future__ import annotations

from math import ceil

from app.plan.match import whole_keys
from app.plan.types import Dialect, Kind, Match, Use

RANGES = frozenset({"<", "<=", ">", ">=", "between", "prefix"})


class Asked:
    """Requests that the keys themselves ask for: `each` value and shard, `buckets` of time, records per `chunk`."""

    __slots__ = (
        "batch",
        "buckets",
        "by_prefix",
        "chunk",
        "each",
        "every",
        "fetched_by_server",
        "fetches",
        "inside",
        "page",
        "partitions",
    )

    def __init__(self, match: Match, dialect: Dialect, seeks: float, has_all: bool) -> None:
        listed = made = self.buckets = self.partitions = 1.0
        self.chunk = 0
        self.every = not (match.single.where or match.single.any_of)  # no bucket holds fewer than the others
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
        batched = listed * made > 1 and whole and _batches(match, dialect)
        if batched:
            listed, made = float(ceil(listed * made / dialect.joins.list_max)), 1.0
        self.each = listed * made
        self.batch = dialect.joins.list_max
        self.inside = not has_all and match.path.fetches
        self.fetches = not has_all and dialect.fetch is Use.EACH and not match.path.fetches
        self.page = dialect.joins.list_bytes if batched else 0.0 if whole else dialect.page_bytes
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
    placing = match.path.placed_by
    return bool(placing) and all((not p.attr or p.attr in bound) and not p.kept.chosen for p in placing)


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
    single = match.single
    if first.kept.bucket and single.limit and single.order[:1] and single.order[0][0] == first.attr:
        return ""  # pieces of time are read one after the other, until there is enough
    ranged = {c.attr for c in match.single.where if c.op in RANGES}
    return "" if first.kept.order and first.attr in ranged else first.attr
