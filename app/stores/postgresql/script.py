"""What to run so that the model's tables exist: types, keys, checks, indexes, partitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from app.model.candidate import Candidate, Index, Structure
from app.model.project import Project
from app.plan import lay
from app.plan.types import Rel, World
from app.stores.common_query import comparisons
from app.stores.postgresql.expressions import over
from app.stores.postgresql.names import quoted, sql_index, text
from app.stores.postgresql.partitions import partitioned, partitions
from app.stores.postgresql.records import kind_of, searched
from app.stores.postgresql.tables import Column, Table, table_of
from app.stores.postgresql.where import LANGUAGE, finder, texts, vector

KEYS = "idempotency_keys"
"""The table that remembers which operations were done."""
DELETES = {"cascade": " ON DELETE CASCADE", "refuse": " ON DELETE RESTRICT"}


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:
    """One SQL file for all tables of the model, in an order in which each finds what it points to."""
    made = {
        s.name: t
        for s in model.structures
        if model.store_of(s) == "postgresql" and (t := table_of(s, model, world)) is not None
    }
    lines = [f"-- {project.name}: {model.name}", f"-- Run with: psql <connection string> -f {file_name(model)}", ""]
    for structure in model.structures:
        if model.store_of(structure) == "postgresql" and structure.name not in made:
            lines += [f"-- {structure.name}: of nothing known", ""]
    sorted_by_bytes = _prefixes(project, world)
    done: set[str] = set()
    late: list[str] = []
    for name in _in_order(made, world):
        table = made[name]
        keys = [(rel, made[to]) for rel, to in points_to(table.structure, made, world)]
        early = [k for k in keys if k[1].structure.name in done or k[1] is table]
        late += [line for k in keys if k not in early for line in _added(table, *k)]
        lines += [*_table(table, early, world, sorted_by_bytes), ""]
        done.add(name)
    if made and any(p.retry == "idempotency key" for p in project.patterns):
        lines += ["-- which operations were done; a job deletes old rows", *_keys_done(), ""]
    if late:
        lines += ["-- tables that point to each other", *late, ""]
    return {file_name(model): "\n".join(lines).rstrip() + "\n"}


def _keys_done() -> Iterator[str]:
    yield f"CREATE TABLE IF NOT EXISTS {KEYS} (key text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());"


def file_name(model: Candidate) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", model.name.lower()).strip("-")
    return f"{slug or 'model'}.sql"


def _prefixes(project: Project, world: World) -> frozenset[str]:
    """Attributes that some pattern asks for by how they begin: only an order by bytes serves that."""
    found = set()
    for pattern in project.patterns:
        for term in comparisons(pattern.where.terms if pattern.where else ()):
            if term.op == "prefix":
                found.add(lay.column(pattern.entity, term.path, world))
    return frozenset(found)


# ---------------------------------------------------------------- foreign keys


def points_to(structure: Structure, made: Mapping[str, Table], world: World) -> Iterator[tuple[Rel, str]]:
    """The relationships a table's foreign keys stand for, each with the table that has the parents."""
    for said in structure.foreign_keys:
        rel = relationship(said, structure.of, world)
        home = next((n for n, t in made.items() if rel is not None and holds_key(t, rel)), "")
        if rel is not None and home:
            yield rel, home


def relationship(said: str, of: str, world: World) -> Rel | None:
    """What a foreign key names: a role, a parent entity, or the column that points to it."""
    mine = [r for r in world.rels if r.child == of]
    named = (
        next((r for r in mine if r.role == said), None),
        next((r for r in mine if r.parent == said), None),
        next((r for r in mine if said in r.via or f"{of}.{said}" in r.via), None),
    )
    return next((r for r in named if r is not None), None)


def holds_key(table: Table, rel: Rel) -> bool:
    """Is this the parents' table, unique by the key that children name?"""
    if table.record.of != rel.parent or not table.record.truth:
        return False
    whole = [p for p in table.record.paths if p.unique and not p.only]
    return any({x.attr for x in p.order} == set(rel.key) for p in whole)


def _in_order(made: Mapping[str, Table], world: World) -> list[str]:
    """Tables after those they point to, as far as there is such an order."""
    needs = {n: {to for _, to in points_to(t.structure, made, world)} - {n} for n, t in made.items()}
    out: list[str] = []
    while len(out) < len(made):
        left = [n for n in made if n not in out]
        out.append(next((n for n in left if needs[n] <= set(out)), left[0]))
    return out


def _key(table: Table, rel: Rel, parent: Table) -> str:
    here = ", ".join(quoted(table.ref(a).column) for a in rel.via)
    there = ", ".join(quoted(parent.ref(a).column) for a in rel.key)
    return f"FOREIGN KEY ({here}) REFERENCES {parent.name} ({there}){DELETES.get(rel.on_delete, '')}"


def _added(table: Table, rel: Rel, parent: Table) -> Iterator[str]:
    name = quoted(f"{table.structure.name}_{rel.role}_fkey")
    yield f"ALTER TABLE {table.name} DROP CONSTRAINT IF EXISTS {name};"
    yield f"ALTER TABLE {table.name} ADD CONSTRAINT {name} {_key(table, rel, parent)};"


# ---------------------------------------------------------------- tables


def _table(table: Table, keys: Iterable[tuple[Rel, Table]], world: World, by_bytes: frozenset[str]) -> Iterator[str]:
    structure = table.structure
    if "{" in structure.name:
        yield f"-- One table per value: write it for each {structure.name}."
    if structure.note:
        yield f"-- {' '.join(structure.note.split())}"
    lines = [f"  {_column(c, world, by_bytes)}" for c in table.columns]
    primary = primary_columns(table, world)
    if primary:
        lines.append(f"  PRIMARY KEY ({', '.join(primary)})")
    elif not partitioned(structure, world):
        lines.insert(0, f"  {quoted(surrogate(table))} bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
    lines += [f"  {_key(table, rel, parent)}" for rel, parent in keys]
    tail = partitioned(structure, world)
    yield f"CREATE TABLE IF NOT EXISTS {table.name} (\n" + ",\n".join(lines) + f"\n){tail};"
    yield from partitions(structure, world)
    for at, index in enumerate(structure.indexes):
        yield from create_index(index, at, table, world)


def surrogate(table: Table) -> str:
    """The name of a key that PostgreSQL makes, where a row has none of its own."""
    return "id" if table.column("id") is None else f"{table.structure.name}_id"


def primary_columns(table: Table, world: World) -> list[str]:
    said = table.structure.primary_key
    if said is None:
        return [quoted(table.ref(a).column) for a in world.keys.get(table.record.of, ())]
    found = []
    for part in said:
        own = lay.column(table.record.of, part.attr, world) if part.attr else ""
        derived = next((c.name for c in table.columns if c.derived == part), "")
        found.append(quoted(derived or table.ref(own).column))
    return list(dict.fromkeys(found))


def _column(column: Column, world: World, by_bytes: frozenset[str]) -> str:
    words = [quoted(column.name), column.type]
    if column.attr in by_bytes and column.type == "text":
        words.append('COLLATE "C"')
    if not column.null:
        words.append("NOT NULL")
    if column.starts:
        words.append(f"DEFAULT {column.starts}")
    values = _values(column, world)
    if values:
        words.append(f"CHECK ({quoted(column.name)} IN ({', '.join(map(text, values))}))")
    return " ".join(words)


def _values(column: Column, world: World) -> list[str]:
    """The values of an enum, where all are known."""
    stat = world.stats.get(column.attr)
    if stat is None or stat.type != "enum" or sum(stat.shares.values()) <= 0.999:
        return []
    return sorted(stat.shares)


# ---------------------------------------------------------------- indexes


def create_index(index: Index, at: int, table: Table, world: World) -> Iterator[str]:
    """The statement that makes an index; nothing where it is over nothing."""
    over_ = index_columns(index, table, world)
    if not over_:
        return
    kind = {"text": "gin", "btree": ""}.get(kind_of(index), kind_of(index))
    unique = "UNIQUE " if index.unique else ""
    using = f" USING {kind}" if kind else ""
    line = f"CREATE {unique}INDEX IF NOT EXISTS {quoted(sql_index(table.structure, at))}"
    line += f"\n  ON {table.name}{using} ({', '.join(over_)})"
    if index.include:
        held = (table.ref(lay.column(table.record.of, a, world)).column for a in index.include)
        line += f" INCLUDE ({', '.join(quoted(c) for c in held)})"
    where = index_where(index, table, world)
    yield line + (f"\n  WHERE {' AND '.join(where)};" if where else ";")


def index_where(index: Index, table: Table, world: World) -> list[str]:
    """The condition of a partial index; a sparse one leaves out what is empty."""
    found = texts(index.where.terms, finder(table, world)) if index.where is not None else []
    if index.sparse:
        attrs = [lay.column(table.record.of, p.attr, world) for p in index.keys if p.attr]
        optional = [a for a in attrs if (s := world.stats.get(a)) is not None and s.present < 1]
        found += [f"{finder(table, world)(a).sql} IS NOT NULL" for a in optional]
    return found


def index_columns(index: Index, table: Table, world: World) -> list[str]:
    """What an index is over, as SQL."""
    of = table.record.of
    if index.expression:
        return [] if over(index.expression).error else [f"({index.expression})"]
    words = searched(index, of, world)
    found = []
    if words:
        language = str(index.options.get("language", LANGUAGE))
        found.append(vector([quoted(table.ref(a).column) for a in words], language))
    kind = kind_of(index)
    for part in index.keys:
        attr = lay.column(of, part.attr.removesuffix("[]"), world) if part.attr else ""
        if not attr or attr in words:
            continue
        ref = table.ref(attr)
        if kind == "gin":
            found.append(quoted(ref.column) + (" jsonb_path_ops" if ref.stored == "jsonb" else ""))
        elif ref.path and not ref.each:
            found.append(f"({ref.sql()})" + (" DESC" if part.desc else ""))
        else:
            found.append(quoted(ref.column) + (" DESC" if part.desc and kind == "btree" else ""))
    return list(dict.fromkeys(found))
