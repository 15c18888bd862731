"""Which records does a change of one node meet, and what is known of them?

From the node back to the record's own entity: a child lies in its one parent, a parent is copied into all its
children. The values known of the change travel along the same edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.model.spread import ONE, Spread
from app.plan.types import Change, Record, Rel, World

AFTERTHOUGHTS = frozenset({"cache", "counter", "queue", "for each"})
"""Purposes of records that are not read to learn something."""


@dataclass(frozen=True, slots=True)
class Spot:
    """`count` records, called `label` (equal labels of one kind of record are one instance), with `known` values."""

    count: Spread
    label: str
    known: frozenset[str]


def spot(change: Change, record: Record, at: int, rel: Rel | None) -> Spot:
    """Walk from shape node `at` to the record's own entity; `rel`: the node holds a figure over this relationship."""
    shape = record.shape
    count, label, known = change.count, change.same_as or change.entity, set(change.known)
    one = bool(change.same_as)
    if rel is not None:
        label = change.same_as or f"{rel.parent} of {change.entity}"
        if one or set(rel.via) <= known:
            known |= set(rel.key)
        count = _parents(change, count, rel)
    node = at
    while node and (edge := shape[node].edge) is not None:
        if edge.down:
            label = change.same_as or f"{edge.rel.parent} of {label}"
            if one or set(edge.rel.via) <= known:
                known |= set(edge.rel.key)
            count = _parents(change, count, edge.rel) if rel is None else count
        else:
            label = f"{edge.rel.child} of {label}"
            count = count.of(edge.rel.children)
            if set(edge.rel.key) <= known:
                known |= set(edge.rel.via)
        node = shape[node].up
    return Spot(count, label, frozenset(known))


def own_columns(known: frozenset[str], record: Record, world: World) -> frozenset[str]:
    """What is known, with the names it has as columns of the record."""
    return known | frozenset(world.own(record.of, a) for a in known)


def key_of(record: Record) -> frozenset[str]:
    """Attributes that must be known to name one record by its key; of a sorted set the member, not the score."""
    paths = (record.primary,) if record.value_type else tuple(p for p in record.paths if p.primary)
    return frozenset(p.attr for path in paths for p in (*path.partition, *path.order) if p.attr)


def nameless(record: Record) -> bool:
    """Whether the store made the key up, so that nothing an application knows is it: a surrogate, an `_id`."""
    return not record.value_type and not any(p.partition or p.order for p in record.paths if p.primary)


def home_of(entity: str, knows: frozenset[str], records: Sequence[Record], world: World) -> Record | None:
    """The record of an entity that what is known names by its key; of several, one that holds all of its fields."""
    found = [
        r
        for r in records
        if r.of == entity
        and r.purpose not in AFTERTHOUGHTS
        and not scattered(r)
        and key_of(r)
        and key_of(r) <= own_columns(knows, r, world)
    ]
    return max(found, key=lambda r: r.shape[0].attrs is None, default=None)


def scattered(record: Record) -> bool:
    """Whether the writer picked a part of the key, so that an old record may be in any of several places."""
    if record.purpose == "counter":
        return False
    parts = (p for path in record.paths if path.primary for p in (*path.partition, *path.order))
    return any(p.kept.chosen and p.kept.fan > 1 for p in parts)


def _parents(change: Change, count: Spread, rel: Rel) -> Spread:
    """How many parents so many children have: one where they share it, else up to one each."""
    shared = change.kind not in ("insert", "upsert") and set(rel.via) <= change.known
    if change.same_as or shared:
        return ONE
    return count if rel.up == ONE else count.of(rel.up)
