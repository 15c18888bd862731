"""What is wrong with any store's structure: names that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.candidate import Bucket, Embed, RecordShape, Structure
from app.model.keys import KeyPart, Template
from app.plan.figures import is_formula, subject
from app.plan.types import World
from app.plan.ways import place, way
from app.stores.common_query import things_of
from app.stores.store import Fault


def unknown(structure: Structure, world: World) -> Iterable[Fault]:
    """Entities, attributes and roles that a structure names and the workload does not know."""
    for thing in things_of(structure):
        of = thing.of or structure.of
        where = structure.name
        if not of:
            if not structure.counts:
                yield Fault("no-entity", f"{where}: what is it of? Name the entity its records hold.")
            continue
        if of not in world.fields:
            yield Fault("unknown-entity", f"{where} is of {of}, which is no entity or many-to-many relationship.")
            continue
        yield from _keys(where, thing, of, world)
        yield from _held(where, thing, of, world)
        if thing.bucket is not None:
            yield from _bucket(where, thing.bucket, of, world)
    if structure.of in world.fields:
        for index in (*structure.indexes, *structure.gsi, *structure.lsi):
            for part in index.keys:
                yield from _attr(f"{where_of(structure, index.name)}", part.attr, structure.of, world)


def where_of(structure: Structure, index: str) -> str:
    return f"{structure.name}.{index}" if index else f"An index of {structure.name}"


def attribute_known(path: str, of: str, world: World) -> bool:
    """Does a path name something, seen from an entity?"""
    if not path or "$**" in path:
        return True
    own = world.own(of, path)
    return own in world.stats or not place(world, of, path).why


def _attr(where: str, path: str, of: str, world: World) -> Iterable[Fault]:
    if not attribute_known(path, of, world):
        why = place(world, of, path).why
        yield Fault("unknown-name", f"{where} names {path}, which is not known" + (f": {why}." if why else "."))


def _keys(where: str, thing: Structure | RecordShape, of: str, world: World) -> Iterable[Fault]:
    for value in key_parts(thing):
        yield from _attr(where, value.attr, of, world)
    for attr in thing.fields or ():
        if attr != "none":
            yield from _attr(where, attr, of, world)


def key_parts(thing: Structure | RecordShape) -> Iterable[KeyPart]:
    """Every part of every key of a structure or kind of record."""
    words = ("id_", "key", "path", "row_key", "pk", "sk", "shard_key", "partition_key")
    more = ("clustering_key", "primary_key", "partition_by", "member")
    for word in (*words, *more):
        value = getattr(thing, word, None)
        if isinstance(value, Template):
            yield from value.parts
        elif value:
            yield from value


def _held(where: str, thing: Structure | RecordShape | Embed, of: str, world: World) -> Iterable[Fault]:
    for what in [*(e.what for e in thing.embed), *(r.what for r in thing.reference)]:
        why = way(world, of, what).why
        if why:
            yield Fault("unknown-name", f"{where} holds {what}: {why}.")
    for copy in thing.copied:
        why = place(world, of, copy.what).why
        if why:
            yield Fault("unknown-name", f"{where} copies {copy.what}: {why}.")
    for figure in thing.computed:
        if is_formula(figure.what):
            source = subject(figure.what)
            if source and source != of and way(world, of, source).why:
                yield Fault("unknown-name", f"{where} keeps {figure.what}: nothing leads from {of} to {source}.")
        elif f"={figure.what}" not in world.stats and place(world, of, figure.what).why:
            yield Fault("unknown-name", f"{where} keeps {figure.what}, which is no computed field.")
    for embed in thing.embed:
        found = way(world, of, embed.what)
        if found.edges:
            yield from _held(where, embed, found.edges[-1].to, world)


def _bucket(where: str, bucket: Bucket, of: str, world: World) -> Iterable[Fault]:
    for part in bucket.by:
        yield from _attr(f"{where} (bucket)", part.attr, of, world)
    if bucket.max is None:
        yield Fault(
            "unbounded-bucket",
            f"{where}: how many records may one bucket hold? Without `max` it is not bounded.",
            own_rule=True,
        )
