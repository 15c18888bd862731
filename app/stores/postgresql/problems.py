"""What PostgreSQL refuses, or will quietly do otherwise, in one table as it is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from app.model.candidate import Candidate, Index, Structure
from app.model.conditions import Comparison
from app.model.terms import Param
from app.plan import lay
from app.plan.types import World
from app.stores.common_problems import unknown
from app.stores.postgresql.expressions import over
from app.stores.postgresql.facts import FACTS
from app.stores.postgresql.names import index_names, sql_index
from app.stores.postgresql.partitions import method
from app.stores.postgresql.records import key_parts, kind_of, searched
from app.stores.postgresql.script import holds_key, relationship
from app.stores.postgresql.tables import Table, table_of
from app.stores.store import Fault

KINDS = frozenset({"btree", "hash", "gin", "gist", "text"})
INVERTED = frozenset({"gin", "text"})


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:
    """Faults, in the order of the structure's own parts."""
    found = list(unknown(structure, world))
    table = table_of(structure, model, world)
    if table is None:
        return tuple(found)
    found += _names(structure, table)
    found += _key(structure, world)
    found += _foreign(structure, model, world)
    for index, name in zip(structure.indexes, index_names(structure), strict=True):
        found += _index(structure, index, f"{structure.name}.{name}", table, world)
    found += _shared_names(structure, model)
    if structure.ttl.strip() not in ("", "none"):
        said = (
            f"{structure.name}: PostgreSQL does not expire rows. Cut the table by time (`partition by`) and drop old"
            " partitions, or let a job delete them."
        )
        found.append(Fault("no-expiry", said))
    return tuple(dict.fromkeys(found))


def _names(structure: Structure, table: Table) -> Iterable[Fault]:
    most = int(FACTS["max_name_bytes"].value)
    indexes = [sql_index(structure, at) for at in range(len(structure.indexes))]
    for name in (structure.name, *(c.name for c in table.columns), *indexes):
        if len(name.encode()) > most:
            yield Fault(
                "long-name",
                f"{structure.name}: the name {name[:40]}… has {len(name.encode())} bytes; PostgreSQL cuts it after"
                f" {most}, and two names may then be one.",
            )
    columns = int(FACTS["max_columns"].value)
    if len(table.columns) > columns:
        yield Fault(
            "too-many-columns",
            f"{structure.name} has {len(table.columns)} columns; PostgreSQL allows {columns} in a table.",
        )


def _shared_names(structure: Structure, model: Candidate) -> Iterable[Fault]:
    """Names of indexes stand beside those of tables, all in one schema."""
    mine = [s for s in model.structures if model.store_of(s) == "postgresql"]
    every = Counter([*(s.name for s in mine), *(sql_index(s, n) for s in mine for n in range(len(s.indexes)))])
    for at in range(len(structure.indexes)):
        name = sql_index(structure, at)
        if every[name] > 1:
            yield Fault(
                "repeated-name",
                f"{structure.name}: another table or index is called {name} too; in one schema names differ.",
            )


# ---------------------------------------------------------------- keys


def _key(structure: Structure, world: World) -> Iterable[Fault]:
    parts = key_parts(structure, world)
    most = int(FACTS["max_index_fields"].value)
    if len(parts) > most:
        yield Fault(
            "too-many-fields", f"{structure.name}: the primary key has {len(parts)} columns, {most} are allowed."
        )
    cut = _cut(structure, world)
    if not cut:
        return
    if len(cut) > int(FACTS["max_partition_keys"].value):
        yield Fault("too-many-fields", f"{structure.name} is partitioned by {len(cut)} columns; {most} are allowed.")
    lacking = [a for a in cut if parts and a not in {p.attr for p in parts}]
    if lacking:
        yield Fault(
            "partition-not-in-key",
            f"{structure.name}: the primary key of a partitioned table must include {', '.join(lacking)}, by which it"
            " is partitioned.",
        )
    if method(structure, world) == "range":
        kinds = {world.stats[a].type for a in cut if a in world.stats}
        if not kinds <= {"date", "datetime"}:
            yield Fault(
                "partition-by-time",
                f"{structure.name}: a partition of time needs a date or datetime, and {cut[0]} is none.",
            )


def _cut(structure: Structure, world: World) -> list[str]:
    """Attributes by which a table is partitioned."""
    return [lay.column(structure.of, p.attr, world) for p in structure.partition_by or () if p.attr]


def _foreign(structure: Structure, model: Candidate, world: World) -> Iterable[Fault]:
    for said in structure.foreign_keys:
        rel = relationship(said, structure.of, world)
        if rel is None:
            yield Fault(
                "foreign-key",
                f"{structure.name}: {said} is no relationship of {structure.of} to a parent: name its role.",
            )
            continue
        mine = [s for s in model.structures if model.store_of(s) == "postgresql" and s.of == rel.parent]
        tables = [t for s in mine if (t := table_of(s, model, world)) is not None]
        if not tables:
            yield Fault(
                "foreign-key",
                f"{structure.name} points to {rel.parent} as its {rel.role}, but no table here holds {rel.parent}: the"
                " key is not checked.",
                "surprise",
            )
        elif not any(holds_key(t, rel) for t in tables):
            yield Fault(
                "foreign-key",
                f"{structure.name} points to {', '.join(rel.key)}, but nothing keeps that unique in"
                f" {tables[0].structure.name}: PostgreSQL refuses the foreign key.",
            )


# ---------------------------------------------------------------- indexes


def _index(structure: Structure, index: Index, name: str, table: Table, world: World) -> Iterable[Fault]:
    kind, of = kind_of(index), structure.of
    if index.expression:
        wrong = over(index.expression)
        if wrong.error:
            yield Fault("expression", f"Index {name}: its expression cannot be read ({wrong.error.rstrip('.')}).")
        for column in wrong.columns:
            if table.column(column) is None:
                yield Fault("expression", f"Index {name}: {structure.name} has no column {column}.")
    elif not index.keys:
        yield Fault("empty-index", f"Index {name} has no columns.")
        return
    if kind not in KINDS:
        yield Fault(
            "index-kind", f"Index {name}: {index.type} is no kind of index here; there are btree, hash, gin, gist."
        )
        return
    most = int(FACTS["max_index_fields"].value)
    if len(index.keys) + len(index.include) > most:
        count = len(index.keys) + len(index.include)
        yield Fault("too-many-fields", f"Index {name} has {count} columns; PostgreSQL allows {most}.")
    yield from _of_kind(index, name, kind, of, world)
    cut = _cut(structure, world)
    lacking = [a for a in cut if a not in {lay.column(of, p.attr, world) for p in index.keys}]
    if index.unique and lacking:
        yield Fault(
            "partition-not-in-key",
            f"Index {name} is unique: on a partitioned table it must include {', '.join(lacking)}.",
        )
    yield from _gate(index, name)


def _of_kind(index: Index, name: str, kind: str, of: str, world: World) -> Iterable[Fault]:
    stats = world.stats
    attrs = [lay.column(of, p.attr.removesuffix("[]"), world) for p in index.keys if p.attr]
    types = {a: stats[a].type for a in attrs if a in stats}
    if kind == "hash" and len(index.keys) > 1:
        yield Fault("hash-columns", f"Index {name}: a hash index has one column, and this one {len(index.keys)}.")
    if kind != "btree" and index.unique:
        yield Fault("unique-kind", f"Index {name} is unique: only a B-tree can be, and this is {kind}.")
    if kind in ("hash", *INVERTED) and index.include:
        yield Fault("include-kind", f"Index {name}: a {kind} index includes no further columns.")
    words = searched(index, of, world)
    if kind in INVERTED and not index.expression:
        for attr in attrs:
            inside = attr.partition(".")[0] != of
            listed = types.get(attr, "").endswith("[]") or types.get(attr) in ("json", "object")
            if attr in types and attr not in words and not inside and not listed:
                yield Fault(
                    "inverted-scalar",
                    f"Index {name}: gin takes arrays, documents and words; {attr} is {types[attr]}, which needs the"
                    " extension btree_gin. Give it a B-tree of its own.",
                )
    if kind == "gist" and any(t != "point" for t in types.values()):
        yield Fault("inverted-scalar", f"Index {name}: gist is for points here; other columns need an extension.")
    if kind == "btree":
        yield from _whole(name, types, world)


def _whole(name: str, types: dict[str, str], world: World) -> Iterable[Fault]:
    """What a B-tree takes and does not answer, or cannot take once it is long."""
    for attr, kind in types.items():
        if kind.endswith("[]"):
            yield Fault(
                "whole-array",
                f"Index {name}: a B-tree compares whole arrays, so it finds no row by one element of {attr}: use gin.",
                "surprise",
            )
        elif kind in ("json", "object"):
            yield Fault(
                "whole-document",
                f"Index {name}: a B-tree compares whole documents, so it finds no row by a part of {attr}: use gin.",
                "surprise",
            )
    most = FACTS["max_key_bytes"].value
    size = sum(world.stats[a].bytes.max for a in types if world.stats[a].bytes.max < float("inf"))
    if size > most:
        yield Fault(
            "long-entry",
            f"Index {name}: its columns may have {size:,.0f} bytes together; PostgreSQL refuses a row whose entry has"
            f" more than {most:,.0f}. Index a hash of the text instead.",
        )


def _gate(index: Index, name: str) -> Iterable[Fault]:
    for term in index.where.terms if index.where is not None else ():
        if isinstance(term, Comparison) and any(isinstance(o, Param) for o in term.operands):
            yield Fault("partial-condition", f"Index {name}: its condition cannot have parameters ({term.path}).")
        elif isinstance(term, Comparison) and any(not hasattr(o, "value") for o in term.operands):
            yield Fault("partial-condition", f"Index {name}: its condition cannot depend on the time of the call.")
