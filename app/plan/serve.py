"""Serving one read by one path: the task, what serves it, what misses it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from app.model.spread import Spread
from app.plan.bind import SPECIAL, Named, by_attribute
from app.plan.estimate import Cost, estimate
from app.plan.grade import grade
from app.plan.match import lay, narrowing, on_record, unseen
from app.plan.numbers import ONE_RECORD, Numbers, only_present
from app.plan.order import Arranged, Ask, arrange, wanted
from app.plan.refuse import Refusal, refusals
from app.plan.types import AccessPath, Dialect, Level, Match, Part, Single, Use, World


@dataclass(slots=True)
class Served:
    """One path that serves a read. `branches`: one per branch of an `or`. `unfolded`: the `or` is judged on each
    record."""

    match: Match
    arranged: Arranged
    cost: Cost
    level: Level
    covered: bool = False
    branches: tuple[Served, ...] = ()
    unfolded: bool = False
    merged: tuple[Served, ...] = ()
    """The paths that are read and intersected, where `path` stands for several."""

    @property
    def path(self) -> AccessPath:
        return self.match.path

    @property
    def work(self) -> float:
        sorts = self.arranged.kind in ("sorted", "client")
        return self.cost.work + (self.cost.returned.avg if sorts else 0)

    def race(self, first: int) -> float:
        """Entries read until the first results appear: how an engine that tries plans out judges them."""
        cost = self.cost
        part = min(1, first / max(cost.returned.avg, 1e-9)) if self.arranged.streaming else 1
        return (cost.keys or cost.records.avg) * part + cost.records.avg / 1e4


ORDERED = frozenset({"stored", "reversed", "merged", "partial"})


def useful(match: Match, arranged: Arranged) -> bool:
    """Does the path bind, check or order anything?"""
    if match.partition or match.checks or (arranged.ask and arranged.kind in ORDERED):
        return True
    return any(w.tight and w.kind is not None and w.part.attr for w in match.order)


@dataclass(frozen=True, slots=True)
class Missed:
    """One path that does not serve a read, with every reason. `given`: attributes of the order it gives."""

    match: Match
    reasons: tuple[Refusal, ...]
    given: int = 0

    @property
    def distance(self) -> tuple[bool, float, int]:
        """Nearest first; a scan is never near. Among equals, the path that names more of the read."""
        steps = (*self.match.partition, *self.match.order)
        named = sum(1 for w in steps if w.conds) + self.given
        return self.match.path.scan, sum(r.weight for r in self.reasons), -named


class Task:
    """One read of one record kind, prepared: laid over path after path."""

    def __init__(
        self,
        single: Single,
        dialect: Dialect,
        world: World,
        size: Spread = ONE_RECORD,
        nodes: float = 1,
        matched: Spread | None = None,
    ) -> None:
        if dialect.strict:
            single, matched = only_present(single, matched, world.stats)
        self.single, self.dialect, self.world = single, dialect, world
        self.nodes = nodes
        self.keep = world.keeps.get(single.of, 0.0)
        self.ask: Ask = wanted(single, world.stats)
        self.named: Named = by_attribute(single.where, dialect.ops)
        self.size, self.matched = _bounded(size, dialect.encoding.limit), matched
        self._numbers: Numbers | None = None
        self._laid: dict[int, tuple[Match, Arranged]] = {}

    def _age(self, path: AccessPath) -> float:
        """Seconds over which records that are kept for ever lie, where buckets of time are read one after the other
        until a limit is filled; 0: not so, or nothing tells how many come."""
        rate, lead = self.world.inflow.get(self.single.of, 0.0), self.ask[0][0] if self.ask else ""
        if not (rate and lead and self.single.limit and any(p.attr == lead and p.kept.bucket for p in path.partition)):
            return 0.0
        return self.world.counts.get(self.single.of, 0.0) / rate

    @property
    def numbers(self) -> Numbers:
        """Made when the first path is priced."""
        if self._numbers is None:
            self._numbers = Numbers(self.single, self.world, self.matched, self.size)
        return self._numbers

    def hopeful(self, path: AccessPath) -> bool:
        """Can the path bind or order anything of this read?"""
        return hopeful(path, self.named, self.ask[0][0] if self.ask else "", self.dialect)

    def lay(self, path: AccessPath) -> tuple[Match, Arranged]:
        """The read laid over a path of this task; remembered, so that a refusal can be explained."""
        found = self._laid.get(id(path))
        if found is None:
            match = lay(self.single, path, self.dialect, self.named, self.keep or self._age(path))
            found = self._laid[id(path)] = match, arrange(match, self.ask, self.dialect)
        return found

    def follow(self, path: AccessPath) -> Served | None:
        """Serve the read by one path; None where the engine refuses it or it is of no use."""
        match, arranged = self.lay(path)
        has_all, covered = self.holds(match)
        if not (path.scan or useful(match, arranged) or self._smaller(path, covered)):
            return None
        if next(refusals(match, arranged, self.dialect, has_all), None) is not None:
            return None
        entries = bool(path.entry) or (path.holds is not None and not path.primary)
        entries = entries and self.dialect.fetch is not Use.SERVER
        entry = self.entry_bytes(path) if covered or entries else 0.0
        cost = estimate(match, arranged, self.dialect, self.numbers, has_all, entry, self.nodes)
        return Served(match, arranged, cost, grade(match, arranged, cost), covered)

    def _smaller(self, path: AccessPath, covered: bool) -> bool:
        """Is all of this index less than the structure, where records lie apart from it?"""
        return self.dialect.heap and (covered or (bool(path.only) and not path.hashed and path.kind not in SPECIAL))

    def works(self, path: AccessPath, before: Match | None = None) -> bool:
        """Would a path serve the read, order included, and better than one already laid?"""
        match, arranged = self.lay(path)
        if not (arranged.streaming and useful(match, arranged)):
            return False
        if next(refusals(match, arranged, self.dialect, True), None) is not None:
            return False
        if before is None or not arrange(before, self.ask, self.dialect).streaming:
            return True
        return len(narrowing(match)) > len(narrowing(before))

    def explain(self, path: AccessPath) -> Missed:
        """Every reason why a path refuses."""
        match, arranged = self.lay(path)
        has_all, _ = self.holds(match)
        reasons = tuple(refusals(match, arranged, self.dialect, has_all))
        return Missed(match, reasons or tuple(self._useless(match, arranged)), arranged.given)

    def _useless(self, match: Match, arranged: Arranged) -> Iterator[Refusal]:
        """Why a path that refuses nothing is not taken: it narrows nothing, or does not give the order."""
        if match.path.scan:
            return
        late = [w.part.attr for w in match.order]
        for cond in match.residual:
            if cond.attr in late and match.path.hashed:
                yield Refusal("type", cond.attr, cond.op, late[0], "hashed")
            elif cond.attr in late and late[0] != cond.attr:
                yield Refusal("gap", cond.attr, cond.op, late[0])
            elif cond.attr not in late:
                yield Refusal("filter", cond.attr, cond.op)
        if arranged.why:
            yield Refusal("order", arranged.attr, "order by", arranged.blocker, arranged.why)

    def holds(self, match: Match) -> tuple[bool, bool]:
        """Has the path every field needed, and can it answer without the record?"""
        path, needs = match.path, self.single.needs
        if self.dialect.fetch is not Use.SERVER and not path.fetches:
            needs = frozenset()  # what this path lacks is the business of another step
        if path.holds is None or (path.primary and not self.dialect.heap):
            return True, False
        if needs is None:
            return False, False
        here = path.holds | {p.attr for p in (*path.partition, *path.order) if p.kept.exact}
        if not needs <= here or self._unseen(match):
            return False, False
        if on_record(match, self.dialect) or any(p.many and p.attr in needs for p in path.order):
            return True, False
        if path.hashed or path.kind in SPECIAL:  # what its entries are made of cannot be read out of them
            return True, False
        also = {c.attr for branch in self.single.any_of for c in branch}
        return True, also | {a for a, _ in self.ask} <= here

    def _unseen(self, match: Match) -> bool:
        """Is a condition left over that the entries cannot answer, in an engine that filters what it has read?"""
        return self.dialect.residual in (Use.BILLED, Use.CLIENT) and bool(unseen(match))

    def entry_bytes(self, path: AccessPath) -> float:
        """Bytes of one entry: its key parts and what it holds besides."""
        if path.entry:
            return path.entry
        encoding, stats = self.dialect.encoding, self.world.stats
        attrs = {p.attr for p in (*path.partition, *path.order) if p.attr} | (path.holds or set())
        total = 0.0
        for attr in sorted(attrs):
            stat = stats.get(attr)
            kind, size = (stat.type, stat.bytes.avg) if stat else ("string", 8.0)
            total += encoding.field(attr.rpartition(".")[2], kind, size)
        return encoding.entry(total)


def hopeful(path: AccessPath, named: Container[str], lead: str, dialect: Dialect) -> bool:
    """Can a path bind or order anything? Cheap, and enough to skip most paths. `lead`: attribute sorted by first."""
    if path.kind in SPECIAL:
        return True
    if path.partition:
        return all(not p.attr or p.attr in named or _tried(p) for p in path.partition)
    if dialect.lead is Use.SERVER:
        return True
    for p in path.order:
        if p.attr:
            return p.attr in named or p.attr == lead
    return False


def _bounded(size: Spread, limit: float) -> Spread:
    """No record is larger than the store takes."""
    return size if size.max <= limit else Spread(size.avg, size.p99, limit)


def _tried(part: Part) -> bool:
    """Values a reader can try one by one, though no condition names them."""
    kept = part.kept
    return bool(kept.chosen or kept.fan or kept.bucket or kept.chunk)
