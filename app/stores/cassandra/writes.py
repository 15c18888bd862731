"""A write plan as CQL: INSERT, UPDATE and DELETE by the whole key, in a batch where they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.model.conditions import Comparison
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Cond, Held, Touch
from app.stores.cassandra.records import counter_columns, records
from app.stores.cassandra.types import key_column, quoted, static_names
from app.stores.cassandra.where import Spot, value_text
from app.stores.common_query import entity_of, field_of, many, params
from app.stores.common_steps import Context
from app.stores.common_write import asked, value_of

NOTHING: frozenset[str] = frozenset()
NOW, EARLIER = ":time_of_call", ":time_before"
SIGNS = {"<": "<", ">": ">", "<=": "<=", ">=": ">=", "=": "=", "!=": "!="}


def write_lines(here: Context) -> Iterable[str]:
    """What belongs together first, counters by themselves, then what is refreshed later."""
    lines = list(_lines(here))
    yield from _hashed(here, "\n".join(lines))
    yield from lines


def _hashed(here: Context, text: str) -> Iterable[str]:
    """What the application works out: `:r_hash` out of `:r`."""
    found: dict[str, float] = {}
    for touch in here.plan.touches:
        spot = _spot(touch, here) if touch.store == "cassandra" else None
        for part in (*spot.partition, *spot.order) if spot is not None else ():
            if spot is not None and [f.name for f in part.filters] == ["hash"]:
                found.setdefault(_key_value(part, _named(spot, here), spot, here, NOTHING), part.filters[0].n)
    for name, parts in found.items():
        if re.search(rf"{re.escape(name)}\b", text):
            yield f"-- {name}: hash of {name.removesuffix('_hash')} modulo {parts}"


def _lines(here: Context) -> Iterable[str]:
    mine = [t for t in here.plan.touches if t.store == "cassandra"]
    plain: list[str] = []
    counters: list[str] = []
    for touch in (t for t in mine if t.when == "same"):
        spot = _spot(touch, here)
        if spot is None:
            continue
        yield from _support(touch, spot, here)
        (counters if _counts(touch, spot, here) else plain).extend(statements(touch, spot, here))
    guarded = [text for text in plain if "\n    IF " in text or text.endswith(" IF NOT EXISTS;")]
    if guarded and len(plain) > 1:
        yield "-- a condition reaches one partition of one table: it goes first, and the rest only if it was met"
        yield from guarded
        plain = [text for text in plain if text not in guarded]
    if any(t.op == "move" for t in mine):
        yield "-- :old_ is the value before. Of two statements of one time for one row the deletion wins, so it gets an"
        yield f"-- earlier one: {EARLIER} is {NOW} less 1, and that the time of the call in microseconds"
    if here.pattern.action == "update" and any(_makes(text) for text in plain):
        yield "-- an UPDATE makes a row where there is none; IF EXISTS refuses that, for the price of a lightweight"
        yield "-- transaction, and alone or with others of its partition only"
    if len(plain) > 1:
        yield "-- one batch: all of it in the end, but not isolated where partitions differ"
        yield "BEGIN BATCH"
        yield from (f"  {line}" for text in plain for line in text.splitlines())
        yield "APPLY BATCH;"
    else:
        yield from plain
    if counters:
        yield "-- counters cannot share a batch with other rows, and a repeat adds again"
        yield from counters
    for touch in mine:
        spot = _spot(touch, here) if touch.when == "async" else None
        if spot is not None:
            within = f" within {touch.within:g} s" if touch.within else ""
            yield f"-- later{within}: {touch.why} in {touch.structure}{_times(touch)}"
            yield from _support(touch, spot, here)
            yield from statements(touch, spot, here)


def _makes(text: str) -> bool:
    """Does an UPDATE without a condition make a row that was not there?"""
    return text.startswith("UPDATE") and "\n    IF " not in text


def _spot(touch: Touch, here: Context) -> Spot | None:
    structure = here.model.structure(touch.structure)
    if structure is None:
        return None
    found = (r for r in records(structure, here.model, here.world) if r.name == touch.record)
    return next((Spot(structure, structure, r) for r in found), None)


def _times(touch: Touch) -> str:
    return f", for each of {touch.count.avg:,.3g} rows" if touch.count.avg > 1 else ""


def _support(touch: Touch, spot: Spot, here: Context) -> Iterable[str]:
    if touch.find not in ("key", *(p.name for p in spot.record.paths)):
        way = f"read their keys in {touch.find}" if touch.find else "no key or index finds them: the table is read"
        yield f"-- before it, for the rows of {touch.record}: {way}"
    elif touch.find != "key" and not _ranged(touch, spot):
        yield f"-- before it: find the rows of {touch.record} by {touch.find}{_times(touch)}"
    elif touch.reads:
        yield f"-- before it: {touch.reads:g} read(s) for what {touch.record} copies or replaces"
    if touch.op == "put" and spot.record.entries.max > 1:
        yield f"-- {touch.structure}: one INSERT for each of {touch.count.avg:,.3g} rows"
    held = _inside(touch, spot)
    if held is not None and touch.op in ("push", "pull", "set"):
        yield f"-- {held.name or held.entity} is frozen: read it, change it, write it as a whole"
    for column in _added(touch, spot, here):
        yield f"-- {column} is no counter: read it, and write the sum IF nobody changed it meanwhile"


def _ranged(touch: Touch, spot: Spot) -> bool:
    """Are the rows deleted by the start of their key, without being read?"""
    return touch.op == "remove" and not touch.reads and touch.find in (p.name for p in spot.record.paths)


def _inside(touch: Touch, spot: Spot) -> Held | None:
    """The embed a touch changes."""
    nodes = spot.record.shape[1:]
    entities = {entity_of(a) for a in touch.attrs}
    return next((h for h in nodes if h.how == "embed" and (h.entity in entities or touch.why == "embed")), None)


def _counters(spot: Spot, here: Context) -> frozenset[str]:
    """Attributes kept as counter columns, figures included."""
    of, world = spot.record.of, here.world
    found = {lay.column(of, what, world) for what, _ in counter_columns(spot.structure)}
    return frozenset(found | (set().union(*(h.computed for h in spot.record.shape)) if found else set()))


def _counts(touch: Touch, spot: Spot, here: Context) -> bool:
    """Does the touch add to counter columns?"""
    return bool(touch.attrs & _counters(spot, here))


def _added(touch: Touch, spot: Spot, here: Context) -> tuple[str, ...]:
    """Plain columns that the operation adds to: the server adds to counters only."""
    names, given = spot.names(here.world), _given(spot, here)
    counters = _counters(spot, here)
    return tuple(
        names(a)
        for a in sorted(touch.attrs - counters)
        if "." not in names(a) and (touch.op == "add" or _value(a, given, here)[0] == "add")
    )


def statements(touch: Touch, spot: Spot, here: Context) -> list[str]:
    """The statements of one touch."""
    table, where = quoted(spot.structure.name), " AND ".join(_key(spot, here, start=_ranged(touch, spot)))
    condition = _condition(touch, spot, here)
    if touch.op == "put" and counter_columns(spot.structure):
        return []  # counters cannot be inserted: a row comes to be when something is first counted
    if touch.op == "put":
        guard = " IF NOT EXISTS" if touch.only_if else ""
        return [f"{_insert(spot, here)}{guard};"]
    if touch.op == "remove":
        inside = (quoted(c) for c in static_names(spot.structure, here.world).values()) if spot.record.static else ()
        return [_delete(table, where + condition, ", ".join(inside))]
    if touch.op == "move":
        gone = " AND ".join(_key(spot, here, changed=_moved(touch, spot, here)))
        return [
            _delete(f"{table} USING TIMESTAMP {EARLIER}", gone),
            f"{_insert(spot, here)} USING TIMESTAMP {NOW};",
        ]
    sets = list(dict.fromkeys(_sets(touch, spot, here)))
    if not sets:
        return []
    found = ["\n".join([f"UPDATE {table}", f"   SET {', '.join(sets)}", f" WHERE {where}{condition};"])]
    own = spot.record.of == here.pattern.entity and not spot.record.static
    if here.pattern.action == "upsert" and own and _added(touch, spot, here):
        # no condition on a column is met where there is no row
        found.append(f"-- where there is no row yet\n{_insert(spot, here)} IF NOT EXISTS;")
    return found


def _delete(table: str, where: str, columns: str = "") -> str:
    """The whole row; `columns`: only these of it."""
    return " ".join(["DELETE", *([columns] if columns else []), "FROM", table, "WHERE", f"{where};"])


def _moved(touch: Touch, spot: Spot, here: Context) -> frozenset[str]:
    """Attributes of the key that get another value: the row's new place has it, the old one still its old value."""
    changed = {a.removeprefix("=") for a in (*touch.attrs, *_given(spot, here))}
    keys = (lay.column(spot.record.of, p.attr, here.world) for p in (*spot.partition, *spot.order) if p.attr)
    return frozenset(k for k in keys if k.removeprefix("=") in changed)


def _named(spot: Spot, here: Context) -> list[Cond]:
    """What the operation fixes to one value."""
    world, of = here.world, spot.record.of
    return [c for a in asked(here.pattern) for c in lay.conds(a.where, of, world) if c.op == "=" and not a.loop]


def _key(spot: Spot, here: Context, *, start: bool = False, changed: frozenset[str] = frozenset()) -> Iterable[str]:
    """Every key column with its value: what the operation names, else the value of the row in hand.

    `start`: only those before the first clustering column that nothing names. `changed`: attributes of which the value
    before is meant.
    """
    world, of = here.world, spot.record.of
    conds = _named(spot, here)
    keys = spot.partition if spot.record.static else (*spot.partition, *spot.order)
    named = {c.attr for c in conds}
    for at, part in enumerate(keys):
        if start and at >= len(spot.partition) and lay.column(of, part.attr, world) not in named:
            return
        column = key_column(part, spot.table.of, world)
        yield f"{quoted(column.name)} = {_key_value(part, conds, spot, here, changed)}"


def _key_value(part: KeyPart, conds: list[Cond], spot: Spot, here: Context, changed: frozenset[str]) -> str:
    attr = lay.column(spot.record.of, part.attr, here.world)
    filters = "".join(f"_{f.name}" for f in part.filters)
    if not part.attr:
        return f":{part.name or 'shard'}"
    found = next((c for c in conds if c.attr == attr and c.source is not None), None)
    own = f":old_{field_of(attr)}" if attr in changed else _own(attr, here)
    text = value_text(found.source.operands[0]) if found is not None and found.source is not None else own
    if attr in changed and text == _value(attr, _given(spot, here), here)[1]:
        text = own
    return text + filters if text.startswith(":") else text


def _own(attr: str, here: Context) -> str:
    """The value a row in hand has; with its entity where the operation means something else by the field's name."""
    entity, field = entity_of(attr), field_of(attr)
    main = here.pattern.entity
    if entity != main and (f"{main}.{field}" in here.world.stats or field in params(here.pattern)):
        return f":{entity}_{field}"
    return f":{field}"


def _given(spot: Spot, here: Context) -> Mapping[str, Any]:
    of, world = spot.record.of, here.world
    return {lay.column(of, path, world): value for a in asked(here.pattern) for path, value in a.set.items()}


def _value(attr: str, given: Mapping[str, Any], here: Context) -> tuple[str, str]:
    """(`set` or `add`, value in CQL)."""
    if attr not in given:
        return "set", _own(attr, here)
    kind, value = value_of(given[attr], here.world.stats.get(attr))
    if kind == "now":
        return "set", ":now"
    if kind == "param":
        return "set", f":{value}"
    if kind in ("add", "less"):
        number = value if not isinstance(value, str) else f":{field_of(value)}"
        return "add", f"- {str(number).lstrip('-')}" if kind == "less" or str(number).startswith("-") else f"+ {number}"
    if kind == "set" and isinstance(value, bool):
        return "set", "true" if value else "false"
    if kind == "set" and isinstance(value, int | float):
        return "set", f"{value:g}"
    if kind == "set" and isinstance(value, str):
        return "set", "'" + value.replace("'", "''") + "'"
    return "set", "null" if value is None else f":{field_of(attr)}"


def _kept(conds: list[Cond], given: Mapping[str, Any]) -> list[Cond]:
    """Conditions that still hold behind the operation."""
    return [c for c in conds if c.attr not in given]


def _new(attr: str, given: Mapping[str, Any], conds: list[Cond], here: Context) -> str:
    """The value of a row that is written whole: what is set, else what the operation names it by."""
    found = next((c for c in _kept(conds, given) if c.attr == attr and c.source is not None), None)
    if found is not None and found.source is not None:
        return value_text(found.source.operands[0])
    kind, text = _value(attr, given, here)
    return f":new_{field_of(attr)}" if kind == "add" else text


def _insert(spot: Spot, here: Context) -> str:
    """The whole row under its columns' names."""
    world, of = here.world, spot.record.of
    names, given, conds = spot.names(world), _given(spot, here), _named(spot, here)
    values: dict[str, str] = {}
    for part in spot.partition if spot.record.static else (*spot.partition, *spot.order):
        attr = lay.column(of, part.attr, world) if part.attr else ""
        new = attr in given and not part.filters
        plain = _new(attr, given, conds, here) if new else _key_value(part, _kept(conds, given), spot, here, NOTHING)
        values[key_column(part, spot.table.of, world).name] = plain
    for at, held in enumerate(spot.record.shape):
        if at and held.how == "for each":
            continue
        attrs = held.attrs if held.attrs is not None else world.fields.get(held.entity, ())
        for attr in (*sorted(attrs), *sorted(held.computed)):
            stored = names(attr).partition(".")[0]
            own = stored == names(attr) and entity_of(attr) == of and not (at and many(held.edge))
            values.setdefault(stored, _new(attr, given, conds, here) if own else f":{stored}")
    columns = ", ".join(quoted(c) for c in values)
    return f"INSERT INTO {quoted(spot.structure.name)} ({columns})\nVALUES ({', '.join(values.values())})"


def _sets(touch: Touch, spot: Spot, here: Context) -> Iterable[str]:
    names, given = spot.names(here.world), _given(spot, here)
    keys = {p.attr for p in (*spot.record.primary.partition, *spot.record.primary.order)}
    key_names = {key_column(p, spot.table.of, here.world).name for p in (*spot.partition, *spot.order)}
    added = _added(touch, spot, here)
    for attr in sorted(touch.attrs - keys):
        stored = names(attr)
        if stored in key_names:  # a key never changes: a child's own name for it neither
            continue
        column = quoted(stored.partition(".")[0])
        if stored.partition(".")[0] != stored or touch.op in ("push", "pull"):
            yield f"{column} = :{stored.partition('.')[0]}"
            continue
        kind, value = _value(attr, given, here)
        if stored in added:
            yield f"{column} = :new_{stored}"
        elif touch.op == "add" or kind == "add":
            yield f"{column} = {column} {value if kind == 'add' else '+ :change'}"
        else:
            yield f"{column} = {value if attr in given or entity_of(attr) == spot.record.of else f':{stored}'}"


def _condition(touch: Touch, spot: Spot, here: Context) -> str:
    """`IF …` for `only if`, for what `where` says beyond the key, and for sums: a lightweight transaction."""
    unchanged = [f"{quoted(c)} = :old_{c}" for c in _added(touch, spot, here)] if touch.op != "put" else []
    if touch.why not in ("truth", ""):
        return f"\n    IF {' AND '.join(unchanged)}" if unchanged else ""
    of, world = spot.record.of, here.world
    keys = {p.attr for p in (*spot.record.primary.partition, *spot.record.primary.order)}
    names = spot.names(world)
    found = list(unchanged)
    for part in (here.pattern.where, here.pattern.only_if):
        for term in part.terms if part is not None else ():
            attr = lay.column(of, term.path, world) if isinstance(term, Comparison) else ""
            if not isinstance(term, Comparison) or attr in keys or entity_of(attr) != of or not term.operands:
                continue
            if term.op == "in":
                values = ", ".join(value_text(o) for o in term.operands)
                found.append(f"{quoted(names(attr))} IN ({values})")
            elif term.op in SIGNS:
                found.append(f"{quoted(names(attr))} {SIGNS[term.op]} {value_text(term.operands[0])}")
    return f"\n    IF {' AND '.join(found)}" if found else ""
