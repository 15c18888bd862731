"""How a table holds a kind of record: columns with their types, and where each attribute is to be found in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from app.model.candidate import Candidate, Structure
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Held, Record, World
from app.stores.common_query import Names, field_of, last, many, names_of
from app.stores.postgresql.names import quoted
from app.stores.postgresql.records import records

TYPES: Mapping[str, str] = {
    "string": "text",
    "text": "text",
    "enum": "text",
    "objectid": "text",
    "int32": "integer",
    "int64": "bigint",
    "float": "real",
    "double": "double precision",
    "decimal": "numeric",
    "bool": "boolean",
    "date": "date",
    "datetime": "timestamptz",
    "uuid": "uuid",
    "timeuuid": "uuid",
    "binary": "bytea",
    "json": "jsonb",
    "object": "jsonb",
    "point": "point",
}
WHOLE = "data"
"""Column of an entity of which only the size is known."""


def sql_type(kind: str) -> str:
    """The SQL type of a workload type; what is not known is text."""
    if kind.endswith("[]"):
        inner = sql_type(kind.removesuffix("[]"))
        return "jsonb" if inner == "jsonb" else f"{inner}[]"
    if kind.startswith("vector("):
        return "real[]"
    return TYPES.get(kind, "text")


def type_of(attr: str, world: World) -> str:
    """The SQL type of an attribute of the workload; of a figure nothing is known of, a whole number."""
    stat = world.stats.get(attr) or world.stats.get(f"={attr}")
    if stat is None:
        return "bigint" if attr.startswith("=") else "text"
    return sql_type(stat.type)


@dataclass(frozen=True, slots=True)
class Column:
    """`attr`: what it holds, empty where it holds several or a part of a key. `null`: it may be empty. `starts`: what a
    new row has where nothing is given."""

    name: str
    type: str
    attr: str = ""
    null: bool = True
    starts: str = ""
    derived: KeyPart | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """Where an attribute is: a column, `path` inside its JSON; `each`: inside each element of the column's list."""

    column: str
    type: str
    path: tuple[str, ...] = ()
    each: bool = False
    stored: str = ""
    """Type of the column itself."""

    def sql(self, alias: str = "") -> str:
        """The value as SQL; of a list, inside an element called as `alias` says."""
        if self.each:
            return inside(alias or self.column, self.path, self.type)
        base = f"{alias}.{quoted(self.column)}" if alias else quoted(self.column)
        return inside(base, self.path, self.type) if self.path else base


def inside(base: str, path: tuple[str, ...], kind: str) -> str:
    """A value inside a JSON value, as its own type."""
    if not path:
        return base
    *outer, leaf = path
    for step in outer:
        base = f"{base} -> {_literal(step)}"
    if kind == "jsonb" or kind.endswith("[]"):
        return f"({base} -> {_literal(leaf)})"
    text = f"({base} ->> {_literal(leaf)})"
    return text if kind == "text" else f"CAST({text} AS {kind})"


def _literal(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


@dataclass(frozen=True)
class Table:
    """One table as statements see it."""

    structure: Structure
    record: Record
    columns: tuple[Column, ...]
    names: Names
    refs: Mapping[str, Ref] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return quoted(self.structure.name)

    def column(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name == name), None)

    def ref(self, attr: str) -> Ref:
        """Where an attribute is; a column of its last word where the table does not hold it."""
        found = self.refs.get(attr) or self.refs.get(f"={attr}")
        return found or Ref(last(attr), "text", stored="text")

    def list_of(self, held: Held) -> str:
        """The column with the list that a node of the shape is held in; empty where it is no list."""
        stored = self.names.paths.get(held.entity, held.name or held.entity)
        return stored if stored in self.names.lists else ""

    @property
    def bucket(self) -> str:
        """The column with the records of a bucket."""
        said = self.structure.bucket
        return (said.as_ or self.record.shape[0].name or "items") if said is not None else ""


def table_of(structure: Structure, model: Candidate, world: World) -> Table | None:
    """The table of a structure; None where its entity is not known."""
    kinds = records(structure, model, world)
    if not kinds:
        return None
    record = kinds[0]
    names = names_of(structure, record, world)
    keys = _keys(structure, record, names, world)
    paths = {**names.paths, **{a: c.name for a, c in keys.items() if a not in names.paths or c.derived is None}}
    names = replace(names, paths=paths)
    columns: dict[str, Column] = {}
    for column in (*keys.values(), *_own(structure, record, names, world), *_held(record, names, world)):
        columns.setdefault(column.name, column)
    if record.shape[0].attrs is None and record.of in world.sizes:
        columns.setdefault(WHOLE, Column(WHOLE, "jsonb"))
    if structure.schema_version:
        columns.setdefault("schema_version", Column("schema_version", "integer", null=False, starts="1"))
    refs = {a: r for a, p in paths.items() if (r := _ref(a, p, columns, names, world)) is not None}
    return Table(structure, record, tuple(columns.values()), names, refs)


def key_column(part: KeyPart, of: str, world: World, stored: str = "") -> Column:
    """A column of the primary key or of what partitions it: the entity's own, or one derived from it."""
    own = lay.column(of, part.attr, world) if part.attr else ""
    if part.filters or part.kept.chosen or not own:
        words = [f.name for f in part.filters] or ["shard"]
        name = part.name or "_".join([field_of(own), *words] if own else words)
        number = bool(part.kept.fan or {"shard", "hash", "chunk"} & set(words))
        return Column(name.replace(".", "_"), "integer" if number else "text", null=False, derived=part)
    stat = world.stats.get(own)
    return Column(stored or part.name or field_of(own), sql_type(stat.type) if stat else "text", own, False)


def _keys(structure: Structure, record: Record, names: Names, world: World) -> dict[str, Column]:
    """Columns of the primary key, and those derived for the partitions: attribute (or name) → column."""
    found: dict[str, Column] = {}
    said = structure.primary_key or tuple(KeyPart(attr=a) for a in world.keys.get(record.of, ()))
    for part in said:
        own = lay.column(record.of, part.attr, world) if part.attr else ""
        stored = names.paths.get(own, "") if own.partition(".")[0] == record.of else ""
        column = key_column(part, record.of, world, stored if "." not in stored else "")
        found[column.attr or column.name] = column
    return found


def _own(structure: Structure, record: Record, names: Names, world: World) -> Iterator[Column]:
    """The entity's own fields, its figures and, of a bucket, the list."""
    root = record.shape[0]
    bucket = (structure.bucket.as_ or root.name or "items") if structure.bucket is not None else ""
    attrs = world.fields.get(record.of, ()) if root.attrs is None else sorted(root.attrs)
    for attr in attrs:
        stored = names(attr)
        if bucket and stored.startswith(f"{bucket}."):
            continue
        head, _, rest = stored.partition(".")
        stat = world.stats.get(attr)
        kind = "jsonb" if rest else type_of(attr, world)
        yield Column(head, kind, "" if rest else attr, null=stat is None or stat.present < 1)
    if bucket:
        yield Column(bucket, "jsonb", null=False, starts="'[]'")
    for figure in sorted(root.computed):
        kind = type_of(figure, world)
        number = kind in ("integer", "bigint", "numeric", "real", "double precision")
        name = names(figure).rpartition(".")[2]
        yield Column(_plain(name), kind, figure, null=not number, starts="0" if number else "")


def _plain(name: str) -> str:
    """A figure's formula as a name: `count(comment)` → `count_comment`."""
    return "_".join(w for w in "".join(c if c.isalnum() else " " for c in name).split()) or "figure"


def _held(record: Record, names: Names, world: World) -> Iterator[Column]:
    """Columns for what belongs to others: copies, keys of others, documents and lists of them."""
    prefixes = [""]
    for held in record.shape[1:]:
        one_up = held.how in ("copy", "reference") and not many(held.edge)
        if held.how == "for each":
            prefixes.append("")
            continue
        parent = prefixes[held.up]
        prefix = parent if one_up else f"{parent}{held.name or held.entity}."
        prefixes.append(prefix)
        if parent:
            continue  # inside a document that has its column already
        listed = many(held.edge)
        if not one_up:
            name = prefix.removesuffix(".")
            keys = sorted(held.attrs or ())
            if held.how == "reference" and len(keys) == 1:
                yield Column(name, f"{type_of(keys[0], world)}[]", null=False, starts="'{}'")
            else:
                yield Column(name, "jsonb", null=not listed, starts="'[]'" if listed else "")
            continue
        attrs = world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        given = dict(held.names)
        for attr in (*attrs, *sorted(held.computed)):
            yield Column(given.get(attr) or names(attr).rpartition(".")[2], type_of(attr, world), attr)


def _ref(attr: str, path: str, columns: Mapping[str, Column], names: Names, world: World) -> Ref | None:
    """Where an attribute or a held entity is, under the path it is stored at."""
    path = path if path in columns else _plain(path) if attr.startswith("=") and _plain(path) in columns else path
    head, _, rest = path.partition(".")
    column = columns.get(head)
    if column is None:
        return None
    steps = tuple(rest.split(".")) if rest else ()
    return Ref(head, type_of(attr, world) if "." in attr else column.type, steps, head in names.lists, column.type)
