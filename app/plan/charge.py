"""What will an engine that chooses by cost run? Not always the path that serves best.

An index is random reads of pages; a table read in sequence, or a bitmap of places that is read page after page, can be
cheaper where much is found or the table is small. The formulas are those of PostgreSQL's planner
(postgres/postgres:src/backend/optimizer/path/costsize.c), without correlation, caches and parallel workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log2, sqrt

from app.plan.asked import Asked
from app.plan.bind import SPECIAL
from app.plan.choose import Choice
from app.plan.estimate import estimate
from app.plan.flow import Flow, ranked
from app.plan.grade import grade
from app.plan.numbers import UNKNOWN_DISTINCT
from app.plan.order import Arranged, unordered
from app.plan.serve import Served, Task
from app.plan.types import Cond, Costs, Kind

Words = frozenset[tuple[str, str]]
"""Attributes with the operator that searches them for words."""
LISTS = ("in", "not in")
SORTED = ("sorted", "client")


def by_cost(choice: Choice) -> Served | None:
    """What the engine will probably run instead of what serves the read best; None where it is the same."""
    task, best = choice.task, choice.served_by
    costs = task.dialect.costs
    if costs is None or best is None:
        return None
    ways = [*choice.found, *_scans(choice)]
    words = frozenset((p.attr, SPECIAL[w.kind]) for w in choice.paths if w.kind in SPECIAL for p in w.order)
    offers = [o for s in ways for o in _Way(task, s, costs, words).offers()]
    likely = min(offers, key=lambda o: o.total).served
    same = likely.path is best.path and (likely.arranged.kind in SORTED) == (best.arranged.kind in SORTED)
    return None if same else likely


def _scans(choice: Choice) -> Iterator[Served]:
    """The structure read as a whole, where it was not looked at for want of need."""
    if any(s.path.scan for s in choice.found):
        return
    for path in choice.paths:
        found = choice.task.follow(path) if path.scan else None
        if found is not None:
            yield replace(found, unfolded=bool(choice.task.single.any_of))


@dataclass(frozen=True, slots=True)
class _Offer:
    """A way to run the read; `total` in reads of a page in sequence."""

    served: Served
    total: float


class _Way:
    """One path, priced in each way it can be read."""

    def __init__(self, task: Task, served: Served, costs: Costs, words: Words) -> None:
        self.task, self.served, self.costs, self.words = task, served, costs, words
        self.rows = task.numbers.population
        self.pages = max(1.0, self.rows * task.size.avg / costs.page)
        either = [c for branch in task.single.any_of for c in branch]
        self.judged = self._weight((*served.match.residual, *either))

    def offers(self) -> Iterator[_Offer]:
        served, costs = self.served, self.costs
        if served.path.scan:
            yield self._offer(served, 0.0, self.pages + self.rows * self._each(self.judged))
        elif served.merged or served.branches:
            parts = served.merged or served.branches
            yield self._bitmap([self._walked(s) for s in parts], served.cost.records.avg)
        else:
            index, keys, rows = self._walked(served)
            if served.path.kind not in self.task.dialect.bitmaps and not _listed_hash(served):
                read = 0.0 if served.covered else self._fetched(rows) * costs.random
                yield self._offer(served, 0.0, index + read + rows * self._each(self.judged))
            if any(w.conds for w in served.match.order):
                yield self._bitmap([(index, keys, rows)], rows)

    def _each(self, operators: float) -> float:
        return self.costs.record + operators * self.costs.operator

    def _weight(self, conds: Sequence[Cond]) -> float:
        """Operators that judge conditions: half of a short list, a hash of a long one, words taken out of a text."""
        total = 0.0
        for cond in conds:
            listed = cond.n / 2 if cond.n < self.costs.hashed_list else 2.0
            words = (cond.attr, cond.op) in self.words
            total += self.costs.words if words else listed if cond.op in LISTS else 1.0
        return total

    def _walked(self, served: Served) -> tuple[float, float, float]:
        """Cost of the index alone, entries walked and rows found by them."""
        task, costs, match = self.task, self.costs, served.match
        flow = Flow(match, served.arranged, task.dialect, task.numbers)
        keys, rows, _, _ = flow.walked(flow.entries, Asked(match, task.dialect, flow.seeks, True))
        size = task.entry_bytes(served.path)
        leaves = max(1.0, ceil(keys * size / (costs.page * costs.fill)))
        seeks = max(flow.seeks, flow.gap / 2)
        quals = sum(len(w.conds) for w in match.order)
        most = ceil(flow.total * size / (costs.page * costs.fill))
        seeks = min(seeks, max(1.0, ceil(most / 3)))
        descents = seeks * (ceil(log2(max(2.0, flow.total))) + 100) * costs.operator
        io = min(leaves + seeks - 1, most) * costs.random
        return io + descents + keys * (costs.entry + quals * costs.operator), keys, rows

    def _fetched(self, rows: float) -> float:
        """Pages met by so many rows in no order (Mackert and Lohman)."""
        return min(self.pages, ceil(2 * self.pages * rows / (2 * self.pages + rows)) if rows else 0.0)

    def _bitmap(self, parts: Sequence[tuple[float, float, float]], rows: float) -> _Offer:
        """The places found by indexes, read page after page in no order."""
        costs = self.costs
        start = sum(index + 0.1 * costs.operator * keys for index, keys, _ in parts)
        pages = self._fetched(rows)
        one = costs.random - (costs.random - 1) * sqrt(pages / self.pages) if pages >= 2 else costs.random
        judged = self._weight(self.task.single.where) + self.judged
        return self._offer(self._lost(self.served), start, pages * one + rows * self._each(judged))

    def _lost(self, served: Served) -> Served:
        """The same path without its order, and with every record read."""
        if not served.path.order or served.merged or served.branches:
            return served
        task, arranged = self.task, unordered(self.task.ask, self.task.dialect)
        cost = estimate(served.match, arranged, task.dialect, task.numbers, True, 0.0, task.nodes)
        return Served(served.match, arranged, cost, grade(served.match, arranged, cost), unfolded=served.unfolded)

    def _offer(self, served: Served, start: float, run: float) -> _Offer:
        """With the sort that is still to be made, and only as much as a limit asks for."""
        single = self.task.single
        rows = max(1.0, _found(served, self.task))
        want = single.limit + single.offset if single.limit else inf
        kind = served.arranged.kind
        if kind == "partial":
            start, run = self._in_groups(start, run, rows, served.arranged)
        elif kind in SORTED or ranked(served.match, served.arranged, self.task.dialect):
            start, run = start + run + self._sort(rows, want), self.costs.operator * rows
        return _Offer(served, start + run * min(1.0, want / rows))

    def _sort(self, rows: float, want: float) -> float:
        compared = min(rows, 2 * want)
        return 2 * self.costs.operator * rows * log2(max(2.0, compared))

    def _in_groups(self, start: float, run: float, rows: float, arranged: Arranged) -> tuple[float, float]:
        stat = self.task.world.stats.get(arranged.ask[max(arranged.given, 1) - 1][0])
        groups = max(1.0, min(rows, stat.distinct if stat else UNKNOWN_DISTINCT))
        one = self._sort(rows / groups, inf)
        each = 2 * self.costs.operator * rows + groups * 2 * self.costs.record
        return start + run / groups + one, run * (1 - 1 / groups) + one * (groups - 1) + each


def _found(served: Served, task: Task) -> float:
    """Rows that meet the conditions, whatever the limit."""
    if served.branches:
        return served.cost.records.avg
    flow = Flow(served.match, served.arranged, task.dialect, task.numbers)
    asked = Asked(served.match, task.dialect, flow.seeks, True)
    return flow.walked(flow.entries, asked)[2]


def _listed_hash(served: Served) -> bool:
    """A list on a path that keeps no order is only read into a bitmap."""
    return served.path.hashed and any(w.kind is Kind.POINTS for w in served.match.order)
