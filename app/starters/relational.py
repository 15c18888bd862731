"""Tables that point to each other: one per entity and many-to-many relationship, an index per way of asking.

Nothing is copied: parents are joined by their key, children by an index on what points to their parent. Figures that
reads want are kept, because counting them again grows with the children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from app.model.candidate import Candidate, Structure
from app.plan.lower import lower
from app.plan.types import Query, Rel
from app.starters.asks import Ask, chain_to
from app.starters.design import Design
from app.starters.held import figures
from app.starters.times import clock_of, keep_of
from app.starters.ways import Way, plain, served, ways
from app.starters.words import entity_of, listed, plural, short, span
from app.stores.common_query import equal_to

Plain = dict[str, Any]
DAY = 86_400.0
GRAINS = ((180 * DAY, "month"), (21 * DAY, "week"), (0.0, "day"))
"""How long rows are kept, and how long a partition is: some ten to thirty of them stand at a time."""


def relational(design: Design) -> list[Plain]:
    """Tables in the order of the project: a table may point to any other."""
    asks = [*_local(design), *_followed(design), *_written(design)]
    entities = [e.name for e in design.project.entities if design.world.fields.get(e.name)]
    out = [_table(design, e, [a for a in asks if a.entity == e]) for e in entities]
    taken = {t["table"] for t in out}
    for link in design.links:
        made = _link(design, link, [a for a in asks if a.entity == link])
        if made["table"] in taken:
            made["table"] = f"{link}_links"
        taken.add(made["table"])
        out.append(made)
    return out


def _local(design: Design) -> list[Ask]:
    """Every way of asking in terms of one table: what is bound of a parent is looked up there and followed down."""
    out: list[Ask] = []
    for ask in design.asks:
        if ask.each:
            continue  # nothing is written once per reader here: it is joined
        foreign = [a for a in (*ask.bound, *ask.spans, *ask.words) if entity_of(a) != ask.entity]
        rels = {entity_of(a): _up(design, ask, entity_of(a)) for a in foreign}
        for entity in rels:
            mine = tuple(a for a in ask.bound if entity_of(a) == entity)
            rest = tuple(a for a in ask.spans if entity_of(a) == entity)
            words = tuple(a for a in ask.words if entity_of(a) == entity)
            fixed = tuple(f for f in ask.fixed if entity_of(f[0]) == entity)
            out.append(Ask(ask.pattern, ask.action, entity, mine, rest, fixed=fixed, words=words, main=False))
        via = [v for rel in rels.values() if rel is not None for v in rel.via]
        own = [a for a in ask.equal if entity_of(a) == ask.entity]
        out.append(
            replace(
                ask,
                equal=tuple(dict.fromkeys((*own, *via))),
                spans=tuple(a for a in ask.spans if entity_of(a) == ask.entity),
                order=ask.order if all(entity_of(a) == ask.entity for a, _ in ask.order) else (),
                contains=tuple(a for a in ask.contains if entity_of(a) == ask.entity),
                words=tuple(a for a in ask.words if entity_of(a) == ask.entity),
                fixed=tuple(f for f in ask.fixed if entity_of(f[0]) == ask.entity),
                absent=tuple(a for a in ask.absent if entity_of(a) == ask.entity),
            )
        )
    return out


def _followed(design: Design) -> Iterator[Ask]:
    """What joins and walks follow down: an index on what points to the row they come from."""
    for pattern in design.project.patterns:
        lowered = lower(pattern, design.world, design.project) if pattern.action and pattern.entity else None
        if not isinstance(lowered, Query):
            continue
        for hop in lowered.course.hops if lowered.course is not None else ():
            for edge in [hop.edges[0], hop.edges[-1].back()] if hop.both else [hop.edges[0]]:
                yield Ask(pattern.operation, "list", edge.to, edge.far, main=False)
        bound = [i for i, n in enumerate(lowered.needs) if n.where or n.any_of]
        at = 0 if 0 in bound or not bound else bound[0]
        for i in range(len(lowered.needs)):
            for there, edge in chain_to(lowered, at, i):
                if edge.down and not (at == 0 and there == i):  # children of the row itself are asked for already
                    order = lowered.root.order if there == 0 else lowered.needs[there].order
                    own = all(entity_of(a) == edge.to for a, _ in order)
                    yield Ask(pattern.operation, "list", edge.to, edge.far, order=order if own else (), main=False)


def _written(design: Design) -> Iterator[Ask]:
    """What finds rows to change that are named neither by their key nor by a set of fields that is unique."""
    world = design.world
    for write in design.writes:
        for c in write.changes:
            own = tuple(a for a in world.fields.get(c.entity, ()) if a in c.known)
            apart = (world.keys.get(c.entity, ()), *world.unique_together.get(c.entity, ()))
            if c.kind in ("update", "delete") and own and not any(k and set(k) <= c.known for k in apart):
                yield Ask(write.name, "refresh", c.entity, own, main=False)


def _up(design: Design, ask: Ask, entity: str) -> Rel | None:
    """The relationship by which an asked entity points to a parent, where it points there itself."""
    near = next((u.edge.rel for u in ask.ups if not u.far and u.edge.rel.parent == entity), None)
    return near or next((r for r in design.world.rels if r.child == ask.entity and r.parent == entity), None)


def _table(design: Design, entity: str, asks: list[Ask]) -> Plain:
    world = design.world
    key = list(world.keys.get(entity, ()))
    out: Plain = {"table": plural(entity), "of": entity}
    grain = _grain(design, entity, key)
    clock = clock_of(design, entity)
    if grain:
        out["partition by"] = [f"{clock}|{grain}"]
    if key:
        out["primary key"] = [*key, *([clock] if grain and clock not in key else [])]
    pointing = _foreign(design, entity)
    if pointing:
        out["foreign keys"] = pointing
    kept = figures(design, entity, design.asks)
    if kept:
        out["computed"] = kept
    found = indexes(design, entity, asks, out.get("primary key", []))
    if found:
        out["indexes"] = found
    return {**out, "note": _why(design, entity, asks, grain)}


def _why(design: Design, entity: str, asks: list[Ask], grain: str) -> str:
    mine = listed(a.pattern for a in asks if a.by_key(design.world) and a.main)
    note = f"read by its key: {mine}" if mine else "one row each"
    keep = keep_of(design, entity)
    if grain:
        return (
            f"{note}; kept {span(keep)}: the partition of an old {grain} is dropped, and no row is deleted one by one"
        )
    return f"{note}; kept {span(keep)}: a job deletes what is older" if keep else note


def _grain(design: Design, entity: str, key: list[str]) -> str:
    """Partitions of time for what is kept for a while and never found without its time."""
    keep, clock = keep_of(design, entity), clock_of(design, entity)
    pointed = any(r.parent == entity for r in design.world.rels)
    if not keep or not clock or pointed or (key and clock not in key):
        return ""
    if design.world.stats[clock].type not in ("date", "datetime"):
        return ""
    return next(word for least, word in GRAINS if keep >= least)


def _foreign(design: Design, entity: str) -> list[str]:
    """Roles by which rows point to a row of another table, whose key must be there."""
    found = (r for r in design.world.rels if r.child == entity and design.world.fields.get(r.parent))
    return list(dict.fromkeys(r.role for r in found if r.key == design.world.keys.get(r.parent, ())))


def _link(design: Design, link: str, asks: list[Ask]) -> Plain:
    """A link table: its key finds by one end, an index by the other; what lists ask first comes first in the key."""
    ends = [r for r in design.world.rels if r.link == link and r.child == link]
    columns = [v for r in ends for v in r.via]
    first = next((a.equal[0] for a in asks if a.equal and a.equal[0] in columns), columns[0] if columns else "")
    key = sorted(columns, key=lambda c: c != first)
    from_, to = (ends[0].parent, ends[1].parent) if len(ends) == 2 else (link, link)
    name = f"{from_}_{plural(to)}" if from_ != to else plural(link)
    out: Plain = {"table": name, "of": link, "primary key": key}
    pointing = _foreign(design, link)
    if pointing:
        out["foreign keys"] = pointing
    found = indexes(design, link, asks, key)
    back = key[-1:]
    if back and not any(plain(i["keys"])[:1] == back for i in found):
        found.append({"keys": back, "note": "finds the same links from the other end"})
    return {**out, "indexes": found, "note": f"one row per pair of {from_} and {to}"}


def settled(model: Candidate, design: Design) -> Candidate:
    """The model without foreign keys to tables that it does not have."""
    there = {s.of for s in model.structures}
    parents = {(r.child, r.role): r.parent for r in design.world.rels}

    def kept(structure: Structure) -> Structure:
        keys = tuple(k for k in structure.foreign_keys if parents.get((structure.of, k)) in there)
        return structure.model_copy(update={"foreign_keys": keys})

    return model.model_copy(update={"structures": tuple(kept(s) for s in model.structures)})


# ---------------------------------------------------------------- indexes


def indexes(design: Design, entity: str, asks: Iterable[Ask], key: list[str]) -> list[Plain]:
    """Index entries of one table."""
    asks = list(asks)
    out = list(_unique(design, entity))
    alone = [o["keys"] for o in out]
    sorted_ = [replace(a, contains=()) for a in asks if not a.words and (a.equal or a.order or a.spans)]
    for way in ways(design, entity, sorted_, sparse=True):
        keys = _keys(way)
        first = plain(keys)
        if not keys or (not way.where and (first in alone or first == key[: len(first)])):
            continue
        out.append({"keys": keys, **({"where": way.where} if way.where else {}), "note": served(way.asks)})
    for attr in dict.fromkeys(a for ask in asks for a in ask.contains):
        note = served([a for a in asks if attr in a.contains])
        out.append({"keys": [attr], "type": "gin", "note": note})
    out += [
        {"keys": list(words), "type": "gin", "note": served([a for a in asks if a.words == words])}
        for words in dict.fromkeys(a.words for a in asks if a.words)
    ]
    return [o for i, o in enumerate(out) if _alike(o) not in [_alike(p) for p in out[:i]]]


def _alike(index: Plain) -> tuple[object, ...]:
    return tuple(index["keys"]), index.get("where"), index.get("type")


def _keys(way: Way) -> list[str]:
    return [k.removeprefix("=") for k in way.keys]


def _unique(design: Design, entity: str) -> Iterator[Plain]:
    """Fields and sets of fields that no two rows share."""
    key = set(design.world.keys.get(entity, ()))
    for together in design.world.unique_together.get(entity, ()):
        if together and together != key:
            own = [a for a in design.world.fields.get(entity, ()) if a in together]
            yield {"keys": own, "unique": "yes", "note": f"no two rows share {' and '.join(map(short, own))}"}
    for pattern in design.project.patterns:
        if pattern.action != "upsert" or pattern.entity != entity or key:
            continue
        own = list(equal_to(pattern.where, design.world, entity))
        if own and all(entity_of(a) == entity for a in own):
            yield {"keys": own, "unique": "yes", "note": f"{pattern.operation} finds the row that is there by it"}
