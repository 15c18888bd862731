"""Where an entity is at home: which of several records of it is the truth, and how many share a partition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.model.candidate import Candidate, RecordShape, Structure
from app.model.spread import ONE, Spread
from app.plan.types import Part, Record, World
from app.stores.common_query import things_of

Thing = Structure | RecordShape


def at_home(record: Record, thing: Thing, structure: Structure, model: Candidate, world: World) -> Record:
    """The record with its part in the model said: truth or second copy, and how many share a partition."""
    truth = is_truth(thing, structure, model)
    return replace(
        record,
        truth=truth,
        purpose=record.purpose or ("" if truth else "second copy"),
        per=per_partition(record.of, record.primary.partition, world),
    )


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


def per_partition(of: str, partition: Iterable[Part], world: World) -> Spread:
    """Records of an entity that share one value of a partition key, as far as the numbers tell."""
    attrs = {p.attr for p in partition if p.attr}
    key = set(world.keys.get(of, ()))
    if key and key <= attrs:
        return ONE
    count = world.counts.get(of, 0.0)
    found = Spread(count, count, count)
    for attr in sorted(attrs):
        stat = world.stats.get(attr)
        if stat is not None and stat.unique:
            return ONE
        rel = next((r for r in world.rels if r.child == of and attr in r.via), None)
        mine = rel.children if rel is not None else found
        if rel is None and stat is not None and stat.distinct > 0:
            mine = Spread(count / stat.distinct)
        found = mine if mine.avg < found.avg else found
    return found
