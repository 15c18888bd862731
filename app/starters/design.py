"""Everything the builders read: ways of asking, writes, and what belongs inside what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from app.model.project import Project
from app.plan.lower import lower
from app.plan.types import Query, Rel, World, WriteIntent
from app.starters.asks import Ask, Down, ask_of
from app.starters.words import entity_of
from app.stores.store import Store


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
    """A workload as one kind of starter sees it. `kind`: the builder's name, `documents` … ."""

    project: Project
    world: World
    store: Store
    kind: str
    asks: tuple[Ask, ...]
    writes: tuple[WriteIntent, ...]
    nests: tuple[Nest, ...] = field(default=())

    @property
    def limit(self) -> float:
        """Bytes of the largest record; 0: none."""
        return self.store.facts["max_record_bytes"].value if "max_record_bytes" in self.store.facts else 0.0

    @property
    def expires(self) -> bool:
        return self.store.can.expires

    def asks_of(self, entity: str) -> list[Ask]:
        return [a for a in self.asks if a.entity == entity]

    def downs(self, rel: Rel) -> list[Down]:
        """Reads that want the children of a relationship with their parent."""
        return [d for a in self.asks if a.main for d in a.downs if d.edge.rel == rel]

    def inside(self, parent: str) -> Iterator[Nest]:
        return (n for n in self.nests if n.rel.parent == parent)

    @property
    def nested(self) -> frozenset[str]:
        """Entities that live whole inside another."""
        return frozenset(n.rel.child for n in self.nests if not n.first)

    @property
    def links(self) -> tuple[str, ...]:
        """Many-to-many relationships, in the project's order."""
        return tuple(r.name for r in self.project.relationships if r.many_to_many)

    @property
    def rooted(self) -> tuple[str, ...]:
        """Entities with a place of their own, in the project's order: read, written, or known by more than a key."""
        homes = [e.name for e in self.project.entities if e.name not in self.nested]
        return tuple(e for e in homes if self.used(e)) or tuple(homes)

    def used(self, entity: str) -> bool:
        """Whether anything is known to be kept of an entity: a pattern uses it, or others point to what it holds."""
        asked = any(a.entity == entity for a in self.asks)
        written = any(c.entity == entity for w in self.writes for c in w.changes)
        own = set(self.world.fields.get(entity, ())) - set(self.world.keys.get(entity, ()))
        joined = any(entity in (r.parent, r.child) for r in self.world.rels)
        holds = any(n.rel.parent == entity for n in self.nests)
        return asked or written or holds or (bool(own) and joined) or entity in self.world.kinds

    def changed(self, entity: str, *kinds: str) -> list[frozenset[str]]:
        """What is known of a record by each change of these kinds."""
        return [c.known for w in self.writes for c in w.changes if c.entity == entity and c.kind in kinds]

    def counted(self, entity: str) -> bool:
        """Whether a write of children changes a figure that reads of this entity want."""
        wanted = {x for a in self.asks for x in (*a.attrs, *(y for y, _ in a.order)) if x.startswith("=")}
        moved = {c.entity for w in self.writes for c in w.changes}
        return any(f.of == entity and f.name in wanted and f.rel.child in moved for f in self.world.figures)

    def set_later(self, attr: str) -> bool:
        """Whether some update changes an attribute, or the figure changes with its children."""
        if attr.startswith("="):
            return True
        return any(
            attr in c.sets for w in self.writes for c in w.changes if c.kind in ("update", "upsert") and not c.cascade
        )


def read_design(project: Project, world: World, store: Store, kind: str) -> Design:
    """Ways of asking of a workload, for one kind of starter; what lives inside what is decided after."""
    asks: list[Ask] = []
    writes: list[WriteIntent] = []
    for pattern in project.patterns:
        lowered = lower(pattern, world, project) if pattern.action and pattern.entity else None
        if isinstance(lowered, Query):
            takes = any(a.delete == pattern.entity for a in pattern.also)
            asks.append(ask_of(lowered, takes, kind == "documents"))
        elif lowered is not None:
            writes.append(lowered)
    return Design(project, world, store, kind, tuple(asks), tuple(writes))


def refreshing(design: Design) -> Design:
    """Copies that some write must refresh are found by the parent they repeat: one more way of asking for each."""
    further: dict[tuple[str, tuple[str, ...]], Ask] = {}
    for ask in design.asks:
        for up in ask.ups:
            rel = up.edge.rel
            writer = next((w for a in sorted(up.attrs) if not up.historical for w in _writers(design, a)), "")
            lists = [a for a in design.asks_of(ask.entity) if not a.by_key(design.world)]
            begun = any(a.equal[: len(rel.via)] == rel.via for a in lists)
            if writer and not up.far and rel.child == ask.entity and not begun and rel.via != up.edge.rel.key:
                own = {x for a in lists for x in (*a.bound, *(y for y, _ in a.order)) if entity_of(x) == ask.entity}
                found = Ask(writer, "refresh", ask.entity, rel.via, attrs=frozenset(own), main=False)
                further.setdefault((ask.entity, rel.via), found)
    for ask in design.asks:
        entity = entity_of(ask.each_by[0]) if ask.each_by else ""
        if entity and not any(a.equal[: len(ask.each_by)] == ask.each_by for a in design.asks_of(entity)):
            writer = next(
                (w.name for w in design.writes if any(c.entity == ask.entity for c in w.changes)), ask.pattern
            )
            further.setdefault((entity, ask.each_by), Ask(writer, "fan", entity, ask.each_by, main=False))
    return replace(design, asks=(*design.asks, *further.values()))


def _writers(design: Design, attr: str) -> Iterator[str]:
    """Patterns that change an attribute, or what a figure is computed from."""
    figure = next((f for f in design.world.figures if f.name == attr), None)
    for write in design.writes:
        for change in write.changes:
            direct = attr in change.sets and change.kind in ("update", "upsert")
            if direct or (figure is not None and change.entity == figure.rel.child):
                yield write.name


def apart(design: Design) -> Design:
    """Children that are read with their parent and do not live inside it are asked for by their parent."""
    further = []
    for ask in design.asks:
        for down in ask.downs:
            rel = down.edge.rel
            nest = next((n for n in design.nests if n.rel == rel), None)
            inside = nest is not None and (not nest.first or 0 < down.first <= nest.first)
            if inside:
                continue
            alone = rel.parent == ask.entity and set(rel.key) <= set(ask.equal) and not ask.ups
            beside = ask.attrs if alone else frozenset()
            further.append(
                Ask(
                    ask.pattern, "list", rel.child, rel.via, (), down.order, down.first, attrs=down.attrs, ups=down.ups,
                    strong=ask.strong, age=down.age, main=False, beside=frozenset(beside),
                )
            )  # fmt: skip
    return replace(design, asks=(*design.asks, *further))
