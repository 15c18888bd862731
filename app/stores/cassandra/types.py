"""CQL names and types: columns of a table in the order they are written, and the types of embeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.model.candidate import Computed, Copy, Embed, Reference, Structure
from app.model.keys import KeyPart
from app.plan.types import World
from app.plan.ways import place, way
from app.stores.cassandra.records import counter_columns
from app.stores.common_query import copy_name

SCALARS = {
    "string": "text",
    "text": "text",
    "enum": "text",
    "objectid": "text",
    "json": "text",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "decimal": "decimal",
    "bool": "boolean",
    "date": "date",
    "datetime": "timestamp",
    "uuid": "uuid",
    "timeuuid": "timeuuid",
    "binary": "blob",
    "object": "frozen<map<text, text>>",
    "point": "frozen<tuple<double, double>>",
}
RESERVED = frozenset(
    [
        "add",
        "allow",
        "alter",
        "and",
        "apply",
        "asc",
        "authorize",
        "batch",
        "begin",
        "by",
        "columnfamily",
        "create",
        "default",
        "delete",
        "desc",
        "describe",
        "drop",
        "entries",
        "execute",
        "from",
        "full",
        "grant",
        "if",
        "in",
        "index",
        "inf",
        "infinity",
        "insert",
        "into",
        "is",
        "keyspace",
        "limit",
        "materialized",
        "mbean",
        "mbeans",
        "modify",
        "nan",
        "norecursive",
        "not",
        "null",
        "of",
        "on",
        "or",
        "order",
        "primary",
        "rename",
        "replace",
        "revoke",
        "schema",
        "select",
        "set",
        "table",
        "to",
        "token",
        "truncate",
        "unlogged",
        "unset",
        "update",
        "use",
        "using",
        "view",
        "where",
        "with",
    ]
)
PLAIN = re.compile(r"[a-z][a-z0-9_]*\Z")


def quoted(name: str) -> str:
    """A name as CQL reads it: in quotes where it is reserved or not plain lower case."""
    plain = PLAIN.match(name) and name not in RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


def cql_type(kind: str) -> str:
    """The CQL type of a workload type; what is not known is text."""
    if kind.endswith("[]"):
        return f"list<{cql_type(kind.removesuffix('[]'))}>"
    if kind.startswith("vector("):
        return f"vector<float, {kind.removeprefix('vector(').removesuffix(')')}>"
    return SCALARS.get(kind, "text")


def type_of(attr: str, world: World) -> str:
    """The CQL type of an attribute of the workload."""
    stat = world.stats.get(attr) or world.stats.get(f"={attr}")
    return cql_type(stat.type) if stat is not None else "text"


def element_type(attr: str, world: World) -> str:
    """The CQL type of an attribute in a key: of an array, that of its elements."""
    stat = world.stats.get(attr)
    return cql_type(stat.type.removesuffix("[]")) if stat is not None else type_of(attr, world)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    static: bool = False


@dataclass(frozen=True, slots=True)
class UserType:
    name: str
    columns: tuple[Column, ...]


@dataclass(slots=True)
class Types:
    """The user-defined types of one keyspace, filled while tables are written."""

    found: dict[str, UserType] = field(default_factory=dict)

    def name_for(self, entity: str, columns: tuple[Column, ...]) -> str:
        """The type of an embedded entity; a second, different set of columns gets a number."""
        name, number = entity, 1
        while name in self.found and self.found[name].columns != columns:
            number += 1
            name = f"{entity}_{number}"
        self.found[name] = UserType(name, columns)
        return name


def key_column(part: KeyPart, of: str, world: World) -> Column:
    """A partition or clustering column: the entity's own, or one derived from it; of an array, one element."""
    own = world.own(of, part.attr)
    default = part.attr.rpartition(".")[2] if part.attr else "shard"
    if not part.filters and not part.kept.chosen:
        return Column(part.name or own.rpartition(".")[2] or default, element_type(own, world))
    words = {f.name for f in part.filters}
    kind = "int" if part.kept.fan or words & {"shard", "hash", "chunk"} else "text"
    word = part.filters[0].name if part.filters else "shard"
    return Column(part.name or (f"{default}_{word}" if part.attr else word), kind)


def key_columns(keys: Iterable[KeyPart] | None, of: str, world: World) -> tuple[Column, ...]:
    return tuple(key_column(k, of, world) for k in keys or ())


def columns_of(structure: Structure, world: World, types: Types) -> tuple[Column, ...]:
    """All columns, key first, each name once."""
    of = structure.of
    found: dict[str, Column] = {}

    def add(columns: Iterable[Column]) -> None:
        for column in columns:
            found.setdefault(column.name, column)

    counters = counter_columns(structure)
    add(key_columns(structure.partition_key, of, world))
    add(key_columns(structure.clustering_key, of, world))
    add(Column(name, "counter") for _, name in counters)
    add(_statics(structure, world))
    counted = {what for what, _ in counters}
    if structure.bucket is None:
        add(_own(of, structure.fields, world, skip=counted))
    else:
        inner = _own(of, structure.fields, world, skip={p.attr for p in structure.bucket.by if not p.filters})
        name = types.name_for(of, inner)
        add([Column(structure.bucket.as_ or "items", _list(name))])
        add(_figures(structure.bucket.computed, of, world))
    add(_copied(structure.copied, of, world))
    add(_embedded(structure.embed, of, world, types))
    add(_references(structure.reference, of, world))
    add(_figures(structure.computed, of, world))
    return tuple(found.values())


def _list(name: str) -> str:
    return f"frozen<list<frozen<{quoted(name)}>>>"


def _own(of: str, fields: tuple[str, ...] | None, world: World, skip: Iterable[str] = ()) -> tuple[Column, ...]:
    names = world.fields.get(of, ()) if fields is None else fields
    left_out = set(skip)
    found = []
    for name in names:
        attr = world.own(of, name)
        known = attr in world.stats or f"={attr}" in world.stats
        if known and attr not in left_out and attr.partition(".")[0] == of:
            found.append(Column(attr.partition(".")[2], type_of(attr, world)))
    return tuple(found)


def _statics(structure: Structure, world: World) -> Iterable[Column]:
    for attr, name in static_names(structure, world).items():
        yield Column(name, type_of(attr, world), static=True)


def static_names(structure: Structure, world: World) -> dict[str, str]:
    """Attribute → name of its static column: a parent's attribute is named with its path."""
    found: dict[str, str] = {}
    for path in structure.static:
        where = place(world, structure.of, path)
        if not where.why and where.attr:
            own = where.entity == structure.of
            name = where.attr.removeprefix("=").partition(".")[2]
            found[where.attr] = name if own else path.replace(".", "_")
    return found


def _copied(copies: Iterable[Copy], of: str, world: World) -> Iterable[Column]:
    for copy in copies:
        where = place(world, of, copy.what)
        yield Column(copy_name(copy), type_of(where.attr, world))


def _figures(figures: Iterable[Computed], of: str, world: World) -> Iterable[Column]:
    for figure in figures:
        own = world.own(of, figure.what)
        name = figure.as_ or own.rpartition(".")[2].rstrip(")") or "figure"
        stat = world.stats.get(f"={own}")
        yield Column(name, cql_type(stat.type) if stat is not None else "bigint")


def _references(references: Iterable[Reference], of: str, world: World) -> Iterable[Column]:
    for reference in references:
        keys = world.keys.get(reference.what, ())
        kind = type_of(keys[0], world) if keys else "text"
        found = way(world, of, reference.what)
        one = bool(found.edges) and not any(e.down for e in found.edges)
        name = reference.as_ or reference.what
        yield Column(name, kind if one else f"list<{kind}>")


def _embedded(embeds: Iterable[Embed], of: str, world: World, types: Types) -> Iterable[Column]:
    """Embeds are frozen: a collection of user-defined types is written and read as a whole."""
    for embed in embeds:
        found = way(world, of, embed.what)
        entity = found.edges[-1].to if found.edges else embed.what
        if entity not in world.fields:
            continue
        inner: Mapping[str, Column] = {
            c.name: c
            for c in (
                *_own(entity, embed.fields, world, skip=_links(found.edges)),
                *_copied(embed.copied, entity, world),
                *_embedded(embed.embed, entity, world, types),
                *_references(embed.reference, entity, world),
                *_figures(embed.computed, entity, world),
            )
        }
        if not inner:
            continue
        name = types.name_for(entity, tuple(inner.values()))
        single = bool(found.edges) and not any(e.down and e.rel.children.max > 1 for e in found.edges)
        kind = f"frozen<{quoted(name)}>" if single else _list(name)
        yield Column(embed.as_ or embed.what, kind)


def _links(edges: Iterable[object]) -> tuple[str, ...]:
    """The child's foreign key is the parent's own key: it is not stored inside."""
    last = list(edges)[-1:]
    return tuple(a for e in last for a in getattr(e, "far", ()) if getattr(e, "down", False))
