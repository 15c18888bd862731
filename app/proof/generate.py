"""Data like a project's own: its counts at a scale, its keys, how parents share children, how values are shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from app.model.conditions import Comparison
from app.model.project import Project
from app.model.spread import Spread
from app.model.workload import Field
from app.plan import lay
from app.plan.types import Edge, Rel, Stat, World
from app.proof.data import Data, Row
from app.proof.values import Maker, moments, seeded, weights

SPAN = 365 * 86_400.0
"""Seconds over which records are spread that neither say how long they are kept nor how fast they come."""
LONGEST = 5 * 365 * 86_400.0
TRIES = 50
"""Parents that are drawn before a new record may be one that is there."""
FEW = 1000
"""Distinct values up to which an attribute keeps its number of them at any scale."""


class Generator:
    """Makes rows, all at first and single new ones for writes afterwards."""

    def __init__(
        self, project: Project, world: World, counts: Mapping[str, int], scale: float, seed: int, moment: datetime,
        time_uuid: int,
    ) -> None:  # fmt: skip
        self.project, self.world, self.counts = project, world, counts
        self.scale, self.seed, self.moment, self.time_uuid = scale, seed, moment, time_uuid
        self.data = Data(world, moment)
        self.made: dict[str, int] = {}
        self.times: dict[str, list[datetime]] = {}

    def all(self, between: Callable[[], None] = lambda: None) -> Data:
        """Every entity and link, parents before their children. `between` is called now and then, and may raise."""
        for entity in self._ordered():
            self._entity(entity, between)
        return self.data

    def _ordered(self) -> list[str]:
        left = [e for e in self.world.fields if self.counts.get(e)]
        found: list[str] = []
        while left:
            free = [e for e in left if not self._parents(e) & set(left) - {e}]
            found += free or left[:1]  # a circle of relationships is cut somewhere
            left = [e for e in left if e not in found]
        return found

    def _parents(self, entity: str) -> set[str]:
        return {r.parent for r in self.world.rels if r.child == entity}

    def _entity(self, entity: str, between: Callable[[], None]) -> None:
        count = self.counts[entity]
        self.times[entity] = self._times(entity, count)
        rows: list[Row] = [{} for _ in range(count)]
        self._fill(entity, rows, 0, between)
        self.data.rows[entity] = rows
        for rel in self._rels(entity):
            between()
            self._children(rel, rows)
        if any(r.link for r in self.world.rels if r.child == entity):
            self.data.replace(entity, _unlike(rows, tuple(rows[0]), whole=True))
        elif told_by := self._told_by(entity):
            self.data.replace(entity, _unlike(rows, told_by))
        self.made[entity] = count

    def _told_by(self, entity: str) -> tuple[str, ...]:
        """What tells a record from others where parents have a part in it: its key; parents unique together; without
        a key, what an upsert looks for, of which there is one or none. Empty: the values are unique by themselves."""
        foreign = {v for r in self.world.rels if r.child == entity for v in r.via}
        keys = self.world.keys.get(entity, ())
        if foreign & set(keys) and len(keys) > 1:
            return tuple(keys)
        for together in self.world.unique_together.get(entity, ()):
            if len(together) > 1 and set(together) <= foreign:  # a pair of parents: a member of a room, a like
                return tuple(sorted(together))
        if keys:
            return ()
        for pattern in self.project.patterns:
            if pattern.action == "upsert" and pattern.entity == entity and pattern.where is not None:
                terms = [t for t in pattern.where.terms if isinstance(t, Comparison) and t.op == "="]
                found = tuple(lay.column(entity, t.path, self.world) for t in terms)
                if len(found) > 1 and all(a in self.world.fields[entity] for a in found):
                    return found
        return ()

    def _rels(self, entity: str) -> list[Rel]:
        """Relationships of a child; first those whose parents are children of the others' parents."""
        mine = [r for r in self.world.rels if r.child == entity and self.data.rows.get(r.parent)]
        above = {r.parent: self._parents(r.parent) for r in mine}
        return sorted(mine, key=lambda r: -sum(r.parent != o and o in above[r.parent] for o in above))

    def _fill(self, entity: str, rows: list[Row], first: int, between: Callable[[], None] = lambda: None) -> None:
        """Own values. Foreign keys come with their parents."""
        foreign = {v for r in self.world.rels if r.child == entity and self.counts.get(r.parent) for v in r.via}
        for attr in self.world.fields[entity]:
            between()
            if attr in foreign:
                values: Sequence[Any] = [None] * len(rows)
            else:
                values = self._maker(attr).make(len(rows), first)
            for row, value in zip(rows, values, strict=True):
                row[attr] = value

    def _maker(self, attr: str) -> Maker:
        entity = attr.partition(".")[0]
        stat = self.world.stats.get(attr, Stat(self.counts.get(entity, 1)))
        together = [s for s in self.world.unique_together.get(entity, ()) if len(s) > 1]
        if stat.type in ("string", "text", "uuid", "int32", "int64") and any(attr in s for s in together):
            stat = replace(stat, unique=True)  # what is unique within a parent is unique everywhere here
        return Maker(
            self._field(attr), stat, attr, self.seed, self.times[entity], self._distinct(stat, entity), self.time_uuid
        )

    def _distinct(self, stat: Stat, entity: str) -> int:
        n = stat.distinct if stat.distinct <= FEW else max(FEW, stat.distinct * self.scale)
        return max(1, min(int(n), 10 * max(self.counts.get(entity, 1), FEW)))

    def _field(self, attr: str) -> Field | None:
        entity = self.project.entity(attr.partition(".")[0])
        name = attr.partition(".")[2]
        found = entity.field(name) if entity else None
        if found is None and entity is not None and entity.is_a:
            base = self.project.entity(entity.is_a)
            found = base.field(name) if base else None
        return found

    def _times(self, entity: str, count: int) -> list[datetime]:
        """Moments at which the records came to be, as far back as they are kept."""
        keep, inflow = self.world.keeps.get(entity), self.world.inflow.get(entity)
        span = keep or (self.world.counts[entity] / inflow if inflow else SPAN)
        start = self.moment - timedelta(seconds=min(span, LONGEST))
        return moments(seeded(self.seed, entity, "times"), count, start, self.moment)

    # ------------------------------------------------------------ children

    def _children(self, rel: Rel, rows: list[Row]) -> None:
        """Gives every child a parent, so that parents have as many as the relationship says."""
        rng = seeded(self.seed, rel.role, rel.child, *rel.via)
        if all(self._derived(rel, row) for row in rows):
            return
        parents = [p for p in self.data.rows[rel.parent] if p.get(rel.key[0]) is not None]
        if not parents:
            return
        mine = [row for row in rows if rel.up.avg >= 1 or rng.random() < rel.up.avg]
        sizes = shares_of(rng, len(mine), rel.children, self._with_any(rel, len(parents)), len(parents))
        chosen = [p for p, n in zip(parents, sizes, strict=True) for _ in range(n)]
        rng.shuffle(chosen)
        for row, parent in zip(mine, chosen, strict=False):
            row.update(zip(rel.via, (parent[k] for k in rel.key), strict=True))

    def _derived(self, rel: Rel, row: Row) -> bool:
        """A child whose other parent belongs to the same grandparent takes it from there: the account of a ticket's
        agent is the ticket's."""
        for other in self.world.rels:
            if other.child != rel.child or other is rel or row.get(other.via[0]) is None:
                continue
            up = next((r for r in self.world.rels if r.parent == rel.parent and r.child == other.parent), None)
            if up is None or other.parent == rel.child:
                continue
            found = self.data.follow(row, Edge(other, False))
            if found and all(found[0].get(v) is not None for v in up.via):
                row.update(zip(rel.via, (found[0][v] for v in up.via), strict=True))
                return True
        return False

    def _with_any(self, rel: Rel, parents: int) -> int:
        """How many parents have children at all."""
        for r in self.project.relationships:
            given = r.children.parents if r.children and not r.many_to_many else None
            if (r.role, r.parent, r.child) == (rel.role, rel.parent, rel.child) and given and given.value:
                return max(min(3, parents), min(parents, round(given.value * self.scale)))
        return parents

    # ------------------------------------------------------------ new records

    def new(self, entity: str, rng: Random, known: Mapping[str, Any]) -> Row:
        """One more record with the parents of a record that is there (as often as those are met), not yet added."""
        n = self.made.get(entity, 0)
        self.made[entity] = n + 1
        times = self.times.setdefault(entity, [])
        while len(times) < n + 2:  # new records are newer than all others
            times.append(self.moment + timedelta(milliseconds=len(times)))
        row: Row = {}
        self._fill(entity, [row], n + 1)
        alike = self.data.rows.get(entity) or [{}]
        like = alike[rng.randrange(len(alike))]
        for rel in self.world.rels:
            if rel.child == entity:
                row.update({v: like.get(v) for v in rel.via})
        row.update(known)
        for rel in self._rels(entity):
            if not set(rel.via) & set(known):
                self._derived(rel, row)
        told_by = self._told_by(entity)
        for _ in range(TRIES if told_by else 0):
            if not self.data.find(told_by, tuple(row.get(a) for a in told_by)):
                break
            self._other_parents(entity, row, rng, known)
        return row

    def _other_parents(self, entity: str, row: Row, rng: Random, known: Mapping[str, Any]) -> None:
        """Parents drawn one by one: those of a record that is there, taken together, are its key already."""
        for rel in self._rels(entity):
            parents = self.data.rows[rel.parent]
            if not set(rel.via) & set(known):
                parent = parents[rng.randrange(len(parents))]
                row.update(zip(rel.via, (parent.get(k) for k in rel.key), strict=True))


def shares_of(rng: Random, count: int, spread: Spread, filled: int, parents: int) -> list[int]:
    """How many of `count` children each parent has. `filled`: parents that have any."""
    places = rng.sample(range(parents), filled)
    drawn = weights(rng, spread, filled)
    total = sum(drawn)
    most = max(spread.max, count / filled)
    exact = [min(most, w * count / total) for w in drawn]
    left = count - sum(map(int, exact))
    sizes = [0] * parents
    for place, n in zip(places, exact, strict=True):
        sizes[place] = int(n)
    order = sorted(range(filled), key=lambda i: int(exact[i]) - exact[i])
    at = 0
    while left > 0:
        place = places[order[at % filled]]
        if sizes[place] < most or at > filled:
            sizes[place] += 1
            left -= 1
        at += 1
    return sizes


def _unlike(rows: list[Row], attrs: tuple[str, ...], *, whole: bool = False) -> list[Row]:
    """Of rows that are equal in these attributes the last one. `whole`: only those that have all of them."""
    keys = [tuple(r.get(a) for a in attrs) for r in rows]
    return list({k: r for k, r in zip(keys, rows, strict=True) if not whole or None not in k}.values())
