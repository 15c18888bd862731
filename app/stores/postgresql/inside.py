"""What a change does to rows that hold it inside: elements of lists, keys in arrays, copies, figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isinf

from app.model.conditions import Comparison
from app.plan import lay
from app.plan.figures import PATH
from app.plan.types import Figure, Held
from app.stores.common_query import field_of, last
from app.stores.common_write import Asked, value_of
from app.stores.postgresql.changes import Statement, Write, amount, known, parameter, spoken
from app.stores.postgresql.names import quoted, text
from app.stores.postgresql.tables import Ref, Table, type_of
from app.stores.postgresql.where import Spot, texts


def embedded(change: Asked, held: Held, table: Table, write: Write) -> Iterator[Statement]:
    """A child inside its parent: one of a list, a key in an array, or a document by itself."""
    column = table.list_of(held)
    parent = _parent(change, held, table, write)
    name = quoted(column or held.name or held.entity)
    whole = f"{table.name}.{name}"
    stored = table.column(column or held.name or held.entity)
    if stored is None or "." in column:
        return
    if stored.type.endswith("[]"):
        key = known(next(iter(sorted(held.attrs or ())), ""), change, write)
        verb = {"insert": "array_append", "delete": "array_remove"}.get(change.kind, "")
        if verb:
            new = f"{verb}({whole}, CAST({key} AS {stored.type.removesuffix('[]')}))"
            yield Statement("update", table.name, sets={name: new}, where=parent)
    elif not column:
        new = {"insert": element(change, held, table, write), "delete": "NULL"}.get(change.kind, "")
        new = new or f"coalesce({whole}, '{{}}') || {_object(_sets(change, held, table, write))}"
        yield Statement("update", table.name, sets={name: new}, where=parent)
    elif change.kind == "insert":
        limit = int(held.limit)
        full = (f"jsonb_array_length({whole}) < {limit}",) if limit else ()
        note = (
            f"no row: the list has {limit} elements" + (f", then {held.beyond}" if held.beyond else "") if limit else ""
        )
        new = f"{whole} || jsonb_build_array({element(change, held, table, write)})"
        yield Statement("update", table.name, sets={name: _first(new, held)}, where=(*parent, *full), note=note)
    else:
        yield from _elements(change, held, table, write, name)


def _first(new: str, held: Held) -> str:
    """Only the first few of a list, in its order."""
    if not held.first:
        return new
    order = ", ".join(f"item -> {text(field_of(a))}{' DESC' if d < 0 else ''}" for a, d in held.order)
    order = f" ORDER BY {order}" if order else ""
    inner = f"SELECT item FROM jsonb_array_elements({new}) AS item{order} LIMIT {held.first:.0f}"
    return f"(SELECT jsonb_agg(item) FROM ({inner}) AS items)"


def _parent(change: Asked, held: Held, table: Table, write: Write) -> tuple[str, ...]:
    """The row that holds a child: by the key the child points to."""
    if held.edge is None:
        return ()
    pairs = zip(held.edge.near, held.edge.far, strict=False)
    return tuple(f"{table.name}.{quoted(table.ref(n).column)} = {known(f, change, write)}" for n, f in pairs)


def element(change: Asked, held: Held, table: Table, write: Write) -> str:
    """One embedded child as a document: its fields without those its parent has already."""
    linked = set(held.edge.far) if held.edge is not None and held.edge.down else set()
    attrs = write.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
    pairs = {field_of(a): _typed(known(a, change, write), a, write) for a in attrs if a not in linked}
    shape = table.record.shape
    for below in shape[1:]:
        if below.how == "copy" and shape[below.up] is held:
            pairs |= {last(dict(below.names).get(a) or a): _typed(f":{last(a)}", a, write) for a in below.attrs or ()}
    return _object(pairs)


def _typed(given: str, attr: str, write: Write) -> str:
    return f"CAST({given} AS {type_of(attr, write.world)})" if given.startswith(":") else given


def _object(pairs: dict[str, str]) -> str:
    return f"jsonb_build_object({', '.join(f'{text(k)}, {v}' for k, v in pairs.items())})"


def _sets(change: Asked, held: Held, table: Table, write: Write) -> dict[str, str]:
    """Field → new value inside the element called `item`."""
    out: dict[str, str] = {}
    for path, said in change.set.items():
        attr = lay.column(change.entity, path, write.world)
        if held.attrs is not None and attr not in held.attrs:
            continue
        kind, what = value_of(said, write.world.stats.get(attr))
        here = Ref("item", type_of(attr, write.world), table.ref(attr).path or (field_of(attr),)).sql()
        if kind in ("add", "less"):
            sign = "+" if kind == "add" else "-"
            out[field_of(attr)] = f"{here} {sign} {amount(what, change, write)}"
        elif kind != "push":
            out[field_of(attr)] = _typed(spoken(kind, what, attr, change, write), attr, write)
    return out


def _elements(change: Asked, held: Held, table: Table, write: Write, name: str) -> Iterator[Statement]:
    """Elements of a list changed or taken out where they stand; an upsert adds one that is not there."""
    whole = f"{table.name}.{name}"
    terms = [t for t in (change.where.terms if change.where else ()) if isinstance(t, Comparison)]
    inner = [t for t in terms if table.ref(lay.column(table.record.of, t.path, write.world)).each]
    outer = [t for t in terms if t not in inner]

    def inside(path: str) -> Spot:
        ref = table.ref(lay.column(table.record.of, path, write.world))
        return Spot("", Ref("item", ref.type, ref.path) if ref.each else replace(ref), table)

    def beside(path: str) -> Spot:
        return Spot(table.name, table.ref(lay.column(table.record.of, path, write.world)), table)

    test = " AND ".join(texts(inner, inside))
    where = (*(texts(outer, beside) or _parent(change, held, table, write)), *texts(inner, beside))
    if change.kind == "delete":
        left = f"SELECT coalesce(jsonb_agg(item), '[]') FROM jsonb_array_elements({whole}) AS item WHERE NOT ({test})"
        yield Statement("update", table.name, sets={name: f"({left})" if test else "'[]'"}, where=where)
        return
    sets = _sets(change, held, table, write)
    if not sets:
        return
    body = f"CASE WHEN {test or 'true'} THEN item || {_object(sets)} ELSE item END"
    new = f"(SELECT jsonb_agg({body}) FROM jsonb_array_elements({whole}) AS item)"
    yield Statement("update", table.name, sets={name: new}, where=where)
    if change.kind == "upsert":
        absent = [f"NOT ({t})" for t in texts(inner, beside)]
        added = f"{whole} || jsonb_build_array({element(change, held, table, write)})"
        outside = texts(outer, beside) or _parent(change, held, table, write)
        note = "if nothing was updated: the element is new"
        yield Statement("update", table.name, sets={name: added}, where=(*outside, *absent), note=note)


# ---------------------------------------------------------------- copies and figures


def copied(change: Asked, held: Held, table: Table, write: Write) -> Iterator[Statement]:
    """Every holder of a copied field, at once or later; never where the copy is a snapshot."""
    if change.kind not in ("update", "upsert") or isinf(held.age) or held.edge is None or held.edge.down or held.up:
        return
    said = {lay.column(change.entity, p, write.world): v for p, v in change.set.items()}
    sets = {}
    for attr in sorted(held.attrs or ()):
        if attr in said:
            kind, what = value_of(said[attr], write.world.stats.get(attr))
            column = quoted(dict(held.names).get(attr) or table.ref(attr).column)
            new = spoken(kind, what, attr, change, write)
            sets[column] = f"{column} + {amount(what, change, write)}" if kind == "add" else new
    if not sets:
        return
    pairs = zip(held.edge.near, held.edge.far, strict=False)
    where = tuple(f"{quoted(table.ref(n).column)} = {known(f, change, write)}" for n, f in pairs)
    yield Statement("update", table.name, sets=sets, where=where, later=held.age, note="refresh the copies")


def figures(change: Asked, held: Held, table: Table, write: Write) -> Iterator[Statement]:
    """Figures made of the changed rows. Those of a row born with its children are in it already."""
    if held.up >= 0 or table.bucket:
        return
    for figure in write.world.figures:
        if figure.name not in held.computed or figure.rel.child != change.entity:
            continue
        if write.born(figure.of) or not _moves(figure, change, write):
            continue
        column = quoted(table.ref(figure.name).column)
        new = _moved(figure, change, table, write)
        if not new:
            continue
        pairs = zip(figure.rel.via, figure.rel.key, strict=False)
        where = tuple(
            f"{table.name}.{quoted(table.ref(key).column)} = {known(via, change, write)}" for via, key in pairs
        )
        later = table.record.computed_age.get(figure.name, 0.0)
        yield Statement("update", table.name, sets={column: new}, where=where, later=later)


def _moves(figure: Figure, change: Asked, write: Write) -> bool:
    """Does the change alter the figure? A count moves with births and deaths only."""
    named = {lay.column(change.entity, p, write.world) for p in change.set}
    if change.kind in ("insert", "delete"):
        return True
    return bool(figure.reads & named) or (change.kind == "upsert" and not figure.reads)


def _moved(figure: Figure, change: Asked, table: Table, write: Write) -> str:
    """What a figure becomes: a step for a count, the greater or lesser value for a new row, else worked out again."""
    column = f"{table.name}.{quoted(table.ref(figure.name).column)}"
    make = figure.formula.partition("(")[0].strip()
    if not figure.reads and make == "count":
        return f"{column} {'-' if change.kind == 'delete' else '+'} 1"
    if make in ("max", "min") and change.kind == "insert" and len(figure.reads) == 1:
        new = known(next(iter(figure.reads)), change, write)
        return f"{'greatest' if make == 'max' else 'least'}({column}, {new})"
    counted = " where " in figure.formula
    if counted and make == "count" and change.kind in ("insert", "delete"):
        return f"{column} {'-' if change.kind == 'delete' else '+'} 1"
    child = write.home(figure.rel.child)
    if counted or child is None or not PATH.search(figure.formula) or make not in ("sum", "avg", "max", "min", "count"):
        return parameter(figure.name, change, write)
    inner = figure.formula.partition("(")[2].rpartition(")")[0]
    inner = PATH.sub(lambda m: child.ref(lay.column(figure.rel.child, m[0], write.world)).sql(), inner)
    pairs = zip(figure.rel.via, figure.rel.key, strict=False)
    tied = " AND ".join(f"{quoted(child.ref(v).column)} = {table.name}.{quoted(table.ref(k).column)}" for v, k in pairs)
    return f"(SELECT coalesce({make}({inner}), 0) FROM {child.name} WHERE {tied})"
