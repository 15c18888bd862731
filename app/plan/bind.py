"""How the conditions of a read bound one part of a key or index.

No numbers of the workload are used here, so that a changed count leaves what was laid untouched. The one exception
is how long records are kept: it says how many time buckets there can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from app.plan.types import Cond, Kind, Op, Part, Walked

JUDGED_ON_RECORD = Op(Kind.RECORD)
ONLY_EQUALITY = Op(Kind.POINT)
ENDLESS = 1e9
"""Buckets of a range without a known width."""

SPECIAL = {"text": "match", "search": "match", "geo": "near", "2dsphere": "near"}
"""Kinds of path that answer one operator of their own, as if it were an equality."""

Named = Mapping[str, Sequence[tuple[Op, Cond]]]
"""Conditions by attribute, the most binding first."""


def _by_kind(found: tuple[Op, Cond]) -> int:
    return found[0].kind


def by_attribute(where: Iterable[Cond], ops: Mapping[str, Op]) -> Named:
    """Conditions by the attribute they name, with what the store's operators make of them."""
    named: dict[str, list[tuple[Op, Cond]]] = {}
    for cond in where:
        named.setdefault(cond.attr, []).append((ops.get(cond.op, JUDGED_ON_RECORD), cond))
    for found in named.values():
        if len(found) > 1:
            found.sort(key=_by_kind)
    return named


def bind_partition(part: Part, named: Named, keep: float = 0.0) -> Walked:
    """What the conditions say about a part that must be bound to values.

    `keep`: seconds for which records are kept (0: unknown); with it a time bucket that no condition bounds can be
    tried bucket by bucket.
    """
    kept = part.kept
    if kept.chosen:
        return Walked(part, Kind.POINTS, kept.fan or 1)
    if not part.attr:
        return Walked(part, Kind.POINT)
    mine = named.get(part.attr)
    first = mine[0][0] if mine else JUDGED_ON_RECORD
    if mine and first.kind <= Kind.POINTS:
        return Walked(part, first.kind, mine[0][1].n, 1, (mine[0][1],), first.exact and kept.exact)
    if kept.bucket:
        return _buckets(part, [c for op, c in mine or () if op.kind is Kind.SPAN], keep)
    if kept.fan and not kept.order:  # a short list of hashes can be tried one by one
        return Walked(part, Kind.POINTS, kept.fan, exact=False)
    if kept.chunk:
        return Walked(part, Kind.POINTS, 1, exact=False)
    if not mine:
        return Walked(part)
    kind = first.kind if kept.order else Kind.RECORD
    return Walked(part, kind, 1, 1, tuple(c for _, c in mine), False)


def _buckets(part: Part, spans: list[Cond], keep: float) -> Walked:
    """A range of time meets few buckets: one request each."""
    seconds = min((c.seconds for c in spans if c.seconds), default=keep)
    if not seconds:
        return Walked(part, Kind.SPAN if spans else None, ENDLESS, 1, tuple(spans), False)
    count = ceil(seconds / part.kept.bucket) + 1
    return Walked(part, Kind.POINTS, count, 1, tuple(spans), False)


def bind_order(part: Part, named: Named, hashed: bool) -> Walked:
    """What the conditions say about a part of the stored order; `hashed` parts know equality only."""
    kept = part.kept
    if kept.chosen:
        return Walked(part, Kind.POINTS, kept.fan or 1)
    if not part.attr:
        return Walked(part, Kind.POINT)
    mine = named.get(part.attr)
    unordered = not kept.order
    if not mine:
        if kept.fan and unordered:
            return Walked(part, Kind.POINTS, kept.fan, exact=False)
        return Walked(part)
    op, first = mine[0]
    if op.kind > Kind.POINTS and (hashed or unordered):
        if kept.fan and unordered:
            return Walked(part, Kind.POINTS, kept.fan, exact=False)
        return Walked(part, Kind.RECORD, 1, 1, tuple(c for _, c in mine))
    used: tuple[Cond, ...] = (first,)
    if op.kind is Kind.SPAN and not part.many:  # two half ranges of an array do not intersect
        used = tuple(c for o, c in mine if o.kind is Kind.SPAN)
    return Walked(part, op.kind, first.n, 1, used, op.exact and kept.exact)
