"""Is a write all-or-nothing, and how wide can the store make it? Each store says so in its `Writing`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.model.spread import ONE, Spread
from app.plan.types import Miss, Part, Record, Touch, Writing

NOTHING = Writing()
SEVERAL = (
    "several stores: nothing is atomic across them; write the truth first, the rest by an outbox or a change stream"
)


@dataclass
class Scope:
    """`word`: record, partition, slot, batch, transaction, none. `single`: one record in one place."""

    word: str
    single: bool
    writing: Writing
    notes: list[str] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)


def scope_of(
    touches: Sequence[Touch], total: Spread, records: Mapping[str, Record], *, atomic: bool, loose: bool = False
) -> Scope:
    """The widest all-or-nothing around the touches made at once.

    `total`: records they write. `loose`: among them a batch of records that need not lie together.
    """
    stores = {t.store for t in touches}
    single = len({(t.record, t.place) for t in touches}) == 1 and total.max <= 1
    single = single and not any(_twofold(t, records[t.record]) for t in touches)
    writing = records[touches[0].record].dialect.writing if touches else NOTHING
    scope = Scope("none", single, writing)
    if single or not touches:
        scope.word = "record" if single else "none"
    elif len(stores) > 1:
        scope.notes.append(SEVERAL)
    elif writing.across == "slot":
        _slot(scope, touches, records, atomic=atomic)
    elif writing.across == "batch" and not loose and len({(t.structure, t.place) for t in touches}) == 1:
        scope.word = "partition"
    else:
        _widest(scope, total, atomic=atomic)
    _guards(scope, touches, records)
    if atomic and scope.word in ("none", "batch"):
        scope.notes.append(
            "atomic was asked, but a batch is all-or-nothing without being isolated"
            if scope.word == "batch"
            else "atomic was asked, and nothing here makes it so"
        )
    return scope


def _widest(scope: Scope, total: Spread, *, atomic: bool) -> None:
    writing = scope.writing
    scope.word = writing.across
    if writing.items and total.max > writing.items:
        scope.word = writing.across if total.high <= writing.items else "none"
        most = "without bound" if total.max == float("inf") else f"{total.max:,.0f} at most"
        scope.notes.append(
            f"{total.avg:,.0f} records on average, {total.high:,.0f} at p99, {most}; "
            f"a {writing.across} takes {writing.items}"
        )
        if scope.word == "none" and atomic:
            what = f"one {writing.across} takes {writing.items} records, and this writes {total.high:,.0f} at p99"
            scope.misses.append(Miss("limit", what, fix="write in parts, each safe to repeat"))


def _alike(touches: Sequence[Touch], records: Mapping[str, Record]) -> bool:
    """Whether one kind of record is written several times, by keys that may be equal."""
    return any(t.count.max > 1 and records[t.record].entries == ONE for t in touches)


def _guards(scope: Scope, touches: Sequence[Touch], records: Mapping[str, Record]) -> None:
    writing = scope.writing
    if not writing.twice and scope.word == "transaction" and _alike(touches, records):
        scope.notes.append("the same record may not appear twice in one transaction: add up equal keys first")
    if any(t.only_if for t in touches) and not scope.single and writing.condition != "transaction":
        scope.notes.append(f"`only if` reaches one {writing.condition}: the other records are not guarded")


def _slot(scope: Scope, touches: Sequence[Touch], records: Mapping[str, Record], *, atomic: bool) -> None:
    """Several keys are one unit only where they share a slot; on one node everything does."""
    kinds = [records[t.record] for t in touches]
    spread = any(t.count.max > 1 and not _constant(records[t.record]) for t in touches)
    spread = spread or any(_elsewhere(t, records[t.record]) for t in touches)
    slots = any(r.nodes > 1 or r.primary.placed_by for r in kinds)  # a cluster of one node has them too
    if slots and (len({_tag(r) for r in kinds}) > 1 or spread):
        names = " and ".join(dict.fromkeys(r.name for r in kinds))
        scope.notes.append(f"the keys of {names} share no tag: they lie in different slots")
        if atomic:
            template = kinds[0].dialect.wording.get("slot", "the keys of {path} do not lie in one slot")
            what = template.format(path=names, attr="", op="", blocker="")
            scope.misses.append(Miss("slot", what, kinds[0].name, fix="give the keys the same tag"))
        return
    scope.word = "slot"
    scope.notes.append("one slot, no rollback: a command that fails leaves the others done")


def _tag(record: Record) -> tuple[tuple[str, str], ...]:
    """What decides the slot: the tag where the key has one, else the whole key."""
    primary = record.primary
    parts: tuple[Part, ...] = primary.placed_by or primary.partition
    return tuple((p.literal, p.attr) for p in parts)


def _twofold(touch: Touch, record: Record) -> bool:
    """Is one record removed and another one made?"""
    return touch.op == "move" and (not record.value_type or _elsewhere(touch, record))


def _elsewhere(touch: Touch, record: Record) -> bool:
    """Does the record leave its slot for another one?"""
    placing = frozenset(p.attr for p in record.primary.placed_by if p.attr)
    return record.dialect.writing.across == "slot" and touch.op == "move" and bool(placing & touch.attrs)


def _constant(record: Record) -> bool:
    return not any(attr for _, attr in _tag(record))
