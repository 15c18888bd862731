"""A small layered layout: boxes in columns, parents left of their children, few crossings.

Cycles are broken where a depth-first walk closes them; an edge that spans several columns passes through points of its
own, so that it does not run behind a box. Same input, same picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

GAP_X, GAP_Y = 118.0, 22.0
SWEEPS = 6
Edge = tuple[str, str]


@dataclass(slots=True)
class Spot:
    """One box, or a point that a long edge passes through (`w` 0)."""

    name: str
    w: float
    h: float
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    left: list[Spot] = field(default_factory=list)
    right: list[Spot] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return self.y + self.h / 2


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is. `routes`: for each edge the spots it passes, in its own direction."""

    spots: Mapping[str, Spot]
    routes: Mapping[Edge, tuple[Spot, ...]]
    width: float
    height: float


def lay_out(sizes: Mapping[str, tuple[float, float]], edges: Sequence[Edge], top: float = 0.0) -> Layout:
    """Place boxes of these sizes (width, height). `edges` go from left to right; both ends must have a size."""
    spots = {name: Spot(name, w, h) for name, (w, h) in sizes.items()}
    wanted = list(dict.fromkeys(e for e in edges if e[0] != e[1]))
    forward = [e if ahead else (e[1], e[0]) for e, ahead in _directed(list(sizes), wanted)]
    _layers(spots, forward)
    chains = [_chain(spots, e) for e in forward]
    columns = _columns([*spots.values(), *(s for c in chains for s in c[1:-1])])
    for _ in range(SWEEPS):
        _order(columns)
    width = _place_x(columns)
    height = _place_y(columns, top)
    routes = {e: tuple(c if c[0].name == e[0] else reversed(c)) for e, c in zip(wanted, chains, strict=True)}
    return Layout(spots, routes, width, height)


def _directed(names: Sequence[str], edges: Sequence[Edge]) -> list[tuple[Edge, bool]]:
    """Each edge with whether it may keep its direction; those that close a cycle may not."""
    out: dict[str, list[str]] = {n: [] for n in names}
    for a, b in edges:
        out[a].append(b)
    closing: set[Edge] = set()
    state: dict[str, int] = {}

    def walk(node: str) -> None:
        state[node] = 1
        for other in out[node]:
            if state.get(other) == 1:
                closing.add((node, other))
            elif other not in state:
                walk(other)
        state[node] = 2

    for name in names:
        if name not in state:
            walk(name)
    return [(e, e not in closing) for e in edges]


def _layers(spots: Mapping[str, Spot], edges: Sequence[Edge]) -> None:
    """The longest way from the left; then boxes without parents move as near to their children as they can."""
    for _ in spots:
        moved = False
        for a, b in edges:
            if spots[b].layer <= spots[a].layer:
                spots[b].layer, moved = spots[a].layer + 1, True
        if not moved:
            break
    for name, spot in spots.items():
        after = [spots[b].layer for a, b in edges if a == name]
        if after and not any(b == name for _, b in edges):
            spot.layer = min(after) - 1


def _chain(spots: Mapping[str, Spot], edge: Edge) -> list[Spot]:
    a, b = spots[edge[0]], spots[edge[1]]
    chain = [a, *(Spot("", 0, 8, layer) for layer in range(a.layer + 1, b.layer)), b]
    for one, other in pairwise(chain):
        one.right.append(other)
        other.left.append(one)
    return chain


def _columns(spots: Sequence[Spot]) -> list[list[Spot]]:
    columns: list[list[Spot]] = [[] for _ in range(max((s.layer for s in spots), default=-1) + 1)]
    for spot in spots:
        columns[spot.layer].append(spot)
    return columns


def _order(columns: list[list[Spot]]) -> None:
    """One sweep to the right and one back: every spot goes to the mean place of its neighbours."""
    for column in columns[1:]:
        _sort(column, "left")
    for column in reversed(columns[:-1]):
        _sort(column, "right")


def _sort(column: list[Spot], side: str) -> None:
    at = {id(s): i for i, s in enumerate(column)}

    def wish(spot: Spot) -> float:
        near: list[Spot] = getattr(spot, side)
        return sum(n.y for n in near) / len(near) if near else spot.y

    column.sort(key=lambda s: (wish(s), at[id(s)]))
    for i, spot in enumerate(column):
        spot.y = float(i)


def _place_x(columns: Sequence[Sequence[Spot]]) -> float:
    x = 0.0
    for column in columns:
        widest = max((s.w for s in column), default=0.0)
        for spot in column:
            spot.x, spot.w = x, spot.w or widest
        x += widest + GAP_X
    return max(0.0, x - GAP_X)


def _place_y(columns: Sequence[list[Spot]], top: float) -> float:
    for column in columns:
        y = 0.0
        for spot in column:
            spot.y, y = y, y + spot.h + GAP_Y
    for _ in range(SWEEPS):
        for column in columns:
            _pull(column)
        for column in reversed(columns):
            _pull(column)
    every = [s for column in columns for s in column]
    lift = min((s.y for s in every), default=0.0) - top
    for spot in every:
        spot.y -= lift
    return max((s.y + s.h for s in every), default=0.0)


def _pull(column: Sequence[Spot]) -> None:
    """Every spot to the mean height of its neighbours, in order, without overlap; then back up where there is room."""
    wishes = []
    for spot in column:
        near = spot.left + spot.right
        wishes.append(sum(n.middle for n in near) / len(near) - spot.h / 2 if near else spot.y)
    floor = float("-inf")
    for spot, wish in zip(column, wishes, strict=True):
        spot.y = max(wish, floor)
        floor = spot.y + spot.h + GAP_Y
    off = sum(s.y - w for s, w in zip(column, wishes, strict=True)) / max(1, len(column))
    for spot in column:
        spot.y -= off


__all__ = ["Edge", "Layout", "Spot", "lay_out"]
