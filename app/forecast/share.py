"""How much of a pattern's load the busiest value of a key takes: means hide failures.

The order of evidence is the contract of the project file: a literal decides, then the pattern's own skew, then what a
write at this moment must hit (the current time bucket, the end of a rising range), then a foreign key's largest parent,
then the field's values, then an even spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, prod

from app.model.workload import Pattern
from app.plan.types import Part, Rel, World


@dataclass(frozen=True, slots=True)
class Busiest:
    """Share of the busiest value of one attribute, and why. `known` False: rests on a guess. `value`: the literal,
    where one decides. `unknown`: attributes of whose values nothing is known; `bound` is the share without them."""

    share: float
    why: str
    known: bool = True
    value: str = ""
    unknown: tuple[str, ...] = ()
    bound: float = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What one operation fixes: literals it sets or asks for, whether it writes at the present moment."""

    pattern: Pattern
    of: str
    literals: Mapping[str, str] = field(default_factory=dict)
    inserts: bool = False
    now: frozenset[str] = frozenset()
    """Attributes written with the present time."""
    changed: frozenset[str] = frozenset()
    """Entities a write changes: children that are held in their parent's record among them."""


def busiest(attr: str, seen: Seen, world: World) -> Busiest:
    """The busiest value of one attribute for one pattern, without what the key makes of it."""
    if attr in seen.literals:
        value = seen.literals[attr]
        return _known(1.0, f"every one has {_short(attr)} {value}", value)
    stat = world.stats.get(attr)
    for path, shares in seen.pattern.skew.items():
        if same(path, attr, seen.of, world):
            top = shares.top(stat.distinct if stat else inf)
            if top is not None:
                return _known(top, f"the busiest {_short(attr)} takes {_percent(top)}")
    for rel in rels_of(attr, world):
        if _met(rel, attr, seen):
            found = _largest(rel, (attr,), world)
            if found is not None:
                return found
    if stat is None:
        return _unknown(attr, 1.0, f"nothing is known of {attr}")
    if stat.unique:
        share = 1 / max(1.0, stat.distinct)
        why = f"each {_short(attr)} is one record"
        unknown = (attr,) if stat.assumed else ()
        return Busiest(share, why, known=not unknown, unknown=unknown, bound=share)
    if stat.top is not None:
        return _known(stat.top, f"the most frequent {_short(attr)} has {_percent(stat.top)}")
    share = 1 / max(1.0, stat.distinct)
    why = f"{stat.distinct:,.0f} values of {_short(attr)}, taken as even"
    return _unknown(attr, share, why) if stat.assumed else _known(share, why)


def _known(share: float, why: str, value: str = "") -> Busiest:
    return Busiest(share, why, value=value, bound=share)


def _unknown(attr: str, share: float, why: str) -> Busiest:
    return Busiest(share, why, known=False, unknown=(attr,))


def rels_of(attr: str, world: World) -> tuple[Rel, ...]:
    """Relationships that an attribute is the one column of, on either side."""
    index: dict[str, tuple[Rel, ...]] | None = world.memo.get("rels by column")
    if index is None:
        index = {}
        for rel in world.rels:
            if len(rel.via) == 1:
                for column in dict.fromkeys((*rel.via, *rel.key)):
                    index[column] = (*index.get(column, ()), rel)
        world.memo["rels by column"] = index
    return index.get(attr, ())


def composite(world: World) -> tuple[Rel, ...]:
    """Relationships by several columns."""
    found: tuple[Rel, ...] | None = world.memo.get("rels by several columns")
    if found is None:
        found = world.memo["rels by several columns"] = tuple(r for r in world.rels if len(r.via) > 1)
    return found


def _met(rel: Rel, attr: str, seen: Seen) -> bool:
    """Is this attribute the foreign key of the relationship, or the key of a parent that holds the children?"""
    if attr == rel.via[0]:
        return rel.child == attr.partition(".")[0]
    return attr == rel.key[0] and rel.parent == seen.of and rel.child != seen.of and seen.changed == {rel.child}


def _largest(rel: Rel, attrs: tuple[str, ...], world: World) -> Busiest | None:
    """Share of the parent with the most children; None where the number of children is not given."""
    children, given = world.counts.get(rel.child, 0.0), rel.children
    if children <= 0 or (rel.assumed and given.max == inf):
        return None
    most = given.max if given.max < inf else given.high
    word = "the largest" if given.max < inf else "p99 of" if given.p99 else "an average"
    share = min(1.0, most / children)
    why = f"{word} {rel.role} has {most:,.0f} of {children:,.0f} {rel.child}"
    return _known(share, why) if given.max < inf else Busiest(share, why, known=False, unknown=attrs)


def part_share(part: Part, seen: Seen, world: World, *, write: bool, first: bool, by_range: bool) -> Busiest:
    """The busiest value of one key part: the attribute's, after what its filters keep of it."""
    if not part.attr:
        if part.kept.chosen and write:
            return _known(1 / max(1, part.kept.fan), f"spread over {part.kept.fan} shards")
        if part.kept.chosen:
            return _known(1.0, f"all {part.kept.fan} shards are read")
        return _known(1.0, f"{part.literal!r} is the same for all" if part.literal else "")
    moment = write and seen.inserts and (part.attr in seen.now or part.attr in world.monotonic)
    if moment and part.kept.bucket:
        return _known(1.0, f"all of now falls into one {_bucket(part.kept.bucket)}", "now")
    if moment and first and by_range and part.kept.order and not part.kept.fan:
        return _known(1.0, f"{_short(part.attr)} only rises and neighbours live together", "end")
    if part.kept.bucket:
        return Busiest(1.0, f"the present {_bucket(part.kept.bucket)} is used most", known=False)
    found = busiest(part.attr, seen, world)
    if not part.kept.fan:
        return found
    least = 1 / part.kept.fan
    why = f"{part.kept.fan} slots; {found.why}"
    return Busiest(max(least, found.share), why, found.known, found.value, found.unknown, max(least, found.bound))


def partition_share(
    parts: Iterable[Part], seen: Seen, world: World, *, write: bool, by_range: bool = False
) -> tuple[Busiest, str]:
    """Share of the hottest partition: the product over its parts, and the part that concentrates most.

    A joint skew (`"a.x, a.y": top value 3%`), or a relationship by several columns, replaces the product of the
    attributes it names.
    """
    parts = tuple(parts)
    attrs = {p.attr for p in parts if p.attr}
    found = list(_joint(attrs, seen, world))
    if not found:
        found = list(_together({p.attr for p in parts if p.attr and p.kept.exact}, seen, world))
    joint = {a for names, _ in found for a in names}
    alone = [p for p in parts if p.attr not in joint]
    shares = [(p, part_share(p, seen, world, write=write, first=p is parts[0], by_range=by_range)) for p in alone]
    every = [b for _, b in found] + [b for _, b in shares]
    share, bound = 1.0, 1.0
    for b in every:
        share, bound = share * b.share, bound * b.bound
    why = [b.why for _, b in found if b.why] + [b.why for p, b in shares if b.why and (p.attr or p.kept.fan)]
    if not attrs and not why:
        why = [b.why for _, b in shares if b.why]
    key = max(((b.share, p.attr) for p, b in shares if p.attr), default=(0.0, min(joint, default="")))[1]
    values = [b.value for p, b in shares if p.attr]
    value = "|".join(values) if values and all(values) and not joint else ""
    unknown = tuple(dict.fromkeys(a for b in every for a in b.unknown))
    known = all(b.known for b in every)
    said = "; ".join(why) or "one partition holds all"
    return Busiest(min(1.0, share), said, known, value, unknown, min(1.0, bound)), key


def _joint(attrs: set[str], seen: Seen, world: World) -> Iterable[tuple[set[str], Busiest]]:
    """What is known of several attributes together."""
    for path, shares in seen.pattern.skew.items():
        names = [n.strip() for n in path.split(",")]
        both = {a for a in attrs for n in names if same(n, a, seen.of, world)}
        top = shares.top(inf) if len(names) > 1 and len(both) == len(names) else None
        if top is not None:
            yield both, _known(top, f"the busiest {path} takes {_percent(top)}")
            return
    for rel in composite(world):
        if rel.child == seen.of and set(rel.via) <= attrs and not set(seen.literals) & attrs:
            found = _largest(rel, rel.via, world)
            if found is not None:
                yield set(rel.via), found
                return


def _together(attrs: set[str], seen: Seen, world: World) -> Iterable[tuple[set[str], Busiest]]:
    """Attributes that go together: fewer combinations than could be, so each takes more."""
    for names, distinct in world.together.get(seen.of, ()):
        both = attrs & names - set(seen.literals)
        if len(both) < 2:
            continue
        apart = [busiest(a, seen, world) for a in sorted(both)]
        there = min(distinct, prod(world.stats[a].distinct for a in both))
        more = prod(world.stats[a].distinct for a in both) / there
        share = min(prod(b.share for b in apart) * more, *(b.share for b in apart))
        shown = ", ".join(_short(a) for a in sorted(both))
        unknown = tuple(dict.fromkeys(a for b in apart for a in b.unknown))
        why = f"{there:,.0f} combinations of {shown}"
        yield both, Busiest(share, why, all(b.known for b in apart), "", unknown, max(1 / there, share))
        attrs = attrs - both


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
