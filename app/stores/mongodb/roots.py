"""What a change does to documents of its own: insert, update, delete; records that go into a bucket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.model.candidate import Bucket
from app.stores.common_query import field_of
from app.stores.common_record import amount
from app.stores.common_write import Asked
from app.stores.mongodb.js import Raw, now
from app.stores.mongodb.statement import UPSERT, Statement, Target, condition, known, loop, nest, update

RARE = 0.5
"""Share of records that have an optional field below which a new document does not mention it."""


def root(change: Asked, to: Target, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    """The statement for a document of the changed entity itself."""
    if change.kind == "insert":
        if to.structure.bucket is not None:
            yield into_bucket(change, to, to.structure.bucket)
        else:
            yield Statement(to.collection, "insertOne", {}, document(change, to, changes), loop=loop(change))
        return
    where = condition(change.where, change, to)
    whole = by_key(where, to)
    if change.kind == "delete":
        mark = to.world.soft_delete.get(change.entity, "")
        if mark:
            body = {"$set": {to.fields(mark): now()}}
            yield Statement(to.collection, "updateOne" if whole else "updateMany", where, body, loop=loop(change))
        else:
            yield Statement(to.collection, "deleteOne" if whole else "deleteMany", where, loop=loop(change))
        return
    body = update(change, to)
    if body:
        options = dict(UPSERT) if change.kind == "upsert" else {}
        if options and (born := _born(document(change, to, changes), where, body)):
            body = {**body, "$setOnInsert": born}
        verb = "updateOne" if whole or options else "updateMany"
        yield Statement(to.collection, verb, where, body, options, loop=loop(change))


def _born(made: Mapping[str, Any], where: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """What a document that an upsert makes has besides what the condition and the update give it."""
    given = {path.partition(".")[0] for path in (*where, *(p for part in body.values() for p in part))}
    return {path: value for path, value in made.items() if path not in given}


def by_key(where: Mapping[str, Any], to: Target) -> bool:
    """Does the condition name one document: its `_id`, or all of a unique index?"""
    said = where.get("_id")
    if said is not None and not (isinstance(said, dict) and any(k.startswith("$") for k in said)):
        return True
    unique = [p.order for p in to.record.paths if p.unique and not p.primary]
    return any(all(to.fields(x.attr) in where for x in order) for order in unique if order)


def document(change: Asked, to: Target, changes: tuple[Asked, ...]) -> dict[str, Any]:
    """The new document: own fields, lists that begin, copies at birth, figures."""
    made: dict[str, Any] = {}
    top = to.record.shape[0]
    sets = {field_of(path) for path in change.set}
    for attr in to.world.fields.get(to.record.of, ()):
        stat = to.world.stats.get(attr)
        rare = stat is not None and stat.present < RARE and field_of(attr) not in sets
        if (top.attrs is None or attr in top.attrs) and not rare:
            nest(made, to.fields(attr), known(attr, change, to))
    parts = {c.entity for c in changes if c.part}
    for held in to.record.shape[1:]:
        stored = to.fields.names.paths.get(held.entity, "")
        if held.how == "embed" and stored and "." not in stored:
            begins = stored in to.fields.names.lists and held.entity not in parts
            many = stored in to.fields.names.lists
            made[stored] = [] if begins else Raw(f"p.{held.entity}_list" if many else f"p.{stored}")
        elif held.how == "copy" and held.up == 0:
            for attr in sorted(held.attrs or ()):
                path = dict(held.names).get(attr) or to.fields(attr)
                nest(made, path, Raw(f"p.{path.replace('.', '_')}"))
    for figure in sorted(top.computed):
        fresh = any(f.name == figure and f.rel.child in parts for f in to.world.figures)
        made[to.fields(figure)] = Raw(f"p.{to.fields(figure)}") if fresh else 0
    if to.structure.schema_version:
        made["schema_version"] = (
            int(to.structure.schema_version) if to.structure.schema_version.isdigit() else (to.structure.schema_version)
        )
    return made


def into_bucket(change: Asked, to: Target, bucket: Bucket) -> Statement:
    """A record into its bucket; the first one opens it."""
    inside = next(iter(sorted(to.fields.names.lists)), "items")
    element: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for attr in to.world.fields.get(to.record.of, ()):
        path = to.fields(attr)
        value = known(attr, change, to)
        if path.startswith(f"{inside}."):
            element[path.removeprefix(f"{inside}.")] = value
        else:
            shared[path] = value
    body: dict[str, Any] = {"$push": {inside: element}}
    figures = {to.fields(f): 1 for f in sorted(to.record.shape[0].computed)}
    if figures:
        body["$inc"] = figures
    where: dict[str, Any] = {"_id": Raw("p.bucket")} if to.structure.id_ else dict(shared)
    most = int(amount(bucket.max))
    if most:
        where[f"{inside}.{most - 1}"] = {"$exists": False}
    if to.structure.id_ and shared:
        body["$setOnInsert"] = shared
    key = getattr(to.structure.id_, "text", "")
    note = f"p.bucket: {key}" if key else ""
    return Statement(to.collection, "updateOne", where, body, dict(UPSERT), note)
