"""How much flows through one path: entries, records and results, for any number of entries within its bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, inf, log, prod

from app.plan.asked import Asked
from app.plan.hop import hops
from app.plan.match import implies, narrowing, on_record, whole_keys
from app.plan.numbers import UNKNOWN_DISTINCT, Numbers, share
from app.plan.order import Arranged, follows
from app.plan.skip import jumps
from app.plan.types import Cond, Dialect, Kind, Match

Figures = tuple[float, float, float, float]
"""Entries walked, records read, results returned, buckets visited."""


class Flow:
    """How many entries, records and results flow through one path, for any number of entries within its bounds.

    `total`: entries of the path; `entries`: within its bounds. `weight`: how much of the answer's spread the bounds
    carry. `gap`: entries jumped to when the engine skips over a part that is not bound (0: it cannot).
    """

    __slots__ = (
        "absent", "along", "arranged", "arrays", "at_once", "checked", "entries", "gap", "hops", "late", "match",
        "passes", "per_record", "population", "ranked", "relief", "seeks", "stats", "total", "weight",
    )  # fmt: skip

    def __init__(self, match: Match, arranged: Arranged, dialect: Dialect, numbers: Numbers) -> None:
        self.match, self.arranged, self.stats = match, arranged, numbers.stats
        path = match.path
        self.absent = -1 if dialect.absent_last else 1
        listed = dialect.heap and path.hashed and any(w.kind is Kind.POINTS for w in match.order)
        self.at_once = listed or path.kind in dialect.bitmaps
        self.ranked = ranked(match, arranged, dialect)
        self.population = numbers.population
        if path.only:
            self.population *= prod(share(c, numbers.stats) for c in path.only)
        elements, self.per_record, self.arrays = self._elements(numbers)
        self.total = self.population * elements
        self.relief = _relief(match, numbers, dialect.strict) if path.only else {}
        bounded, logs = _bounded(match, numbers, self.relief)
        self.entries = self.total * bounded
        if path.unique and (most := whole_keys(match)):
            self.total = min(self.total, most)  # no key has two records, whatever the selectivities say
            self.entries = min(self.entries, self.total)
        self.weight = min(1.0, logs / numbers.logs) if numbers.logs < 0 else 0.0
        self.checked = self.passes = 1.0
        if match.checks or match.residual:
            used = narrowing(match)
            many = frozenset(w.part.attr for w in match.order if w.part.many)
            self.checked = self._kept(numbers, (c for c in match.checks if id(c) not in used), many)
            self.passes = self.checked * self._kept(numbers, (c for c in match.residual if id(c) not in used))
            if numbers.groups:
                self._related(numbers, used)
        self.seeks = 1.0
        for w in match.order:
            if w.count != 1 and w.tight and w.kind is Kind.POINTS:
                self.seeks *= w.count
        self.gap, self.along, self.hops = 0.0, self.checked, None
        if match.checks and dialect.skip_run:
            self.gap, self.along = jumps(match, numbers, self.entries, self.seeks, dialect.skip_run)
        elif match.checks and dialect.skips:
            self.hops = hops(match, numbers, self.seeks)
        judged = on_record(match, dialect) or bool(match.single.any_of)
        self.late = dialect.late_fetch and not (judged or self.ranked) and self._ordered_entries()

    def _related(self, numbers: Numbers, used: set[int]) -> None:
        """What goes together with the bounds filters less than it would by itself."""
        bound = [c for c in self.match.single.where if id(c) in used]
        judged = {*used, *map(id, self.match.checks)}
        before = numbers.lift(bound)
        on_entry = numbers.lift(c for c in self.match.single.where if id(c) in judged)
        self.checked = min(1.0, self.checked * on_entry / before)
        self.passes = min(self.checked, self.passes * numbers.lift(self.match.single.where) / before)

    def _kept(self, numbers: Numbers, conds: Iterable[Cond], many: frozenset[str] = frozenset()) -> float:
        """Share of what meets conditions: of records, and of entries where their part is an array."""
        if not self.relief and not many:
            return numbers.kept(conds)
        shares = ((numbers.entries(c) if c.attr in many else numbers.share(c), c) for c in conds)
        return prod(min(1.0, share * self.relief.get(id(c), 1.0)) for share, c in shares)

    def _elements(self, numbers: Numbers) -> tuple[float, float, frozenset[str]]:
        """Entries per record, entries per record among those in the bounds, and the array attributes."""
        many = [w for w in self.match.order if w.part.many]
        if not many:
            return 1.0, 1.0, frozenset()
        arrays = frozenset(w.part.attr for w in many)
        elements = max((self.stats[a].elements for a in arrays if a in self.stats), default=1.0)
        judged = set(map(id, self.match.checks))
        bound = [w for w in many if w.kind is not None and (w.tight or any(id(c) in judged for c in w.conds))]
        if any((w.kind or 0) <= Kind.POINTS for w in bound):
            return elements, 1.0, arrays
        kept = prod(numbers.entries(c) for w in bound for c in w.conds)
        met = 1 - float((1 - min(kept, 1.0)) ** elements)  # share of records with an element in the bounds
        return elements, elements * kept / met if met else 1.0, arrays

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
        if self.match.single.limit:
            return self._stopped(found, asked, offset)
        return self._passed_over(found, offset) if offset else found

    def _passed_over(self, found: Figures, offset: float) -> Figures:
        """What remains behind an offset; the entries themselves may be passed over before a record is read."""
        keys, records, results, visited = found
        results = max(results - offset, 0.0)
        return keys, min(records, results) if self.late else records, results, visited

    def walked(self, entries: float, asked: Asked) -> Figures:
        """The same without a limit."""
        keys, passed = entries, entries * self.checked
        if self.gap:
            keys = min(entries, self.gap + entries * self.along)
        elif self.hops is not None:
            keys = self.hops.walked(entries)
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
        limit, arranged = self.match.single.filled, self.arranged
        offset /= self.match.single.fill
        want = limit + offset
        if arranged.kind == "partial":
            far = min(keys, self._groups(keys, want * keys / max(results, 1e-9)))
            keys, records = far, records * far / max(keys, 1e-9)
        elif arranged.streaming and not self.ranked:  # which are the best is known when all are read
            part = min(1.0, want / max(results, 1e-9))
            merged = arranged.kind == "merged"
            client = max(1.0, asked.each * asked.buckets, asked.partitions) if merged else 1.0
            if not self.at_once:
                keys = min(keys, keys * part * client + arranged.streams - 1)
            records = min(records, records * part * client)
            if visited > 1 and not merged and self._sequential():
                visited = min(visited, ceil(want / max(results / visited, 1e-9)))
        results = min(max(results - offset, 0.0), limit) if offset else min(results, limit)
        return keys, min(records, limit) if self.late else records, results, visited

    def _groups(self, keys: float, want: float) -> float:
        given = [self.stats.get(a) for a, _ in self.arranged.ask[: self.arranged.given]]
        group = max(1.0, keys / prod(s.distinct if s else UNKNOWN_DISTINCT for s in given))
        attr, way = self.arranged.ask[0]
        stat = given[0] if given else None
        if stat and stat.present < 1 and way == self.absent and all(c.attr != attr for c in self.match.single.where):
            group = max(group, keys * (1 - stat.present))  # all without a value come first, as one group
        return ceil(want / group) * group

    def _sequential(self) -> bool:
        return all(follows(w, self.arranged.ask) for w in self.match.partition if w.count > 1)


def ranked(match: Match, arranged: Arranged, dialect: Dialect) -> bool:
    """Does the best match come first? Which that is, is known when all are read."""
    words = match.path.kind in dialect.ranked and not arranged.ask
    return words and any(c.op == "match" for c in match.single.where)


def _relief(match: Match, numbers: Numbers, strict: bool) -> dict[int, float]:
    """What a condition need not narrow again, because the path holds no other records: a factor for its share."""
    pairs = ((c, o) for o in match.path.only for c in match.single.where if implies(c, o, strict))
    return {id(c): 1 / share(o, numbers.stats) for c, o in pairs}


def _bounded(match: Match, numbers: Numbers, relief: Mapping[int, float]) -> tuple[float, float]:
    """Share of entries within the bounds, and the sum of the logarithms of the record shares used."""
    kept, logs = 1.0, 0.0
    seen: set[int] = set()
    for w in match.order:
        if w.tight and w.conds:
            for c in w.conds:
                seen.add(id(c))
                kept *= (numbers.entries(c) if w.part.many else numbers.share(c)) * relief.get(id(c), 1.0)
                logs += numbers.log(c)
    for w in match.partition:
        if not w.conds or w.kind is None or w.kind > Kind.POINTS:
            continue
        fresh = [c for c in w.conds if id(c) not in seen]
        if not fresh:
            continue
        seen.update(map(id, fresh))
        one = prod(numbers.share(c) * relief.get(id(c), 1.0) for c in fresh) if relief else numbers.kept(fresh)
        if w.part.kept.bucket and fresh[0].seconds:
            one = min(1.0, one * w.count * w.part.kept.bucket / fresh[0].seconds)
        kept *= one
        logs += sum(map(numbers.log, fresh))
    if numbers.groups and seen:
        more = numbers.lift(c for c in match.single.where if id(c) in seen)
        kept, logs = kept * more, min(0.0, logs + log(more))
    return min(kept, 1.0), logs
