"""How many stored records does an entity make? One each, one per bucket, one per follower, those that meet `where`."""

from __future__ import annotations

from math import inf

from app.model.candidate import RecordShape, Structure
from app.model.conditions import Comparison
from app.model.keys import KeyPart, parse_template
from app.model.spread import ONE, Spread
from app.plan.joint import of_entity
from app.plan.judge import cond
from app.plan.types import Edge, World
from app.plan.ways import fold, place, way

Thing = Structure | RecordShape


def entries(thing: Thing, of: str, world: World) -> Spread:
    """Stored records per entity record: those `for each` asks for, one per element of an array in the key."""
    found = ONE
    for edge in each_way(thing.for_each, of, world):
        found = found.of(edge.count)
    for attr in arrays(thing, of, world):
        found = found.of(world.stats[attr].items)
    return found


def arrays(thing: Thing, of: str, world: World) -> tuple[str, ...]:
    """Arrays of the entity that its key is made of: `[post.tags]`, `TAG#{post.tags}`, `by_tag:{post.tags}`."""
    keys: list[KeyPart] = []
    for key in (thing.pk, thing.sk):
        keys += key.parts if key is not None else ()
    if isinstance(thing, Structure):
        keys += [*(thing.partition_key or ()), *(thing.clustering_key or ())]
        if thing.kind == "keys" and "{" in thing.name:
            keys += template(thing.name)
    found = (fold(place(world, of, k.attr)).attr for k in keys if k.attr)
    return tuple(dict.fromkeys(a for a in found if a in world.stats and world.stats[a].type.endswith("[]")))


def template(name: str) -> tuple[KeyPart, ...]:
    """The parts of a structure's name; none where it cannot be read as a template."""
    try:
        return parse_template(name).parts
    except ValueError:
        return ()


def each_way(text: str, of: str, world: World) -> tuple[Edge, ...]:
    """The way of `for each: follower of author`: up to the author, down to who follows. Empty: not
    understood.
    """
    words = text.split(" of ")
    edges: tuple[Edge, ...] = ()
    here = of
    for word in reversed([w.strip() for w in words if w.strip()]):
        step = way(world, here, word)
        # the other end of a link comes before the author's own links: a follower is who follows the author
        hop = _through_link(word, here, world) or (step.edges if not step.why else ())
        edges += hop
        here = edges[-1].to if edges else of
    return edges


def _through_link(role: str, here: str, world: World) -> tuple[Edge, ...]:
    """Down to the links whose role `role` names who is meant: from an author to the follows of
    followers.
    """
    for mine in world.rels:
        if mine.role != role:
            continue
        for other in world.rels:
            if other.child == mine.child and other.parent == here and other is not mine:
                return (Edge(other, True),)
    return ()


def group(thing: Thing, of: str, world: World) -> float:
    """Entity records per stored record: those of one bucket on average, 1 without buckets."""
    if not thing.bucket:
        return 1.0
    keys = thing.bucket.by
    count, rate = world.counts.get(of, 1.0), world.inflow.get(of)
    kept = world.keeps.get(of)
    if rate is None and kept:
        rate = count / kept
    spans = [k.kept.bucket for k in keys if k.kept.bucket]
    chunks = [k.kept.chunk for k in keys if k.kept.chunk]
    exact = [fold(place(world, of, k.attr)).attr for k in keys if k.attr and k.kept.exact]
    groups = of_entity((a for a in exact if a in world.stats), world)
    held = rate * min(spans) / groups if spans and rate else count / max(1.0, groups)
    if chunks:
        held = min(held, float(min(chunks)))
    bound = thing.bucket.max.value if thing.bucket.max else None
    return max(1.0, min(held, bound or inf))


def stored(thing: Thing, of: str, world: World) -> float:
    """Stored records now: entity records that meet `where`, in buckets or one per somebody."""
    share = 1.0
    for term in thing.where.terms if thing.where else ():
        if isinstance(term, Comparison):
            known = cond(term, fold(place(world, of, term.path)).attr, world).share
            share *= 1.0 if known is None else known
    per = entries(thing, of, world).avg / group(thing, of, world)
    return world.counts.get(of, 0.0) * share * per
