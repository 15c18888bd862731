"""What does a kind of record hold? Its own fields, and the embeds, references, copies and figures
of others, as a tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from app.model.candidate import Computed, Copy, Embed, Reference, Structure
from app.model.conditions import Order
from app.plan.counted import Thing, each_way
from app.plan.figures import is_formula
from app.plan.spell import refresh_age, ttl
from app.plan.types import Edge, Held, World
from app.plan.ways import attribute, fold, place, way


@dataclass
class _Tree:
    """A shape in the making."""

    world: World
    nodes: list[Held]
    names: dict[int, dict[str, str]] = field(default_factory=dict)

    def under(self, at: int, edges: tuple[Edge, ...], how: str, age: float) -> int:
        """The node at the end of `edges`; those on the way hold only what joins them."""
        for edge in edges:
            known = next((i for i, h in enumerate(self.nodes) if h.up == at and h.edge == edge), None)
            if known is None:
                self.nodes.append(Held(edge.to, frozenset(), edge, at, age=age, how=how))
                known = len(self.nodes) - 1
            at = known
        return at

    def leaf(self, at: int, edges: tuple[Edge, ...], how: str, age: float) -> int:
        """A node of its own kind and age at the end of `edges`: a fresh copy beside an old one
        stays apart.
        """
        if not edges:
            return at
        at = self.under(at, edges[:-1], how, age)
        for i, h in enumerate(self.nodes):
            if h.up == at and h.edge == edges[-1] and h.how == how and h.age == age:
                return i
        self.nodes.append(Held(edges[-1].to, frozenset(), edges[-1], at, age=age, how=how))
        return len(self.nodes) - 1

    def change(self, at: int, **what: object) -> None:
        self.nodes[at] = replace(self.nodes[at], **what)  # type: ignore[arg-type]

    def add(self, at: int, attr: str, name: str) -> None:
        held = self.nodes[at]
        if attr.startswith("="):
            self.change(at, computed=held.computed | {attr})
        elif held.attrs is not None:
            self.change(at, attrs=held.attrs | {attr})
        if name:
            self.names.setdefault(at, {})[attr] = name

    def done(self) -> tuple[Held, ...]:
        for at, names in self.names.items():
            self.change(at, names=tuple(sorted(names.items())))
        return tuple(self.nodes)


def shape(thing: Thing, of: str, world: World) -> tuple[Held, ...]:
    """What one kind of record holds; the first node is the record's own entity.

    A cache lags by its time to live and a copy that is refreshed later by its refresh: all it holds
    is at least that old. What names nothing the workload knows is left out.
    """
    age = _root_age(thing)
    attrs, figures = _own(thing, of, world)
    name = thing.bucket.as_ if thing.bucket else ""
    tree = _Tree(world, [Held(of, attrs, age=age, computed=figures, name=name)])
    _fill(tree, 0, thing.embed, thing.reference, thing.copied, thing.computed)
    if thing.bucket:
        _figures(tree, 0, thing.bucket.computed, age)
    for path in getattr(thing, "static", ()):
        _copy(tree, 0, Copy(what=path), age)
    for counter in getattr(thing, "counters", ()):
        if isinstance(counter, Mapping) and counter.get("what"):
            name = str(counter.get("as", ""))
            _figures(tree, 0, (Computed(what=str(counter["what"]), as_=name),), age)
    if thing.for_each:
        _for_each(tree, thing.for_each)
    return tree.done()


def purpose(thing: Thing) -> str:
    """What the records are for: as said, `counter` where they count, `for each` where there is one
    per somebody.
    """
    if thing.for_each:
        return "for each"
    return thing.purpose or ("counter" if getattr(thing, "counts", "") else "")


def figure_ages(thing: Thing, of: str, world: World) -> dict[str, float]:
    """How far each maintained figure may lag, in seconds."""
    made = thing.computed + (thing.bucket.computed if thing.bucket else ())
    return {figure_name(c.what, of, world): refresh_age(c.refresh, thing.ttl) for c in made}


def figure_name(what: str, of: str, world: World) -> str:
    """The planner's name of a figure: of its field, or of its formula where the workload has no
    field for it.
    """
    if not is_formula(what):
        return fold(place(world, of, what)).attr
    formula = " ".join(what.split())
    same = (f.name for f in world.figures if f.of == of and f.formula == formula)
    return next(same, f"={of}.{formula}")


def _root_age(thing: Thing) -> float:
    if thing.purpose == "cache":
        alive = ttl(thing.ttl)
        on_change = getattr(thing, "on_change", "")
        return alive.seconds or (0.0 if on_change or alive.at else inf)
    return refresh_age(thing.refresh, thing.ttl)


def _own(thing: Thing, of: str, world: World) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Own fields held (None: all of them) and figures listed among them."""
    if counted := getattr(thing, "counts", ""):
        return frozenset(), frozenset({f"={counted}.count({counted})"})
    listed = thing.fields
    if listed is None:
        return _members(thing, of, world), frozenset()
    found = {fold(place(world, of, p)).attr for p in listed if p != "none"}
    figures = frozenset(a for a in found if a.startswith("="))
    return frozenset(a for a in found if a and a not in figures), figures


def _members(thing: Thing, of: str, world: World) -> frozenset[str] | None:
    """What a value made of a member and a score holds; None: all own fields."""
    if not isinstance(thing, Structure) or not (thing.member or thing.score or thing.value):
        return None
    paths = [k.attr for k in thing.member.parts if k.attr] if thing.member else []
    paths += [p for p in (thing.score, thing.value.strip("{}")) if "." in p]
    found = (fold(place(world, of, p)).attr for p in paths)
    return frozenset(a for a in found if a in world.stats and not a.startswith("="))


def _fill(
    tree: _Tree,
    at: int,
    embeds: tuple[Embed, ...],
    references: tuple[Reference, ...],
    copies: tuple[Copy, ...],
    figures: tuple[Computed, ...],
) -> None:
    age = tree.nodes[at].age
    for e in embeds:
        _embed(tree, at, e, age)
    for r in references:
        _reference(tree, at, r, age)
    for c in copies:
        _copy(tree, at, c, age)
    _figures(tree, at, figures, age)


def _embed(tree: _Tree, at: int, e: Embed, age: float) -> None:
    found = way(tree.world, tree.nodes[at].entity, e.what)
    if found.why or not found.edges:
        return
    at = tree.under(at, found.edges, "embed", age)
    entity = tree.nodes[at].entity
    attrs = None
    if e.fields is not None:
        attrs = frozenset(fold(place(tree.world, entity, p)).attr for p in e.fields if p != "none")
    tree.change(
        at,
        attrs=attrs,
        first=(e.first.value or 0.0) if e.first else 0.0,
        order=order_of(e.order_by, entity, tree.world),
        limit=(e.max.value or 0.0) if e.max and e.max.bounded else 0.0,
        beyond=e.beyond,
        name=e.as_ or e.what,
    )
    _fill(tree, at, e.embed, e.reference, e.copied, e.computed)


def _reference(tree: _Tree, at: int, r: Reference, age: float) -> None:
    """Ids only. Of a many-to-many relationship the link itself is held, with its far key."""
    found = way(tree.world, tree.nodes[at].entity, r.what)
    if found.why or not found.edges:
        return
    edges = found.edges
    keys = frozenset(tree.world.keys.get(edges[-1].to, ()))
    if len(edges) > 1 and edges[-1].rel.link and not edges[-1].down:
        keys, edges = frozenset(edges[-1].near), edges[:-1]
    at = tree.under(at, edges, "reference", age)
    limit = (r.max.value or 0.0) if r.max and r.max.bounded else 0.0
    tree.change(at, attrs=keys, limit=limit, name=r.as_ or r.what, how="reference")


def _copy(tree: _Tree, at: int, c: Copy, age: float) -> None:
    world, here = tree.world, tree.nodes[at].entity
    lag = max(age, refresh_age(c.refresh))
    if "." not in c.what:
        found = way(world, here, c.what)
        if not found.why and found.edges:
            at = tree.leaf(at, found.edges, "copy", lag)
            tree.change(at, attrs=None, name=c.as_ or c.what)
        return
    spot = fold(place(world, here, c.what))
    if not spot.why:
        # an own column is there already; one copied in spite of that only gets its name
        at = tree.leaf(at, spot.edges, "copy", lag)
        tree.add(at, spot.attr, c.as_)


def _figures(tree: _Tree, at: int, figures: tuple[Computed, ...], age: float) -> None:
    for c in figures:
        here = tree.nodes[at].entity
        if is_formula(c.what):
            tree.add(at, figure_name(c.what, here, tree.world), c.as_)
            continue
        spot = fold(place(tree.world, here, c.what))
        if spot.why:
            continue
        lag = max(age, refresh_age(c.refresh))
        where = tree.leaf(at, spot.edges, "copy", lag) if spot.edges else at
        tree.add(where, spot.attr, c.as_)


def _for_each(tree: _Tree, text: str) -> None:
    """The nodes that lead to whom the record is for; they hold the key of it."""
    edges = each_way(text, tree.nodes[0].entity, tree.world)
    if not edges:
        return
    at = tree.under(0, edges, "for each", tree.nodes[0].age)
    entity = tree.nodes[at].entity
    tree.change(at, attrs=frozenset(tree.world.keys.get(entity, ())))


def order_of(order: Order | None, entity: str, world: World) -> tuple[tuple[str, int], ...]:
    """An order in the planner's words; words that are no attributes (`relevance`) are left out."""
    found = []
    for item in order.items if order else ():
        path = item.path
        if "." in path or attribute(world, entity, path):
            found.append((fold(place(world, entity, path)).attr, -1 if item.desc else 1))
    return tuple(found)
