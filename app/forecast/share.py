"""How much of a pattern's load the busiest value of a key takes: means hide failures.

The order of evidence is the contract of the project file: a literal decides, then the pattern's own skew, then what a
write at this moment must hit (the current time bucket, the end of a rising range), then a foreign key's largest parent,
then the field's values, then an even spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf

from app.model.workload import Pattern
from app.plan.types import Part, World


@dataclass(frozen=True, slots=True)
class Busiest:
    """Share of the busiest value of one attribute, and why. `known` False: a guess from an even spread over an
    assumed number of values. `value`: the literal, where one decides."""

    share: float
    why: str
    known: bool = True
    value: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one operation fixes: literals it sets or asks for, whether it writes at the present moment."""

    pattern: Pattern
    of: str
    literals: Mapping[str, str] = field(default_factory=dict)
    inserts: bool = False
    now: frozenset[str] = frozenset()
    """Attributes written with the present time."""


def busiest(attr: str, seen: Seen, world: World) -> Busiest:
    """The busiest value of one attribute for one pattern, without what the key makes of it."""
    if attr in seen.literals:
        value = seen.literals[attr]
        return Busiest(1.0, f"every one has {_short(attr)} {value}", value=value)
    stat = world.stats.get(attr)
    for path, shares in seen.pattern.skew.items():
        if same(path, attr, seen.of, world):
            top = shares.top(stat.distinct if stat else inf)
            if top is not None:
                return Busiest(top, f"the busiest {_short(attr)} takes {_percent(top)}")
    for rel in world.rels:
        if attr in rel.via and rel.child == attr.partition(".")[0] and rel.children.max < inf:
            children = world.counts.get(rel.child, 0.0)
            if children > 0:
                share = min(1.0, rel.children.max / children)
                return Busiest(
                    share, f"the largest {rel.role} has {rel.children.max:,.0f} of {children:,.0f} {rel.child}"
                )
    if stat is None:
        return Busiest(0.0, f"nothing is known of {attr}", known=False)
    if stat.top is not None:
        return Busiest(stat.top, f"the most frequent {_short(attr)} has {_percent(stat.top)}")
    share = 1 / max(1.0, stat.distinct)
    return Busiest(
        share, f"{stat.distinct:,.0f} values of {_short(attr)}, taken as even", known=stat.unique or not stat.assumed
    )


def part_share(part: Part, seen: Seen, world: World, *, write: bool, first: bool, by_range: bool) -> Busiest:
    """The busiest value of one key part: the attribute's, after what its filters keep of it."""
    if not part.attr:
        if part.kept.chosen and write:
            return Busiest(1 / max(1, part.kept.fan), f"spread over {part.kept.fan} shards")
        return Busiest(1.0, "" if part.kept.chosen else f"{part.literal!r} is the same for all" if part.literal else "")
    moment = write and seen.inserts and (part.attr in seen.now or part.attr in world.monotonic)
    if moment and part.kept.bucket:
        return Busiest(1.0, f"all of now falls into one {_bucket(part.kept.bucket)}", value="now")
    if moment and first and by_range and part.kept.order and not part.kept.fan:
        return Busiest(1.0, f"{_short(part.attr)} only rises and neighbours live together", value="end")
    if part.kept.bucket:
        return Busiest(1.0, f"the present {_bucket(part.kept.bucket)} is read most", known=False)
    found = busiest(part.attr, seen, world)
    if part.kept.fan:
        return Busiest(
            max(1 / part.kept.fan, found.share), f"{part.kept.fan} slots; {found.why}", found.known, found.value
        )
    return found


def partition_share(
    parts: Iterable[Part], seen: Seen, world: World, *, write: bool, by_range: bool = False
) -> tuple[Busiest, str]:
    """Share of the hottest partition: the product over its parts, and the part that concentrates most.

    A joint skew (`"a.x, a.y": top value 3%`) replaces the product of the attributes it names.
    """
    parts = tuple(parts)
    attrs = {p.attr for p in parts if p.attr}
    joint: set[str] = set()
    share, known, why, key, values = 1.0, True, [], "", []
    for path, shares in seen.pattern.skew.items():
        names = [n.strip() for n in path.split(",")]
        both = {a for a in attrs for n in names if same(n, a, seen.of, world)}
        top = shares.top(inf) if len(names) > 1 and len(both) == len(names) else None
        if top is not None:
            share, joint = share * top, joint | both
            why.append(f"the busiest {path} takes {_percent(top)}")
    worst = 0.0
    for i, part in enumerate(parts):
        if part.attr in joint:
            continue
        found = part_share(part, seen, world, write=write, first=i == 0, by_range=by_range)
        share *= found.share
        known = known and found.known
        values.append(found.value)
        if found.why:
            why.append(found.why)
        if part.attr and found.share > worst:
            worst, key = found.share, part.attr
    value = (
        "|".join(values)
        if values and all(v or not p.attr for v, p in zip(values, parts, strict=False)) and any(values)
        else ""
    )
    return Busiest(min(1.0, share), "; ".join(why) or "one partition holds all", known, value), key


def same(path: str, attr: str, of: str, world: World) -> bool:
    """Whether a path as typed means this column: itself, seen from the record, or the other end of a link."""
    if path == attr or world.own(of, path) == attr or world.own(attr.partition(".")[0], path) == attr:
        return True
    for rel in world.rels:
        for key, via in zip(rel.key, rel.via, strict=True):
            if {path, attr} == {key, via}:
                return True
            if attr == key and world.own(rel.child, path) == via:
                return True
    return False


def _short(attr: str) -> str:
    return attr.partition(".")[2] or attr


def _percent(x: float) -> str:
    return f"{100 * x:.3g} %"


def _bucket(seconds: float) -> str:
    names = {60: "minute", 3600: "hour", 86_400: "day", 604_800: "week", 2_592_000: "month", 31_536_000: "year"}
    return names.get(int(seconds), f"bucket of {seconds:,.0f} s")
