"""Traversals: how many edges a walk meets, how many distinct nodes, and what that costs a store.

A hop leaves a node by one end of a relationship. What decides the growth is the end by which the node was entered:
entered and left by the same end, the node is met in proportion to its degree there (the mean met by size, less the
edge it came by); by different ends the plain average holds, unless the two degrees go together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, inf, log, sqrt

from app.model.spread import ONE, Z99, ZERO, Spread
from app.plan.enter import seen
from app.plan.types import Course, Expand, Hop

QUANTILES = (
    -2.6, -1.9, -1.5, -1.2, -0.97, -0.76, -0.57, -0.39, -0.22, -0.06,
    0.1, 0.26, 0.43, 0.61, 0.8, 1.02, 1.27, 1.6, 2.05, 2.9,
)  # fmt: skip
"""Twenty equally likely values of a standard normal."""


@dataclass(frozen=True, slots=True)
class Walk:
    """`paths`, `nodes`: edges met and distinct nodes reached, per depth. `edges`: examined in all. `requests`: per
    depth.
    `supernode`: chance that an average walk meets the largest node before the last hop; `at_worst`: its edges."""

    paths: tuple[Spread, ...]
    nodes: tuple[Spread, ...]
    edges: Spread
    requests: tuple[Spread, ...]
    supernode: float = 0.0
    at_worst: float = 0.0


def walk(course: Course, expand: Expand, batch: float = 1, start: Spread = ONE) -> Walk:
    """Follow the hops in turn to the greatest depth. `batch`: starting nodes in one request of the client."""
    if course.shortest and expand.shortest:  # half the depth from each end
        half = Course(course.hops, 1, ceil(course.most / 2))
        one = walk(half, Expand(server=expand.server, visited="global"), batch, start)
        return Walk(one.paths, one.nodes, one.edges + one.edges, one.requests, one.supernode, one.at_worst)
    visited = "global" if course.shortest else expand.visited
    state = _Front(start, visited)
    before: Hop | None = None
    for depth in range(course.most):
        hop = course.hops[depth % len(course.hops)]
        state.step(before, hop, batch)
        before = hop
    return Walk(
        tuple(state.paths), tuple(state.nodes), state.edges, tuple(state.requests),
        1 - state.miss, state.worst,
    )  # fmt: skip


class _Front:
    """The nodes a walk stands on, and what it has met so far."""

    def __init__(self, start: Spread, visited: str) -> None:
        self.frontier, self.visited = start, visited
        self.paths: list[Spread] = []
        self.nodes: list[Spread] = []
        self.requests: list[Spread] = []
        self.edges = ZERO
        self.known = self.miss = 1.0
        self.worst = 0.0

    def step(self, before: Hop | None, hop: Hop, batch: float) -> None:
        at = self.frontier
        met = at.of(growth(before, hop))
        self.requests.append(each(at, batch))
        self.edges = self.edges + met
        self.paths.append(met)
        self._supernode(before, hop)
        new = Spread(
            seen_by_size(met.avg, hop.population, hop.back),
            seen_by_size(met.high, hop.population, hop.back),
            min(met.max, hop.population),
        )
        self.nodes.append(new)
        if self.visited in ("global", "node"):  # what is already known is not met again
            fresh = 1 - min(1.0, self.known / hop.population)
            self.frontier = Spread(new.avg * fresh, new.high * fresh, new.max)
            self.known = min(hop.population, self.known + self.frontier.avg)
        else:
            self.frontier = new if self.visited == "row" else met

    def _supernode(self, before: Hop | None, hop: Hop) -> None:
        self.worst = max(self.worst, hop.out.max)
        if before is None or hop.out.max == inf or not hop.population:
            return
        share = 1 / hop.population
        if before.enters == hop.leaves or hop.together:
            share = min(1.0, hop.out.max / max(1.0, hop.out.avg * (hop.parents or hop.population)))
        self.miss *= exp(-self.frontier.avg * share)


def growth(before: Hop | None, hop: Hop) -> Spread:
    """Edges met per node that has been reached by `before`."""
    out = hop.out
    if before is None:
        return out
    if before.name == hop.name and (before.enters == hop.leaves or hop.both):
        mean = max(0.0, out.met_by_size - 1)
    else:
        mean = out.avg + hop.together * (out.met_by_size - out.avg)
    return Spread(mean, max(mean, out.high), out.max)


def seen_by_size(draws: float, population: float, degree: Spread) -> float:
    """Distinct nodes when each is met in proportion to its degree: fewer than if all were alike."""
    if degree.high <= degree.avg or draws == inf or min(degree.avg, population) <= 0:
        return seen(draws, population)
    spread = Z99 - sqrt(max(0.0, Z99 * Z99 - 2 * log(degree.high / degree.avg)))
    weights = [exp(spread * z) for z in QUANTILES]
    mean = sum(weights) / len(weights)
    missed = sum(1 - exp(-draws * w / mean / population) for w in weights)
    return min(draws, population * missed / len(weights))


def each(n: Spread, batch: float) -> Spread:
    """Requests for so many nodes, `batch` in each."""
    return Spread(*(ceil(x / batch) if x < 1e15 else x for x in (n.avg, n.high, n.max)))
