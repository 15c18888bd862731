"""Documents: one collection per entity with a place of its own, children inside, one index per way of asking."""

from __future__ import annotations

from typing import Any

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.held import held
from app.starters.indexes import indexes
from app.starters.times import clock_of, expires, keep_of
from app.starters.ways import ways
from app.starters.words import listed, plural, short, span

Plain = dict[str, Any]
SERIES = 1_000_000.0
"""Records from which on values that are only added, each with its time, are kept as a time series."""


def documents(design: Design) -> list[Plain]:
    out: list[Plain] = []
    for entity in design.rooted:
        out += [_collection(design, entity), *_fans(design, entity)]
    return out


def _fans(design: Design, entity: str) -> list[Plain]:
    """A document per reader, written when the record comes to be: a timeline."""
    out = []
    for ask in design.asks_of(entity):
        if ask.each and ask.equal:
            keys = list(ways(design, entity, [ask], sparse=False)[0].keys)
            out.append(
                {
                    "collection": f"{plural(entity)}_for_{short(ask.equal[0]).removesuffix('_id')}",
                    "of": entity,
                    "for each": ask.each,
                    "purpose": "second copy",
                    "refresh": "async within 1 min",
                    "_id": [ask.equal[0], *design.world.keys.get(entity, ())],
                    "indexes": [{"keys": keys, "note": f"serves {ask.pattern}"}],
                    "note": f"One document per {ask.each}, written when a {entity} comes to be",
                }
            )
    return out


def _collection(design: Design, entity: str) -> Plain:
    asks = [a for a in design.asks_of(entity) if not a.each]
    key = design.world.keys.get(entity, ())
    out: Plain = {"collection": plural(entity), "of": entity}
    series = _series(design, entity, asks)
    if series:
        out["options"] = {"timeseries": series}
    elif key:
        out["_id"] = key[0] if len(key) == 1 else list(key)
    inside = held(design, entity, asks)
    out |= inside
    refs = _references(design, entity, asks)
    if refs:
        out["reference"] = refs
    copied = _labels(design, entity, asks)
    if copied:
        out["copy"] = [*out.get("copy", []), *copied]
    found = [] if series else indexes(design, entity, asks)
    if found:
        out["indexes"] = found
    ttl = expires(design, entity)
    if ttl:
        out["ttl"] = ttl
    note = _why(design, entity, asks, "embed" in inside, bool(series))
    if keep_of(design, entity) and not ttl:
        note += f"; kept {span(keep_of(design, entity))}: it needs a date field to expire by"
    return {**out, "note": note}


def _series(design: Design, entity: str, asks: list[Ask]) -> Plain:
    """Time field and meta field, where many small values are only ever added and asked for by whom and when."""
    clock = clock_of(design, entity)
    changed = design.changed(entity, "update", "delete", "upsert")
    if design.world.keys.get(entity) or not clock or changed or design.world.counts.get(entity, 0.0) < SERIES:
        return {}
    by = {a.equal for a in asks}
    if len(by) != 1 or len(next(iter(by))) != 1:
        return {}
    return {"timeField": clock, "metaField": next(iter(by))[0]}


def _references(design: Design, entity: str, asks: list[Ask]) -> list[Plain]:
    """Many-to-many without attributes: the ids of the far side, kept where a record has fewer of them."""
    out = []
    for link in design.project.relationships:
        if not link.many_to_many or entity != _keeper(design, link.name):
            continue
        other = link.to if entity == link.from_ else link.from_
        bound = {k for r in design.world.rels if r.link == link.name and r.child == link.name for k in r.via}
        if any(set(a.equal) & bound for a in asks) or not _labels(design, entity, asks):
            most = _most(design, link.name, entity)
            note = f"{link.name}: the ids of its {plural(other)}, few per {entity}"
            direct = any({r.parent, r.child} == {entity, other} for r in design.world.rels)
            what = link.name if direct or other == entity else other
            out.append({"what": what, "as": f"{other}_ids", **({"max": most} if most else {}), "note": note})
    return out


def _keeper(design: Design, link: str) -> str:
    """The end that has fewer of the other."""
    ends = [r for r in design.world.rels if r.link == link and r.parent in design.rooted]
    return min(ends, key=lambda r: r.children.avg).parent if ends else ""


def _most(design: Design, link: str, entity: str) -> str:
    rel = next((r for r in design.world.rels if r.link == link and r.parent == entity), None)
    if rel is None or rel.children.max == float("inf"):
        return "100"
    return f"{rel.children.max:.0f}"


def _labels(design: Design, entity: str, asks: list[Ask]) -> list[Plain]:
    """A far side that is bound by something else than its key: the value itself is kept in the record."""
    out = []
    for attr in dict.fromkeys(b for a in asks for b in a.bound):
        other = attr.partition(".")[0]
        linked = any(
            r.link and r.parent == other and any(s.link == r.link and s.parent == entity for s in design.world.rels)
            for r in design.world.rels
        )
        if other != entity and linked:
            why = f"{plural(entity)} are found by it; a new {short(attr)} of a {other} is written to them later"
            out.append({"what": attr, "as": plural(other), "refresh": "async within 1 h", "because": why})
    return out


def _why(design: Design, entity: str, asks: list[Ask], nests: bool, series: bool) -> str:
    if series:
        return f"A time series: values that are only added, stored in blocks by time; serves {_served(asks)}"
    inside = ", with what belongs to it inside" if nests else ""
    if asks:
        return f"One document per {entity}{inside}; serves {_served(asks)}"
    written = [w.name for w in design.writes if any(c.entity == entity for c in w.changes)]
    inner = {n.rel.child for n in design.inside(entity)}
    written += [w.name for w in design.writes if any(c.entity in inner for c in w.changes)]
    if written:
        return f"One document per {entity}{inside}; written by {listed(written)}, and no pattern reads it yet"
    holders = [r.child for r in design.world.rels if r.parent == entity and not r.link]
    if holders:
        return f"The truth that {listed(map(plural, holders))} point to; no pattern reads it by itself yet"
    return "No pattern reads it yet"


def _served(asks: list[Ask]) -> str:
    return listed(a.pattern for a in asks)
