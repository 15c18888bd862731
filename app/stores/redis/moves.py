"""What is read and watched before a write: a record whose key or member changes, or that must meet a condition."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from app.model.candidate import Candidate, Structure
from app.model.conditions import Comparison
from app.plan import lay
from app.plan.types import World
from app.stores.common_query import entity_of, equal_to, field_of
from app.stores.common_write import Asked
from app.stores.redis import commands
from app.stores.redis.commands import Keys
from app.stores.redis.keys import variable
from app.stores.redis.reads import word
from app.stores.redis.records import member_parts, type_of

LEFT = frozenset({"sorted set", "set", "geo", "string", "hash"})
"""Value types that one record can be taken out of by what it was called."""


@dataclass(frozen=True, slots=True)
class Move:
    """`old`: the family with the values before. `before`: commands that read them."""

    old: Keys
    before: tuple[str, ...]
    note: str


def move(keys: Keys, change: Asked, where: Mapping[str, str], model: Candidate, world: World) -> Move | None:
    """How an update takes a record from one place of a family to another; None where it stays. `where`: what each
    attribute equals before."""
    if change.kind != "update":
        return None
    named = {lay.column(change.entity, a, world) for a in change.set}
    changed = named & (_key(keys) | _member(keys))
    if not changed or (keys.kind not in LEFT and not keys.structure.counts):
        return None
    learned = changed - set(where)
    old = {a: where.get(a) or f"$old_{variable(a).removeprefix('$')}" for a in changed}
    wanted = [*sorted(learned), *sorted(_needed(keys) - named - set(where))]
    before, note = _read(wanted, learned, keys, change, model, world)
    return Move(replace(keys, values={**keys.values, **old}), before, note)


def _key(keys: Keys) -> Set[str]:
    return {p.attr for p in keys.record.primary.partition if p.attr}


def _member(keys: Keys) -> Set[str]:
    if keys.structure.counts or keys.kind not in ("sorted set", "set", "geo"):
        return set()
    return {p.attr for p in member_parts(keys.structure, keys.record.of, keys.world) if p.attr}


def _needed(keys: Keys) -> Set[str]:
    """What the commands of a family name."""
    text = keys.structure.score.strip().strip("{}").lstrip("-").strip()
    score = {lay.column(keys.record.of, text, keys.world)} if text and keys.kind == "sorted set" else set()
    return _key(keys) | _member(keys) | score


def _read(
    wanted: list[str], learned: Set[str], keys: Keys, change: Asked, model: Candidate, world: World
) -> tuple[tuple[str, ...], str]:
    """Commands that read the values before, from the family that is the truth; words where another store is it."""
    said = ", ".join(f"$old_{variable(a).removeprefix('$')}" for a in sorted(learned))
    if not wanted:
        return (), ""
    truth = next((s for s in model.structures if _is_truth(s, change, model)), None)
    found = commands.family(truth, model, world, _where(change, world)) if truth is not None else None
    if found is None or found.key == keys.key or _key(found) - set(_where(change, world)):
        return (), f"{said}: the value before, read where the record is found" if said else ""
    fields = tuple(field_of(a) for a in wanted) if found.kind == "hash" else ()
    note = f"{said}: the value before, read first; EXEC answers nil if it changed meanwhile" if said else ""
    return (f"WATCH {found.key}", *commands.get(found, fields)[:1]), note


def _is_truth(structure: Structure, change: Asked, model: Candidate) -> bool:
    mine = model.store_of(structure) == "redis" and structure.of == change.entity and not structure.purpose
    return mine and not structure.counts and structure.member is None and type_of(structure) in ("string", "hash")


def _where(change: Asked, world: World) -> Mapping[str, str]:
    return {a: word(o) for a, o in equal_to(change.where, world, change.entity).items()}


def guard(keys: Keys, change: Asked, world: World) -> tuple[tuple[str, ...], str]:
    """Commands before a write that asks more of a hash than its key, and what to do with their answer."""
    if keys.kind != "hash" or keys.structure.member is not None or change.kind not in ("update", "delete"):
        return (), ""
    asked = {
        lay.column(change.entity, term.path, world): term
        for where in (change.where, change.only_if)
        for term in (where.terms if where is not None else ())
        if isinstance(term, Comparison)
    }
    asked = {a: t for a, t in asked.items() if a not in _key(keys) and entity_of(a) == keys.record.of}
    if not asked:
        return (), ""
    said = " and ".join(f"{field_of(a)} {t.op} {', '.join(map(word, t.operands))}".strip() for a, t in asked.items())
    read = commands.get(keys, tuple(field_of(a) for a in asked))[:1]
    return (f"WATCH {keys.key}", *read), f"unless {said}: UNWATCH and stop; EXEC answers nil if it changed meanwhile"
