"""What the query writers of several stores share: stored names, cursors, operands, steps in another store.

Everything is total: an attribute that nothing knows is written under its own last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.model.candidate import Candidate, Copy, Embed, RecordShape, Structure
from app.model.conditions import AnyOf, Comparison, Conditions, Operand, Param, Term
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Cond, Edge, Held, Level, Miss, Plan, Record, World
from app.plan.ways import place


def last(attr: str) -> str:
    """`order.user_id` → `user_id`; `=order.total` → `total`."""
    return attr.removeprefix("=").rpartition(".")[2]


def entity_of(attr: str) -> str:
    return attr.removeprefix("=").partition(".")[0]


def field_of(attr: str) -> str:
    """What follows the entity: `user.address.city` → `address.city`."""
    return attr.removeprefix("=").partition(".")[2] or attr


@dataclass(frozen=True, slots=True)
class Names:
    """Where a record keeps each attribute: `line_item.qty` → `items.qty`. `lists`: stored names that are arrays."""

    of: str
    paths: Mapping[str, str]
    lists: frozenset[str] = frozenset()

    def __call__(self, attr: str) -> str:
        found = self.paths.get(attr)
        if found is not None:
            return found
        return field_of(attr) if entity_of(attr) == self.of else attr.removeprefix("=")

    def knows(self, attr: str) -> bool:
        return attr in self.paths


def many(edge: Edge | None) -> bool:
    """Does the edge lead to a list?"""
    return edge is not None and edge.down and edge.rel.children.max > 1


def names_of(thing: Structure | RecordShape, record: Record, world: World) -> Names:
    """Stored names of all that a record holds: own fields, embeds, references, copies, figures."""
    root = record.shape[0]
    given = dict(root.names)
    paths = {a: given.get(a) or field_of(a) for a in world.fields.get(record.of, ())}
    lists: set[str] = set()
    prefixes = [""]
    for held in record.shape[1:]:
        prefixes.append(_node(held, prefixes[held.up], paths, lists, world))
    _typed(thing, record.of, "", paths, world)
    for embed in thing.embed:
        _typed_inside(embed, record, "", paths, world)
    for figure in sorted(root.computed):
        paths[figure] = given.get(figure) or field_of(figure)
    if isinstance(thing, Structure):
        paths |= {a: stored for a, stored in thing.attributes.items() if "." in a}
    if thing.bucket is not None:
        inside = thing.bucket.as_ or root.name or "items"
        lists.add(inside)
        shared = {world.own(record.of, k.attr) for k in thing.bucket.by if k.kept.exact}
        for attr in world.fields.get(record.of, ()):
            if attr not in shared:
                paths[attr] = f"{inside}.{field_of(attr)}"
    return Names(record.of, paths, frozenset(lists))


def _node(held: Held, parent: str, paths: dict[str, str], lists: set[str], world: World) -> str:
    """Names of one node of a shape; returns what its children's names start with.

    Copied fields stand beside the record's own; an embed or a list of references is one level down.
    """
    given = dict(held.names)
    one_up = held.how in ("copy", "reference") and not many(held.edge)
    prefix = parent if one_up else f"{parent}{held.name or held.entity}."
    if many(held.edge):
        lists.add(prefix.removesuffix("."))
    if not one_up:
        paths.setdefault(held.entity, prefix.removesuffix("."))
    attrs = world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
    for attr in attrs:
        if held.how == "reference" and len(attrs) == 1:
            paths.setdefault(attr, prefix.removesuffix(".") if not one_up else parent + held.name)
        else:
            paths.setdefault(attr, prefix + (given.get(attr) or field_of(attr)))
    for figure in sorted(held.computed):
        paths.setdefault(figure, prefix + (given.get(figure) or field_of(figure)))
    if held.edge is not None and held.edge.down:
        # The child's foreign key is the parent's own key.
        for far, near in zip(held.edge.far, held.edge.near, strict=False):
            paths[far] = paths.get(near, parent + field_of(near))
    return prefix


def copy_name(copy: Copy) -> str:
    """The name of a copied field: `as`, or role and field: `buyer_name`."""
    return copy.as_ or copy.what.replace(".", "_")


def _typed(thing: Structure | RecordShape | Embed, of: str, prefix: str, paths: dict[str, str], world: World) -> None:
    """Copies under the words they were typed with: two roles may lead to one entity."""
    for copy in thing.copied:
        spot = place(world, of, copy.what)
        stored = prefix + copy_name(copy)
        if not spot.why and spot.edges and "." in copy.what:
            paths[copy.what] = stored
            if spot.attr.partition(".")[0] != of:
                paths[spot.attr] = stored


def _typed_inside(embed: Embed, record: Record, prefix: str, paths: dict[str, str], world: World) -> None:
    names = (embed.as_, embed.what)
    held = next((h for h in record.shape[1:] if h.name in names or h.entity == embed.what), None)
    inner = f"{prefix}{embed.as_ or (held.name if held else '') or embed.what}."
    _typed(embed, held.entity if held else embed.what, inner, paths, world)
    for below in embed.embed:
        _typed_inside(below, record, inner, paths, world)


def name_copies(shape: tuple[Held, ...]) -> tuple[Held, ...]:
    """The shape with a name for every copied field that has none of its own: role and field."""
    found = list(shape)
    for at, held in enumerate(shape):
        if at and held.how == "copy" and held.edge is not None and not many(held.edge):
            given = dict(held.names)
            role = held.edge.rel.role if not held.edge.down else held.entity
            for attr in sorted(held.attrs or ()):
                given.setdefault(attr, f"{role}_{field_of(attr)}")
            found[at] = replace(held, names=tuple(sorted(given.items())))
    return tuple(found)


def sentence(miss: Miss) -> str:
    """A reason with its fix, as one line."""
    what = miss.what.rstrip(". ")
    return f"{what}. {miss.fix}" if miss.fix else f"{what}."


def lost(plan: Plan) -> bool:
    """Is there nothing to write down: no step, or a place that a write must change and nothing finds?"""
    if not plan.steps and not plan.touches:
        return True
    return plan.level is Level.IMPOSSIBLE and any(not t.find for t in plan.touches)


def head_of(pattern: Pattern, plan: Plan) -> Iterable[str]:
    """What stands above every query text: the pattern, how well it is served, what is missing or unclear."""
    yield f"{pattern.operation}: {plan.level.words}"
    if lost(plan):
        yield from dict.fromkeys(sentence(m) for m in plan.misses)
    # Questions about numbers belong to the forecast; a text is only wrong where words were not understood.
    yield from (f"not clear: {q}" for q in plan.questions if not q.startswith("how "))


DEMANDING = ("strong", "read your writes", "causal")


def said_of(pattern: Pattern, model: Candidate, settings: Mapping[str, str]) -> Iterable[str]:
    """What a reader must know besides the text: the setting each need for fresh data takes, how it really runs."""
    for what, level in pattern.consistency.items():
        word = next((d for d in DEMANDING if str(level).startswith(d)), "")
        if word in settings:
            yield f"{'' if what == '*' else f'{what}: '}{word}: {settings[word]}"
    serves = model.serves.get(pattern.operation)
    if serves is not None:
        if serves.commands:
            yield f"the application runs: {serves.commands}"
        if serves.note:
            yield serves.note


def things_of(structure: Structure) -> tuple[Structure | RecordShape, ...]:
    """The kinds of record of a structure: itself, or its `records`."""
    return structure.records or (structure,)


# ---------------------------------------------------------------- operands


def params(pattern: Pattern) -> tuple[str, ...]:
    """Names of all values the caller brings, in the order they are met."""
    found: dict[str, None] = {}
    for where in (pattern.where, pattern.only_if, *(a.where for a in pattern.also)):
        for operand in operands(where.terms if where else ()):
            if isinstance(operand, Param):
                found[operand.name] = None
    for values in (pattern.set, *(a.set for a in pattern.also)):
        for value in _flat(values):
            found.update(dict.fromkeys(re.findall(r"(?<![\w:]):([A-Za-z_]\w*)", str(value))))
    return tuple(found)


def _flat(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _flat(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _flat(inner)
    else:
        yield value


def comparisons(terms: Iterable[Term]) -> Iterable[Comparison]:
    """Every comparison in a condition, whatever it is nested in."""
    for term in terms:
        if isinstance(term, Comparison):
            yield term
        elif isinstance(term, AnyOf):
            for branch in term.branches:
                yield from comparisons(branch)


def operands(terms: Iterable[Term]) -> Iterable[Operand]:
    for comparison in comparisons(terms):
        yield from comparison.operands


def equal_to(where: Conditions | None, world: World, of: str) -> Mapping[str, Operand]:
    """Attributes fixed to one value by a condition, under the names the record's own columns have."""
    found: dict[str, Operand] = {}
    for term in where.terms if where else ():
        if isinstance(term, Comparison) and term.op == "=" and term.operands:
            found[lay.column(of, term.path, world)] = term.operands[0]
    return found


# ---------------------------------------------------------------- cursors


def after(ask: Sequence[tuple[str, int]]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The branches of "behind the last one seen": equal in the first n parts, beyond it in the next.

    Each branch is (attribute, operator) pairs: `=`, `<` or `>` against the last record of the page before.
    """
    branches = []
    for i, (attr, way) in enumerate(ask):
        equal = tuple((a, "=") for a, _ in ask[:i])
        branches.append((*equal, (attr, "<" if way < 0 else ">")))
    return tuple(branches)


# ---------------------------------------------------------------- steps and touches in another store


def elsewhere(pattern: Pattern, plan: Plan, model: Candidate, world: World, store: str) -> str:
    """The part of a plan that another store serves, in that store's language; a note where it is not known here."""
    from app.stores import STORES  # noqa: PLC0415 - the stores import this module

    part = replace(
        plan,
        steps=tuple(s for s in plan.steps if s.store == store),
        touches=tuple(t for t in plan.touches if t.store == store),
    )
    found = STORES.get(store)
    if found is None:
        places = dict.fromkeys([s.structure for s in part.steps] + [t.structure for t in part.touches])
        return f"in {store}: {', '.join(places)}"
    return found.query(pattern, part, model, world)


def other_stores(plan: Plan, store: str) -> tuple[str, ...]:
    """Stores a plan needs besides this one, in the order of its steps and touches."""
    met = [s.store for s in plan.steps] + [t.store for t in plan.touches]
    return tuple(s for s in dict.fromkeys(met) if s and s != store)


def linked(cond: Cond, met: Iterable[str], world: World) -> str:
    """The attribute of an entity read before that a link condition's value comes from; empty if none is known."""
    seen = set(met)
    for rel in world.rels:
        for key, via in zip(rel.key, rel.via, strict=False):
            if cond.attr == via and rel.parent in seen:
                return key
            if cond.attr == key and rel.child in seen:
                return via
    return cond.attr if entity_of(cond.attr) in seen else ""
