"""How does one entity lead to another: which relationships are walked from here to what a path
names?

`buyer.name` seen from an order is the user at the end of the role `buyer`; `line_item.qty` is down
to the lines. Names are resolved from an anchor along named roles, never by what happens to have
equal keys: a buyer and a seller are both users and yet two things. The shortest way wins; two
equally short ones are a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.plan.types import Edge, World

FARTHEST = 4
"""Relationships walked at most; farther away a name is taken for a mistake."""


@dataclass(frozen=True, slots=True)
class Way:
    """`edges` from the anchor, or `why` there is none: a sentence."""

    edges: tuple[Edge, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attribute lives: `attr` of `entity`, reached by `edges`. `why`: it could not be
    found, in words.
    """

    entity: str
    attr: str
    edges: tuple[Edge, ...] = ()
    why: str = ""


def way(world: World, anchor: str, name: str) -> Way:
    """The way from an entity to a role, a child or another entity called `name`."""
    key = ("way", anchor, name)
    if key not in world.memo:
        world.memo[key] = Way() if name == anchor else _search(world, anchor, name)
    found: Way = world.memo[key]
    return found


def along(world: World, anchor: str, names: Sequence[str]) -> Way:
    """The way through roles named one after the other: `[author, followee]`."""
    edges: tuple[Edge, ...] = ()
    for name in names:
        step = way(world, edges[-1].to if edges else anchor, name)
        if step.why:
            return step
        edges += step.edges
    return Way(edges)


def place(world: World, anchor: str, path: str) -> Place:
    """Where `entity.field` or `role.field` lives, seen from an entity."""
    key = ("place", anchor, path)
    if key not in world.memo:
        world.memo[key] = _place(world, anchor, path)
    found: Place = world.memo[key]
    return found


def fold(spot: Place) -> Place:
    """The same value as near to the anchor as it can be read: `buyer.id` is a column of the order
    itself.
    """
    entity, attr, edges = spot.entity, spot.attr, spot.edges
    while edges and attr in edges[-1].far:
        last = edges[-1]
        attr = last.near[last.far.index(attr)]
        entity = last.rel.child if not last.down else last.rel.parent
        edges = edges[:-1]
    return Place(entity, attr, edges, spot.why)


def attribute(world: World, entity: str, name: str) -> str:
    """The planner's name of a field: `order.id`, `=order.total_cents`; empty if the entity has no
    such field.
    """
    plain = f"{entity}.{name}"
    if plain in world.stats:
        return plain
    if f"={plain}" in world.stats:
        return f"={plain}"
    head = name.partition(".")[0]
    return plain if f"{entity}.{head}" in world.stats and head != name else ""


def _place(world: World, anchor: str, path: str) -> Place:
    head, _, rest = path.partition(".")
    if not rest:
        own = attribute(world, anchor, head)
        why = "" if own else f"{anchor} has no field {head}"
        return Place(anchor, own or f"{anchor}.{head}", (), why)
    found = way(world, anchor, head)
    entity = found.edges[-1].to if found.edges else anchor
    if found.why:
        known = head in world.fields
        return Place(head if known else anchor, path, (), found.why)
    attr = attribute(world, entity, rest)
    why = "" if attr or entity in world.sizes else f"{entity} has no field {rest}"
    return Place(entity, attr or f"{entity}.{rest}", found.edges, why)


def _search(world: World, anchor: str, name: str) -> Way:
    level: list[tuple[tuple[Edge, ...], str]] = [((), anchor)]
    seen = {anchor}
    for _ in range(FARTHEST):
        hits: list[tuple[int, tuple[Edge, ...]]] = []
        onward: list[tuple[tuple[Edge, ...], str]] = []
        for edges, entity in level:
            for hop in _hops(world, entity):
                rank = _rank(hop, name)
                if rank is not None:
                    hits.append((rank, edges + hop))
                elif hop[-1].to not in seen:
                    onward.append((edges + hop, hop[-1].to))
        if hits:
            return _nearest(anchor, name, hits)
        seen.update(entity for _, entity in onward)
        level = onward
    return Way(why=f"nothing leads from {anchor} to {name}: a relationship is missing")


def _hops(world: World, entity: str) -> Iterator[tuple[Edge, ...]]:
    """Single steps from an entity. The far end of a many-to-many relationship is one step away,
    like its link.
    """
    if "hops" not in world.memo:
        found: dict[str, list[tuple[Edge, ...]]] = {}
        for rel in world.rels:
            down = Edge(rel, True)
            found.setdefault(rel.parent, []).append((down,))
            found.setdefault(rel.child, []).append((Edge(rel, False),))
            if rel.link:
                far = next(r for r in world.rels if r.link == rel.link and r is not rel)
                found[rel.parent].append((down, Edge(far, False)))
        world.memo["hops"] = found
    yield from world.memo["hops"].get(entity, ())


def _rank(hop: tuple[Edge, ...], name: str) -> int | None:
    """How well a step answers to a name: by its role, by its entity, by its role walked backwards;
    None: not.
    """
    last = hop[-1]
    if last.down:
        named = (last.rel.children_as == name, last.rel.child == name, last.rel.role == name)
        return next((i for i, yes in zip((0, 1, 3), named, strict=True) if yes), None)
    if last.rel.role == name:
        return 0
    return 2 if last.rel.parent == name else None


def _nearest(anchor: str, name: str, hits: list[tuple[int, tuple[Edge, ...]]]) -> Way:
    best = min(rank for rank, _ in hits)
    ways = [edges for rank, edges in hits if rank == best]
    if len(ways) == 1:
        return Way(ways[0])
    roles = list(dict.fromkeys(_spoken(edges) for edges in ways))
    return Way(why=f"{name} may be reached from {anchor} by {' or by '.join(roles)}: name the role")


def _spoken(edges: tuple[Edge, ...]) -> str:
    return " → ".join(e.rel.role if not e.down else f"{e.rel.child} ({e.rel.role})" for e in edges)
