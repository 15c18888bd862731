"""A write as the mongosh text an engineer would paste: updates, pushes, refreshed copies, transactions.

Statements are worked out from what each collection holds, and merged where they reach the same document. Which
collections take part, and whether a transaction is needed, is the plan's word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isinf
from typing import Any

from app.model.candidate import Candidate, Structure
from app.model.conditions import Conditions
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Figure, Held, Plan, Record, World
from app.stores.common_query import elsewhere, equal_to, field_of, other_stores, things_of
from app.stores.common_write import Asked, asked, value_of
from app.stores.mongodb.filters import Fields, fields_of, put, terms_query
from app.stores.mongodb.js import Raw, collection, js, now, operand
from app.stores.mongodb.records import records

UPSERT = {"upsert": True}


@dataclass(frozen=True, slots=True)
class Statement:
    """One write of one collection. `later`: seconds it may wait (0: now). `loop`: once per element of this list."""

    structure: str
    verb: str
    where: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    later: float = 0
    loop: str = ""

    @property
    def place(self) -> tuple[str, str, str, float, str]:
        return (self.structure, self.verb, js(self.where), self.later, self.loop)

    def text(self, session: str = "") -> str:
        inside = [js(self.where)] if self.verb != "insertOne" else []
        if self.body:
            inside.append(js(self.body))
        options = {**self.options, **({"session": Raw("session")} if session else {})}
        if options:
            inside.append(js(options))
        source = collection(self.structure)
        if session:
            source = source.replace("db.", f"{session}.", 1)
        return f"{source}.{self.verb}({', '.join(inside)});"


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of document a write may reach."""

    structure: Structure
    record: Record
    fields: Fields
    world: World


def write_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """The lines of a write, those of other stores behind it."""
    found: list[Statement] = []
    touched = {t.structure for t in plan.touches}
    changes = asked(pattern)
    for structure in model.structures:
        if model.store_of(structure) != "mongodb" or (touched and structure.name not in touched):
            continue
        kinds = records(structure, model, world)
        for thing, kind in zip(things_of(structure), kinds, strict=False):
            target = Target(structure, kind, fields_of(structure, thing, kind, world), world)
            for change in changes:
                found.extend(_reach(change, target, changes, pattern))
    merged = _merge(found)
    yield from _statements(pattern, plan, merged)
    for store in other_stores(plan, "mongodb"):
        yield f"// in {store}:"
        text = elsewhere(pattern, plan, model, world, store)
        yield from (f"// {line}" for line in text.splitlines())


def _merge(found: Iterable[Statement]) -> list[Statement]:
    """Updates of the same document are one update."""
    out: dict[tuple[str, str, str, float, str], Statement] = {}
    for one in found:
        old = out.get(one.place)
        if old is None or one.verb == "insertOne":
            key = one.place if old is None else (*one.place[:2], str(len(out)), *one.place[3:])
            out[key] = one
            continue
        body = dict(old.body)
        for operator, values in one.body.items():
            body[operator] = {**body.get(operator, {}), **values}
        out[one.place] = replace(old, body=body, options={**old.options, **one.options})
    return list(out.values())


def _statements(pattern: Pattern, plan: Plan, found: list[Statement]) -> Iterable[str]:
    same = [s for s in found if not s.later]
    later = [s for s in found if s.later]
    if plan.scope == "transaction" and len(same) > 1:
        yield "const session = db.getMongo().startSession();"
        yield "const tx = session.getDatabase(db.getName());"
        yield "session.withTransaction(() => {"
        for one in same:
            yield from ("  " + line for line in _spoken(one, "tx"))
        yield '}, { readConcern: { level: "snapshot" }, writeConcern: { w: "majority" } });'
    else:
        for one in same:
            yield from _spoken(one, "")
    for one in later:
        span = "some time" if isinf(one.later) else f"{one.later:g} s"
        yield f"// afterwards, within {span} (from a queue or a change stream):"
        yield from _spoken(one, "")
    if pattern.retry and plan.retry:
        yield f"// retry ({pattern.retry}): {plan.retry}"


def _spoken(one: Statement, session: str) -> Iterable[str]:
    if one.note:
        yield f"// {one.note}"
    text = replace(one, options=one.options).text(session)
    if session:
        text = text.replace(", { session: session });", ");")
    lines = text.splitlines()
    if one.loop:
        yield f"for (const item of {one.loop}) {{"
        yield from (f"  {line}" for line in lines)
        yield "}"
    else:
        yield from lines


# ---------------------------------------------------------------- where a change reaches


def _reach(change: Asked, to: Target, changes: tuple[Asked, ...], pattern: Pattern) -> Iterable[Statement]:
    inside = {h.entity for h in to.record.shape[1:] if h.how == "embed"}
    if change.beside in inside and change.entity == to.record.of:
        return  # said with a change of what is inside: one statement does both
    for at, held in enumerate(to.record.shape):
        if held.entity == change.entity and (held.attrs is None or held.attrs or at == 0):
            if at == 0:
                yield from _root(change, to, changes)
            elif held.how == "copy":
                yield from _copy(change, held, to)
            elif held.how in ("embed", "reference") and held.edge is not None and held.edge.down:
                born = any(c.entity == to.record.of and c.kind == "insert" for c in changes)
                if not (change.part and born):
                    yield from _embedded(change, held, to, pattern, changes)
        yield from _figures(change, held, to, changes)


def _operands(change: Asked, world: World) -> dict[str, Any]:
    """Values the operation knows: equalities of its condition, and what it sets."""
    known = {a: operand(o) for a, o in equal_to(change.where, world, change.entity).items()}
    for path, value in change.set.items():
        attr = lay.column(change.entity, path, world)
        kind, said = value_of(value, world.stats.get(attr))
        if kind in ("set", "param"):
            known.setdefault(attr, _said(kind, said, change))
    return known


def _said(kind: str, said: Any, change: Asked) -> Any:
    if kind == "now":
        return now()
    if kind == "param":
        return Raw(f"p.{said}")
    if kind == "attr":
        return Raw(f"item.{field_of(said)}" if change.loop else f"p.{field_of(said)}")
    return said


def _known(attr: str, change: Asked, to: Target) -> Any:
    """The value of an attribute: what the operation says, or a parameter of its name."""
    found = _operands(change, to.world).get(attr)
    holder = "item" if change.part or change.loop else "p"
    return Raw(f"{holder}.{field_of(attr)}") if found is None else found


def _filter(where: Conditions | None, change: Asked, to: Target) -> dict[str, Any]:
    found = terms_query(where.terms if where else (), to.fields, change.entity, to.world)
    guard = change.only_if
    if guard is not None:
        for path, value in terms_query(guard.terms, to.fields, change.entity, to.world).items():
            put(found, path, value)
    return found


def _root(change: Asked, to: Target, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    name = to.structure.name
    if change.kind == "insert":
        if to.structure.bucket is not None:
            yield _into_bucket(change, to)
            return
        loop = "p." + change.entity + "s" if change.part else ""
        yield Statement(name, "insertOne", {}, _document(change, to, changes), loop=loop)
        return
    where = _filter(change.where, change, to)
    whole = _by_key(where, to)
    loop = change.loop and f"p.{change.loop}s"
    if change.kind == "delete":
        yield Statement(name, "deleteOne" if whole else "deleteMany", where, loop=loop)
        return
    body = _update(change, to, "")
    if body:
        options = dict(UPSERT) if change.kind == "upsert" else {}
        verb = "updateOne" if whole or options else "updateMany"
        yield Statement(name, verb, where, body, options, loop=loop)


def _by_key(where: Mapping[str, Any], to: Target) -> bool:
    if isinstance(where.get("_id"), dict) and "$in" in where["_id"]:
        return False
    if "_id" in where:
        return True
    unique = [p.order for p in to.record.paths if p.unique and not p.primary]
    return any(all(to.fields(x.attr) in where for x in order) for order in unique if order)


def _update(change: Asked, to: Target, prefix: str, held: Held | None = None) -> dict[str, Any]:
    """`$set`, `$inc`, `$push` of what the change sets and this document holds."""
    body: dict[str, dict[str, Any]] = {}
    for path, value in change.set.items():
        attr = lay.column(change.entity, path, to.world)
        if held is not None and held.attrs is not None and attr not in held.attrs:
            continue
        stored = to.fields(attr)
        if held is not None:
            stored = f"{prefix}{stored.rpartition('.')[2]}"
        if stored == "_id" or stored.startswith("_id."):
            continue
        kind, said = value_of(value, to.world.stats.get(attr))
        operator = {"add": "$inc", "push": "$push", "less": "$inc"}.get(kind, "$set")
        inner = _said("attr" if kind in ("add", "less") and isinstance(said, str) else kind, said, change)
        if kind == "less":
            inner = Raw(f"-{js(inner)}")
        body.setdefault(operator, {})[stored] = inner
    return dict(body)


def _document(change: Asked, to: Target, changes: tuple[Asked, ...]) -> dict[str, Any]:
    """The new document: every own field, lists that begin, copies at birth, figures."""
    made: dict[str, Any] = {}
    root = to.record.shape[0]
    own = to.world.fields.get(to.record.of, ())
    for attr in own:
        if root.attrs is None or attr in root.attrs:
            _nest(made, to.fields(attr), _known_or_set(attr, change, to))
    parts = {c.entity for c in changes if c.part}
    for held in to.record.shape[1:]:
        stored = to.fields.names.paths.get(held.entity, "")
        if held.how == "embed" and stored in to.fields.names.lists and "." not in stored:
            made[stored] = Raw(f"p.{stored}") if held.entity in parts else []
        elif held.how == "embed" and stored and "." not in stored:
            made[stored] = Raw(f"p.{stored}")
        elif held.how == "copy" and held.up == 0:
            for attr in sorted(held.attrs or ()):
                path = dict(held.names).get(attr) or to.fields(attr)
                _nest(made, path, Raw(f"p.{path.replace('.', '_')}"))
    for figure in sorted(root.computed):
        fresh = any(f.name == figure and f.rel.child in parts for f in to.world.figures)
        made[to.fields(figure)] = Raw(f"p.{to.fields(figure)}") if fresh else 0
    if to.structure.schema_version:
        made["schema_version"] = to.structure.schema_version
    return made


def _known_or_set(attr: str, change: Asked, to: Target) -> Any:
    for path, value in change.set.items():
        if lay.column(change.entity, path, to.world) == attr:
            kind, said = value_of(value, to.world.stats.get(attr))
            return _said(kind, said, change)
    return _known(attr, change, to)


def _nest(made: dict[str, Any], path: str, value: Any) -> None:
    head, _, rest = path.partition(".")
    if not rest:
        made[head] = value
        return
    inner = made.setdefault(head, {})
    if isinstance(inner, dict):
        _nest(inner, rest, value)


def _into_bucket(change: Asked, to: Target) -> Statement:
    """A record into its bucket; the first one opens it."""
    inside = next(iter(sorted(to.fields.names.lists)), "items")
    element: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for attr in to.world.fields.get(to.record.of, ()):
        path = to.fields(attr)
        value = _known_or_set(attr, change, to)
        if path.startswith(f"{inside}."):
            element[path.removeprefix(f"{inside}.")] = value
        else:
            shared[path] = value
    body: dict[str, Any] = {"$push": {inside: element}}
    figures = {to.fields(f): 1 for f in sorted(to.record.shape[0].computed)}
    if figures:
        body["$inc"] = figures
    where: dict[str, Any] = {"_id": Raw("p.bucket")} if to.structure.id_ else dict(shared)
    most = to.structure.bucket.max if to.structure.bucket is not None else None
    if most is not None and most.value:
        where[f"{inside}.{int(most.value) - 1}"] = {"$exists": False}
    if to.structure.id_ and shared:
        body["$setOnInsert"] = shared
    note = "p.bucket: the _id made of what the bucket is grouped by"
    return Statement(to.structure.name, "updateOne", where, body, dict(UPSERT), note)


# ---------------------------------------------------------------- inside other documents


def _parent_filter(change: Asked, held: Held, to: Target) -> dict[str, Any]:
    """The document that holds a child: by the key the child points to."""
    found: dict[str, Any] = {}
    for far in held.edge.far if held.edge is not None else ():
        put(found, to.fields(far), _known(far, change, to))
    return found


def _embedded(
    change: Asked, held: Held, to: Target, pattern: Pattern, changes: tuple[Asked, ...]
) -> Iterable[Statement]:
    inside = to.fields.names.paths.get(held.entity, held.name)
    name = to.structure.name
    listed = inside in to.fields.names.lists
    keys = [a for a in to.world.keys.get(held.entity, ()) if held.edge and a not in held.edge.far]
    if not listed:
        body = _update(change, to, f"{inside}.", held)
        where = _filter(change.where, change, to) or _parent_filter(change, held, to)
        if change.kind == "insert":
            body = {"$set": {inside: _element(change, held, to)}}
            where = _parent_filter(change, held, to)
        elif change.kind == "delete":
            body = {"$unset": {inside: ""}}
        if body:
            yield Statement(name, "updateOne", where, body, loop=_loop(change))
        return
    if change.kind == "insert":
        yield _push(change, held, to, inside, keys, pattern)
    elif change.kind == "delete":
        yield _pull(change, held, to, inside)
    else:
        yield from _positional(change, held, to, inside, changes)


def _loop(change: Asked) -> str:
    return f"p.{change.loop or change.entity}s" if change.loop or change.part else ""


def _element(change: Asked, held: Held, to: Target) -> Any:
    """One embedded child: its fields without those its parent has already."""
    linked = set(held.edge.far) if held.edge is not None else set()
    attrs = to.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
    made = {field_of(a): _known_or_set(a, change, to) for a in attrs if a not in linked}
    if held.how == "reference" and len(made) == 1:
        return next(iter(made.values()))
    for at, below in enumerate(to.record.shape):
        if at and below.how == "copy" and to.record.shape[below.up] is held:
            for attr in sorted(below.attrs or ()):
                stored = (dict(below.names).get(attr) or field_of(attr)).rpartition(".")[2]
                made[stored] = Raw(f"p.{stored}")
    return made


def _push(change: Asked, held: Held, to: Target, inside: str, keys: list[str], pattern: Pattern) -> Statement:
    where = _parent_filter(change, held, to)
    element = _element(change, held, to)
    pushed: Any = element
    note = ""
    if held.first:
        pushed = {"$each": [element]}
        if held.order:
            attr, way = held.order[0]
            pushed["$sort"] = {field_of(attr): way}
            pushed["$slice"] = int(held.first)
        else:
            pushed |= {"$position": 0, "$slice": int(held.first)}
    elif held.limit:
        where[f"{inside}.{int(held.limit) - 1}"] = {"$exists": False}
        note = f"nothing is pushed beyond {held.limit:g} elements"
        note += f": then {held.beyond}" if held.beyond else ""
    if pattern.retry == "idempotency key" and keys:
        where[f"{inside}.{field_of(keys[0])}"] = {"$ne": _known(keys[0], change, to)}
    return Statement(to.structure.name, "updateOne", where, {"$push": {inside: pushed}}, note=note, loop=_loop(change))


def _pull(change: Asked, held: Held, to: Target, inside: str) -> Statement:
    """Out of the list: the elements asked for, or all of one parent."""
    where = _filter(change.where, change, to)
    outer = {k: v for k, v in where.items() if not k.startswith(f"{inside}.")}
    inner = {k.removeprefix(f"{inside}."): v for k, v in where.items() if k not in outer}
    whole = bool(outer) and not inner
    body: dict[str, Any] = {"$set": {inside: []}} if whole else {"$pull": {inside: inner}}
    note = "the list is a subset: fill it up again from the full collection" if held.first else ""
    verb = "updateOne" if "_id" in outer else "updateMany"
    return Statement(to.structure.name, verb, outer or where, body, note=note, loop=_loop(change))


def _positional(change: Asked, held: Held, to: Target, inside: str, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    """A change of the one element that the condition names."""
    where = _filter(change.where, change, to)
    body = _update(change, to, f"{inside}.$.", held)
    outside = _beside(change, to, changes)
    for operator, values in outside.items():
        body[operator] = {**body.get(operator, {}), **values}
    if not body:
        return
    verb = "updateOne"
    yield Statement(to.structure.name, verb, where, body, loop=_loop(change))
    if change.kind != "upsert":
        return
    outer = {k: v for k, v in where.items() if not k.startswith(f"{inside}.")}
    inner = {k: v for k, v in where.items() if k not in outer}
    absent = {k: {"$ne": v} for k, v in inner.items()}
    if held.limit:
        absent[f"{inside}.{int(held.limit) - 1}"] = {"$exists": False}
    element = {k.removeprefix(f"{inside}."): v for k, v in inner.items()}
    for operator, values in _update(change, to, "", held).items():
        if operator in ("$set", "$inc"):
            element |= values
    pushed: dict[str, Any] = {"$push": {inside: element}, **outside}
    note = "if nothing matched: the element is new"
    yield Statement(to.structure.name, "updateOne", {**outer, **absent}, pushed, dict(UPSERT), note)


def _beside(change: Asked, to: Target, changes: tuple[Asked, ...]) -> dict[str, Any]:
    """What the same operation sets on the document around the list (`cart.updated_at`)."""
    body: dict[str, Any] = {}
    for other in changes:
        if other.beside == change.entity and other.entity == to.record.of:
            body |= _update(other, to, "")
    return body


def _copy(change: Asked, held: Held, to: Target) -> Iterable[Statement]:
    """Every holder of a copied field, at once or later; never where the copy is a snapshot."""
    if change.kind not in ("update", "upsert") or isinf(held.age) or held.edge is None:
        return
    sets = {lay.column(change.entity, p, to.world): v for p, v in change.set.items()}
    changed = [a for a in sorted(held.attrs or ()) if a in sets]
    if not changed or held.edge.down:
        return
    parent = to.record.shape[held.up]
    outer = "" if held.up == 0 else to.fields.names.paths.get(parent.entity, parent.name)
    keys = {to.fields(near): _known(far, change, to) for far, near in zip(held.edge.far, held.edge.near, strict=False)}
    body: dict[str, Any] = {}
    options: dict[str, Any] = {}
    inner = f"{outer}.$[e]." if outer else ""
    for attr in changed:
        kind, said = value_of(sets[attr], to.world.stats.get(attr))
        stored = (dict(held.names).get(attr) or to.fields(attr)).removeprefix(f"{outer}.")
        body[f"{inner}{stored}"] = _said(kind, said, change)
    if outer:
        options["arrayFilters"] = [{f"e.{k.removeprefix(f'{outer}.')}": v for k, v in keys.items()}]
    later = held.age or 0.0
    yield Statement(to.structure.name, "updateMany", keys, {"$set": body}, options, "refresh the copies", later)


def _figures(change: Asked, held: Held, to: Target, changes: tuple[Asked, ...]) -> Iterable[Statement]:
    """Figures made of the changed records. Those of a document born with its children are in it already."""
    for figure in to.world.figures:
        if figure.name not in held.computed or figure.rel.child != change.entity:
            continue
        born = any(c.kind == "insert" and c.entity == figure.of for c in changes)
        if born or not _moves(figure, change) or to.structure.bucket is not None:
            continue
        stored = to.fields(figure.name)
        amount: Any = -1 if change.kind == "delete" else 1
        if figure.reads:
            amount = Raw(f"p.{stored}_change")
        where: dict[str, Any] = {}
        for via, key in zip(figure.rel.via, figure.rel.key, strict=False):
            put(where, to.fields(key), _known(via, change, to))
        age = to.record.computed_age.get(figure.name, 0.0)
        later = 0.0 if age == 0 else min(inf, age)
        yield Statement(to.structure.name, "updateOne", where, {"$inc": {stored: amount}}, later=later)


def _moves(figure: Figure, change: Asked) -> bool:
    if change.kind in ("insert", "delete", "upsert"):
        return not (change.kind == "upsert" and figure.reads and not _reads(figure, change))
    return _reads(figure, change)


def _reads(figure: Figure, change: Asked) -> bool:
    return bool(figure.reads & set(change.set))
