"""Which path serves a read of one record kind: the best the model offers, and what the engine will probably run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from app.model.spread import Spread
from app.plan.asked import RANGES
from app.plan.intersect import intersect
from app.plan.match import narrowing
from app.plan.numbers import ONE_RECORD, TINY, share
from app.plan.refuse import Refusal
from app.plan.serve import Missed, Served, Task
from app.plan.types import AccessPath, Cond, Dialect, Level, Single, Stat, Use, World
from app.plan.unite import unite


@dataclass(slots=True)
class Choice:
    """`served_by`: the cheapest path, None where none serves. `likely`: what the engine will probably run instead."""

    task: Task
    paths: tuple[AccessPath, ...]
    served_by: Served | None
    likely: Served | None = None
    found: tuple[Served, ...] = ()
    """Every path that serves the read."""
    blocked: tuple[Refusal, ...] = ()
    """Reasons that belong to no path: a branch of an `or` without a way in."""

    @property
    def level(self) -> Level:
        return self.served_by.level if self.served_by else Level.IMPOSSIBLE

    @property
    def nearest(self) -> Missed | None:
        """The path that comes closest to serving the read, with all its reasons. Made when asked for."""
        others = [p for p in self.paths if not (p.scan and self.served_by)]
        missed = [self.task.explain(p) for p in others]
        return min((m for m in missed if m.reasons), key=lambda m: m.distance, default=None)


def best(
    single: Single,
    paths: Sequence[AccessPath],
    dialect: Dialect,
    world: World,
    *,
    size: Spread = ONE_RECORD,
    nodes: float = 1,
    matched: Spread | None = None,
) -> Choice:
    """The cheapest path for one read of one record kind.

    `size`: bytes of a record. `nodes`: machines that hold the structure. `matched`: records the conditions find, where
    that is known; else it follows from the attributes' distinct values.
    """
    mine = tuple([p for p in paths if p.of == single.of])
    return decide(Task(single, dialect, world, size, nodes, matched), mine)


def decide(task: Task, paths: tuple[AccessPath, ...], scans: bool = True) -> Choice:
    """The cheapest of these paths. `scans`: also read whole structures, where nothing else serves."""
    dialect = task.dialect
    blocked: tuple[Refusal, ...] = ()
    if task.single.any_of:
        found, blocked = _either(task, paths)
    else:
        found = served(task, paths, scans)
        if dialect.combine.most > 1 and len(task.single.where) > 1 and (both := intersect(task, paths, found)):
            found.append(both)
    if not found:
        return Choice(task, paths, None, blocked=blocked)
    if len(found) == 1:
        return Choice(task, paths, found[0], None, tuple(found), blocked)
    chosen = min(found, key=lambda s: _rank(s, dialect))
    likely = None
    if dialect.race:
        likely = min(found, key=lambda s: (_declined(s, dialect), s.race(dialect.race)))
        if likely.path is chosen.path and bool(likely.branches) is bool(chosen.branches):
            likely = None
    return Choice(task, paths, chosen, likely, tuple(found), blocked)


def served(task: Task, paths: Sequence[AccessPath], scan: bool = True) -> list[Served]:
    """Every path that serves the read; the whole structure only where nothing else does."""
    scans, out = [], []
    for path in paths:
        if path.scan:
            scans.append(path)
        elif task.hopeful(path):
            found = task.follow(path)
            if found is not None:
                out.append(found)
    if scan and all(s.level >= Level.SCAN for s in out):
        out += [s for p in scans if (s := task.follow(p)) is not None]
    return out


def _declined(found: Served, dialect: Dialect) -> bool:
    return found.path.scan and dialect.prefers_index


def _rank(found: Served, dialect: Dialect) -> tuple[bool, bool, float]:
    return found.level is Level.SCAN and not dialect.race, _declined(found, dialect), found.work


def _either(task: Task, paths: tuple[AccessPath, ...]) -> tuple[list[Served], tuple[Refusal, ...]]:
    """An `or`: one path that filters, or each branch by its own path."""
    single, stats = task.single, task.world.stats
    passes = 1 - prod(1 - prod(_beyond(c, single, stats) for c in b) for b in single.any_of)
    found: list[Served] = []
    if task.dialect.residual is not Use.REFUSED:
        found = _filtering(task, paths, passes)
    union, blocked = unite(task, _branches(task, paths))
    if union is not None:
        found.append(union)
    return found, blocked


def _branches(task: Task, paths: tuple[AccessPath, ...]) -> list[Served | None]:
    """What serves each branch of an `or`, as the union reads them: all of a branch where everything is sorted behind
    it, records where any branch reads its own."""
    single = task.single
    server = task.dialect.union is Use.SERVER
    if server:
        single = replace(single, limit=single.limit + single.offset if single.limit else 0.0, offset=0.0)
    if task.dialect.heap:  # every place is found before the first record is read
        single = replace(single, needs=None, limit=0.0)
    each = _each(single, task, paths)
    found = [s for s in each if s is not None]
    if not server or len(found) < len(each):
        return each
    once = single
    if len({s.covered for s in found}) > 1:
        once = replace(once, needs=None)
    if single.limit and task.ask and not all(s.arranged.streaming and s.level < Level.SCAN for s in found):
        once = replace(once, limit=0.0)
    return each if once is single else _each(once, task, paths)


def _each(single: Single, task: Task, paths: tuple[AccessPath, ...]) -> list[Served | None]:
    """What serves each branch of an `or` by itself."""
    each = [
        best(
            replace(single, where=single.where + branch, any_of=()),
            paths, task.dialect, task.world, size=task.size, nodes=task.nodes,
        ).served_by
        for branch in single.any_of
    ]  # fmt: skip
    if not task.dialect.heap:
        return each
    return [s if s and _enters(s, branch) else None for s, branch in zip(each, single.any_of, strict=True)]


def _enters(found: Served, branch: Sequence[Cond]) -> bool:
    """Does an index answer anything of the branch itself? Where places are united, what the rest of the read finds is
    no branch."""
    ids = set(map(id, branch))
    return any(ids & (narrowing(s.match) | set(map(id, s.match.checks))) for s in found.merged or (found,))


def _beyond(cond: Cond, single: Single, stats: Mapping[str, Stat]) -> float:
    """The share a branch's condition keeps of what the read's own ranges of that attribute have kept already."""
    kept = prod(share(c, stats) for c in single.where if c.attr == cond.attr and c.op in RANGES)
    return min(1.0, share(cond, stats) / max(kept, TINY))


def _filtering(task: Task, paths: tuple[AccessPath, ...], passes: float) -> list[Served]:
    """Every path that judges the whole `or` on each record: it reads on until the limit is filled by what passes."""
    single = task.single
    fetched = task.dialect.fetch is Use.SERVER and not task.dialect.entry_filters
    needs = None if fetched else single.needs
    far = (single.limit + single.offset) / max(passes, TINY) - single.offset if single.limit else 0.0
    on = Task(replace(single, limit=far, needs=needs), task.dialect, task.world, task.size, task.nodes, task.matched)
    all_ = Task(replace(single, limit=0.0, needs=needs), task.dialect, task.world, task.size, task.nodes, task.matched)
    found = [s if s.arranged.streaming else all_.follow(s.path) for s in served(on, paths)]
    return [_filtered(s, single, passes) for s in found if s is not None]


def _filtered(found: Served, single: Single, passes: float) -> Served:
    returned = found.cost.returned.times(passes)
    cost = replace(found.cost, returned=returned.at_most(single.limit) if single.limit else returned)
    return replace(found, match=replace(found.match, single=single), cost=cost, unfolded=True)
