"""What share of the records does a condition keep, as far as the workload tells?

None means that the number of distinct values decides, or that nothing is known; the planner tells
them apart by the operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.model.conditions import Comparison, Literal, Now, Param
from app.plan.types import Cond, Stat, World

RANGES = ("<", "<=", ">", ">=", "between")
LIST = 10.0
"""Values assumed in a list that comes as one parameter."""


def cond(comparison: Comparison, attr: str, world: World, span: float = 0.0) -> Cond:
    """The condition on an own column. `span`: width in seconds of a range between parameters."""
    op = comparison.op
    seconds = span or _window(comparison) if op in RANGES else 0.0
    return Cond(
        attr=attr,
        op=op,
        n=_values(comparison) if op in ("in", "not in") else 1,
        share=_share(comparison, attr, world, seconds),
        seconds=seconds,
        source=comparison,
    )


LOW, HIGH = (">", ">="), ("<", "<=")


def halves(conds: Sequence[Cond], stats: Mapping[str, Stat]) -> tuple[Cond, ...]:
    """Two half ranges of one attribute are one range: the first of them tells its share, the second narrows no further.

    Not so of an array: another element may meet each half.
    """
    out = list(conds)
    for i, low in enumerate(out):
        stat = stats.get(low.attr)
        if low.op not in LOW or (stat is not None and stat.elements > 1):
            continue
        j = next((j for j, c in enumerate(out) if c.attr == low.attr and c.op in HIGH and c.share != 1.0), -1)
        if j < 0 or low.share == 1.0:
            continue
        first, second = sorted((i, j))
        out[first] = replace(out[first], share=_both(low, out[j]))
        out[second] = replace(out[second], share=1.0)
    return tuple(out)


def _both(low: Cond, high: Cond) -> float | None:
    """The share of what lies between: of one width given for both, else where the halves overlap."""
    if low.share is None or high.share is None:
        return low.share if high.share is None else high.share
    if low.seconds and low.seconds == high.seconds:
        return low.share
    return max(low.share + high.share - 1.0, 0.0) or low.share * high.share


def literal(value: object) -> str:
    """A literal as the workload lists it: `True` is `true`, `5.0` is `5`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def share_of_value(stat: Stat | None, value: str) -> float | None:
    """Share of one value: as listed, else an even part of what the list leaves."""
    if stat is None or not stat.shares:
        return None
    if value in stat.shares:
        return stat.shares[value]
    others = stat.distinct - len(stat.shares)
    rest = max(0.0, 1.0 - sum(stat.shares.values()))
    return rest / others if others >= 1 else rest


def share_of_time(entity: str, seconds: float, world: World) -> float | None:
    """Share of an entity's records that a time range of so many seconds holds."""
    keep = world.keeps.get(entity)
    rate = world.inflow.get(entity)
    count = world.counts.get(entity)
    if rate and count:
        return min(1.0, rate * min(seconds, keep or seconds) / count)
    return min(1.0, seconds / keep) if keep else None


def _share(c: Comparison, attr: str, world: World, seconds: float) -> float | None:
    stat = world.stats.get(attr)
    if c.op in ("null", "not null"):
        present = stat.present if stat else 1.0
        return present if c.op == "not null" else 1.0 - present
    if c.op in RANGES:
        return share_of_time(attr.lstrip("=").partition(".")[0], seconds, world) if seconds else None
    if c.op in ("=", "!=", "in", "not in") and all(isinstance(o, Literal) for o in c.operands):
        parts = [share_of_value(stat, literal(o.value)) for o in c.operands if isinstance(o, Literal)]
        if parts and all(p is not None for p in parts):
            total = min(1.0, sum(p for p in parts if p is not None))
            return total if c.op in ("=", "in") else 1.0 - total
    return None


def _values(c: Comparison) -> float:
    if len(c.operands) == 1 and isinstance(c.operands[0], Param):
        return LIST
    return float(max(1, len(c.operands)))


def _window(c: Comparison) -> float:
    """Seconds between the bounds, where they are told from the time of the call."""
    times = [o.offset for o in c.operands if isinstance(o, Now)]
    if c.op == "between" and len(times) == 2:
        return abs(times[1] - times[0])
    back = c.op in (">", ">=") and len(times) == 1 and times[0] < 0
    return -times[0] if back else 0.0
