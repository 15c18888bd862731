"""One conjunction served by several paths at once: what each of them gives is intersected.

Two kinds of engine do it. One reads each path into a set of places, intersects the sets and fetches what is left, in
no order (PostgreSQL's BitmapAnd). The other walks paths side by side that go on alike after what equality binds, and
keeps their order (Firestore's equality merge). Either way a virtual path stands for them: it binds what any of them
binds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.plan.asked import Asked
from app.plan.estimate import estimate
from app.plan.flow import Flow
from app.plan.grade import grade
from app.plan.match import narrowing
from app.plan.order import Arranged, arrange, unordered
from app.plan.refuse import refusals
from app.plan.serve import Served, Task
from app.plan.types import MERGED, AccessPath, Cond, Kind, Level, Match, Walked


def intersect(task: Task, paths: Sequence[AccessPath], found: Sequence[Served]) -> Served | None:
    """The paths that serve a read best together; None where one alone does as well. `found`: those that serve alone."""
    if task.dialect.combine.alike:
        return _side_by_side(task, paths)
    parts = [p for s in found if (p := _part(task, s)) is not None]
    if len(parts) < 2:
        return None
    parts.sort(key=lambda p: p.rows)
    chosen, best = parts[:1], None
    least = parts[0].served.work
    for part in parts[1:]:
        if len(chosen) == task.dialect.combine.most:
            break
        if part.bound <= frozenset[int]().union(*(c.bound for c in chosen)):
            continue
        both = _together(task, [*chosen, part])
        if both.work < least:
            chosen, best, least = [*chosen, part], both, both.work
    return best


@dataclass(frozen=True, slots=True)
class _Part:
    """One path among several: the conditions it answers, entries walked and records left when it is read to its end."""

    served: Served
    bound: frozenset[int]
    keys: float
    rows: float


def _part(task: Task, found: Served) -> _Part | None:
    """The path as one of several; None where it answers no condition by its entries, or holds the record itself."""
    match = found.match
    if match.path.scan or match.partition or not found.path.order or found.branches:
        return None
    bound = frozenset(narrowing(match))
    if not bound:
        return None
    bound |= {id(c) for c in match.checks}
    flow = Flow(match, found.arranged, task.dialect, task.numbers)
    keys, rows, _, _ = flow.walked(flow.entries, Asked(match, task.dialect, flow.seeks, True))
    return _Part(found, bound, keys, rows)


def _together(task: Task, parts: Sequence[_Part]) -> Served:
    """The virtual path of these, each read to its end before any record is fetched."""
    matches = [p.served.match for p in parts]
    match = _virtual(matches, tuple(map(_whole, _once(w for m in matches for w in m.order if w.tight and w.conds))))
    return _served(task, match, unordered(task.ask, task.dialect), parts, sum(p.keys for p in parts))


def _whole(step: Walked) -> Walked:
    """What is intersected are records: an element of an array binds no entry any more."""
    return replace(step, part=replace(step.part, many=False)) if step.part.many else step


def _once(steps: Iterator[Walked]) -> Iterator[Walked]:
    """Each condition binds once, whichever path answers it."""
    seen: set[int] = set()
    for step in steps:
        mine = {id(c) for c in step.conds}
        if not mine <= seen:
            seen |= mine
            yield step


def _virtual(matches: Sequence[Match], order: tuple[Walked, ...]) -> Match:
    """One match that binds what any of these binds; only what none of them judges exactly is left over."""
    first = matches[0]
    left = [{id(c) for c in m.residual} for m in matches]
    residual = tuple(c for c in first.residual if all(id(c) in ids for ids in left))
    used = {id(c) for w in order for c in w.conds}
    checks = {id(c): c for m in matches for c in m.checks if id(c) not in used}
    only: dict[Cond, None] = {c: None for m in matches for c in m.path.only}
    path = AccessPath(
        " & ".join(m.path.name for m in matches),
        first.path.of,
        order=tuple(w.part for w in order),
        holds=frozenset(),
        only=tuple(only),
        placed_by=first.path.placed_by,
        strong=all(m.path.strong for m in matches),
        kind=MERGED,
        lag=max(m.path.lag for m in matches),
    )
    return Match(first.single, path, (), order, tuple(checks.values()), residual)


def _served(task: Task, match: Match, arranged: Arranged, parts: Sequence[_Part], keys: float) -> Served:
    cost = estimate(match, arranged, task.dialect, task.numbers, task.holds(match)[0], 0.0, task.nodes)
    cost = replace(cost, keys=keys)
    level = max(grade(match, arranged, cost), Level.INDEX_RANGE)
    return Served(match, arranged, cost, level, merged=tuple(_read_out(p) for p in parts))


def _read_out(part: _Part) -> Served:
    """One of the paths, read to its end for its entries alone."""
    cost = part.served.cost
    none = cost.records.times(0)
    return replace(part.served, cost=replace(cost, keys=part.keys, records=none, bytes=none))


# ---------------------------------------------------------------- side by side, in order


def _side_by_side(task: Task, paths: Sequence[AccessPath]) -> Served | None:
    """Paths that go on alike after their equalities and together bind every equality of the read."""
    alike: dict[tuple[tuple[str, int], ...], list[Match]] = {}
    for path in paths:
        if path.scan or path.partition or path.kind == MERGED:
            continue
        match = task.lay(path)[0]
        bound = _points(match)
        if bound:
            rest = tuple((w.part.attr, w.part.dir) for w in match.order[bound:])
            alike.setdefault(rest, []).append(match)
    made = (_merge(task, matches) for matches in alike.values() if len(matches) > 1)
    return min((s for s in made if s is not None), key=lambda s: s.work, default=None)


def _points(match: Match) -> int:
    """Parts at the start that equality binds."""
    count = 0
    for step in match.order:
        if step.kind is not Kind.POINT:
            break
        count += 1
    return count


def _merge(task: Task, matches: Sequence[Match]) -> Served | None:
    """The fewest of these paths that bind what all of them bind, the one that adds most first."""
    chosen: list[Match] = []
    bound: set[int] = set()
    left = list(matches)
    while left and len(chosen) < task.dialect.combine.most:
        match = max(left, key=lambda m: len(_equal(m) - bound))
        if not _equal(match) - bound:
            break
        chosen.append(match)
        bound |= _equal(match)
        left.remove(match)
    if len(chosen) < 2:
        return None
    equal = _once(w for m in chosen for w in m.order[: _points(m)])
    match = _virtual(chosen, (*equal, *chosen[0].order[_points(chosen[0]) :]))
    arranged = arrange(match, task.ask, task.dialect)
    if next(refusals(match, arranged, task.dialect, task.holds(match)[0]), None) is not None:
        return None
    parts = []
    for one in chosen:
        laid = task.lay(one.path)[1]
        flow = Flow(one, laid, task.dialect, task.numbers)
        cost = estimate(one, laid, task.dialect, task.numbers, True, 0.0, task.nodes)
        parts.append(_Part(Served(one, laid, cost, Level.INDEX_RANGE), frozenset(), flow.entries, flow.entries))
    whole = _served(task, match, arranged, parts, 0.0)
    found = Flow(match, arranged, task.dialect, task.numbers).entries
    read = min(1.0, whole.cost.records.avg / found) if found else 1.0
    # each path jumps to where the others stand: none walks more than the shortest has
    whole.cost.keys = len(parts) * min(p.keys for p in parts) * read
    return whole


def _equal(match: Match) -> set[int]:
    return {id(c) for w in match.order[: _points(match)] for c in w.conds}
