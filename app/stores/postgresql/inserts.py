"""New rows: what each column gets, what happens where the row is there already."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan import lay
from app.stores.common_query import equal_to
from app.stores.common_write import Asked
from app.stores.postgresql.changes import Statement, Write, condition, known, listed, rows, sets_of
from app.stores.postgresql.names import quoted
from app.stores.postgresql.tables import Column, Table, type_of

DONE = "so the operation was done before"
REPEATED = ("idempotency key", "same key")


def insert(change: Asked, table: Table, write: Write) -> Iterator[Statement]:
    """The statement for a new row, or one for each of a list."""
    if table.bucket:
        yield _into_bucket(change, table, write)
        return
    values = _values(change, table, write)
    again = ""
    if write.pattern.retry in REPEATED and (key := _key(table)):
        # only the same row again is no error: another row that breaks a unique index is refused
        again = f"\nON CONFLICT ({', '.join(key)}) DO NOTHING"
    note = f"no row: it was there already, {DONE}" if again and not change.part and not change.further else ""
    yield Statement("insert", table.name, _text(change, table, values, write) + again, note=note)


def upsert(change: Asked, table: Table, write: Write) -> Iterator[Statement]:
    """Insert, or update the row that has the same key."""
    target = conflict(change, table, write)
    sets = sets_of(change, table, write)
    if not target:
        where = condition(change, table, write)
        yield Statement(
            "update", table.name, sets=sets, where=where, note="nothing keeps such rows apart: a unique index"
        )
        values = _values(change, table, write)
        test = f"NOT EXISTS (SELECT FROM {table.name} WHERE {' AND '.join(where) or 'true'})"
        columns, shown = ", ".join(map(quoted, values)), ", ".join(_typed(values, table))
        text = f"INSERT INTO {table.name} ({columns})\nSELECT {shown}\nWHERE {test}"
        yield Statement("insert", table.name, text, note="if nothing was updated: the row is new")
        return
    keys = [quoted(table.ref(a).column) for a in target]
    values = _values(change, table, write)
    if not change.set:
        sets = {quoted(c): f"EXCLUDED.{quoted(c)}" for c in values}
    kept = {c: v for c, v in sets.items() if c not in keys}
    action = f"DO UPDATE SET {', '.join(f'{c} = {v}' for c, v in kept.items())}" if kept else "DO NOTHING"
    guard: tuple[str, ...] = ()
    if change.only_if is not None and kept:
        bare = Asked(change.kind, change.entity, None, {}, change.only_if)
        guard = condition(bare, table, write)
    tail = f"\nON CONFLICT ({', '.join(keys)}) {action}"
    tail += f"\n  WHERE {' AND '.join(f'{table.name}.{g}' for g in guard)}" if guard else ""
    yield Statement("insert", table.name, _text(change, table, values, write) + tail)


def conflict(change: Asked, table: Table, write: Write) -> list[str]:
    """The key by which a row is found to be there: one that the operation names, the primary key before others."""
    world = write.world
    named = set(equal_to(change.where, world, change.entity))
    named |= {lay.column(change.entity, p, world) for p in change.set}
    unique = [p for p in table.record.paths if p.unique and p.order and not p.only]
    fit = [p for p in unique if {x.attr for x in p.order} <= named]
    first = [*fit, *(p for p in unique if p.primary and not named & set(world.fields.get(change.entity, ())))]
    if not first and change.where is None:
        first = [p for p in unique if p.primary]
    return [x.attr for x in first[0].order] if first else []


def _key(table: Table) -> list[str]:
    """Columns of the primary key; none where the store makes it up."""
    return next(
        ([quoted(table.ref(p.attr).column) for p in path.order] for path in table.record.paths if path.primary), []
    )


def _values(change: Asked, table: Table, write: Write) -> dict[str, str]:
    """Column → value of a new row: own fields, copies at birth, lists that begin, figures that are not nothing."""
    out: dict[str, str] = {}
    for column in table.columns:
        found = _value(column, change, table, write)
        if found:
            out[column.name] = found
    return out


def _value(column: Column, change: Asked, table: Table, write: Write) -> str:
    world = write.world
    attr = column.attr
    if column.derived is not None:
        return f":{column.name}"
    if attr.startswith("="):
        fresh = any(
            f.name == attr and f.rel.child in {c.entity for c in write.changes if c.part} for f in world.figures
        )
        return f":{column.name}" if fresh and not listed(change) else ""
    if attr and attr.partition(".")[0] == change.entity:
        return known(attr, change, write)
    if attr:  # a copy of a parent's field
        return f":{column.name}"
    if column.type == "jsonb" and not column.starts and column.null:
        return ""
    held = next((h for h in table.record.shape[1:] if table.list_of(h) == column.name), None)
    parts = {c.entity for c in write.changes if c.part}
    if held is not None and held.entity in parts and not listed(change):
        return f":{held.entity}_list"
    nested = [
        a for a in world.fields.get(change.entity, ()) if table.refs.get(a) and table.ref(a).column == column.name
    ]
    return f":{column.name}" if nested and not held else ""


def _typed(values: dict[str, str], table: Table) -> list[str]:
    """Values outside VALUES, where nothing else tells their type."""
    out = []
    for name, given in values.items():
        column = table.column(name)
        out.append(f"CAST({given} AS {column.type})" if column is not None and given.startswith(":") else given)
    return out


def _text(change: Asked, table: Table, values: dict[str, str], write: Write) -> str:
    if not values:
        return f"INSERT INTO {table.name} DEFAULT VALUES"
    columns = ", ".join(map(quoted, values))
    name = listed(change)
    if not name:
        return f"INSERT INTO {table.name} ({columns})\nVALUES ({', '.join(values.values())})"
    prefix = f"{quoted(name)}."
    own = {last_.removeprefix(prefix).strip('"'): _kind(last_.removeprefix(prefix), c, table, name, write)
           for c, last_ in values.items() if last_.startswith(prefix)}  # fmt: skip
    shown = ", ".join(_typed(values, table))
    if not own:
        return f"INSERT INTO {table.name} ({columns})\nSELECT {shown}"
    return f"INSERT INTO {table.name} ({columns})\nSELECT {shown}\nFROM {rows(change, own)}"


def _kind(field: str, column: str, table: Table, entity: str, write: Write) -> str:
    attr = f"{entity}.{field.strip(chr(34))}"
    if attr in write.world.stats:
        return type_of(attr, write.world)
    found = table.column(column)
    return found.type if found is not None else "text"


def _into_bucket(change: Asked, table: Table, write: Write) -> Statement:
    """A record into its bucket; the first one opens it."""
    world, bucket = write.world, table.bucket
    element: list[str] = []
    shared: dict[str, str] = {}
    for attr in world.fields.get(change.entity, ()):
        ref = table.ref(attr)
        given = known(attr, change, write)
        if ref.column == bucket:
            typed = f"CAST({given} AS {ref.type})" if given.startswith(":") else given
            element.append(f"'{ref.path[-1] if ref.path else ref.column}', {typed}")
        else:
            shared[ref.column] = given
    shared |= {c.name: f":{c.name}" for c in table.columns if c.derived is not None}
    keys = [c for c in table.columns if not c.null and (c.derived is not None or c.attr in table.record.key_attrs)]
    one = f"jsonb_build_array(jsonb_build_object({', '.join(element)}))"
    columns, values = [*shared, bucket], [*shared.values(), one]
    counts = {
        c.name: f"{table.name}.{quoted(c.name)} + 1" for c in table.columns if c.attr.startswith("=") and c.starts
    }
    sets = {bucket: f"{table.name}.{quoted(bucket)} || EXCLUDED.{quoted(bucket)}", **counts}
    text = f"INSERT INTO {table.name} ({', '.join(map(quoted, columns))})\nVALUES ({', '.join(values)})"
    if keys:
        text += f"\nON CONFLICT ({', '.join(quoted(c.name) for c in keys)}) DO UPDATE SET "
        text += ", ".join(f"{quoted(c)} = {v}" for c, v in sets.items())
    return Statement("insert", table.name, text)
