"""The cheapest set of reads that gives every needed value: a shortest path over masks of values.

State: a mask of the values held. Edge: one read. Cost never falls, so the first state that holds everything is the
cheapest. Values always covered together are one bit, so a read of five entities has four to nine bits, not thirty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from app.plan.coalesce import coalesce
from app.plan.enter import Entry
from app.plan.steps import Found, Read, Search

MOST_STATES = 5000
"""Beyond so many states the cheapest plan found by then stands."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`reads`: in the order in which they are made, empty where nothing works. `missing`: bits never reached."""

    reads: tuple[Read, ...]
    cost: float
    missing: int
    found: Found
    entry: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A read as a step from mask to mask."""

    gives: int
    asks: int
    cost: float
    read: Read


def cheapest(search: Search, entry: int) -> Outcome:
    """The cheapest reads when the plan enters at one need; else what can be had at most."""
    found = Entry(search, entry).reads()
    reads = found.reads + coalesce(search, found.reads)
    pairs = [(r.gives, r.asks) for r in reads]
    small = _squeeze([*pairs, (search.start, 0)], search.pieces.width, search.pieces.goal)
    goal, begin = small(search.pieces.goal), small(search.start)
    if not goal & ~begin:
        begin &= ~goal  # all that is needed is stated by the conditions: still read whether the record is there
    edges = undominated([Edge(small(g), small(a), r.work, r) for (g, a), r in zip(pairs, reads, strict=True)])
    done, cost, reached = shortest(edges, begin, goal)
    if done is not None:
        return Outcome(done, cost, 0, found, entry)
    missing = 0
    for bit in range(search.pieces.width):
        if search.pieces.goal >> bit & 1 and small(1 << bit) & ~reached:
            missing |= 1 << bit
    return Outcome((), cost, missing, found, entry)


class _Small:
    """Maps wide masks to narrow ones, in which bits that always go together are one."""

    def __init__(self, bits: Sequence[int]) -> None:
        self.bits = bits

    def __call__(self, mask: int) -> int:
        out, b = 0, 0
        while mask:
            if mask & 1:
                out |= self.bits[b]
            mask >>= 1
            b += 1
        return out


def _squeeze(masks: Iterable[tuple[int, int]], width: int, goal: int) -> _Small:
    masks = list(masks)
    signs: dict[tuple[object, ...], int] = {}
    bits = []
    for b in range(width):
        sign = (*((g >> b & 1, a >> b & 1) for g, a in masks), goal >> b & 1)
        bits.append(1 << signs.setdefault(sign, len(signs)))
    return _Small(bits)


def undominated(edges: list[Edge]) -> list[Edge]:
    """Drop a read when another gives as much, asks no more and costs no more."""
    keep: list[Edge] = []
    for e in sorted(edges, key=lambda e: (e.cost, -e.gives.bit_count())):
        server = e.read.how == "server"
        if not any(
            not e.gives & ~k.gives and not k.asks & ~e.asks and (k.read.how != "server" or server) for k in keep
        ):
            keep.append(e)
    return keep


def shortest(edges: Sequence[Edge], begin: int, goal: int) -> tuple[tuple[Read, ...] | None, float, int]:
    """Reads to the goal with their cost, or None and the most useful mask that can be reached."""
    heap: list[tuple[float, int, int, tuple[Read, ...]]] = [(0.0, 0, begin, ())]
    settled: dict[int, float] = {}
    serial = 0
    while heap and len(settled) < MOST_STATES:
        cost, _, mask, done = heappop(heap)
        if mask & goal == goal and done:
            return done, cost, mask
        if mask in settled and done:
            continue
        settled[mask] = cost
        for e in edges:
            if e.asks & ~mask or not e.gives & ~mask or (mask | e.gives) in settled:
                continue
            if not done and e.asks:
                continue
            if e.read.how == "server" and not _beside(e.read, done):
                continue
            serial += 1
            heappush(heap, (cost + e.cost, serial, mask | e.gives, (*done, e.read)))
    best = max(settled, key=lambda m: (m & goal).bit_count())
    return None, settled[best], best


def _beside(read: Read, done: Sequence[Read]) -> bool:
    """A server joins only what lies in the same store as a read before it."""
    store = read.record.dialect.store
    return any(d.record.dialect.store == store and d.how == "first" for d in done)
