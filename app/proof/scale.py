"""How much of a project is loaded, and the project as it is at that size: its numbers replaced by those of the data.

Plans at full size and what an engine does with a small copy cannot be compared; plans of the small copy can.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from app.model.part import Frozen
from app.model.project import Project
from app.model.quantity import parse_count, parse_growth, parse_rate
from app.model.spreads import read_children, read_counts
from app.model.workload import Entity, Pattern, Relationship
from app.plan.types import Edge, Rel, World
from app.proof.data import Data

MOST_RECORDS = 20_000
"""Records of one entity at the default scale."""
MOST_BYTES = 48 * 2**20
"""Bytes of one entity at the default scale."""
FEWEST = 5
"""Records of an entity that is there at all."""


def default_scale(world: World, bytes_of: Mapping[str, float]) -> float:
    """The share of the counts that a minute or so is enough for."""
    shares = [1.0]
    for entity, count in world.counts.items():
        if count > 0:
            shares.append(MOST_RECORDS / count)
            size = bytes_of.get(entity, 0.0)
            shares += [MOST_BYTES / (count * size)] if size else []
    return min(shares)


def counts_at(world: World, scale: float) -> dict[str, int]:
    """Records of each entity and link at a scale: never none where there are some."""
    return {e: max(min(ceil(n), FEWEST), round(n * scale)) for e, n in world.counts.items() if n > 0}


def scaled(project: Project, data: Data, scale: float) -> Project:
    """The project with the counts, distinct values, children and rates of the data."""
    world = data.world
    entities = tuple(_entity(e, data, scale) for e in project.entities)
    relationships = tuple(_relationship(r, world, data) for r in project.relationships)
    patterns = tuple(_pattern(p, scale) for p in project.patterns)
    traffic = project.traffic
    return project.model_copy(
        update={"entities": entities, "relationships": relationships, "patterns": patterns, "traffic": traffic}
    )


def _entity(entity: Entity, data: Data, scale: float) -> Entity:
    rows = data.rows.get(entity.name, ())
    update: dict[str, object] = {"count": parse_count(f"{len(rows)}")} if rows else {}
    if entity.growth is not None and entity.growth.value is not None and not entity.growth.per:
        update["growth"] = parse_growth(f"{max(entity.growth.value * scale, 1e-9) * 86_400:.6f}/day")
    fields = []
    for f in entity.fields:
        attr = f"{entity.name}.{f.name}"
        if f.distinct is not None and rows:
            met = {v for r in rows for v in _each(r.get(attr)) if v is not None}
            fields.append(f.model_copy(update={"distinct": parse_count(f"{max(1, len(met))}")}))
        else:
            fields.append(f)
    return entity.model_copy(update={**update, "fields": tuple(fields)})


def _each(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _relationship(r: Relationship, world: World, data: Data) -> Relationship:
    if r.many_to_many:
        ends = [x for x in world.rels if x.link == (r.name or f"{r.from_}_{r.to}")]
        if len(ends) != 2:
            return r
        return r.model_copy(
            update={"out": read_children(_degrees(ends[0], data)), "in_": read_children(_degrees(ends[1], data))}
        )
    mine = next((x for x in world.rels if (x.role, x.parent, x.child) == (r.role, r.parent, r.child)), None)
    if mine is None or not data.rows.get(r.child):
        return r
    found: dict[str, object] = dict(_degrees(mine, data))
    if r.children is not None and r.children.growth is not None:
        found["growth"] = r.children.growth.plain()
    return r.model_copy(update={"children": read_children(Frozen(found))})


def _degrees(rel: Rel, data: Data) -> dict[str, str]:
    """Children of those parents that have any, as they are in the data."""
    parents = data.rows.get(rel.parent, ())
    counts = sorted(n for p in parents if (n := len(data.follow(p, Edge(rel, True)))))
    if not counts:
        return {"avg": "0", "p99": "0", "max": "0"}
    every = len(parents) == len(counts)
    found = {
        "avg": f"{sum(counts) / len(counts):.6f}",
        "p99": f"{counts[min(len(counts) - 1, int(len(counts) * 0.99))]}",
        "max": f"{counts[-1]}",
    }
    return found if every else {**found, "parents": f"{len(counts)}"}


def _pattern(pattern: Pattern, scale: float) -> Pattern:
    """Rates are scaled with the counts: what comes in per second decides how much a range of time holds."""
    update: dict[str, object] = {}
    found = pattern.matches.spread if pattern.matches else None
    if found is not None:
        update["matches"] = read_counts(f"{max(1.0, found.avg * scale):.6f}")
    if pattern.rate is None:
        return pattern.model_copy(update=update)
    rates: dict[str, object] = {}
    for name in ("avg", "peak"):
        given = getattr(pattern.rate, name)
        if given is not None and given.value is not None and given.bounded and not given.of:
            rates[name] = parse_rate(f"{max(given.value * scale, 1e-9) * 86_400:.6f}/day")
    return pattern.model_copy(update={**update, "rate": pattern.rate.model_copy(update=rates)})
