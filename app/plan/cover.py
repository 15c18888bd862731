"""Which values of a read a record gives.

What a read needs and what a record holds are both trees of roles. They are walked in step: an embed is a child held
whole, a reference a child or parent held with its key, a copy a parent held with some fields and an age. Each needed
value is one bit; values that are equal along links (`follow.followee_id`, `user.id`, `post.author_id`) share one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.plan.known import Way
from app.plan.types import Edge, Held, NeedNode, Query, Record, World

Bits = Mapping[tuple[int, str], int]
WHOLE = Held("")
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pieces:
    """`bits`: a bit per (need, attribute); `goal`: the mask to reach; `width`: bits in all."""

    bits: Bits
    goal: int
    width: int

    def mask(self, need: int, attrs: Sequence[str]) -> int:
        out = 0
        for attr in attrs:
            out |= 1 << self.bits[need, attr]
        return out


def pieces(query: Query, keys: Mapping[str, frozenset[str]]) -> Pieces:
    """A bit per needed value, per joining value and per key attribute by which a record could be read elsewhere."""
    bits: dict[tuple[int, str], int] = {}
    classes: dict[tuple[int, str], int] = {}

    def name(need: int, attr: str) -> int:
        found = classes.setdefault(same(query, need, attr), len(classes))
        bits[need, attr] = found
        return found

    goal = 0
    for i, need in enumerate(query.needs):
        for attr in sorted(need.attrs):
            goal |= 1 << name(i, attr)
        if i and need.required:  # its conditions decide which records above count, even if none of its values is wanted
            goal |= 1 << name(i, need.entity)
    decides = any(n.required for n in query.needs[1:])
    if not query.root.attrs and (not goal or decides):
        # a count wants no value of the records, only that they are there: a bit under the entity's own name
        goal |= 1 << name(0, query.root.entity)
    for i, need in enumerate(query.needs):
        if need.edge:
            for near, far in zip(need.edge.near, need.edge.far, strict=True):
                name(i, far)
                name(need.up, near)
        for attr in sorted(keys.get(need.entity, ())):
            name(i, attr)
    return Pieces(bits, goal, len(classes))


def same(query: Query, need: int, attr: str) -> tuple[int, str]:
    """One name for a value and all it equals along the links of this read."""
    while (edge := query.needs[need].edge) and attr in edge.far:
        attr, need = edge.near[edge.far.index(attr)], query.needs[need].up
    return need, attr


def neighbours(query: Query, need: int) -> Iterator[tuple[int, Edge]]:
    """The needs next to one, each with the edge that leads there."""
    own = query.needs[need]
    if own.edge:
        yield own.up, own.edge.back()
    for m, other in enumerate(query.needs):
        if other.up == need and other.edge:
            yield m, other.edge


def enough(held: Held, need: NeedNode) -> bool:
    """A subset serves a need for at most as many, in the same order, without further conditions."""
    return not held.first or (
        0 < need.first <= held.first and need.order == held.order[: len(need.order)] and not need.where
    )


def whole(record: Record, at: int, need: NeedNode) -> bool:
    """An embedded subset cannot stand for all; an embed inside one neither."""
    while at > 0:
        if not enough(record.shape[at], need):
            return False
        at = record.shape[at].up
    return True


def laid(record: Record, at: int, query: Query, need: int) -> Iterator[tuple[int, int, bool]]:
    """Pairs of shape node and need that stand for each other; False: a subset too small, not walked further."""
    todo = [(at, need, -1, -1)]
    while todo:
        s, n, from_s, from_n = todo.pop()
        yield s, n, True
        for m, edge in neighbours(query, n):
            if m == from_n:
                continue
            for t, h in enumerate(record.shape):
                down = h.up == s and h.edge == edge
                up = record.shape[s].up == t and _leads_back(record.shape[s], edge)
                if not (down or up) or t == from_s:
                    continue
                if enough(h if down else WHOLE, query.needs[m]):
                    todo.append((t, m, s, n))
                else:
                    yield t, m, False


def _leads_back(held: Held, edge: Edge) -> bool:
    return held.edge is not None and held.edge.rel is edge.rel and held.edge.down != edge.down


def age_of(record: Record, held: Held, attr: str) -> float:
    """Seconds by which a value held here may be behind the truth."""
    if attr[0] == "=":
        return max(held.age, record.computed_age.get(attr, 0.0))
    return held.age


def young(age: float, need: NeedNode) -> bool:
    """Is a value of that age good enough?"""
    return age <= 0 or need.historical or (age <= need.age and not need.strong)


def holds(held: Held, attr: str, keyed: frozenset[str]) -> bool:
    """Does this node hold the attribute? All own fields never include figures, and the key is always there."""
    if attr in keyed or attr in held.computed:
        return True
    return attr[0] != "=" if held.attrs is None else attr in held.attrs


def cover(way: Way, at: int, query: Query, need: int, bits: Bits, world: World) -> tuple[int, int]:
    """Which pieces a record gives when its shape node `at` stands for `need`, and which need its root stands for."""
    record, only = way.record, way.only
    keyed = way.keyed
    mask, root = 0, -1
    for s, n, whole_list in laid(record, at, query, need):
        if not whole_list:
            continue
        if s == 0:
            root = n
        elif only is not None:
            continue
        held, want = record.shape[s], query.needs[n]
        behind = n != need and late(way, want)
        if behind and want.strong:
            continue  # a path that lags may not know the record yet, so its keys cannot lead there either
        here = keyed if s == 0 else frozenset()
        for (i, attr), bit in bits.items():
            if i != n:
                continue
            there = attr == want.entity and _there(held, want, here, s)
            given = attr in only or attr in keyed if only is not None else holds(held, attr, here)
            if not (given or there):
                continue
            if (
                there
                or attr in here
                or attr in world.immutable
                or (not behind and young(age_of(record, held, attr) + way.lag * (held.age > 0), want))
            ):
                mask |= 1 << bit
    return mask, root


def _there(held: Held, want: NeedNode, keyed: frozenset[str], at: int) -> bool:
    """Does this node tell that the record is there, and that it meets what is asked of it?"""
    if want.required and want.up >= 0:
        conds = (*want.where, *(c for branch in want.any_of for c in branch))
        linked = want.edge.far if want.edge is not None else ()
        return all(c.attr in linked or holds(held, c.attr, keyed) for c in conds)
    return not at or held.attrs != NONE


def late(way: Way, want: NeedNode) -> bool:
    """Is the path itself too far behind for this need? (For the need it is entered by, the planner refuses it.)"""
    if want.historical:
        return False
    return (want.strong and not way.strong) or 0 < want.age < way.lag
