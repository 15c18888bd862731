"""Where does a traversal go? `follow from follower to followee, 2..3` becomes hops with the degrees at both ends."""

from __future__ import annotations

import re

from app.model.spread import Spread
from app.model.workload import Pattern
from app.plan.tree import Tree
from app.plan.types import Course, Edge, Hop, Rel, World

_ALONG = re.compile(
    r"^(?P<what>\w+)\s+(?:from\s+(?P<leaves>\w+)\s+to\s+(?P<enters>\w+)|(?P<both>in any direction))"
    r"(?:\s*,\s*(?P<least>\d+)(?:\s*\.\.\s*(?P<most>\d+))?)?$"
)
_RANGE = re.compile(r"^(?P<least>\d+)(?:\s*\.\.\s*(?P<most>\d+))?$")


def course_of(pattern: Pattern, tree: Tree) -> Course | None:
    """The course of a traversal; None for other reads, and where `along` is not understood (a question says so)."""
    if pattern.action != "traverse":
        return None
    hops: list[Hop] = []
    least = most = 0
    for text in pattern.along:
        read = _ALONG.match(" ".join(text.split()))
        hop = _hop(read, tree.world) if read else None
        if read is None or hop is None:
            tree.ask(f"`along: {text}` is not understood: write `follow from follower to followee, 2..3`")
            return None
        low = int(read["least"] or 1)
        high = int(read["most"] or low)
        hops += [hop] * (low if len(pattern.along) > 1 else 1)
        least, most = least + low, most + high
    if not hops:
        tree.ask("a traversal needs `along`: which relationship it follows, and how far")
        return None
    again = _RANGE.match(pattern.repeat.strip()) if pattern.repeat else None
    if again is not None:
        rounds = int(again["most"] or again["least"])
        least, most = least * int(again["least"]), most * rounds
    return Course(tuple(hops), least, most, pattern.shortest)


def _hop(read: re.Match[str], world: World) -> Hop | None:
    """One hop through a link entity (two relationships) or along one relationship."""
    name = read["what"]
    ends = [r for r in world.rels if r.child == name]
    if read["both"]:
        return _any_direction(name, ends, world) if len(ends) == 2 else None
    leaves = next((r for r in ends if read["leaves"] in (r.role, r.parent)), None)
    enters = next((r for r in ends if read["enters"] in (r.role, r.parent) and r is not leaves), None)
    if leaves is not None and enters is not None:
        return _link(name, leaves, enters, world)
    return _direct(name, read["leaves"], read["enters"], world)


def _link(name: str, leaves: Rel, enters: Rel, world: World) -> Hop:
    return Hop(
        name=name,
        edges=(Edge(leaves, True), Edge(enters, False)),
        leaves=leaves.role,
        out=leaves.children,
        enters=enters.role,
        back=enters.children,
        population=world.counts.get(enters.parent, 1.0),
        together=float(leaves.together),
        parents=_with_any(leaves, world),
    )


def _any_direction(name: str, ends: list[Rel], world: World) -> Hop:
    one, other = ends
    both = one.children + other.children
    hop = _link(name, one, other, world)
    return Hop(name, hop.edges, hop.leaves, both, hop.leaves, both, hop.population, hop.together, hop.parents, True)


def _direct(name: str, start: str, end: str, world: World) -> Hop | None:
    """Down or up one relationship: `owner from user to account`."""
    for r in world.rels:
        if name not in (r.role, r.child, r.children_as):
            continue
        down = start in (r.parent, r.role) and end in (r.child, r.children_as)
        up = start in (r.child, r.children_as) and end in (r.parent, r.role)
        if down or up:
            there, back = (r.children, Spread(1, 1, 1)) if down else (r.up, r.children)
            far = r.child if down else r.parent
            return Hop(
                name, (Edge(r, down),), start, there, end, back, world.counts.get(far, 1.0),
                float(r.together), _with_any(r, world) if down else 0.0,
            )  # fmt: skip
    return None


def _with_any(rel: Rel, world: World) -> float:
    """Parents with any child, where that is fewer than there are."""
    stat = world.stats.get(rel.via[0]) if len(rel.via) == 1 else None
    every = world.counts.get(rel.parent, 0.0)
    return stat.distinct if stat is not None and stat.distinct < every else 0.0
