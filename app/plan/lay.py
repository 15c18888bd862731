"""From the words of a candidate model to the planner's values: key parts, conditions, shapes.

What a store's `records` is made with. A `Record` is put together like this:

of = thing.of Record( name=…, structure=structure.name, of=of, shape=lay.shape(thing, of, world),
paths=(AccessPath(…, partition=lay.parts(thing.pk, of, world), …), …), purpose=lay.purpose(thing),
truth=…, group=lay.group(thing, of, world), entries=lay.entries(thing, of, world),
count=lay.stored(thing, of, world), computed_age=lay.figure_ages(thing, of, world),
ttl=lay.ttl_seconds(thing.ttl), ttl_text=thing.ttl, …)

and then sized with `size.size_of(record, world)`. Attributes come out as own columns: `user.id` in
a key of an order is `order.user_id`, a maintained figure is `=order.total_cents`.
"""

from __future__ import annotations

from dataclasses import replace

from app.model.candidate import Structure
from app.model.conditions import Comparison, Conditions
from app.model.keys import KeyPart, Template
from app.plan.counted import entries, group, stored
from app.plan.hold import figure_ages, purpose, shape
from app.plan.judge import cond
from app.plan.spell import Ttl, refresh_age, ttl, ttl_seconds
from app.plan.types import Cond, Part, World
from app.plan.ways import fold, place

Keys = Template | tuple[KeyPart, ...] | None


def column(of: str, path: str, world: World) -> str:
    """The planner's name of what a key or a field list names, seen from a record of `of`.

    An own column where it is one (`buyer.id` → `order.buyer_id`), else the attribute of the entity
    it belongs to (`room.last_message_at` → `=room.last_message_at`). Unknown paths stay as they
    are.
    """
    own = world.own(of, path)
    if own in world.stats:
        return own
    return fold(place(world, of, path)).attr or path


def part(key: KeyPart, of: str, world: World, at: int = 0) -> Part:
    """One key part in the planner's words; `at` is the stored value (column) it is part of."""
    direction = -1 if key.desc else 1
    kept = replace(key.kept, order=0) if key.hashed else key.kept
    if not key.attr:
        return Part("", direction, kept, at, literal=key.literal, name=key.name)
    attr = column(of, key.attr.removesuffix("[]"), world)
    return Part(attr, direction, kept, at, key.array or many(attr, of, world), name=key.name)


def many(attr: str, of: str, world: World) -> bool:
    """Whether an index on this attribute has an entry per element: an array, or a field of embedded
    children.
    """
    stat = world.stats.get(attr)
    if stat is not None and stat.type.endswith("[]"):
        return True
    entity = attr.lstrip("=").partition(".")[0]
    return entity != of and any(e.down for e in place(world, of, attr.lstrip("=")).edges)


def parts(keys: Keys, of: str, world: World, at: int = 0) -> tuple[Part, ...]:
    """A key in the planner's words.

    A template is one stored value: all its parts share column `at`. A list has one column per part,
    `at`, `at + 1` and so on.
    """
    if keys is None:
        return ()
    if isinstance(keys, Template):
        return tuple(part(k, of, world, at) for k in keys.parts)
    return tuple(part(k, of, world, at + i) for i, k in enumerate(keys))


def conds(where: Conditions | None, of: str, world: World) -> tuple[Cond, ...]:
    """What an index's or a structure's `where` asks of a record. Alternatives are left out: no
    store has them.
    """
    terms = where.terms if where else ()
    return tuple(cond(t, column(of, t.path, world), world) for t in terms if isinstance(t, Comparison))


def sparse(keys: tuple[Part, ...], world: World) -> tuple[Cond, ...]:
    """What a sparse index asks: that its attributes are there. Those that always are ask nothing."""
    named = (p.attr for p in keys if p.attr in world.stats)
    return tuple(
        Cond(a, "not null", share=world.stats[a].present) for a in dict.fromkeys(named) if world.stats[a].present < 1
    )


def holds(projection: tuple[str, ...] | None, of: str, world: World) -> frozenset[str] | None:
    """What an index gives without a further step; None: the whole record. `keys`, `none` or
    nothing: keys only.
    """
    if projection == ("all",):
        return None
    if projection in (None, (), ("keys",), ("none",), ("keys only",)):
        return frozenset()
    return frozenset(column(of, path, world) for path in projection or ())


def stored_names(thing: Structure, of: str, world: World) -> dict[str, str]:
    """Attribute → the name it is stored under: its own, or what `attributes` says."""
    given = {column(of, path, world): name for path, name in thing.attributes.items() if "." in path}
    return {a: given.get(a, a.partition(".")[2]) for a in world.fields.get(of, ())}


__all__ = [
    "Ttl",
    "column",
    "conds",
    "entries",
    "figure_ages",
    "group",
    "holds",
    "many",
    "part",
    "parts",
    "purpose",
    "refresh_age",
    "shape",
    "sparse",
    "stored",
    "stored_names",
    "ttl",
    "ttl_seconds",
]
