"""A write as SQL: rows, what holds them inside, copies and figures to refresh, one transaction where it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from app.stores.common_query import elsewhere, lost, other_stores
from app.stores.common_steps import Context
from app.stores.common_write import Asked
from app.stores.postgresql.changes import Statement, Write, condition, list_source, merged, sets_of, write_of
from app.stores.postgresql.inserts import DONE, insert, upsert
from app.stores.postgresql.inside import copied, embedded, figures
from app.stores.postgresql.names import quoted
from app.stores.postgresql.script import KEYS, points_to
from app.stores.postgresql.tables import Table


def write_lines(here: Context) -> Iterator[str]:
    """The lines of a write, those of other stores behind it."""
    pattern, plan = here.pattern, here.plan
    if not ((pattern.is_write and not lost(plan)) or pattern.also):
        return
    write = write_of(pattern, plan, here.model, here.world)
    touched = {t.structure for t in plan.touches}
    found: list[Statement] = []
    mine = [t for t in write.tables if not touched or t.structure.name in touched]
    for reach in (_own, _reach):  # figures are worked out over rows that are there
        for change in write.changes:
            for table in mine:
                found += reach(change, table, write)
    yield from _statements(write, merged(found))
    for store in other_stores(plan, "postgresql"):
        yield f"-- in {store}:"
        yield from (f"-- {line}" for line in elsewhere(pattern, plan, here.model, here.world, store).splitlines())


def _own(change: Asked, table: Table, write: Write) -> Iterator[Statement]:
    if table.record.of == change.entity:
        yield from _root(change, table, write)


def _reach(change: Asked, table: Table, write: Write) -> Iterator[Statement]:
    """Every statement one change needs in a table that holds it inside, or something made of it."""
    record = table.record
    inside = {h.entity for h in record.shape[1:] if h.how == "embed"}
    for at, held in enumerate(record.shape):
        if at and held.entity == change.entity and (held.attrs is None or held.attrs):
            if held.how == "copy":
                yield from copied(change, held, table, write)
            elif held.up == 0 and held.edge is not None and held.edge.down and not _born_with(change, table, write):
                yield from embedded(change, held, table, write)
        if not (change.beside in inside and change.entity == record.of):
            yield from figures(change, held, table, write)


def _born_with(change: Asked, table: Table, write: Write) -> bool:
    return change.part and write.born(table.record.of)


def _root(change: Asked, table: Table, write: Write) -> Iterator[Statement]:
    """The statement for rows of the changed entity itself."""
    if change.kind == "insert":
        yield from insert(change, table, write)
        return
    if change.kind == "upsert":
        yield from upsert(change, table, write)
        return
    where = condition(change, table, write)
    if change.kind == "update":
        sets = sets_of(change, table, write)
        if sets and (where or not change.beside):
            source = list_source(change, write, "FROM")
            yield Statement("update", table.name, sets=sets, source=source, where=where)
        return
    mark = write.world.soft_delete.get(change.entity, "")
    if mark and table.refs.get(mark) is not None:
        yield Statement("update", table.name, sets={quoted(table.ref(mark).column): "now()"}, where=where)
        return
    yield from _children(change, table, write, where)
    yield Statement("delete", table.name, source=list_source(change, write, "USING"), where=where)


def _children(change: Asked, table: Table, write: Write, where: tuple[str, ...]) -> Iterator[Statement]:
    """Children that go with their parent, where no foreign key takes them along."""
    made = {t.structure.name: t for t in write.tables}
    for rel in write.world.rels:
        child = write.home(rel.child)
        if rel.parent != change.entity or rel.on_delete != "cascade" or child is None or child is table:
            continue
        if any(r == rel for r, _ in points_to(child.structure, made, write.world)):
            continue
        via, key = quoted(child.ref(rel.via[0]).column), quoted(table.ref(rel.key[0]).column)
        inner = f"SELECT {key} FROM {table.name}" + (f" WHERE {' AND '.join(where)}" if where else "")
        yield Statement("delete", child.name, where=(f"{via} IN ({inner})",))


def _statements(write: Write, found: list[Statement]) -> Iterator[str]:
    pattern, plan = write.pattern, write.plan
    same = [s for s in found if not s.later]
    guarded = pattern.retry == "idempotency key" and not any("ON CONFLICT" in s.text for s in same) and same
    together = len(same) + bool(guarded) > 1 and (plan.scope == "transaction" or pattern.atomic or bool(guarded))
    if together:
        yield "BEGIN;"
    if guarded:
        yield "-- no row: the operation was done before; ROLLBACK and answer as then"
        yield f"INSERT INTO {KEYS} (key) VALUES (:idempotency_key) ON CONFLICT DO NOTHING;"
    for one in same:
        if one.note.endswith(DONE) and together:
            yield f"-- {one.note}; ROLLBACK"
            yield from one.body().splitlines()
        else:
            yield from one.lines()
    if any(c.only_if is not None for c in write.changes):
        yield "-- no row changed: the condition was not met" + ("; ROLLBACK" if together else "")
    if together:
        yield "COMMIT;"
    for one in found:
        if one.later:
            span = "some time" if isinf(one.later) else f"{one.later:g} s"
            yield f"-- afterwards, within {span} (from a queue or a job):"
            yield from one.lines()
    if pattern.retry and plan.retry:
        yield f"-- retry ({pattern.retry}): {plan.retry}"
