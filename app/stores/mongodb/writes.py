"""A write as the mongosh text an engineer would paste: updates, pushes, refreshed copies, transactions.

Statements are worked out from what each collection holds, and merged where they reach the same document. Which
collections take part, and whether a transaction is needed, is the plan's word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isinf

from app.model.candidate import Candidate, Structure
from app.model.conditions import Comparison, Conditions
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Plan, Record, World
from app.stores.common_query import DEMANDING, elsewhere, equal_to, other_stores, things_of
from app.stores.common_write import Asked, asked, of_taken
from app.stores.mongodb.filters import fields_of
from app.stores.mongodb.inside import copied, embedded, figures
from app.stores.mongodb.js import collection, js, operand
from app.stores.mongodb.records import records, template_parts
from app.stores.mongodb.roots import root
from app.stores.mongodb.statement import Statement, Target, merge

MAJORITY = {"writeConcern": {"w": "majority"}}
"""In a transaction it belongs to the transaction, not to its statements."""


def write_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """The lines of a write, those of other stores behind it."""
    found: list[Statement] = []
    touched = {t.structure for t in plan.touches}
    finds = {t.record: t.find for t in plan.touches}
    changes = tuple(going((of_taken(c, world) for c in asked(pattern)), world))
    for structure in model.structures:
        if model.store_of(structure) != "mongodb" or (touched and structure.name not in touched):
            continue
        kinds = records(structure, model, world)
        for thing, kind in zip(things_of(structure), kinds, strict=False):
            fields = fields_of(structure, thing, kind, world)
            place = collection(structure.name, _which(structure, kind, pattern, world))
            to = Target(structure, kind, fields, world, place, _learned(kind, finds.get(kind.name, "key")))
            for change in changes:
                found.extend(_reach(change, to, changes, pattern))
    yield from _statements(pattern, plan, merge(found))
    for store in other_stores(plan, "mongodb"):
        yield f"// in {store}:"
        text = elsewhere(pattern, plan, model, world, store)
        yield from (f"// {line}" for line in text.splitlines())


def going(changes: Iterable[Asked], world: World) -> Iterable[Asked]:
    """The changes, and the removal of the children that go with a record whose key is named."""
    for change in changes:
        yield change
        named = equal_to(change.where, world, change.entity) if change.kind == "delete" else {}
        for rel in world.rels:
            if rel.parent != change.entity or rel.on_delete != "cascade" or not named.keys() >= set(rel.key):
                continue
            pairs = zip(rel.via, rel.key, strict=True)
            where = tuple(Comparison(via, "=", (named[key],)) for via, key in pairs)
            child = Asked("delete", rel.child, Conditions("", where), further=True)
            yield from going((child,), world)


def _learned(kind: Record, find: str) -> str:
    """The path of another kind of document that names these, if the plan found it."""
    return "" if find in ("key", "", *(p.name for p in kind.paths)) else find


def _which(structure: Structure, kind: Record, pattern: Pattern, world: World) -> Mapping[str, str]:
    """What stands for the placeholders in a collection's name."""
    known = equal_to(pattern.where, world, kind.of)
    found = {key: known.get(lay.column(kind.of, key, world)) for key in template_parts(structure)}
    return {key: js(operand(o)) for key, o in found.items() if o is not None}


def _reach(change: Asked, to: Target, changes: tuple[Asked, ...], pattern: Pattern) -> Iterable[Statement]:
    """Every statement one change needs in one kind of document."""
    inside = {h.entity for h in to.record.shape[1:] if h.how == "embed"}
    if change.beside in inside and change.entity == to.record.of:
        return  # said with a change of what is inside: one statement does both
    born = any(c.entity == to.record.of and c.kind == "insert" for c in changes)
    for at, held in enumerate(to.record.shape):
        if held.entity == change.entity and (held.attrs is None or held.attrs or at == 0):
            if at == 0:
                yield from root(change, to, changes)
            elif held.how == "copy":
                yield from copied(change, held, to)
            elif not (change.part and born) and held.edge is not None and held.edge.down:
                yield from embedded(change, held, to, pattern, changes)
        yield from figures(change, held, to, changes)


def _statements(pattern: Pattern, plan: Plan, found: list[Statement]) -> Iterable[str]:
    if any(str(level).startswith(DEMANDING) for level in pattern.consistency.values()):
        options = {} if plan.scope == "transaction" and sum(not s.later for s in found) > 1 else MAJORITY
        found = [s if s.later else replace(s, options={**s.options, **options}) for s in found]
    same = [s for s in found if not s.later]
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
    for one in found:
        if one.later:
            span = "some time" if isinf(one.later) else f"{one.later:g} s"
            yield f"// afterwards, within {span} (from a queue or a change stream):"
            yield from _spoken(one, "")
    if pattern.retry and plan.retry:
        yield f"// retry ({pattern.retry}): {plan.retry}"


def _spoken(one: Statement, session: str) -> Iterable[str]:
    if one.note:
        yield f"// {one.note}"
    lines = one.text(session).splitlines()
    if one.loop:
        yield f"for (const item of {one.loop}) {{"
        yield from (f"  {line}" for line in lines)
        yield "}"
    else:
        yield from lines
