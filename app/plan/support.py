"""How are the records found that a write has to change?

By what is known of them; else by way of the changed entity's own record; else by another kind of record of the same
entity that what is known does find, and that holds their keys. That is a read before the write, paid once for all the
places it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.model.spread import ONE, Spread
from app.plan.choose import Choice, best
from app.plan.known import Way, known
from app.plan.refuse import say
from app.plan.serve import Missed, Served
from app.plan.spot import AFTERTHOUGHTS, home_of, key_of, own_columns, scattered, spot
from app.plan.types import AccessPath, Change, Cond, Level, Miss, Record, Rel, Single, Use, World

Rank = tuple[object, ...]
WASTE = 5
"""Records read for each one wanted, beyond which another way may be better."""
FARTHEST = Level.SCATTER
"""Worse ways than this are no ways to find a few keys."""


@dataclass(frozen=True, slots=True)
class Found:
    """`path`: the name of the access path that is read, "" where nothing finds the records. `reads`: requests before
    the write. `whole`: the read brings all that the record to change holds. `source`: another record's read, paid once.
    """

    path: str
    level: Level
    reads: float = 0.0
    whole: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Sought:
    """The records of one kind that a change meets at shape node `at`; `rel`: it holds a figure over this."""

    change: Change
    record: Record
    at: int
    rel: Rel | None
    records: Sequence[Record]
    world: World
    count: Spread = ONE
    """Records to change."""

    def find(self, owned: frozenset[str]) -> Found | tuple[Miss, ...]:
        """What finds the records; else why nothing does. `owned`: what is known, as columns of the record."""
        choice = self._direct(owned)
        served = choice.served_by
        if served is not None and served.level <= Level.INDEX_RANGE and not self._wasteful(served):
            return self._own(served)
        found = (
            self._by_home() or self._by_sibling(owned) or self._by_several(owned) or self._by_partition(owned)
        )  # fmt: skip
        if found is not None and (served is None or found.level < served.level):
            return found
        return self._why(choice.nearest) if served is None else self._own(served)

    def why_scan(self, owned: frozenset[str]) -> tuple[Miss, ...]:
        """Why no path narrows the search."""
        return self._why(self._direct(owned).nearest)

    # ---- by what is known of the records themselves

    def _direct(self, owned: frozenset[str]) -> Choice:
        record = self.record
        single = Single(f"records of {record.name} to change", record.of, self._conds(record, owned), needs=frozenset())
        paths: Sequence[AccessPath] = record.paths
        if gates := record.primary.only:  # what is kept here meets them
            paths = [replace(p, only=tuple(c for c in p.only if c not in gates)) for p in paths]
        return best(single, paths, record.dialect, self.world, size=record.size, nodes=record.nodes)

    def _wasteful(self, served: Served) -> bool:
        """Much is read, and billed, to pick out few."""
        cost = served.cost
        if self.record.dialect.writing.by_condition:
            return False
        return cost.records.avg > WASTE * max(cost.returned.avg, 1.0)

    def _own(self, served: Served) -> Found:
        writing = self.record.dialect.writing
        ranged = writing.by_prefix and self.change.kind == "delete" and not self.at
        ranged = ranged and served.level <= Level.PARTITION_RANGE
        reads = 0.0 if writing.by_condition or ranged else max(1.0, served.cost.requests.avg)
        return Found(served.path.name, served.level, reads, served.path.holds is None)

    def _why(self, nearest: Missed | None) -> tuple[Miss, ...]:
        record = self.record
        if nearest is not None:
            path = nearest.match.path.name
            return tuple(say(r, path, record.dialect) for r in nearest.reasons)
        what = f"nothing finds the records of {record.name} that this change reaches"
        return (Miss("structure", what, record.name, fix="an index on what is known of them"),)

    def _conds(self, record: Record, owned: frozenset[str]) -> tuple[Cond, ...]:
        """What is known as conditions on a record; a value that is an own column is not asked for twice."""
        world, before = self.world, self.change.before
        inside = {h.entity for h in record.shape}
        names = (a for a in sorted(owned) if a in world.stats and a.lstrip("=").partition(".")[0] in inside)
        return tuple(
            Cond(a, "=", share=world.stats[a].shares.get(before.get(a, "")))
            for a in names
            if (column := world.own(record.of, a)) == a or column not in owned
        )

    # ---- by way of another record

    def _by_home(self) -> Found | None:
        """By way of the changed entity's own record: it is found by its key, and holds what names the other places."""
        change, record = self.change, self.record
        home = self._home(change.entity, change.known)
        if home is None or scattered(record):
            return None
        if not key_of(record) <= self._wiser(change.known | _learned(home, self.world)):
            return None
        whole = record.of == change.entity and _holds(home, record, self.world)
        return Found(home.primary.name, Level.KEY_LOOKUP, 1.0, whole, f"{home.name} {change.entity}")

    def _by_several(self, owned: frozenset[str]) -> Found | None:
        """By one record after the other: the changed entity's own, that of the entity to change, and those of others
        whose values are in the key.
        """
        record, world = self.record, self.world
        key, names, knows = key_of(record), list[str](), owned
        lacking = {a.lstrip("=").partition(".")[0] for a in key - owned}
        for entity in dict.fromkeys((self.change.entity, record.of, *sorted(lacking))):
            home = self._home(entity, self.change.known if entity == self.change.entity else knows)
            if home is None:
                continue
            more = _learned(home, world)
            before, knows = knows, knows | own_columns(more, record, world)
            if entity == self.change.entity:
                knows |= self._wiser(self.change.known | more)
            if not knows <= before:
                names.append(home.primary.name)
        if not names or scattered(record):
            return None
        if key <= knows:
            return Found(" and ".join(names), Level.KEY_LOOKUP, float(len(names)), source=" ".join((record.of, *names)))
        return self._after(names, float(len(names)), self._by_sibling(knows))

    def _by_partition(self, owned: frozenset[str]) -> Found | None:
        """By another kind of record that tells in which partitions the records are: each of those is read."""
        record = self.record
        parts = frozenset(p.attr for p in record.primary.partition if p.attr) - owned
        if not parts or scattered(record) or record.value_type:
            return None
        others = [
            (rank, found) for rank, found in self._offers(parts, owned) if record.name not in found.source.split()
        ]
        if not others:
            return None
        first = min(others, key=lambda f: f[0])[1]
        then = self._by_sibling(owned | parts)
        if then is None:
            return None
        return self._after([first.path], first.reads, replace(then, reads=then.reads * max(1.0, self.count.avg)))

    def _after(self, names: Sequence[str], reads: float, then: Found | None) -> Found | None:
        """One read after others."""
        if then is None:
            return None
        return replace(then, path=" and ".join(dict.fromkeys((*names, then.path))), reads=then.reads + reads)

    def _home(self, entity: str, knows: frozenset[str]) -> Record | None:
        """The record of an entity that is found by its key, other than the one to change."""
        if entity == self.change.entity and (self.change.kind == "insert" or self.change.count.max > 1):
            return None
        others = [r for r in self.records if r is not self.record]
        return home_of(entity, knows, others, self.world)

    def _wiser(self, knows: frozenset[str]) -> frozenset[str]:
        """Columns of the record to change that are known once this is known of the changed entity."""
        at = spot(replace(self.change, known=knows), self.record, self.at, self.rel)
        return own_columns(at.known, self.record, self.world)

    def _by_sibling(self, owned: frozenset[str]) -> Found | None:
        """By another kind of record that holds the lacking parts of the key, or by more of the record's own partition
        than is wanted, out of which the writer picks."""
        record = self.record
        if scattered(record):
            return None
        lacking = key_of(record) - owned
        found = min(self._offers(lacking, owned), key=lambda f: f[0], default=None)
        return found[1] if found else None

    def _offers(self, lacking: frozenset[str], owned: frozenset[str]) -> Iterator[tuple[Rank, Found]]:
        for n, other in enumerate(self.records):
            if other.purpose in AFTERTHOUGHTS:
                continue
            mine = own_columns(owned, other, self.world)
            whole = other is self.record or _holds(other, self.record, self.world)
            for at, held in enumerate(other.shape):
                if held.entity != self.record.of or held.first or not _inside(other, at):
                    continue
                for way in known(other).ways:
                    gives = _gives(way, at, self.world)
                    if not lacking <= gives or (at and way.only is not None):
                        continue
                    every = whole and not at and way.only is None
                    for served, spare in self._served(way, mine, gives):
                        rank = (not served.level.served, way.lag > 0, served.work, spare, n, at)
                        yield rank, self._offered(other, served, every)

    def _offered(self, other: Record, served: Served, whole: bool) -> Found:
        reads = max(1.0, served.cost.requests.avg)
        return Found(served.path.name, served.level, reads, whole, f"{other.name} {self.record.of}")

    def _served(self, way: Way, owned: frozenset[str], gives: frozenset[str]) -> Iterator[tuple[Served, int]]:
        """The paths that find the other record; what the store refuses to judge, the writer judges on what it read."""
        other, world = way.record, self.world
        conds = self._conds(other, owned)
        stated = self.change.before
        for path in way.paths:
            if path.scan:
                continue
            asked = conds
            if other.dialect.residual is Use.REFUSED:
                asked = tuple(_leading(conds, path))
                if any(c.attr not in gives and c.attr not in stated for c in conds if c not in asked):
                    continue
            if not asked:
                continue
            single = Single(f"keys of {self.record.name}", other.of, asked, needs=frozenset())
            served = best(single, (path,), other.dialect, world, size=other.size, nodes=other.nodes).served_by
            if served is not None and served.level <= FARTHEST:
                yield served, len(conds) - len(asked)


def _learned(home: Record, world: World) -> frozenset[str]:
    """What a record tells of its own entity."""
    held = home.shape[0]
    own = frozenset(world.fields.get(home.of, ())) if held.attrs is None else held.attrs | key_of(home)
    return own | held.computed


def _leading(conds: Iterable[Cond], path: AccessPath) -> Iterator[Cond]:
    """Conditions on the partition, and on the ordered parts up to the first that is not bound."""
    by_attr = {c.attr: c for c in conds}
    names = [p.attr for p in path.partition if p.attr]
    for part in path.order:
        if part.attr and part.attr not in by_attr:
            break
        names.append(part.attr)
    yield from (by_attr[a] for a in dict.fromkeys(names) if a in by_attr)


def _inside(record: Record, at: int) -> bool:
    """Whether a node lies in the record as a list of children, all the way down."""
    while at:
        edge = record.shape[at].edge
        if edge is None or not edge.down or record.shape[at].how == "for each":
            return False
        at = record.shape[at].up
    return True


def _gives(way: Way, at: int, world: World) -> frozenset[str]:
    """Attributes that reading the record this way gives of its node `at`."""
    held = way.record.shape[at]
    if way.only is not None:
        return way.only | way.keyed
    own = frozenset(world.fields.get(held.entity, ())) if held.attrs is None else held.attrs
    joined = frozenset(held.edge.far) if at and held.edge is not None else way.keyed
    return own | held.computed | joined


def _holds(one: Record, other: Record, world: World) -> bool:
    """Whether a record has all that another of the same entity holds."""
    if len(other.shape) > 1 or not other.shape[0].computed <= one.shape[0].computed:
        return False
    mine, wanted = (
        frozenset(world.fields.get(r.of, ())) if (held := r.shape[0].attrs) is None else held for r in (one, other)
    )
    return wanted - key_of(other) <= mine
