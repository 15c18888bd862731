"""How large a partition grows, and what bounds it: a time bucket, a shard, or nothing where it stays small."""

from __future__ import annotations

from math import inf

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.size import bytes_of, writes_per_second
from app.starters.times import keep_of

PARTITION = 100 * 1024 * 1024.0
"""Bytes of a healthy partition, where the store names none."""
HORIZON = 2 * 31_557_600.0
"""Seconds for which growth is counted."""
BUCKETS = (("hour", 3600.0), ("day", 86_400.0), ("month", 2_592_000.0), ("year", 31_536_000.0))
ROUGHLY = 5.0
"""How many times the rows of a healthy partition are let pass: that limit is a soft one."""
LATEST = (2_592_000.0, 604_800.0, 86_400.0, 3600.0)
"""Lives of tables that hold the newest rows only, longest first: 30 days, 7 days, a day, an hour."""
SHARDS = 8


def bucket_of(design: Design, entity: str, ask: Ask, bound: list[str]) -> str:
    """The smallest time bucket that keeps a partition at half its healthy size; none where it stays below that.

    Only for a read of a range of that time: in any other nobody knows in which buckets the answer lies.
    """
    if time_of(design, ask) not in ask.spans or not _too_large(design, entity, ask, bound):
        return ""
    whole = _fill(design, entity, bound)
    life = keep_of(design, entity) or HORIZON
    fits = [name for name, seconds in BUCKETS if whole * min(1.0, seconds / life) <= 1]
    wide = [name for name, seconds in BUCKETS if seconds >= ask.span_seconds]
    both = [name for name in fits if name in wide]
    return both[0] if both and ask.span_seconds else fits[-1] if fits else BUCKETS[0][0]


def recent_of(design: Design, entity: str, ask: Ask, bound: list[str]) -> float:
    """Seconds for which a table keeps rows that only ever answers what the newest is; 0: all of them fit.

    A time bucket bounds what others read of them, and nobody would know in which of the buckets the newest lies.
    """
    newest = ask.limit == 1 and not ask.spans and bool(ask.order) and ask.order[0][1] < 0
    others = [a for a in design.asks_of(entity) if bucket_of(design, entity, a, list(a.bound))]
    if not newest or not design.expires or not others or not _too_large(design, entity, ask, bound):
        return 0.0
    whole = _fill(design, entity, bound)
    life = keep_of(design, entity) or HORIZON
    fact = design.store.facts.get("gc_grace_seconds")
    purge = fact.value if fact is not None else 0.0
    fits = [s for s in LATEST if s < life and whole * min(1.0, (s + purge) / life) <= 1]
    return fits[0] if fits else LATEST[-1]


def _too_large(design: Design, entity: str, ask: Ask, bound: list[str]) -> bool:
    """Rows in the order of time that outgrow a partition, and of which no read wants all at once."""
    if not time_of(design, ask) or ask.each or uncounted(design, entity, bound) or _wholly_read(design, entity, bound):
        return False
    known = bool(design.world.inflow.get(entity)) or bool(ask.span_seconds)
    return known and _fill(design, entity, bound) > 1


def _fill(design: Design, entity: str, bound: list[str]) -> float:
    """How many times the largest partition fills its room, without a bucket: of bytes, and roughly of rows."""
    rows = _records(design, entity, bound)
    most = design.store.facts.get("partition_rows")
    return max(
        rows * _bytes(design, entity) / _room(design), rows / (ROUGHLY * most.value) if most is not None else 0.0
    )


def time_of(design: Design, ask: Ask) -> str:
    """The time that begins the order or range of a read, if records come in its order; empty: there is none."""
    first = next((a for a in (*(a for a, _ in ask.order[:1]), *ask.spans)), "")
    stat = design.world.stats.get(first)
    rises = first in design.world.monotonic and (not design.set_later(first) or bool(ask.span_seconds))
    return first if stat is not None and rises and stat.type in ("datetime", "date", "timeuuid") else ""


def _wholly_read(design: Design, entity: str, bound: list[str]) -> bool:
    """Another read wants all that is bound the same way, whenever it came: a bucket would only add a table."""
    same = (a for a in design.asks_of(entity) if a.main and a.bound and set(a.bound) == set(bound) and not a.each)
    reads = (a for a in same if a.action not in ("refresh", "fan") and not a.by_key(design.world) and not a.words)
    return any(not time_of(design, a) for a in reads)


def uncounted(design: Design, entity: str, bound: list[str]) -> bool:
    """Nobody said how many records share what is bound."""
    rels = [r for r in design.world.rels if r.child == entity and set(r.via) & set(bound)]
    return bool(rels) and all(r.assumed and r.children.max == inf for r in rels)


def shards_of(design: Design, entity: str, bound: list[str]) -> int:
    """Parts into which a partition is split whose value is a constant or one of few; 0: one will do."""
    whole = _fill(design, entity, bound)
    rate = writes_per_second(design, entity) or 0.0
    ceiling = design.store.facts.get("partition_writes_per_second")
    busy = rate * _top(design, bound) / (ceiling.value / 2) if ceiling is not None else 0.0
    if not bound and (entity in design.world.counts_assumed or whole > 1):
        return max(SHARDS, min(64, round(whole + 0.5)))
    rare = all(a in design.world.stats and not _names_parent(design, entity, a) for a in bound)
    known = bool(design.world.inflow.get(entity)) or entity not in design.world.counts_assumed
    if bound and rare and known and whole > 2:
        busy = max(busy, whole / 2)
    return min(64, max(2, round(busy + 0.5))) if busy > 1 else 0


def part_of(design: Design, entity: str, parts: int) -> str:
    """Which of so many parts a record lies in: by its key, so that a change finds it; else as the writer picks."""
    key = design.world.keys.get(entity, ())
    return f"{key[-1]}|hash {parts}" if key and parts > 1 else f"shard {parts}"


def _names_parent(design: Design, entity: str, attr: str) -> bool:
    return any(r.child == entity and attr in r.via for r in design.world.rels)


def _room(design: Design) -> float:
    fact = design.store.facts.get("partition_bytes")
    return (fact.value if fact is not None else PARTITION) / 2


def _bytes(design: Design, entity: str) -> float:
    return max(50.0, bytes_of(entity, design.world))


def _records(design: Design, entity: str, bound: list[str]) -> float:
    """Records of the largest partition while the design lasts: the tightest of what each bound attribute says."""
    world = design.world
    inflow, keep = world.inflow.get(entity, 0.0), keep_of(design, entity)
    today = world.counts.get(entity, 0.0)
    count = max(today, inflow * (keep or HORIZON))
    grown = count / today if today and not keep and entity not in world.counts_assumed else 1.0
    found = [count]
    for attr in bound:
        rel = next((r for r in world.rels if r.child == entity and r.via == (attr,)), None)
        if rel is not None and rel.children.max < inf:
            found.append(rel.children.max * grown)
        elif rel is not None:
            found.append(max(10 * rel.children.high, count / max(1.0, world.counts.get(rel.parent, 1.0))))
        elif attr in world.stats:
            found.append(count * _share(design, attr))
    return min(found)


def _share(design: Design, attr: str) -> float:
    stat = design.world.stats[attr]
    return max([1 / max(1.0, stat.distinct), *stat.shares.values(), stat.top or 0.0])


def _top(design: Design, bound: list[str]) -> float:
    """Share of the busiest partition among all writes."""
    shares = [_share(design, a) for a in bound if a in design.world.stats]
    return min(shares, default=1.0)
