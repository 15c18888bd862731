"""A read's tree of needs in the making: which entity, reached how, with which attributes and conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.model.spread import Spread
from app.plan.types import Cond, Edge, NeedNode, World
from app.plan.ways import Place, Way, along, attribute, fold, place, way


@dataclass(slots=True)
class Twig:
    """One node before it is done."""

    entity: str
    edge: Edge | None = None
    up: int = -1
    attrs: set[str] = field(default_factory=set)
    where: list[Cond] = field(default_factory=list)
    any_of: tuple[tuple[Cond, ...], ...] = ()
    order: tuple[tuple[str, int], ...] = ()
    first: float = 0.0
    age: float = 0.0
    historical: bool = False
    strong: bool = False
    required: bool = False

    def done(self, matched: Spread | None = None) -> NeedNode:
        return NeedNode(
            self.entity, frozenset(self.attrs), self.edge, self.up, tuple(self.where), self.any_of, self.order,
            self.first, self.age, self.historical, self.strong, matched, self.required,
        )  # fmt: skip


@dataclass(slots=True)
class Tree:
    """The nodes so far; the first is the entity asked for. `questions`: what was not understood."""

    world: World
    root: str
    twigs: list[Twig] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    """Nodes that `through` leads to, by entity and role."""

    def __post_init__(self) -> None:
        self.twigs.append(Twig(self.root))

    def at(self, edges: tuple[Edge, ...], start: int = 0) -> int:
        """The node at the end of `edges`, made if it is not there yet."""
        node = start
        for edge in edges:
            found = next((i for i, t in enumerate(self.twigs) if t.up == node and t.edge == edge), None)
            if found is None:
                self.twigs.append(Twig(edge.to, edge, node))
                found = len(self.twigs) - 1
            node = found
        return node

    def through(self, names: tuple[str, ...]) -> None:
        """Lay down the way that the pattern names; what lies on it is meant when it is named later."""
        if not names:
            return
        found: Way = along(self.world, self.root, names)
        if found.why:
            self.questions.append(found.why)
            return
        node = 0
        for edge in found.edges:
            node = self.at((edge,), node)
            self.named[edge.to] = node
            if not edge.down:
                self.named[edge.rel.role] = node

    def spot(self, path: str) -> tuple[int, str]:
        """Node and attribute of a path; attribute "" (and a question) where there is none."""
        head, _, rest = path.partition(".")
        if head in self.named and head != self.root and rest:
            node = self.named[head]
            entity = self.twigs[node].entity
            attr = attribute(self.world, entity, rest) or f"{entity}.{rest}"
            return self._folded(node, attr)
        found: Place = fold(place(self.world, self.root, path))
        if found.why:
            self.ask(found.why)
            if not found.attr or (found.entity != self.root and not found.edges):
                return 0, ""
        return self.at(found.edges), found.attr

    def entity(self, name: str) -> int:
        """The node of an entity or role that is needed as a whole; -1 where nothing leads there."""
        if name in self.named:
            return self.named[name]
        found = way(self.world, self.root, name)
        if found.why:
            self.ask(found.why)
            return -1
        return self.at(found.edges)

    def ask(self, question: str) -> None:
        if question not in self.questions:
            self.questions.append(question)

    def _folded(self, node: int, attr: str) -> tuple[int, str]:
        twig = self.twigs[node]
        while twig.edge is not None and attr in twig.edge.far:
            attr = twig.edge.near[twig.edge.far.index(attr)]
            node = twig.up
            twig = self.twigs[node]
        return node, attr

    def whole(self, entity: str) -> set[str]:
        """Own fields of an entity. With a size of its own it holds more than its fields say."""
        more = {f"{entity}.*"} if entity in self.world.sizes else set()
        return set(self.world.fields.get(entity, ())) | more
