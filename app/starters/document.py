"""Documents: one collection per entity with a place of its own, children inside, one index per way of asking."""

from __future__ import annotations

from typing import Any

from app.starters.held import copies, embeds, figures, plural
from app.starters.indexes import indexes
from app.starters.plan import Design
from app.starters.times import expires

Plain = dict[str, Any]


def documents(design: Design) -> list[Plain]:
    return [_collection(design, entity) for entity in design.rooted]


def _collection(design: Design, entity: str) -> Plain:
    asks = [a for a in design.asks if a.entity == entity]
    key = design.world.keys.get(entity, ())
    out: Plain = {"collection": plural(entity), "of": entity}
    if key:
        out["_id"] = key[0] if len(key) == 1 else list(key)
    links = _links(design, entity)
    held: dict[str, list[Plain]] = {
        "embed": embeds(design, entity, asks),
        "reference": links,
        "copy": copies(asks),
        "computed": figures(design, entity, asks),
        "indexes": indexes(design, entity, asks),
    }
    out |= {name: value for name, value in held.items() if value}
    ttl = expires(design, entity)
    if ttl:
        out["ttl"] = ttl
    return {**out, "note": _why(design, entity, bool(held["embed"]))}


def _links(design: Design, entity: str) -> list[Plain]:
    """Many-to-many without attributes: the ids of the far side, kept where there are fewer."""
    out = []
    for link in design.project.relationships:
        if link.many_to_many and link.from_ == entity:
            out.append(
                {
                    "what": link.to,
                    "as": f"{link.to}_ids",
                    "note": f"{link.role}: few per {entity}, asked for from both sides",
                }
            )
    return out


def _why(design: Design, entity: str, nests: bool) -> str:
    asks = [a.pattern for a in design.asks if a.entity == entity]
    if not asks:
        return "No pattern reads it by itself yet."
    inside = " with what is read together inside it" if nests else ""
    return f"One document per {entity}{inside}; asked for by {len(asks)} pattern{'s' if len(asks) > 1 else ''}."
