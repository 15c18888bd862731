"""How one model serves a write: every place that changes, whether it is all-or-nothing, what a repeat does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.model.spread import ONE, ZERO, Spread
from app.plan.reach import reach
from app.plan.retry import retry_of
from app.plan.scope import Scope, scope_of
from app.plan.touch import Reached
from app.plan.types import Level, Miss, Plan, Record, Touch, World, WriteIntent

STORING = ("put", "remove")


def plan_write(
    intent: WriteIntent, records: Sequence[Record], world: World, read: frozenset[str] = frozenset()
) -> Plan:
    """The plan of a write over the kinds of record of one model. `read`: names of those it has just read.

    Touches made later (`when` async) are listed, but not part of requests, records, bytes and units of the operation
    itself. What nothing holds is `missing`; what nothing finds is a miss with the store's rule.
    """
    found = reach(intent.changes, records, world, read)
    touches = merge(found.touches)
    if not touches:
        return _nowhere(intent)
    kinds = {r.name: r for r in records}
    now = [t for t in touches if t.when == "same"]
    total = ZERO
    for t in now:
        total = total + t.count
    # a batch of records that belong to nothing common may lie anywhere
    loose = any(c.kind in ("insert", "upsert") and not c.same_as and c.count.max > 1 for c in intent.changes)
    scope = scope_of(now, total, kinds, atomic=intent.atomic, loose=loose)
    requests = _requests(now, kinds)
    size = ZERO
    for t in now:
        size = size + t.count.of(t.bytes)
    return Plan(
        pattern=intent.name,
        level=max((_level(t, kinds) for t in touches), default=Level.KEY_LOOKUP),
        touches=touches,
        requests=requests,
        records=total,
        bytes=size,
        rounds=1 + any(t.reads for t in now),
        partitions=total.avg,
        units=_units(now, found, scope),
        missing=_missing(intent, touches, records, world),
        misses=tuple(dict.fromkeys((*found.misses, *scope.misses))),
        scope=scope.word,
        retry=retry_of(now, scope, intent.retry),
        notes=_notes(intent, touches, found, scope),
        questions=intent.questions,
    )


def merge(touches: Iterable[Touch]) -> tuple[Touch, ...]:
    """Touches of one record are one write: entries add up, the record is rewritten once."""
    out: dict[tuple[str, str, str], Touch] = {}
    for t in touches:
        key = (t.record, t.place, t.when)
        out[key] = _together(out[key], t) if key in out else t
    return tuple(out.values())


def _together(one: Touch, other: Touch) -> Touch:
    only_if = one.only_if or other.only_if
    whole = one if one.op in STORING else other if other.op in STORING else None
    if whole is not None:
        rest = other if whole is one else one
        return replace(
            whole,
            only_if=only_if,
            count=max(one.count, other.count, key=lambda c: c.avg) if whole.count != rest.count else whole.count,
            reads=one.reads + other.reads,
        )
    entries = {p: one.entries.get(p, 0.0) + other.entries.get(p, 0.0) for p in (*one.entries, *other.entries)}
    return replace(
        one,
        op=_both(one.op, other.op),
        why=_both(one.why, other.why),
        added=one.added + other.added,
        removed=one.removed + other.removed,
        rewritten=max(one.rewritten, other.rewritten),
        entries=entries,
        units=max(one.units, other.units),
        bytes=one.bytes + other.bytes,
        reads=max(one.reads, other.reads),
        unsafe=" and ".join(dict.fromkeys(u for u in (one.unsafe, other.unsafe) if u)),
        only_if=only_if,
        attrs=one.attrs | other.attrs,
        level=max(one.level, other.level),
        within=min(one.within or other.within, other.within or one.within),
    )


def _both(one: str, other: str) -> str:
    words = one.split("+")
    return one if other in words else f"{one}+{other}"


def _level(touch: Touch, kinds: Mapping[str, Record]) -> Level:
    """Key lookup, the way that finds the records, or fan-out where many are written one by one."""
    level = touch.level
    made = touch.op == "put" and touch.why != "for each"
    if touch.count.high > 1 and not made and not _at_once(touch, kinds[touch.record]):
        level = max(level, Level.FAN_OUT)
    return level


def _at_once(touch: Touch, record: Record) -> bool:
    """All records found are changed in one request: by a condition, or by the start of their common key."""
    writing = record.dialect.writing
    if touch.find == "key":
        return False
    start = writing.by_prefix and touch.op == "remove" and not touch.reads
    return writing.by_condition or (start and touch.find in {p.name for p in record.paths})


def _requests(touches: Sequence[Touch], kinds: Mapping[str, Record]) -> Spread:
    """Reads before, and one request per record; one for all where the engine takes a condition or a list."""
    total = ZERO
    for t in touches:
        record = kinds[t.record]
        listed = (record.dialect.writing.by_condition and t.op == "put") or _at_once(t, record)
        writes = ONE if listed else t.count
        total = total + writes + Spread(t.reads, t.reads, t.reads)
    return total


def _units(touches: Sequence[Touch], found: Reached, scope: Scope) -> float:
    """Write units of one operation. A transaction costs more for the records, not for their index entries."""
    extra = scope.writing.factor - 1 if scope.word == "transaction" else 0.0
    return sum(t.count.avg * (t.units + extra * found.base.get((t.record, t.place, t.when), 0.0)) for t in touches)


def _nowhere(intent: WriteIntent) -> Plan:
    entities = tuple(dict.fromkeys(c.entity for c in intent.changes))
    named = " and ".join(entities) or "this"
    what = f"no structure of the model holds {named}"
    return Plan(
        pattern=intent.name,
        level=Level.IMPOSSIBLE,
        missing=entities,
        misses=(Miss("structure", what, attr=named, fix=f"a structure of {named}"),),
        questions=intent.questions,
        notes=intent.notes,
    )


def _missing(intent: WriteIntent, touches: Sequence[Touch], records: Sequence[Record], world: World) -> tuple[str, ...]:
    """Attributes that are set and that no record holds; entities that no record holds at all."""
    held = {h.entity for r in records for h in r.shape if h.attrs is None or h.attrs or h.computed}
    lost: list[str] = [c.entity for c in intent.changes if c.entity not in held and not c.cascade]
    written = frozenset(a for t in touches for a in t.attrs)
    for change in intent.changes:
        if change.kind != "update" or change.entity not in held:
            continue
        stored = (a for a in change.sets if a in world.stats and not a.startswith("="))
        lost.extend(a for a in stored if a not in written)
    return tuple(dict.fromkeys(lost))


def _notes(intent: WriteIntent, touches: Sequence[Touch], found: Reached, scope: Scope) -> tuple[str, ...]:
    notes = [*intent.notes, *scope.notes]
    for t in touches:
        if not t.find or t.level is Level.SCAN:
            notes.append(f"{t.record}: nothing finds the records to change ({t.why})")
        elif t.op == "move":
            notes.append(f"{t.record}: the key changes: the old record is read, removed and written anew")
        elif t.why == "for each":
            notes.append(
                f"{t.record}: one record for each, {t.count.avg:,.0f} on average: whom it is for is read first"
            )
        elif t.reads and t.find != "key":
            notes.append(f"{t.record}: {t.reads:,.0f} read first, by {t.find}")
        if t.when == "async":
            notes.append(f"{t.record}: {t.why} refreshed later, within {t.within:,.0f} s")
    born = (", ".join(attrs) for attrs in found.born.values())
    notes.extend(f"{attrs} read first, to be copied; `given` saves it" for attrs in born)
    notes.extend(found.notes)
    return tuple(dict.fromkeys(notes))
