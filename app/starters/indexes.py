"""One index per way of asking: equality, then order, then range; one index serves every question it begins with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.starters.plan import Ask, Design

Plain = dict[str, Any]
Keys = tuple[str, ...]


def ways(design: Design, entity: str, asks: Iterable[Ask]) -> list[tuple[Keys, list[str]]]:
    """Key lists that serve the asks of an entity, without those that another begins with, and the patterns of each."""
    found: dict[Keys, list[str]] = {}
    key = set(design.world.keys.get(entity, ()))
    for ask in asks:
        if ask.words or (key and key <= set(ask.equal)):
            continue
        keys = _keys(design, entity, ask)
        if keys:
            found.setdefault(keys, []).append(ask.pattern)
    out: dict[Keys, list[str]] = {}
    for keys in sorted(found, key=len, reverse=True):
        home = next((longer for longer in out if longer[: len(keys)] == keys), None)
        out.setdefault(home or keys, []).extend(found[keys])
    return sorted(out.items(), key=lambda way: list(found).index(way[0]))


def _keys(design: Design, entity: str, ask: Ask) -> Keys:
    """Equality, sort, range; the key at the end makes paging exact."""
    bound = [*ask.equal, *ask.contains]
    keys = list(dict.fromkeys(bound))
    for attr, direction in ask.order:
        if attr.startswith("=") or attr in keys or "." not in attr:
            continue
        keys.append(f"{attr} desc" if direction < 0 else attr)
    keys += [a for a in ask.spans if a not in {k.removesuffix(" desc") for k in keys}]
    if ask.order and ask.limit:
        last = ask.order[-1]
        down = " desc" if last[1] < 0 else ""
        keys += [
            f"{a}{down}" for a in design.world.keys.get(entity, ()) if a not in {k.removesuffix(" desc") for k in keys}
        ]
    return tuple(keys)


def indexes(design: Design, entity: str, asks: Iterable[Ask]) -> list[Plain]:
    """Index entries of one record kind: unique fields, ways of asking, words."""
    asks = list(asks)
    out: list[Plain] = []
    unique = {
        f"{entity}.{f.name}"
        for e in design.project.entities
        if e.name == entity
        for f in e.fields
        if f.unique and not f.key
    }
    out += [{"keys": [attr], "unique": "yes"} for attr in sorted(unique)]
    for keys, patterns in ways(design, entity, asks):
        if len(keys) == 1 and keys[0] in unique:
            continue
        out.append({"keys": list(keys), "note": f"serves {', '.join(patterns)}"})
    words = sorted({a for ask in asks for a in ask.words})
    if words:
        out.append({"keys": words, "type": "text", "note": "serves " + ", ".join(a.pattern for a in asks if a.words)})
    return out + _nested(design, entity)


def _nested(design: Design, entity: str) -> list[Plain]:
    """Updates and deletes of an embedded child that name only the child: the parent must be found by it."""
    out = []
    for nest in design.inside(entity):
        key = design.world.keys.get(nest.rel.child, ())
        for write in design.writes:
            for change in write.changes:
                by_child = (
                    change.entity == nest.rel.child and change.kind in ("update", "delete") and set(key) <= change.known
                )
                if key and by_child and not set(nest.rel.via) & change.known:
                    out.append({"keys": [key[0]], "note": f"finds the {entity} for {write.name}"})
    return [o for i, o in enumerate(out) if o["keys"] not in [p["keys"] for p in out[:i]]]
