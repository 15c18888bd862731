"""The schema of a model as CQL: keyspace, types, tables, indexes, views."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.model.candidate import Candidate, Index, Structure
from app.model.keys import KeyPart
from app.model.project import Project
from app.plan import lay
from app.plan.types import World
from app.stores.cassandra.facts import FACTS
from app.stores.cassandra.records import SAI, base_of, index_name
from app.stores.cassandra.types import (
    Column,
    Types,
    columns_of,
    key_column,
    key_columns,
    quoted,
    type_of,
)

OWN_OPTIONS = frozenset({"replication", "replication factor", "compaction", "consistency"})
DAY, HOUR, MINUTE = 86_400, 3600, 60


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:
    """One file, `schema.cql`, that cqlsh runs; what has no key is left out and named by `problems`."""
    keyspace = keyspace_of(project.name)
    types = Types()
    mine = [s for s in model.structures if model.store_of(s) == model.store]
    if model.store != "cassandra":
        mine = [s for s in model.structures if model.store_of(s) == "cassandra"]
    tables = [s for s in mine if _is_table(s, model) and s.partition_key and s.of in world.fields]
    bodies = [table(s, world, types) for s in tables]
    parts = [_keyspace(keyspace, model), f"USE {keyspace};"]
    parts += [_type(t.name, t.columns) for t in types.found.values()]
    for structure, body in zip(tables, bodies, strict=True):
        parts += [body, *_indexes(structure, world)]
    for view in mine:
        base = base_of(view, model) if not _is_table(view, model) else None
        if base is not None and view.partition_key:
            parts.append(_view(view, base, world))
    return {"schema.cql": "\n\n".join(parts) + "\n"}


def _is_table(structure: Structure, model: Candidate) -> bool:
    return structure.kind != "materialized view" or base_of(structure, model) is None


def keyspace_of(name: str) -> str:
    """A project's name as a keyspace: lower case, at most 48 characters."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:48].rstrip("_")
    return quoted(plain if plain[:1].isalpha() else f"ks_{plain}".rstrip("_"))


def _keyspace(keyspace: str, model: Candidate) -> str:
    given = model.options.get("replication")
    factor = str(model.options.get("replication factor", "")) or f"{FACTS['replicas'].value:.0f}"
    places = dict(given) if isinstance(given, Mapping) else {"datacenter1": factor}
    each = ", ".join(f"{_text(k)}: {_number(v)}" for k, v in places.items() if k != "class")
    return (
        f"CREATE KEYSPACE IF NOT EXISTS {keyspace}\n"
        f"  WITH replication = {{'class': 'NetworkTopologyStrategy', {each}}};"
    )


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _number(value: object) -> str:
    text = str(value)
    return text if text.replace(".", "", 1).isdigit() else _text(text)


def _type(name: str, columns: Iterable[Column]) -> str:
    lines = ",\n".join(f"  {quoted(c.name)} {c.type}" for c in columns)
    return f"CREATE TYPE IF NOT EXISTS {quoted(name)} (\n{lines}\n);"


def table(structure: Structure, world: World, types: Types) -> str:
    """CREATE TABLE with its key, clustering order, expiry and compaction."""
    lines = [f"  {quoted(c.name)} {c.type}{' STATIC' if c.static else ''}" for c in columns_of(structure, world, types)]
    lines.append(f"  PRIMARY KEY ({_key(structure, world)})")
    made = f"CREATE TABLE IF NOT EXISTS {quoted(structure.name)} (\n" + ",\n".join(lines) + "\n)"
    with_ = list(_options(structure, world))
    return made + ("\n  WITH " + "\n   AND ".join(with_) if with_ else "") + ";"


def _key(structure: Structure, world: World) -> str:
    partition = [quoted(c.name) for c in key_columns(structure.partition_key, structure.of, world)]
    order = [quoted(c.name) for c in key_columns(structure.clustering_key, structure.of, world)]
    return ", ".join([f"({', '.join(partition)})", *order])


def _order(keys: Iterable[KeyPart] | None, of: str, world: World) -> str:
    keys = tuple(keys or ())
    if not any(k.desc for k in keys):
        return ""
    each = (f"{quoted(key_column(k, of, world).name)} {'DESC' if k.desc else 'ASC'}" for k in keys)
    return f"CLUSTERING ORDER BY ({', '.join(each)})"


def _options(structure: Structure, world: World) -> Iterable[str]:
    if order := _order(structure.clustering_key, structure.of, world):
        yield order
    seconds = lay.ttl_seconds(structure.ttl)
    if seconds and not structure.counters:
        yield f"default_time_to_live = {seconds:.0f}"
    compaction = structure.options.get("compaction")
    if isinstance(compaction, Mapping):
        yield f"compaction = {_compaction(compaction)}"
    for key, value in structure.options.items():
        if key not in OWN_OPTIONS and re.fullmatch(r"[a-z_]+", key):
            yield f"{key} = {_value(value)}"
    if structure.note:
        yield f"comment = {_text(structure.note)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k)}: {_text(v)}" for k, v in value.items()) + "}"
    text = str(value)
    return text if text in ("true", "false") else _number(text)


def _compaction(given: Mapping[str, Any]) -> str:
    """`window: 3 days` becomes a unit and a size; everything else as typed."""
    found = {k: str(v) for k, v in given.items() if k != "window"}
    seconds = lay.ttl_seconds(str(given.get("window", "")))
    if seconds:
        unit, size = next(
            ((u, s) for u, s in (("DAYS", DAY), ("HOURS", HOUR)) if seconds % s == 0),
            ("MINUTES", MINUTE),
        )
        found["compaction_window_unit"] = unit
        found["compaction_window_size"] = f"{max(1, round(seconds / size))}"
    return "{" + ", ".join(f"{_text(k)}: {_number(v)}" for k, v in found.items()) + "}"


def _indexes(structure: Structure, world: World) -> Iterable[str]:
    for index in structure.indexes:
        if index.keys and index.keys[0].attr:
            yield _create_index(index, structure, world)


def _create_index(index: Index, structure: Structure, world: World) -> str:
    column = key_column(index.keys[0], structure.of, world)
    kind = type_of(world.own(structure.of, index.keys[0].attr), world)
    target = quoted(column.name)
    if kind.startswith(("list<", "set<")):
        target = f"VALUES({target})"
    name, on = quoted(index_name(index, structure)), quoted(structure.name)
    if index.type.lower() in SAI:
        return f"CREATE CUSTOM INDEX IF NOT EXISTS {name} ON {on} ({target})\n  USING 'StorageAttachedIndex';"
    return f"CREATE INDEX IF NOT EXISTS {name} ON {on} ({target});"


def _view(view: Structure, base: Structure, world: World) -> str:
    of = view.of
    keys = [c.name for c in key_columns(view.partition_key, of, world)]
    keys += [c.name for c in key_columns(view.clustering_key, of, world)]
    chosen = ["*"]
    if view.fields is not None:
        base_key = key_columns((*(base.partition_key or ()), *(base.clustering_key or ())), of, world)
        fields = [world.own(of, f).rpartition(".")[2] for f in view.fields if f != "none"]
        names = [*keys, *(c.name for c in base_key), *fields]
        chosen = [quoted(n) for n in dict.fromkeys(names)]
    not_null = "\n   AND ".join(f"{quoted(k)} IS NOT NULL" for k in dict.fromkeys(keys))
    order = _order(view.clustering_key, of, world)
    lines = [
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS {quoted(view.name)} AS",
        f"  SELECT {', '.join(chosen)}",
        f"  FROM {quoted(base.name)}",
        f"  WHERE {not_null}",
        f"  PRIMARY KEY ({_key(view, world)})",
        *([f"  WITH {order}"] if order else []),
    ]
    return "\n".join(lines) + ";"
