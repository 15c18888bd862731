"""Indexes of documents: one per way of asking, unique fields, words, and what finds a parent by its child."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.ways import Way, plain, served, ways
from app.starters.words import bare, listed

Plain = dict[str, Any]


def indexes(design: Design, entity: str, asks: Iterable[Ask]) -> list[Plain]:
    """Index entries of one collection."""
    asks = list(asks)
    out = _unique(design, entity)
    unique = [o["keys"] for o in out]
    key = list(design.world.keys.get(entity, ()))[:1]
    gone = design.world.soft_delete.get(entity, "")
    for way in ways(design, entity, asks, sparse=False):
        keys = _keys(way, gone)
        if keys[:1] in unique or keys in unique or plain(keys) == key:
            continue
        out.append({"keys": keys, **_where(way, gone), "note": served(way.asks)})
    words = list(dict.fromkeys(a for ask in asks for a in ask.words))
    if words:
        note = f"serves {listed(a.pattern for a in asks if a.words)}"
        out.append({"keys": words, "type": "text", "note": note})
    out += _nested(design, entity)
    return [o for i, o in enumerate(out) if o["keys"] not in [p["keys"] for p in out[:i]]]


def _keys(way: Way, gone: str) -> list[str]:
    """What must be empty is a key like what is bound, except deleted records: they are left out of the index."""
    empty = list(dict.fromkeys(a for ask in way.asks for a in ask.absent if a != gone))
    return [bare(k) for k in (*way.keys[: way.equal], *empty, *way.keys[way.equal :])]


def _where(way: Way, gone: str) -> Plain:
    left_out = gone and all(gone in ask.absent for ask in way.asks)
    return {"where": f"{gone} is null"} if left_out else {}


def _unique(design: Design, entity: str) -> list[Plain]:
    """Fields and sets of fields that no two records share."""
    out: list[Plain] = []
    key = set(design.world.keys.get(entity, ()))
    for together in design.world.unique_together.get(entity, ()):
        if together and together != key:
            own = [a for a in design.world.fields.get(entity, ()) if a in together]
            sparse = any(design.world.stats[a].present < 1 for a in own)
            missing = {"sparse": "yes"} if sparse and len(own) == 1 else {}
            out.append({"keys": own, "unique": "yes", **missing, "note": "no two records share it"})
    return out


def _nested(design: Design, entity: str) -> list[Plain]:
    """Updates and deletes of an embedded child that name only the child: the parent must be found by it."""
    out = []
    for nest in design.inside(entity):
        key = design.world.keys.get(nest.rel.child, ())
        for write in design.writes:
            for change in write.changes:
                by_child = change.entity == nest.rel.child and change.kind in ("update", "delete")
                named = by_child and key and set(key) <= change.known
                if named and not set(nest.rel.via) & change.known:
                    out.append({"keys": [key[0]], "note": f"finds the {entity} for {write.name}"})
    return out
