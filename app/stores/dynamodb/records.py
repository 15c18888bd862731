"""The kinds of item a table holds, with the ways to them: table key, GSIs, LSIs, scan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.model.candidate import Candidate, Index, Structure
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import AccessPath, Part, Record, World
from app.plan.ways import place
from app.stores.common_home import Thing, per_partition
from app.stores.common_query import name_copies
from app.stores.common_record import Laid, nodes_of, record
from app.stores.dynamodb.dialect import DIALECT
from app.stores.dynamodb.entries import attribute_bytes, beside, entry_bytes, key_columns, packed
from app.stores.dynamodb.facts import FACTS
from app.stores.dynamodb.keys import (
    Way,
    base_way,
    included,
    index_key,
    index_way,
    local_key,
    local_way,
    repeats,
    table_key,
    things,
)

LAG = FACTS["gsi_lag_seconds"].value


def records(structure: Structure, model: Candidate, world: World) -> tuple[Record, ...]:
    """Every kind of item that has an entity and a key; what has not is named by `problems`."""
    return tuple(record for _, record in kinds(structure, model, world))


def kinds(structure: Structure, model: Candidate, world: World) -> tuple[tuple[Thing, Record], ...]:
    """What was typed for each kind of item, with what the planner makes of it."""
    found = []
    for thing in things(structure):
        base = base_way(thing, structure)
        if base is not None and thing.of in world.fields:
            found.append((thing, _record(thing, structure, model, world, base)))
    return tuple(found)


def _record(thing: Thing, structure: Structure, model: Candidate, world: World, base: Way) -> Record:
    paths = paths_of(thing, structure, world, base)
    laid = Laid(
        of=thing.of,
        shape=name_copies(lay.shape(thing, thing.of, world)),
        paths=paths,
        dialect=DIALECT,
        nodes=nodes_of(model),
        per=per_partition(thing.of, paths[0].partition, world, lay.stored(thing, thing.of, world)),
    )
    made = record(structure, thing, laid, model, world)
    life = ttl_text(thing, structure)
    made = replace(made, paths=tuple(_whole_entry(p, made.size.avg, world) for p in made.paths))
    return replace(made, truth=made.truth and not thing.for_each, ttl=lay.ttl_seconds(life), ttl_text=life)


def _whole_entry(path: AccessPath, size: float, world: World) -> AccessPath:
    """A sparse index of whole items: those in it have the attributes that others lack."""
    optional = {c.attr for c in path.only if c.op == "not null" and c.attr in world.stats}
    if path.holds is not None or not optional:
        return path
    more = sum((1 - world.stats[a].present) * attribute_bytes(a, a.rpartition(".")[2], world) for a in optional)
    return replace(path, entry=size + more)


def ttl_text(thing: Thing, structure: Structure) -> str:
    """The expiry of one kind of item: where it is counted from a field, only the kinds that have it expire."""
    if thing.ttl or not structure.ttl:
        return thing.ttl
    kinds = {t.of for t in things(structure)}
    named = {w.partition(".")[0] for w in structure.ttl.split() if "." in w} & kinds
    return structure.ttl if not named or thing.of in named else ""


def paths_of(thing: Thing, structure: Structure, world: World, base: Way) -> tuple[AccessPath, ...]:
    """Ways to one kind of item; the table's key comes first."""
    of, table = thing.of, structure.name
    partition, order = _parts(base, of, world)
    primary = AccessPath(table, of, partition, order, unique=True, primary=True)
    ways = [(i, "gsi", index_way(i, thing, structure)) for i in structure.gsi]
    ways += [(i, "lsi", local_way(i, thing, structure)) for i in structure.lsi]
    made = (_index(i, kind, way, primary, thing, structure, world) for i, kind, way in ways if way is not None)
    # a list is no key: only where the table keeps an item for each element is the element one
    each = arrays((*partition, *order))
    indexes = (path for path in made if arrays((*path.partition, *path.order)) <= each)
    if repeats(thing, structure):
        return (primary, *indexes)  # a Scan goes through the table either way: it looks for the items themselves
    return (primary, *indexes, AccessPath(f"{table} scan", of, scan=True, kind="scan"))


def arrays(parts: Iterable[Part]) -> frozenset[str]:
    """Arrays among the parts of a key."""
    return frozenset(p.attr for p in parts if p.many)


def _parts(way: Way, of: str, world: World) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Partition and sort key in the planner's words, each key attribute a column of its own."""

    def laid(columns: tuple[tuple[KeyPart, ...], ...], first: int) -> tuple[Part, ...]:
        return tuple(lay.part(p, of, world, at) for at, c in enumerate(columns, first) for p in c)

    return laid(way.pk, 0), laid(way.sk, len(way.pk))


def _index(
    index: Index, kind: str, way: Way, base: AccessPath, thing: Thing, structure: Structure, world: World
) -> AccessPath:
    partition, order = _parts(way, thing.of, world)
    parts = (*partition, *order)
    keys = {p.attr for p in (*base.partition, *base.order, *parts) if p.attr and p.kept.exact}
    local = kind == "lsi"
    listed = projected(index, thing, world, set())
    schema = local_key(index, structure, world) if local else index_key(index, structure, world)
    mine = key_columns(schema, parts)
    base_keys = key_columns(table_key(structure, world), (*base.partition, *base.order))
    return AccessPath(
        name=f"{base.name}.{index.name}",
        of=thing.of,
        partition=partition,
        order=order,
        holds=projected(index, thing, world, keys),
        only=(*lay.conds(index.where, thing.of, world), *lay.sparse(parts, world)),
        strong=local,
        fetches=local,
        kind=kind,
        lag=0.0 if local else LAG,
        packed=packed(base, parts, listed) if listed is not None else frozenset(),
        entry=entry_bytes((*base_keys, *mine), listed, world) if listed is not None else 0.0,
        beside=beside(mine[1:] if local else mine, world),
    )


def projected(index: Index, thing: Thing, world: World, keys: set[str]) -> frozenset[str] | None:
    """Attributes an index gives without a further read; None: all of them."""
    listed = included(index)
    if listed is None:
        return None
    found = set(keys)
    for path in listed:
        found |= attributes(path, thing, world)
    return frozenset(found)


def attributes(path: str, thing: Thing, world: World) -> set[str]:
    """What a path in a projection names: a column, a figure, a copy, or all of an embedded entity."""
    if path in world.fields:
        return set(world.fields[path])
    found = {lay.column(thing.of, path, world)}
    where = place(world, thing.of, path)
    if not where.why and where.attr:
        found.add(where.attr)
    return found
