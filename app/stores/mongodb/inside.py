"""What a change does to documents that hold it inside: pushed and pulled elements, copies, figures."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf
from typing import Any

from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Figure, Held
from app.stores.common_query import field_of
from app.stores.common_write import Asked, value_of
from app.stores.mongodb.filters import put
from app.stores.mongodb.js import Raw
from app.stores.mongodb.statement import UPSERT, Statement, Target, condition, known, loop, said, update


def parent_filter(change: Asked, held: Held, to: Target) -> dict[str, Any]:
    """The document that holds a child: by the key the child points to."""
    found: dict[str, Any] = {}
    for far in held.edge.far if held.edge is not None else ():
        put(found, to.fields(far), known(far, change, to))
    return to.fields.fold(found)


def embedded(
    change: Asked, held: Held, to: Target, pattern: Pattern, changes: tuple[Asked, ...]
) -> Iterable[Statement]:
    """A child inside its parent: in a list, or by itself."""
    inside = to.fields.names.paths.get(held.entity, held.name)
    if inside not in to.fields.names.lists:
        yield from _single(change, held, to, inside)
    elif change.kind == "insert":
        yield _push(change, held, to, inside, pattern)
    elif change.kind == "delete":
        yield _pull(change, held, to, inside)
    else:
        yield from _positional(change, held, to, inside, changes)


def _single(change: Asked, held: Held, to: Target, inside: str) -> Iterable[Statement]:
    where = parent_filter(change, held, to)
    if change.kind == "insert":
        body: dict[str, Any] = {"$set": {inside: element(change, held, to)}}
    elif change.kind == "delete":
        body = {"$unset": {inside: ""}}
    else:
        body = update(change, to, f"{inside}.", held)
        where = condition(change.where, change, to) or where
    if body:
        yield Statement(to.collection, "updateOne", where, body, loop=loop(change))


def element(change: Asked, held: Held, to: Target) -> Any:
    """One embedded child: its fields without those its parent has already."""
    linked = set(held.edge.far) if held.edge is not None else set()
    attrs = to.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
    made = {field_of(a): known(a, change, to) for a in attrs if a not in linked}
    if held.how == "reference" and len(made) == 1:
        return next(iter(made.values()))
    for at, below in enumerate(to.record.shape):
        if at and below.how == "copy" and to.record.shape[below.up] is held:
            for attr in sorted(below.attrs or ()):
                stored = (dict(below.names).get(attr) or field_of(attr)).rpartition(".")[2]
                made[stored] = Raw(f"p.{stored}")
    return made


def _push(change: Asked, held: Held, to: Target, inside: str, pattern: Pattern) -> Statement:
    where = parent_filter(change, held, to)
    pushed: Any = element(change, held, to)
    note = ""
    if held.first:
        pushed = {"$each": [pushed]}
        if held.order:
            attr, way = held.order[0]
            pushed |= {"$sort": {field_of(attr): way}, "$slice": int(held.first)}
        else:
            pushed |= {"$position": 0, "$slice": int(held.first)}
    elif held.limit:
        where[f"{inside}.{int(held.limit) - 1}"] = {"$exists": False}
        note = f"nothing is pushed beyond {held.limit:g} elements"
        note += f": then {held.beyond}" if held.beyond else ""
    far = held.edge.far if held.edge is not None else ()
    keys = [a for a in to.world.keys.get(held.entity, ()) if a not in far]
    if pattern.retry == "idempotency key" and keys:
        # A repeat finds its element there and changes nothing.
        where[f"{inside}.{field_of(keys[0])}"] = {"$ne": known(keys[0], change, to)}
    body = {"$push": {inside: pushed}}
    return Statement(to.collection, "updateOne", where, body, note=note, loop=loop(change))


def _pull(change: Asked, held: Held, to: Target, inside: str) -> Statement:
    """Out of the list: the elements asked for, or all of one parent."""
    where = condition(change.where, change, to)
    outer = {k: v for k, v in where.items() if not k.startswith(f"{inside}.")}
    inner = {k.removeprefix(f"{inside}."): v for k, v in where.items() if k not in outer}
    whole = bool(outer) and not inner
    body: dict[str, Any] = {"$set": {inside: []}} if whole else {"$pull": {inside: inner}}
    note = "the list is a subset: fill it up again from the full collection" if held.first else ""
    verb = "updateOne" if "_id" in outer else "updateMany"
    return Statement(to.collection, verb, outer or where, body, note=note, loop=loop(change))


def _positional(change: Asked, held: Held, to: Target, inside: str, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    """A change of the one element that the condition names."""
    where = condition(change.where, change, to)
    body = update(change, to, f"{inside}.$.", held)
    beside: dict[str, Any] = {}
    for other in changes:
        if other.beside == change.entity and other.entity == to.record.of:
            beside |= update(other, to)
    both = {op: {**body.get(op, {}), **beside.get(op, {})} for op in (*body, *beside)}
    if not both:
        return
    note = ""
    if to.learned:
        where = {**parent_filter(change, held, to), **where}
        note = f"what names the document is read first, by {to.learned}"
    yield Statement(to.collection, "updateOne", where, both, note=note, loop=loop(change))
    if change.kind != "upsert":
        return
    outer = {k: v for k, v in where.items() if not k.startswith(f"{inside}.")}
    inner = {k: v for k, v in where.items() if k not in outer}
    absent: dict[str, Any] = {k: {"$ne": v} for k, v in inner.items()}
    if held.limit:
        absent[f"{inside}.{int(held.limit) - 1}"] = {"$exists": False}
    new = {k.removeprefix(f"{inside}."): v for k, v in inner.items()}
    made = element(change, held, to)
    new = {**made, **new} if isinstance(made, dict) else new
    for operator, values in update(change, to, "", held).items():
        new |= values if operator in ("$set", "$inc") else {}
    pushed: dict[str, Any] = {"$push": {inside: new}, **beside}
    missed = "if nothing matched: the element is new"
    options = dict(UPSERT) if _complete(beside, to) else {}
    yield Statement(to.collection, "updateOne", {**outer, **absent}, pushed, options, missed)


def _complete(update: dict[str, Any], to: Target) -> bool:
    """Does an update, with the condition's key, give all that a document of its own must have?"""
    own = to.world.keys.get(to.record.of, ())
    given = {name for values in update.values() for name in values}
    attrs = [a for a in to.world.fields.get(to.record.of, ()) if a not in own]
    return all(to.fields(a) in given for a in attrs if a not in to.world.stats or to.world.stats[a].present >= 1)


def copied(change: Asked, held: Held, to: Target) -> Iterable[Statement]:
    """Every holder of a copied field, at once or later; never where the copy is a snapshot."""
    if change.kind not in ("update", "upsert") or isinf(held.age) or held.edge is None:
        return
    sets = {lay.column(change.entity, p, to.world): v for p, v in change.set.items()}
    changed = [a for a in sorted(held.attrs or ()) if a in sets]
    if not changed or held.edge.down:
        return
    parent = to.record.shape[held.up]
    outer = "" if held.up == 0 else to.fields.names.paths.get(parent.entity, parent.name)
    keys = {to.fields(near): known(far, change, to) for far, near in zip(held.edge.far, held.edge.near, strict=False)}
    body: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for attr in changed:
        kind, what = value_of(sets[attr], to.world.stats.get(attr))
        stored = (dict(held.names).get(attr) or to.fields(attr)).removeprefix(f"{outer}.")
        body[f"{outer}.$[e].{stored}" if outer else stored] = said(kind, what, change)
    if outer:
        options["arrayFilters"] = [{f"e.{k.removeprefix(f'{outer}.')}": v for k, v in keys.items()}]
    note = "refresh the copies"
    yield Statement(to.collection, "updateMany", keys, {"$set": body}, options, note, held.age)


def figures(change: Asked, held: Held, to: Target, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    """Figures made of the changed records. Those of a document born with its children are in it already."""
    for figure in to.world.figures:
        if figure.name not in held.computed or figure.rel.child != change.entity:
            continue
        born = any(c.kind == "insert" and c.entity == figure.of for c in changes)
        if born or not _moves(figure, change, to) or to.structure.bucket is not None:
            continue
        stored = to.fields(figure.name)
        body, note = _moved(figure, change, to, stored)
        where, one = _holders(figure, change, held, to)
        later = to.record.computed_age.get(figure.name, 0.0)
        yield Statement(to.collection, "updateOne" if one else "updateMany", where, body, note=note, later=later)


def _holders(figure: Figure, change: Asked, held: Held, to: Target) -> tuple[dict[str, Any], bool]:
    """The documents that hold a figure, and whether it is one: a copy is held by all that point to its record."""
    copied = held.how == "copy" and held.edge is not None and not held.edge.down
    near = dict(zip(held.edge.far, held.edge.near, strict=False)) if copied and held.edge is not None else {}
    keys = [near.get(k, k) for k in figure.rel.key]
    where: dict[str, Any] = {}
    for via, key in zip(figure.rel.via, keys, strict=False):
        put(where, to.fields(key), known(via, change, to))
    return to.fields.fold(where), set(to.world.keys.get(to.record.of, ())) <= set(keys)


def _moved(figure: Figure, change: Asked, to: Target, stored: str) -> tuple[dict[str, Any], str]:
    """What a change does to a figure, and what to know: only counts and sums can be stepped, only a new record can
    raise a greatest value or lower a least one; else the figure is worked out again."""
    make = figure.formula.partition("(")[0].strip()
    if not figure.reads:
        return {"$inc": {stored: -1 if change.kind == "delete" else 1}}, ""
    if make in ("max", "min") and change.kind == "insert" and len(figure.reads) == 1:
        return {f"${make}": {stored: known(next(iter(figure.reads)), change, to)}}, ""
    if make in ("sum", "count"):
        return {"$inc": {stored: Raw(f"p.{stored}_change")}}, ""
    return {"$set": {stored: Raw(f"p.{stored}")}}, f"{stored} is worked out again: {figure.formula}"


def _moves(figure: Figure, change: Asked, to: Target) -> bool:
    """Does the change alter the figure? A count moves with births and deaths only."""
    named = {lay.column(change.entity, p, to.world) for p in change.set}
    if change.kind in ("insert", "delete"):
        return True
    return bool(figure.reads & named) or (change.kind == "upsert" and not figure.reads)
