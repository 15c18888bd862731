"""What to run in mongosh so that the model's collections exist: validators, indexes, expiry, sharding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.model.candidate import Candidate, Index, Structure
from app.model.conditions import Conditions
from app.model.project import Project
from app.plan.types import Held, Record, World
from app.stores.common_query import field_of, things_of
from app.stores.mongodb.filters import Fields, fields_of, terms_query
from app.stores.mongodb.js import Raw, collection, js
from app.stores.mongodb.records import (
    SERIES,
    expiry,
    index_name,
    on_id,
    records,
    series_of,
)

BSON: Mapping[str, str] = {
    "string": "string",
    "text": "string",
    "enum": "string",
    "int32": "int",
    "int64": "long",
    "float": "double",
    "double": "double",
    "decimal": "decimal",
    "bool": "bool",
    "date": "date",
    "datetime": "date",
    "uuid": "binData",
    "timeuuid": "binData",
    "objectid": "objectId",
    "binary": "binData",
    "json": "object",
    "object": "object",
    "point": "object",
}

NUMBERS = ("int", "long", "double", "decimal")


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:
    """One mongosh file for all collections of the model."""
    lines = [
        f"// {project.name}: {model.name}",
        f"// Run with: mongosh <connection string> {file_name(model)}",
        "",
    ]
    for structure in model.structures:
        if model.store_of(structure) == "mongodb":
            lines += [*_structure(structure, model, project, world), ""]
    return {file_name(model): "\n".join(lines).rstrip() + "\n"}


def file_name(model: Candidate) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", model.name.lower()).strip("-")
    return f"{slug or 'model'}.mongodb.js"


def _structure(structure: Structure, model: Candidate, project: Project, world: World) -> Iterable[str]:
    kinds = records(structure, model, world)
    yield f"// {structure.name}: {', '.join(k.of for k in kinds) or 'of nothing known'}"
    if "{" in structure.name:
        yield "// One collection per value: set p to each in turn."
        yield "const p = globalThis.p ?? {};"
    yield from _create(structure, kinds, project, world)
    if not kinds:
        return
    fields = fields_of(structure, things_of(structure)[0], kinds[0], world)
    for index in structure.indexes:
        yield from _index(structure, index, kinds[0], fields, world)
    expires = expiry(structure)
    if expires is not None and series_of(structure) is None:
        options = {"expireAfterSeconds": int(expires[1])}
        key = {fields(world.own(kinds[0].of, expires[0])): 1}
        yield f"{collection(structure.name)}.createIndex({js(key)}, {js(options)});"
    if structure.shard_key:
        yield _shard(structure, kinds[0], fields, world)


def _create(structure: Structure, kinds: tuple[Record, ...], project: Project, world: World) -> Iterable[str]:
    options: dict[str, Any] = {}
    series = series_of(structure)
    if series is not None and kinds:
        time, meta, granularity = (field_of(s) for s in series)
        options[SERIES] = {"timeField": time, "metaField": meta, "granularity": granularity}
        expires = expiry(structure)
        if expires is not None:
            options["expireAfterSeconds"] = int(expires[1])
    elif len(kinds) == 1 and structure.bucket is None:
        fields = fields_of(structure, things_of(structure)[0], kinds[0], world)
        options["validator"] = {"$jsonSchema": schema(kinds[0], fields, project, world)}
        options["validationAction"] = "error"
    label = js(structure.name)
    if "{" in structure.name:
        label = f"{collection(structure.name)}.getName()"
    tail = f", {js(options, 0)}" if options else ""
    yield f"db.createCollection({label}{tail});"


# ---------------------------------------------------------------- validators


def schema(record: Record, fields: Fields, project: Project, world: World) -> dict[str, Any]:
    """The `$jsonSchema` of a kind of document."""
    root = _node(record.shape[0], record, fields, project, world)
    if fields.text_id:
        root["properties"] = {"_id": {"bsonType": "string"}, **root["properties"]}
    elif fields.whole_id:
        root["properties"] = {"_id": {"bsonType": "object"}, **root["properties"]}
    for at, held in enumerate(record.shape):
        if at and held.up == 0:
            _hold(root, held, at, record, fields, project, world)
    for figure in sorted(record.shape[0].computed):
        root["properties"][fields(figure)] = _figured(figure, project, world)
    return root


def _hold(
    root: dict[str, Any],
    held: Held,
    at: int,
    record: Record,
    fields: Fields,
    project: Project,
    world: World,
) -> None:
    properties = root["properties"]
    if held.how == "copy":
        for attr in sorted(held.attrs or ()):
            stored = dict(held.names).get(attr) or fields(attr)
            _nest(properties, stored, _typed(attr, project, world))
        return
    stored = fields.names.paths.get(held.entity, held.name or held.entity)
    inner = _node(held, record, fields, project, world)
    for below, child in enumerate(record.shape):
        if below and child.up == at:
            _hold(inner, child, below, record, fields, project, world)
    if held.how == "reference":
        keys = [_typed(a, project, world) for a in world.keys.get(held.entity, ())]
        inner = keys[0] if keys else {}
    if stored in fields.names.lists:
        inner = {"bsonType": "array", "items": inner}
        if held.limit or held.first:
            inner["maxItems"] = int(held.limit or held.first)
    properties[stored.rpartition(".")[2]] = inner


def _nest(properties: dict[str, Any], path: str, value: dict[str, Any]) -> None:
    """`author.name` as an object inside an object."""
    head, _, rest = path.partition(".")
    if not rest:
        properties[head] = value
        return
    inner = properties.setdefault(head, {"bsonType": "object", "properties": {}})
    _nest(inner.setdefault("properties", {}), rest, value)


def _node(held: Held, record: Record, fields: Fields, project: Project, world: World) -> dict[str, Any]:
    own = world.fields.get(held.entity, ())
    attrs = [a for a in own if held.attrs is None or a in held.attrs]
    linked = set(held.edge.far) if held.edge is not None and held.edge.down else set()
    properties: dict[str, Any] = {}
    required = []
    for attr in attrs:
        if attr in linked:
            continue  # the document it lies in says it already
        path = fields(attr) if held.entity == record.of else field_of(attr)
        if path.startswith("_id."):
            continue
        _nest(properties, path, _typed(attr, project, world))
        stat = world.stats.get(attr)
        if stat is not None and stat.present >= 1:
            required.append(path.partition(".")[0])
    made: dict[str, Any] = {"bsonType": "object"}
    if required:
        made["required"] = list(dict.fromkeys(required))
    return {**made, "properties": properties}


def _figured(figure: str, project: Project, world: World) -> dict[str, Any]:
    """A figure's type; steps may be of any kind of number."""
    typed = _typed(figure, project, world)
    return typed if typed.get("bsonType", "int") not in NUMBERS else {"bsonType": "number"}


def _typed(attr: str, project: Project, world: World) -> dict[str, Any]:
    entity_name, _, name = attr.removeprefix("=").partition(".")
    stat = world.stats.get(attr)
    entity = project.entity(entity_name)
    field = entity.field(name) if entity else None
    kind = field.type if field else stat.type if stat else ""
    plain = kind.removesuffix("[]")
    if plain.startswith("vector("):
        return {"bsonType": "array", "items": {"bsonType": "double"}}
    if plain not in BSON:
        return {}
    typed: dict[str, Any] = {"bsonType": BSON[plain]}
    shares = stat.shares if stat else {}
    if plain == "enum" and shares and sum(shares.values()) > 0.999:
        typed = {"enum": sorted(shares)}
    return {"bsonType": "array", "items": typed} if kind.endswith("[]") else typed


# ---------------------------------------------------------------- indexes and shards


def _index(structure: Structure, index: Index, record: Record, fields: Fields, world: World) -> Iterable[str]:
    keys = index_keys(index, record, fields, world)
    if not keys or on_id(index, structure, record.of, world):
        return
    options: dict[str, Any] = {"name": index_name(index, structure)} if index.name else {}
    if index.unique:
        options["unique"] = True
    if index.sparse:
        options["sparse"] = True
    if index.where is not None:
        options["partialFilterExpression"] = partial_filter(index.where, fields, record.of, world)
    tail = f", {js(options)}" if options else ""
    yield f"{collection(structure.name)}.createIndex({js(keys)}{tail});"


def partial_filter(where: Conditions, fields: Fields, of: str, world: World) -> dict[str, Any]:
    """A condition as an index takes it: `$ne` is refused there, that a field exists is not."""
    found = terms_query(where.terms, fields, of, world)
    return {k: {"$exists": True} if v == {"$ne": None} else v for k, v in found.items()}


def index_keys(index: Index, record: Record, fields: Fields, world: World) -> dict[str, Any]:
    if index.type == "wildcard":
        roots = [fields(world.own(record.of, p.attr.replace(".$**", ""))) for p in index.keys]
        return {f"{r}.$**" if r and r != "$**" else "$**": 1 for r in roots or [""]}
    keys: dict[str, Any] = {}
    for part in index.keys:
        if not part.attr:
            continue
        way: Any = -1 if part.desc else 1
        if part.hashed or index.type == "hashed":
            way = "hashed"
        elif index.type in ("text", "2dsphere"):
            way = index.type
        keys[fields(world.own(record.of, part.attr))] = way
    return keys


def _shard(structure: Structure, record: Record, fields: Fields, world: World) -> str:
    key = {
        fields(world.own(record.of, p.attr)): "hashed" if p.hashed else 1 for p in structure.shard_key or () if p.attr
    }
    space = Raw(f'db.getName() + ".{structure.name}"')
    return f"sh.shardCollection({js(space)}, {js(key)});"
