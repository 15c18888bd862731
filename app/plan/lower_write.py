"""From a write pattern to changes: the entity itself, children written with it, further changes, cascades.

What is set is told apart: a literal (`value`), what the caller brings (`param`), a step (`add`), the time (`now`), an
element (`push`). What is known decides later what finds the places to change: everything of a new record, the
equalities of `where` of an old one. What cannot be understood becomes a sentence in `questions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.model.growth import read_consistency
from app.model.spread import ONE, exactly
from app.model.terms import Conditions
from app.model.workload import AlsoWrite, Pattern
from app.plan.said import Sets, said, sets_of
from app.plan.types import Change, Rel, World, WriteIntent
from app.plan.ways import fold, place

DEEPEST = 4
"""Levels of children that a delete is followed down."""


@dataclass(slots=True)
class _Making:
    """The changes of one operation in the making."""

    world: World
    changes: list[Change] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def ask(self, question: str) -> None:
        if question not in self.questions:
            self.questions.append(question)


def lower_write(pattern: Pattern, world: World) -> WriteIntent:
    """The write as the planner sees it. Never raises. Of a read with `also`, the changes it makes besides."""
    making = _Making(world)
    if pattern.is_write:
        _main(making, pattern)
    for also in pattern.also:
        _also(making, pattern, also)
    for change in tuple(making.changes):
        if change.kind == "delete":
            _cascade(making, change, DEEPEST)
    levels = {read_consistency(text).level for text in pattern.consistency.values()}
    return WriteIntent(
        name=pattern.operation,
        changes=tuple(making.changes),
        atomic=pattern.atomic,
        retry=pattern.retry,
        strong="strong" in levels,
        questions=tuple(making.questions),
        notes=tuple(making.notes),
    )


# ---------------------------------------------------------------- the operation itself


def _main(making: _Making, pattern: Pattern) -> None:
    world, entity = making.world, pattern.entity
    if entity not in world.fields:
        making.ask(f"the entity {entity} is not described")
    given = frozenset(pattern.given)
    batch = pattern.batch.value if pattern.batch and pattern.batch.known and pattern.batch.value else 1.0
    sets = sets_of(world, entity, pattern.set, making.ask)
    own = sets.pop(entity, Sets({}, {}))
    change = _change(making, pattern.action, entity, pattern.where, own, batch, pattern)
    only_if = change.only_if or pattern.only_if is not None
    known = change.known | _in_hand(world, entity, given)
    making.changes.append(replace(change, known=known, only_if=only_if, given=given))
    for name in pattern.with_:
        _child(making, change, name, given)
    for other, values in sets.items():
        _neighbour(making, change, other, values)


def _in_hand(world: World, entity: str, given: frozenset[str]) -> frozenset[str]:
    """Attributes of other entities that the writer has, where only one relationship leads there.

    What stands for two things, the buyer's name and the seller's, names no record.
    """
    found = set()
    for path in given:
        spot = fold(place(world, entity, path))
        edge = spot.edges[0] if len(spot.edges) == 1 else None
        if spot.why or edge is None or edge.down:
            continue
        if sum(r.child == entity and r.parent == edge.to for r in world.rels) == 1:
            found.add(spot.attr)
    return frozenset(found)


def _change(
    making: _Making,
    kind: str,
    entity: str,
    where: Conditions | None,
    sets: Sets,
    batch: float,
    write: Pattern | AlsoWrite,
) -> Change:
    """One change of an entity by its own `where` and `set`."""
    world = making.world
    if kind == "insert":
        return _insert(world, entity, sets, batch, getattr(write, "retry", ""))
    found = said(world, entity, where, making.ask)
    keys = frozenset(world.keys.get(entity, ()))
    known, count, how = found.known, found.count, dict(sets.how)
    if where is None:
        known = known | keys  # the record in hand: the caller names it by its key
        count = ONE
    if kind == "upsert":
        known = known | frozenset(a for a in how if how[a] in ("param", "value") and a in keys) | keys
        count = ONE
        if write.inserts is None:
            making.ask(f"how many of the upserts make a new {entity}? Counted as all of them. (inserts: 30%)")
        how = how or dict.fromkeys(world.fields.get(entity, ()), "param")
    if kind == "update" and not how:
        making.ask(f"what does the update set on {entity}?")
    mark = world.soft_delete.get(entity)
    if kind == "delete" and mark in world.stats and mark is not None:
        kind, how = "update", {mark: "now"}
        found.before.setdefault(mark, "null")
    return Change(
        kind=kind,
        entity=entity,
        known=known,
        sets=how,
        literals=sets.literals,
        before=found.before,
        count=count if batch == 1 else count.times(batch),
        only_if=found.guarded,
        inserts=_inserts(write),
        named=found.known if kind == "upsert" and where is not None and found.known else None,
        key_by=world.made_by.get(entity, "client"),
        apart=batch != 1,
    )


def _insert(world: World, entity: str, sets: Sets, batch: float = 1.0, retry: str = "") -> Change:
    """A new record: everything is known but a key that the server makes."""
    own = world.fields.get(entity, ())
    made_by = world.made_by.get(entity, "client")
    made: frozenset[str] = frozenset()
    if made_by == "server" and retry != "same key":
        foreign = {v for r in world.rels if r.child == entity for v in r.via}
        made = frozenset(world.keys.get(entity, ())) - foreign
    how = {a: "param" for a in own if world.stats[a].present >= 1} if own else {}
    return Change(
        kind="insert",
        entity=entity,
        known=frozenset(own) - made,
        sets={**how, **sets.how},
        literals=sets.literals,
        count=exactly(batch),
        key_by=made_by,
    )


def _inserts(write: Pattern | AlsoWrite) -> float:
    share = write.inserts.value if write.inserts else None
    return 1.0 if share is None else share


def _child(making: _Making, parent: Change, name: str, given: frozenset[str]) -> None:
    """`with: line_item`: children written in the same operation."""
    rel = _down(making.world, parent.entity, name)
    if rel is None:
        making.ask(f"{name} is written with {parent.entity}, but no relationship joins them")
        return
    new = _insert(making.world, rel.child, Sets({}, {}))
    count = parent.count.of(rel.children) if parent.count != ONE else rel.children
    known = new.known | frozenset(rel.via)
    making.changes.append(replace(new, known=known, count=count, same_as=parent.entity, given=given))


def _neighbour(making: _Making, change: Change, entity: str, sets: Sets) -> None:
    """`set` names an attribute of another entity: its one parent, or the children."""
    world = making.world
    up = next((r for r in world.rels if r.child == change.entity and entity in (r.role, r.parent)), None)
    if up is not None:
        bound = frozenset(up.key) if set(up.via) <= change.known else frozenset()
        label = f"{up.parent} of {change.same_as or change.entity}"
        making.changes.append(Change("update", up.parent, bound, sets.how, sets.literals, same_as=label, count=ONE))
        return
    rel = _down(world, change.entity, entity)
    if rel is None:
        making.ask(f"`set` names {entity}, and no relationship joins it with {change.entity}")
        return
    bound = frozenset(rel.via) if set(rel.key) <= change.known else frozenset()
    count = change.count.of(rel.children)
    making.changes.append(Change("update", rel.child, bound, sets.how, sets.literals, count=count))


def _down(world: World, parent: str, child: str) -> Rel | None:
    return next((r for r in world.rels if r.parent == parent and child in (r.child, r.children_as)), None)


# ---------------------------------------------------------------- further changes


def _also(making: _Making, pattern: Pattern, also: AlsoWrite) -> None:
    kind, entity = next(((k, e) for k in ("insert", "upsert", "update", "delete") if (e := getattr(also, k))), ("", ""))
    if not kind:
        making.ask("a further change says neither insert, upsert, update nor delete")
        return
    if entity not in making.world.fields:
        making.ask(f"the entity {entity} is not described")
    sets = sets_of(making.world, entity, also.set, making.ask)
    own = sets.pop(entity, Sets({}, {}))
    change = _change(making, kind, entity, also.where, own, 1.0, also)
    if also.for_each:
        change = _per_child(making, pattern, also.for_each, change)
    elif entity == pattern.entity and kind != "insert" and pattern.is_read:
        change = _of_the_read(making, pattern, also, change)
    making.changes.append(replace(change, only_if=change.only_if or also.only_if is not None))
    for other, values in sets.items():
        _neighbour(making, change, other, values)


def _of_the_read(making: _Making, pattern: Pattern, also: AlsoWrite, change: Change) -> Change:
    """A change of the records that the operation has just read: all that they hold is known."""
    if also.where is not None:
        return change
    read = frozenset(making.world.fields.get(change.entity, ()))
    count = exactly(pattern.limit.value or 1.0) if pattern.limit else change.count
    return replace(change, known=change.known | read, count=count)


def _per_child(making: _Making, pattern: Pattern, name: str, change: Change) -> Change:
    """Repeated for each child of the record: the child names whom it changes by its foreign key."""
    world = making.world
    down = _down(world, pattern.entity, name)
    if down is None:
        making.ask(f"`for each: {name}`: no relationship leads from {pattern.entity} to {name}")
        return change
    up = next((r for r in world.rels if r.child == down.child and r.parent == change.entity), None)
    known = change.known | (frozenset(up.key) if up is not None else frozenset())
    held = any(c.entity == down.child for c in making.changes)
    if not held:
        making.notes.append(f"the {down.child} records are read first: one {change.kind} for each")
    return replace(change, known=known, count=down.children, apart=True)


def _cascade(making: _Making, change: Change, depth: int) -> None:
    """Children that go with a deleted parent."""
    if not depth:
        return
    for rel in making.world.rels:
        if rel.parent != change.entity or rel.on_delete == "keep" or rel.child == change.entity:
            continue
        if rel.on_delete == "refuse":
            making.notes.append(f"refused while there are {rel.child} records: they are looked for first")
            continue
        known = frozenset(rel.via) if set(rel.key) <= change.known else frozenset()
        child = Change(
            "delete", rel.child, known, count=change.count.of(rel.children),
            same_as=change.same_as or change.entity if change.count == ONE else "", cascade=True,
        )  # fmt: skip
        making.changes.append(child)
        _cascade(making, child, depth - 1)
