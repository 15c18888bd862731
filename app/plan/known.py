"""What follows from the records of a model alone, remembered by their identity: ways to read, keys, who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.plan.types import AccessPath, Record, Use

MOST_RECORDS = 20_000
MOST_MODELS = 200


@dataclass(frozen=True, slots=True)
class Way:
    """Paths of a record that give the same values: `only` None for the whole record, else what the path holds. `lag`
    and `strong` are those of the path. `keyed`: attributes readable from the keys."""

    record: Record
    paths: tuple[AccessPath, ...]
    only: frozenset[str] | None
    lag: float
    strong: bool
    keyed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """The record itself is kept, so that no other can get its identity."""

    record: Record
    ways: tuple[Way, ...]
    keyed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Holders:
    """Record kinds of an entity, whether records of others hold it inside, and all of both by place in the model."""

    own: tuple[Record, ...]
    inside: bool
    every: tuple[tuple[int, Record], ...] = ()


_known: dict[int, Known] = {}
_holders: dict[int, tuple[tuple[Record, ...], Mapping[str, Holders]]] = {}
NOBODY = Holders((), False)


def known(record: Record) -> Known:
    """Ways and keys of a record kind."""
    found = _known.get(id(record))
    if found is None:
        keyed = record.key_attrs if any(p.primary for p in record.paths) else frozenset()
        found = Known(record, _ways(record, keyed), keyed)
        if len(_known) > MOST_RECORDS:
            _known.clear()
        _known[id(record)] = found
    return found


def _ways(record: Record, keyed: frozenset[str]) -> tuple[Way, ...]:
    """Paths that give the whole record in one request, together; each of the others with what it holds."""
    groups: dict[tuple[float, bool], list[AccessPath]] = {}
    parts: list[Way] = []
    every = record.dialect.fetch is Use.SERVER
    for path in record.paths:
        if every or path.holds is None or path.primary or path.fetches:
            groups.setdefault((path.lag, path.strong), []).append(path)
            continue
        here = {p.attr for p in (*path.partition, *path.order) if p.attr and p.kept.exact and not p.many}
        parts.append(Way(record, (path,), path.holds, path.lag, path.strong, keyed | here))
    whole = [Way(record, tuple(p), None, lag, strong, keyed) for (lag, strong), p in groups.items()]
    return (*whole, *parts)


def holders(records: Sequence[Record], entity: str) -> Holders:
    """Who holds an entity in a model. Remembered for tuples, which cannot change."""
    if not isinstance(records, tuple):
        return _by_entity(records).get(entity, NOBODY)
    found = _holders.get(id(records))
    if found is None:
        if len(_holders) > MOST_MODELS:
            _holders.clear()
        found = _holders[id(records)] = records, _by_entity(records)
    return found[1].get(entity, NOBODY)


def _by_entity(records: Sequence[Record]) -> Mapping[str, Holders]:
    own: dict[str, list[Record]] = {}
    every: dict[str, list[tuple[int, Record]]] = {}
    inside: set[str] = set()
    for at, record in enumerate(records):
        own.setdefault(record.of, []).append(record)
        others = {h.entity for h in record.shape[1:]}
        inside |= others
        for entity in sorted({h.entity for h in record.shape}):
            every.setdefault(entity, []).append((at, record))
    return {e: Holders(tuple(own.get(e, ())), e in inside, tuple(every.get(e, ()))) for e in (*own, *sorted(inside))}


def holding(records: Sequence[Record], entities: Iterable[str]) -> list[Record]:
    """Record kinds that hold any of these entities, in the order of the model."""
    found = {at: record for e in entities for at, record in holders(records, e).every}
    return [found[at] for at in sorted(found)]
