"""What a starter needs to know of the workload: the ways of asking, and what belongs inside what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from app.model.project import Project
from app.plan.lower import lower
from app.plan.types import Edge, NeedNode, Query, Rel, World, WriteIntent
from app.stores.store import Capabilities

FEW = 200.0
"""Children beyond which embedding is no longer a first choice."""
ROOM = 0.1
"""Share of the record limit that one embedded list may take at its maximum."""
SPANS = ("<", "<=", ">", ">=", "between", "prefix")


@dataclass(frozen=True, slots=True)
class Up:
    """A parent's attributes that a read needs: the role walked, which, and how old they may be (0: current)."""

    edge: Edge
    attrs: frozenset[str]
    age: float
    historical: bool


@dataclass(frozen=True, slots=True)
class Down:
    """Children that a read needs with their parent. `first`: only so many (0: all)."""

    edge: Edge
    attrs: frozenset[str]
    first: float
    order: tuple[tuple[str, int], ...]
    conditions: bool
    ups: tuple[Up, ...] = ()
    """What the children in turn need of their other parents."""
    age: float = 0.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One way of asking for one entity: attributes bound by equality, then ranges, then an order."""

    pattern: str
    action: str
    entity: str
    equal: tuple[str, ...]
    spans: tuple[str, ...]
    order: tuple[tuple[str, int], ...]
    limit: float
    contains: tuple[str, ...]
    words: tuple[str, ...]
    attrs: frozenset[str]
    ups: tuple[Up, ...]
    downs: tuple[Down, ...]
    strong: bool
    age: float
    span_seconds: float = 0.0

    def by_key(self, world: World) -> bool:
        """Asks for one record by its whole key."""
        key = world.keys.get(self.entity, ())
        return bool(key) and set(key) <= set(self.equal)


@dataclass(frozen=True, slots=True)
class Nest:
    """A child entity that lives inside its parent, and why."""

    rel: Rel
    because: str
    max: float = 0.0
    first: float = 0.0
    order: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Design:
    """Everything a builder reads."""

    project: Project
    world: World
    limit: float
    can: Capabilities
    asks: tuple[Ask, ...]
    writes: tuple[WriteIntent, ...]
    nests: tuple[Nest, ...] = field(default=())

    def asks_of(self, entity: str) -> Iterator[Ask]:
        return (a for a in self.asks if a.entity == entity)

    def inside(self, parent: str) -> Iterator[Nest]:
        return (n for n in self.nests if n.rel.parent == parent)

    @property
    def nested(self) -> frozenset[str]:
        """Entities that live whole inside another."""
        return frozenset(n.rel.child for n in self.nests if not n.first)

    @property
    def rooted(self) -> tuple[str, ...]:
        """Entities with a place of their own, in the project's order."""
        return tuple(e.name for e in self.project.entities if e.name not in self.nested)


def read_design(project: Project, world: World, limit: float, can: Capabilities) -> Design:
    """Ways of asking and nests of a workload, for a store with this record limit (0: none)."""
    asks: list[Ask] = []
    writes: list[WriteIntent] = []
    for pattern in project.patterns:
        lowered = lower(pattern, world, project) if pattern.action and pattern.entity else None
        if isinstance(lowered, Query):
            asks.append(_ask(lowered))
        elif lowered is not None:
            writes.append(lowered)
    bare = Design(project, world, limit, can, tuple(asks), tuple(writes))
    nests = tuple(_nests(bare)) if can.embeds or can.by_key_only else ()
    further = _apart(bare.asks, nests)
    return Design(project, world, limit, can, (*bare.asks, *further), bare.writes, nests)


def _apart(asks: tuple[Ask, ...], nests: tuple[Nest, ...]) -> Iterator[Ask]:
    """Children that are read with their parent and do not live inside it are asked for by their parent."""
    for ask in asks:
        for down in ask.downs:
            nest = next((n for n in nests if n.rel == down.edge.rel), None)
            enough = nest is not None and (not nest.first or 0 < down.first <= nest.first)
            if not enough:
                yield Ask(
                    ask.pattern,
                    "list",
                    down.edge.rel.child,
                    down.edge.rel.via,
                    (),
                    down.order,
                    down.first,
                    (),
                    (),
                    down.attrs,
                    down.ups,
                    (),
                    ask.strong,
                    down.age,
                )


def _ask(query: Query) -> Ask:
    """The entry of a read: the node that carries its conditions, else the root."""
    at = next((i for i, n in enumerate(query.needs) if n.where), 0)
    node, root = query.needs[at], query.root
    conds = node.where
    return Ask(
        pattern=query.name,
        action=query.action,
        entity=node.entity,
        equal=tuple(dict.fromkeys(c.attr for c in conds if c.op in ("=", "in"))),
        spans=tuple(dict.fromkeys(c.attr for c in conds if c.op in SPANS)),
        order=tuple((a, d) for a, d in (node.order or root.order)),
        limit=query.limit,
        contains=tuple(c.attr for c in conds if c.op == "contains"),
        words=tuple(a for c in conds if c.op in ("match", "matches") for a in _words(c.attr, c.source)),
        attrs=node.attrs,
        ups=tuple(_ups(query, at)),
        downs=tuple(_downs(query, at)),
        strong=any(n.strong for n in query.needs),
        age=root.age,
        span_seconds=max((c.seconds for c in conds), default=0.0),
    )


def _words(attr: str, source: object) -> tuple[str, ...]:
    return (attr, *getattr(source, "more", ()))


def _ups(query: Query, at: int) -> Iterator[Up]:
    for node in query.needs:
        if node.up == at and node.edge is not None and not node.edge.down and node.attrs:
            yield Up(node.edge, node.attrs, node.age, node.historical)


def _downs(query: Query, at: int) -> Iterator[Down]:
    for i, node in enumerate(query.needs):
        if node.up == at and node.edge is not None and node.edge.down:
            yield Down(node.edge, node.attrs, node.first, node.order, bool(node.where), tuple(_ups(query, i)), node.age)


# ---------------------------------------------------------------- what belongs inside what


def _nests(design: Design) -> Iterator[Nest]:
    for entity in design.project.entities:
        rels = [r for r in design.world.rels if r.child == entity.name and not r.link]
        for rel in rels:
            found = _nest(design, rel, [r for r in rels if r is not rel])
            if found is not None:
                yield found
                break


def _nest(design: Design, rel: Rel, others: list[Rel]) -> Nest | None:
    """Whether children live inside their parent: bounded, reached through it, and not asked for by themselves."""
    if rel.parent == rel.child:
        return None
    value = not design.world.keys.get(rel.child)
    together = [d for a in design.asks_of(rel.parent) for d in a.downs if d.edge.rel == rel]
    alone = [a for a in design.asks_of(rel.child) if not set(a.equal) <= set(rel.via) or a.by_key(design.world)]
    shared = [r for r in others if any(d.edge.rel == r for a in design.asks_of(r.parent) for d in a.downs)]
    reached = value or together or _only_through_parent(design, rel)
    if not reached or alone or shared:
        return None
    why = f"read with its {rel.parent}" if together else f"only reached through its {rel.parent}"
    bounded = rel.children.max < inf
    if rel.assumed and not bounded:
        return Nest(rel, f"{why}; how many at most is not known yet")
    most = rel.children.max if bounded else rel.children.high
    if most > FEW or not _fits(design, rel) or not (bounded or value):
        return _subset(design, rel, together) if not value else None
    return Nest(rel, f"{why}, at most {most:,.0f}" if bounded else why, rel.children.max if bounded else 0.0)


def _only_through_parent(design: Design, rel: Rel) -> bool:
    """No read wants the child, and no change names it by its own key: it is written, and only for its parent's sake."""
    key = set(design.world.keys.get(rel.child, ()))
    changes = [c for w in design.writes for c in w.changes if c.entity == rel.child]
    by_key = [c for c in changes if c.kind != "insert" and key and key <= c.known]
    grown = rel.children.max == inf and not rel.assumed
    return bool(changes) and not by_key and not grown and not any(design.asks_of(rel.child))


def _subset(design: Design, rel: Rel, together: list[Down]) -> Nest | None:
    """The first few children inside, when reads want only those; all of them stand apart.

    Only where a copy inside can be found again by an index of its own.
    """
    if not design.can.indexes:
        return None
    firsts = [d for d in together if d.first and d.order and not d.conditions]
    if not firsts or len(firsts) != len(together):
        return None
    most = max(firsts, key=lambda d: d.first)
    return Nest(rel, f"reads want the first {most.first:,.0f} only", first=most.first, order=most.order)


def _fits(design: Design, rel: Rel) -> bool:
    if not design.limit or rel.children.max == inf:
        return True
    return rel.children.max * bytes_of(rel.child, design.world) <= design.limit * ROOM


def bytes_of(entity: str, world: World) -> float:
    """About how large one record of an entity is, before any store encodes it."""
    if entity in world.sizes:
        return world.sizes[entity].avg
    return sum(
        world.stats[a].bytes.avg * world.stats[a].present for a in world.fields.get(entity, ()) if a in world.stats
    )


def written_attrs(design: Design) -> frozenset[str]:
    """Attributes that some update changes: a copy of them needs a refresh."""
    return frozenset(a for w in design.writes for c in w.changes if c.kind in ("update", "upsert") for a in c.sets)


def nodes_of(query: Query, entity: str) -> Iterator[NeedNode]:
    return (n for n in query.needs if n.entity == entity)
