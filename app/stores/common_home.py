"""Where an entity is at home: which of several records of it is the truth, and how many share a partition."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.candidate import Candidate, RecordShape, Structure
from app.model.spread import ONE, Spread
from app.plan.types import Part, World
from app.stores.common_query import things_of

Thing = Structure | RecordShape


def is_truth(thing: Thing, structure: Structure, model: Candidate) -> bool:
    """Is this the first home of its entity in the model? Whole records come before records of some fields.

    What names its truth, a purpose or `for each`, and a view, repeats a truth.
    """
    if _derived(thing, structure):
        return False
    homes = [
        (other, kind)
        for other in model.structures
        for kind in things_of(other)
        if kind.of and kind.of == thing.of and not _derived(kind, other)
    ]
    whole = [h for h in homes if h[1].fields is None] or homes
    return not whole or (whole[0][0].name == structure.name and whole[0][1] == thing)


def _derived(thing: Thing, structure: Structure) -> bool:
    marks = (thing.purpose, thing.truth, thing.for_each, structure.purpose, structure.truth)
    return any(marks) or structure.kind == "materialized view"


def per_partition(of: str, partition: Iterable[Part], world: World, count: float) -> Spread:
    """Records that share one value of a partition key, as far as the numbers tell. `count`: stored records.

    The exact attribute that divides most decides; time buckets and shards divide what it leaves.
    """
    parts = tuple(partition)
    exact = {p.attr for p in parts if p.attr and p.kept.exact}
    key = set(world.keys.get(of, ()))
    stats = world.stats
    if (key and key <= exact) or any(stats[a].unique for a in exact if a in stats):
        return ONE
    found = Spread(count, count, count)
    for attr in sorted(exact):
        rel = next((r for r in world.rels if r.child == of and attr in r.via), None)
        distinct = stats[attr].distinct if attr in stats else 0.0
        mine = rel.children if rel is not None else Spread(count / distinct) if distinct else found
        found = mine if mine.avg < found.avg else found
    return found.times(_divided(of, parts, world))


def _divided(of: str, parts: Iterable[Part], world: World) -> float:
    """Share of a value's records in one bucket or shard of it."""
    share = 1.0
    count, inflow = world.counts.get(of, 0.0), world.inflow.get(of, 0.0)
    span = world.keeps.get(of, 0.0) or (count / inflow if inflow else 0.0)
    for part in parts:
        if part.kept.fan:
            share /= part.kept.fan
        elif part.kept.bucket and span:
            share *= min(1.0, part.kept.bucket / span)
    return share
