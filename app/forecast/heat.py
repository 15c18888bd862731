"""Load of the hottest partition of each access path: peak operations × units × share, over all patterns.

Contributions that hit one literal value (every insert sets `pending`) are summed by value; what hits no particular
value is added to the busiest, since the busiest value of one pattern is usually that of the next. A change of an
index key counts on the old value and on the new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil
from operator import itemgetter

from app.forecast.load import Heat, PathLoad
from app.forecast.share import Busiest, Seen, partition_share
from app.memory import Memory
from app.model.conditions import Literal
from app.model.workload import Pattern
from app.plan.types import (
    AccessPath,
    Change,
    Cond,
    Part,
    Plan,
    Query,
    Record,
    Step,
    Touch,
    World,
    WriteIntent,
)

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
    reads: frozenset[str] = frozenset()
    """Structures and paths its plan reads."""
    finds: frozenset[str] = frozenset()
    """Structures its plan writes, and paths it finds them by."""


SHOWN = 12
"""Contributions kept with a path, heaviest first; the sums are over all."""
KNOWN = 10_000
"""Patterns whose heat on one structure is kept."""


def path_loads(
    records: Sequence[Record],
    users: Iterable[User],
    world: World,
    by_range: bool,
    entry_bytes: EntryBytes,
    memory: Memory,
) -> tuple[PathLoad, ...]:
    """One load per access path that has partitions. What one pattern does is remembered by pattern and plan."""
    by_name = {r.name: r for r in records if any(placing(p, by_range) and not p.scan for p in r.paths)}
    if not by_name:
        return ()
    sums: dict[str, _Sum] = {}
    known: dict[int, tuple[User, tuple[tuple[str, float, Heat], ...]]] = memory.of(
        "heats", (world.base, *by_name.values()), dict, by_range
    )
    for user in users:
        kept = known.get(id(user))
        if kept is None:
            heats = _heats(by_name, user, world, by_range, entry_bytes)
            kept = (user, tuple((path, heat.load, heat) for path, heat in heats))
            if len(known) > KNOWN:
                known.clear()
            known[id(user)] = kept
        for path, load, heat in kept[1]:
            found = sums.get(path)
            if found is None:
                found = sums[path] = _Sum()
            found.add(load, heat)
    return tuple(found.path_load(path) for path, found in sums.items())


class _Sum:
    """What all patterns together do to one path: per text of the key and value, reads and writes apart."""

    __slots__ = ("heats", "reads", "unknown", "writes")

    def __init__(self) -> None:
        self.heats: list[tuple[float, Heat]] = []
        self.unknown: dict[str, None] = {}
        self.reads: dict[str, dict[str, float]] = {}
        self.writes: dict[str, dict[str, float]] = {}

    def add(self, load: float, heat: Heat) -> None:
        self.heats.append((load, heat))
        groups = self.writes if heat.write else self.reads
        by_value = groups.get(heat.group)
        if by_value is None:
            by_value = groups[heat.group] = {}
        by_value[heat.value] = by_value.get(heat.value, 0.0) + load
        for attr in heat.unknown:
            self.unknown[attr] = None

    def path_load(self, path: str) -> PathLoad:
        heaviest = nlargest(SHOWN, self.heats, key=itemgetter(0))
        return PathLoad(path, _top(self.writes), _top(self.reads), tuple(h for _, h in heaviest), tuple(self.unknown))


def _top(groups: dict[str, dict[str, float]]) -> float:
    """Units/s on the hottest partition: what lands on one value and what may land anywhere, per text of the key."""
    sums = (v.pop("", 0.0) + max(v.values(), default=0.0) for v in groups.values())
    return max(sums, default=0.0)


def placing(path: AccessPath, by_range: bool) -> tuple[Part, ...]:
    """The parts that decide in which partition an entry lies. Where neighbours live together (`by_range`), only what
    places them on a node divides them."""
    return path.placed_by if by_range else path.partition or path.placed_by


def home(record: Record, path: AccessPath) -> AccessPath | None:
    """The path in whose partitions the entries lie: its own, or the primary one where they lie beside the records.

    None: parts of it lie on every node, whatever the record's partition is.
    """
    primary = record.primary
    same = path.partition == primary.partition and path.placed_by == primary.placed_by
    if path.primary or path.fetches or (same and (path.placed_by or path.kind == primary.kind)):
        return primary
    return None if path.placed_by else path


def skeleton(parts: Iterable[Part]) -> str:
    """The texts of a key: `USER#{}`. Keys with different texts are different partitions."""
    return "".join(p.literal or "{}" for p in parts)


def _heats(
    by_name: Mapping[str, Record], user: User, world: World, by_range: bool, entry_bytes: EntryBytes
) -> Iterator[tuple[str, Heat]]:
    rate = user.peak if user.peak is not None else user.rate
    if not rate:
        return
    for touch in user.plan.touches:
        if touch.record in by_name and touch.when != "never":
            yield from _written(by_name[touch.record], touch, user, rate, world, by_range, entry_bytes)
    rate *= _batch(user.pattern)
    for step in user.plan.steps:
        if step.records_of and step.records_of[0] in by_name:
            yield from _read(by_name[step.records_of[0]], step, user, rate, world, by_range)


def _batch(pattern: Pattern) -> float:
    return pattern.batch.value if pattern.batch is not None and pattern.batch.value else 1.0


def _written(
    record: Record,
    touch: Touch,
    user: User,
    rate: float,
    world: World,
    by_range: bool,
    entry_bytes: EntryBytes,
) -> Iterator[tuple[str, Heat]]:
    changes = user.intent.changes if user.intent else ()
    changed = frozenset(c.entity for c in changes)
    writing = record.dialect.writing
    for path in record.paths:
        place = None if path.scan else home(record, path)
        entries = 1.0 if path.primary else touch.entries.get(path.name, 0.0)
        parts = placing(place, by_range) if place is not None else ()
        beside = place is not path
        if place is None or not entries or not parts or (beside and not writing.unit):
            continue
        units = ceil(max(1.0, entry_bytes(record, path)) / writing.unit) if writing.unit else 1.0
        if path.primary and user.plan.scope == "transaction":
            units *= writing.factor
        for literals, inserts, part in _moments(path, touch, changes, entries):
            seen = Seen(user.pattern, record.of, literals, inserts, _now(changes), changed)
            found, key = partition_share(parts, seen, world, write=True, by_range=by_range)
            # the batch is in the number of records a write meets already
            yield place.name, _heat(user, place, True, rate * touch.count.avg, units * part, found, key, parts)


def _heat(
    user: User,
    path: AccessPath,
    write: bool,
    rate: float,
    units: float,
    found: Busiest,
    key: str,
    parts: Sequence[Part],
) -> Heat:
    return Heat(
        user.pattern.operation,
        path.name,
        write,
        rate,
        units,
        found.share,
        found.why,
        user.peak is None or not found.known,
        key,
        found.value,
        skeleton(parts),
        found.unknown,
        found.bound,
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
    record: Record, step: Step, user: User, rate: float, world: World, by_range: bool
) -> Iterator[tuple[str, Heat]]:
    path = next((p for p in record.paths if p.name == step.path), None)
    place = home(record, path) if path is not None and not path.scan else None
    parts = placing(place, by_range) if place is not None else ()
    if place is None or not parts:
        return
    seen = Seen(user.pattern, record.of, _asked(step.conds))
    found, key = partition_share(parts, seen, world, write=False)
    units = (step.units or step.requests.avg) / max(1.0, step.partitions)
    yield place.name, _heat(user, place, False, rate, units, found, key, parts)


def _asked(conds: Iterable[Cond]) -> dict[str, str]:
    out = {}
    for cond in conds:
        if cond.op == "=" and cond.source is not None and cond.source.operands:
            operand = cond.source.operands[0]
            if isinstance(operand, Literal):
                out[cond.attr] = str(operand.value)
    return out
