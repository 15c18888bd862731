"""Load of the hottest partition of each access path: peak operations × units × share, over all patterns.

Contributions that hit one literal value (every insert sets `pending`) are summed by value; what hits no particular value
is added to the busiest, since the busiest value of one pattern is usually that of the next. A change of an index key
counts on the old value and on the new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil

from app.forecast.load import Heat, PathLoad
from app.forecast.share import Seen, partition_share
from app.memory import Memory
from app.model.conditions import Literal
from app.model.workload import Pattern
from app.plan.types import AccessPath, Change, Cond, Plan, Query, Record, Step, Touch, World, WriteIntent


EntryBytes = Callable[[Record, AccessPath], float]
"""Bytes of one entry of a path; of the record for the primary one."""


@dataclass(frozen=True, slots=True)
class User:
    """A pattern that reads or writes a structure. `rate`: average operations/s, `peak`: at peak (None: unknown)."""

    pattern: Pattern
    plan: Plan
    query: Query | None
    intent: WriteIntent | None
    rate: float | None
    peak: float | None


def path_loads(
    records: Sequence[Record],
    users: Iterable[User],
    world: World,
    by_range: bool,
    entry_bytes: EntryBytes,
    memory: Memory,
) -> tuple[PathLoad, ...]:
    """One load per access path that has partitions. What one pattern does is remembered by pattern and plan."""
    by_name = {r.name: r for r in records if any((p.partition or p.placed_by) and not p.scan for p in r.paths)}
    heats: dict[str, list[Heat]] = {}
    if by_name:
        for user in users:

            def make(user: User = user) -> tuple[tuple[str, Heat], ...]:
                return tuple(_heats(by_name, user, world, by_range, entry_bytes))

            for path, heat in memory.of("heat", (user, world.base, *_touched(by_name, user)), make):
                heats.setdefault(path, []).append(heat)
    return tuple(_sum(path, found) for path, found in heats.items())


def _touched(by_name: Mapping[str, Record], user: User) -> tuple[Record, ...]:
    names = dict.fromkeys(
        [*(t.record for t in user.plan.touches), *(s.records_of[0] for s in user.plan.steps if s.records_of)]
    )
    return tuple(by_name[n] for n in names if n in by_name)


def _heats(
    by_name: Mapping[str, Record], user: User, world: World, by_range: bool, entry_bytes: EntryBytes
) -> Iterator[tuple[str, Heat]]:
    rate = user.peak if user.peak is not None else user.rate
    if rate is None:
        return
    rate *= _batch(user.pattern)
    assumed = user.peak is None
    for touch in user.plan.touches:
        if touch.record in by_name and touch.when != "never":
            yield from _written(by_name[touch.record], touch, user, rate, assumed, world, by_range, entry_bytes)
    for step in user.plan.steps:
        if step.records_of and step.records_of[0] in by_name:
            yield from _read(by_name[step.records_of[0]], step, user, rate, assumed, world)


def _batch(pattern: Pattern) -> float:
    return pattern.batch.value if pattern.batch is not None and pattern.batch.value else 1.0


def _written(
    record: Record,
    touch: Touch,
    user: User,
    rate: float,
    assumed: bool,
    world: World,
    by_range: bool,
    entry_bytes: EntryBytes,
) -> Iterator[tuple[str, Heat]]:
    changes = user.intent.changes if user.intent else ()
    for path in record.paths:
        parts = path.partition or path.placed_by
        entries = 1.0 if path.primary else touch.entries.get(path.name, 0.0)
        if path.scan or not entries or not parts:
            continue
        unit = record.dialect.writing.unit
        units = ceil(entry_bytes(record, path) / unit) if unit else 1.0
        for literals, inserts, part in _moments(path, touch, changes, entries):
            seen = Seen(user.pattern, record.of, literals, inserts, _now(changes))
            found, key = partition_share(parts, seen, world, write=True, by_range=by_range)
            yield (
                path.name,
                Heat(
                    user.pattern.operation,
                    path.name,
                    True,
                    rate * touch.count.avg,
                    units * part,
                    found.share,
                    found.why,
                    assumed or not found.known,
                    key if found.known else f"?{key}",
                    found.value,
                ),
            )


def _moments(
    path: AccessPath, touch: Touch, changes: Sequence[Change], entries: float
) -> Iterator[tuple[dict[str, str], bool, float]]:
    """The values a write hits on one path: for a moved index entry the old and the new."""
    after: dict[str, str] = {}
    before: dict[str, str] = {}
    inserts = False
    for change in changes:
        after |= {a: str(v) for a, v in change.literals.items()}
        before |= {a: str(v) for a, v in change.before.items()}
        inserts = inserts or change.kind in ("insert", "upsert")
    keys = {p.attr for p in (*path.partition, *path.order) if p.attr}
    if not path.primary and touch.op not in ("put", "remove") and keys & touch.attrs and entries >= 2:
        yield {**after, **before}, False, entries / 2
        yield after, inserts, entries / 2
    else:
        yield {**before, **after}, inserts, entries


def _now(changes: Sequence[Change]) -> frozenset[str]:
    return frozenset(a for c in changes for a, how in c.sets.items() if how == "now")


def _read(
    record: Record, step: Step, user: User, rate: float, assumed: bool, world: World
) -> Iterator[tuple[str, Heat]]:
    path = next((p for p in record.paths if p.name == step.path), None)
    if path is None or path.scan:
        return
    parts = path.partition or path.placed_by
    if not parts:
        return
    seen = Seen(user.pattern, record.of, _asked(step.conds))
    found, key = partition_share(parts, seen, world, write=False)
    units = (step.units or step.requests.avg) / max(1.0, step.partitions)
    yield (
        path.name,
        Heat(
            user.pattern.operation,
            path.name,
            False,
            rate,
            units,
            found.share,
            found.why,
            assumed or not found.known,
            key if found.known else f"?{key}",
            found.value,
        ),
    )


def _asked(conds: Iterable[Cond]) -> dict[str, str]:
    out = {}
    for cond in conds:
        if cond.op == "=" and cond.source is not None and cond.source.operands:
            operand = cond.source.operands[0]
            if isinstance(operand, Literal):
                out[cond.attr] = str(operand.value)
    return out


SHOWN = 12
"""Contributions kept with a path, heaviest first; the sums are over all."""


def _sum(path: str, heats: list[Heat]) -> PathLoad:
    unknown = tuple(dict.fromkeys(h.key[1:] for h in heats if h.key.startswith("?") and h.key[1:]))
    heaviest = nlargest(SHOWN, heats, key=lambda h: h.rate * h.units * h.share)
    return PathLoad(path, _hottest(heats, write=True), _hottest(heats, write=False), tuple(heaviest), unknown)


def _hottest(heats: Iterable[Heat], *, write: bool) -> float:
    by_value: dict[str, float] = {}
    for heat in heats:
        if heat.write is write:
            by_value[heat.value] = by_value.get(heat.value, 0.0) + heat.load
    anywhere = by_value.pop("", 0.0)
    return anywhere + max(by_value.values(), default=0.0)
