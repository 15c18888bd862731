"""What an attribute path means, seen from an entity: along named roles, never by type alone.

`buyer.name` and `seller.name` are different things though both are users. Where a path could mean two
things the answer is `Ambiguous`, and where it means none, `Unknown`: nothing is guessed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from app.model.problem import did_you_mean
from app.model.workload import Entity, Relationship

FARTHEST = 6
"""Longest way that is looked for, in relationships."""


class Workload(Protocol):
    """Entities and relationships: a project, or as much of one as is needed here."""

    @property
    def entities(self) -> tuple[Entity, ...]: ...

    @property
    def relationships(self) -> tuple[Relationship, ...]: ...


class Step(NamedTuple):
    """One relationship walked: down from parent to child (or `from` to `to`), or up again."""

    relationship: Relationship
    down: bool

    @property
    def to(self) -> str:
        r = self.relationship
        if r.many_to_many:
            return r.to if self.down else r.from_
        return r.child if self.down else r.parent

    @property
    def words(self) -> str:
        """How people name the way: the role upwards, the child downwards."""
        r = self.relationship
        if r.many_to_many:
            return r.name
        return (r.children_as or r.child) if self.down else r.role


@dataclass(frozen=True, slots=True)
class Resolved:
    """The one thing a path means. `field` is empty where the path names the entity itself."""

    edges: tuple[Step, ...]
    entity: str
    field: str

    @property
    def own(self) -> bool:
        """It stands in the anchor itself."""
        return not self.edges


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several things a path could mean."""

    path: str
    ways: tuple[Resolved, ...]

    @property
    def what(self) -> str:
        shown = " or ".join(dict.fromkeys(".".join(e.words for e in w.edges) for w in self.ways))
        return f"{self.path!r} could be reached by {shown}: name the role"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A path that means nothing here, and why."""

    path: str
    what: str


Answer = Resolved | Ambiguous | Unknown


def resolve(workload: Workload, anchor: str, path: str, through: Sequence[str] = ()) -> Answer:
    """What `path` means seen from `anchor` (an entity or many-to-many relationship).

    The head of a path is the anchor itself, a role or an entity reached from it (`through` names the way where
    several lead there); what follows is a field, or a further role.
    """
    return _roles(workload).resolve(anchor, path, tuple(through))


def own_column(workload: Workload, anchor: str, path: str) -> str | None:
    """The anchor's own column that equals what a path names: `buyer.id` is `order.buyer_id`, seen from an order.

    None where the value stands in another entity only. Keys of several fields match the foreign key pairwise.
    """
    roles = _roles(workload)
    found = roles.resolve(anchor, path, ())
    if not isinstance(found, Resolved) or not found.field:
        return None
    column = found.field
    for step in reversed(found.edges):
        r = step.relationship
        parent = roles.entities.get(r.parent)
        keys = [f.name for f in parent.key_fields] if parent else []
        if step.down or r.many_to_many or column not in keys or len(keys) != len(r.via):
            return None
        column = r.via[keys.index(column)]
    return f"{anchor}.{column}"


_KEPT: OrderedDict[tuple[int, int], tuple[Workload, _Roles]] = OrderedDict()


def _roles(workload: Workload) -> _Roles:
    """The index of a workload; the last few are remembered by the identity of their parts."""
    key = (id(workload.entities), id(workload.relationships))
    held = _KEPT.get(key)
    if held is None:
        held = _KEPT[key] = (workload, _Roles(workload))
        if len(_KEPT) > 8:
            _KEPT.popitem(last=False)
    return held[1]


class _Roles:
    """Entities, and the steps that leave each of them."""

    def __init__(self, workload: Workload) -> None:
        self.entities = {e.name: e for e in workload.entities}
        self.links = {r.name: r for r in workload.relationships if r.many_to_many}
        self.steps: dict[str, list[Step]] = {}
        for r in workload.relationships:
            ends = (r.from_, r.to) if r.many_to_many else (r.parent, r.child)
            self.steps.setdefault(ends[0], []).append(Step(r, True))
            self.steps.setdefault(ends[1], []).append(Step(r, False))

    def resolve(self, anchor: str, path: str, through: tuple[str, ...]) -> Answer:
        head, *rest = path.split(".")
        if anchor not in self.entities and anchor not in self.links:
            names = (*self.entities, *self.links)
            return Unknown(path, f"there is no entity {anchor!r}. {did_you_mean(anchor, names)}")
        if head in self.family(anchor):
            return self.inside(Resolved((), anchor, ""), rest, path)
        if not rest and self.field(anchor, head):
            return Resolved((), anchor, head)
        ways = self.named_ways(anchor, head, through) if through else []
        ways = ways or self.ways(anchor, head)
        if not ways:
            return Unknown(path, self.why_not(anchor, head))
        answers = [self.inside(way, rest, path) for way in ways]
        found = [a for a in answers if isinstance(a, Resolved)]
        if len(found) > 1:
            return Ambiguous(path, tuple(found))
        return found[0] if found else answers[0]

    def why_not(self, anchor: str, head: str) -> str:
        if head in self.entities or head in self.links:
            return f"no relationship leads from {anchor} to {head}"
        roles = {name for step in self.leaving(anchor) for name in _names(step)}
        known = sorted({*self.entities, *roles})
        return f"{head!r} is neither an entity nor a role of {anchor}. {did_you_mean(head, known)}"

    def family(self, name: str) -> tuple[str, ...]:
        """An entity and what it is a kind of."""
        out: list[str] = []
        while name and name not in out:
            out.append(name)
            entity = self.entities.get(name)
            name = entity.is_a if entity else ""
        return tuple(out)

    def field(self, entity: str, name: str) -> bool:
        found = (self.entities.get(e) for e in self.family(entity))
        return any(e is not None and e.field(name) is not None for e in found)

    def inside(self, way: Resolved, rest: Sequence[str], path: str) -> Answer:
        """The rest of a path behind its head: a field, or a further role and what follows it."""
        if not rest:
            return way
        name = ".".join(rest)
        if self.field(way.entity, name):
            return Resolved(way.edges, way.entity, name)
        further = [s for s in self.leaving(way.entity) if rest[0] in _names(s)] if len(rest) > 1 else []
        answers = [
            self.inside(Resolved((*way.edges, s), s.to, ""), rest[1:], path) for s in further
        ]  # fmt: skip
        found = [a for a in answers if isinstance(a, Resolved)]
        if len(found) > 1:
            return Ambiguous(path, tuple(found))
        if found:
            return found[0]
        held = [f.name for e in self.family(way.entity) if e in self.entities for f in self.entities[e].fields]
        fix = did_you_mean(name, held) if held else ""
        return Unknown(path, f"{way.entity} has no field {name!r}. {fix}".rstrip(". ") + ("" if fix else "."))

    def leaving(self, name: str) -> Iterator[Step]:
        if name in self.links:
            link = self.links[name]
            yield from (Step(link, False), Step(link, True))
        for entity in self.family(name):
            yield from self.steps.get(entity, ())

    def ways(self, anchor: str, head: str) -> list[Resolved]:
        """Shortest ways to a role called `head`, and to an entity called so; both, where they differ."""
        by_role: list[Resolved] = []
        by_entity: list[Resolved] = []
        edge: list[tuple[Step, ...]] = [()]
        seen = {anchor}
        for _ in range(FARTHEST):
            reached: list[tuple[Step, ...]] = []
            for way in edge:
                here = way[-1].to if way else anchor
                for step in self.leaving(here):
                    if way and step.relationship is way[-1].relationship and step.down != way[-1].down:
                        continue  # straight back
                    reached.append((*way, step))
            roles = [Resolved(w, w[-1].to, "") for w in reached if head in _roles_of(w[-1])]
            entities = [Resolved(w, w[-1].to, "") for w in reached if w[-1].to == head]
            by_role = by_role or roles
            by_entity = by_entity or entities
            if by_role:
                break
            edge = [w for w in reached if w[-1].to not in seen]
            seen.update(w[-1].to for w in edge)
        return list(dict.fromkeys((*by_role, *by_entity)))

    def named_ways(self, anchor: str, head: str, through: tuple[str, ...]) -> list[Resolved]:
        """The way along the roles of `through`, as far as the entity or role `head`."""
        ways: list[tuple[Step, ...]] = [()]
        for role in through:
            ways = [
                (*way, step)
                for way in ways
                for step in self.leaving(way[-1].to if way else anchor)
                if role in (step.relationship.role, step.relationship.name, *_names(step))
            ]
            found = [Resolved(w, w[-1].to, "") for w in ways if head == w[-1].to or head in _roles_of(w[-1])]
            if found:
                return found
        return []


def _roles_of(step: Step) -> tuple[str, ...]:
    """The role names of the end a step arrives at."""
    r = step.relationship
    if r.many_to_many:
        return (r.name,)
    if step.down:
        return (r.children_as,) if r.children_as else (r.child,)
    return (r.role,)


def _names(step: Step) -> tuple[str, ...]:
    """Every word for the end a step arrives at: its role, and its entity."""
    return (*_roles_of(step), step.to)


__all__ = ["Ambiguous", "Answer", "Resolved", "Step", "Unknown", "own_column", "resolve"]
