"""Which places does a change reach?

The same shapes that answer reads are walked: a change of an entity reaches every node of that entity (truth, second
copy, embed, copy) and every figure computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.model.spread import ONE
from app.plan.figures import figure, is_formula, subject
from app.plan.touch import Reached, Touching
from app.plan.types import Change, Figure, Held, Record, Rel, World

LATEST = ("max", "min", "latest", "last", "first")
"""Figures that are set anew and may be set twice."""


def reach(
    changes: Iterable[Change], records: Sequence[Record], world: World, read: frozenset[str] = frozenset()
) -> Reached:
    """Every place that the changes of one operation touch, one touch per node of a shape. `read`: kinds of record that
    the operation has read before.
    """
    found = Reached(records, read=read)
    changes = tuple(changes)
    roots = {c.entity: c.known for c in changes if not c.same_as}
    for own in changes:
        # what belongs to a record that the same operation writes is written with all that is known of it
        change = replace(own, known=own.known | roots[own.same_as]) if own.same_as in roots else own
        for record in records:
            for at, held in enumerate(record.shape):
                if held.how != "for each":
                    _node(change, record, at, held, world, found)
    return found


def _node(change: Change, record: Record, at: int, held: Held, world: World, found: Reached) -> None:
    if held.entity != change.entity:
        change = _as_kind(change, held.entity, world) or change
    if held.entity == change.entity:
        attrs = _attrs(change, record, at, held)
        if attrs is not None:
            why = "" if not at else "copy" if held.edge is not None and not held.edge.down else "embed"
            Touching(change, record, at, attrs, why, world, found).note()
    for name in held.computed:
        rel, fig = _source(name, held.entity, world)
        if fig is None or not _counts(change, held.entity, rel, fig, record):
            continue
        part = replace(change, sets={name: "set" if _latest(name, fig) else "add"}, literals={})
        Touching(part, record, at, frozenset({name}), "computed", world, found, rel).note()


def _as_kind(change: Change, entity: str, world: World) -> Change | None:
    """The change as one of `entity`, where one of the two is a kind of the other.

    What all kinds share has one name in each of them. A change of any kind meets each in proportion to its number.
    """
    if change.entity in world.kinds.get(entity, ()):
        share = 1.0
    elif entity in world.kinds.get(change.entity, ()):
        share = world.counts[entity] / max(1.0, world.counts[change.entity])
    else:
        return None
    start, size = f"{entity}.", len(change.entity) + 1

    def named(attr: str) -> str:
        return start + attr[size:] if attr.startswith(f"{change.entity}.") else attr

    return replace(
        change,
        entity=entity,
        known=frozenset(map(named, change.known)),
        sets={named(a): how for a, how in change.sets.items()},
        literals={named(a): text for a, text in change.literals.items()},
        before={named(a): text for a, text in change.before.items()},
        count=change.count if share == 1 else change.count.times(share),
    )


def _attrs(change: Change, record: Record, at: int, held: Held) -> frozenset[str] | None:
    """Attributes of the change that this node holds; None: the node is not concerned."""
    attrs = frozenset(change.sets)
    mine = attrs if held.attrs is None else attrs & held.attrs
    if not at:
        keys = (p.attr for path in record.paths if path.primary for p in (*path.partition, *path.order))
        mine |= attrs & frozenset(keys)
        if held.attrs == frozenset() and held.computed and (record.purpose == "counter" or not mine):
            return None  # holds figures only: they are looked at apart
    if change.kind in ("update", "upsert") and attrs and not mine and not (change.kind == "upsert" and not at):
        return None
    up = at and held.edge is not None and not held.edge.down
    if up and change.kind in ("insert", "delete"):
        return None  # nobody refers to a parent just born; what becomes of children is said by `on delete`
    return mine


def _source(name: str, of: str, world: World) -> tuple[Rel | None, Figure | None]:
    """What a figure is made of; (None, figure) where it counts the very entity that holds it."""
    key = ("figure", name, of)
    if key not in world.memo:
        known = next((f for f in world.figures if f.name == name), None)
        formula = name.partition(".")[2]
        if known is None and is_formula(formula):
            if subject(formula) == of:
                known = Figure(name, of, Rel(of, of, (), of, (), ONE), formula=formula)
            else:
                known = figure(name, of, formula, world.rels)
        own = known is not None and known.rel.parent == known.rel.child and not known.rel.via
        world.memo[key] = (None if own or known is None else known.rel, known)
    source: tuple[Rel | None, Figure | None] = world.memo[key]
    return source


def _counts(change: Change, entity: str, rel: Rel | None, fig: Figure, record: Record) -> bool:
    """Whether a change alters a figure."""
    if rel is None:
        return change.entity == entity and (change.kind in ("insert", "delete") or moves(change, record))
    if rel.child != change.entity:
        return False
    if record.purpose == "cache":
        return False  # the node itself is looked at
    attrs = frozenset(change.sets)
    born = change.kind in ("insert", "delete", "upsert")
    return born or bool(attrs & fig.reads) or bool(attrs & frozenset(rel.via))


def moves(change: Change, record: Record) -> bool:
    """Does an update take what is counted out of one counter and into another?"""
    if record.purpose != "counter" or change.kind != "update":
        return False
    return any(p.attr in change.sets for p in record.primary.partition)


def _latest(name: str, fig: Figure) -> bool:
    formula = fig.formula or name.partition(".")[2]
    return formula.partition("(")[0].strip().lower() in LATEST
