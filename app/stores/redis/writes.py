"""A write as redis-cli commands: values, counters, boards, queues, limiters, and keys that go when a truth changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.model.candidate import Candidate, Structure
from app.model.conditions import Now
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Plan, World
from app.stores.common_query import elsewhere, equal_to, field_of, operands, other_stores
from app.stores.common_write import Asked, asked, value_of
from app.stores.redis import commands
from app.stores.redis.commands import Keys
from app.stores.redis.moves import guard, move
from app.stores.redis.problems import CROSSSLOT
from app.stores.redis.reads import word
from app.stores.redis.records import FIGURES

DAY = 86_400
AGAIN = frozenset({"INCR", "DECR", "HINCRBY", "ZINCRBY", "RPUSH", "XADD"})
"""Commands whose repetition counts or adds once more."""
OWN = frozenset({"counter", "limiter", "queue"})
"""Purposes that only the operation itself touches, not whatever else counts the same records."""
LIMITER = (
    "local t = redis.call('TIME')",
    "local now = t[1] * 1000 + math.floor(t[2] / 1000)",
    "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1] * 1000)",
    "local allowed = redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2])",
    "if allowed then",
    "  redis.call('ZADD', KEYS[1], now, ARGV[3])",
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1] * 1000)",
    "end",
    "return allowed and 1 or 0",
)
"""One request against a sliding window: seconds, limit and a unique request id come in. One script, so that no other
client counts in between; the server's clock, so that hosts cannot disagree; a life, so that idle callers vanish."""


def write_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """The truth in its own store first, then the commands here; copies that must go come last."""
    for store in other_stores(plan, "redis"):
        yield f"# first, in {store}:"
        text = elsewhere(pattern, plan, model, world, store)
        yield from (f"#   {line}" for line in text.splitlines())
    touched = {t.structure: t for t in plan.touches if t.store == "redis"}
    for touch in touched.values():
        if touch.count.avg > 1 and touch.find == "key" and touch.op in ("put", "set", "move", "remove"):
            yield f"# {touch.structure}: for each of {touch.count.avg:,.3g} keys or members"
        if touch.find not in ("key", "") and not touch.find.startswith(touch.structure):
            yield f"# before it: the keys of {touch.structure} are read in {touch.find}"
    writes: list[Written] = []
    read = {s.structure for s in plan.steps}
    for structure in model.structures:
        if model.store_of(structure) != "redis" or (plan.touches and structure.name not in touched):
            continue
        if not pattern.is_write and not plan.touches and structure.purpose in OWN and structure.name not in read:
            continue
        for change in asked(pattern):
            found = _written(structure, change, pattern, model, world)
            if found is not None:
                writes.append(found)
    if pattern.retry == "idempotency key" and any(_again(line) for w in writes for line in w.lines):
        yield f'SET "idem:$request_id" 1 NX EX {DAY}'
        yield "# nil: this request was done before; stop here"
    yield from _spoken(writes, plan)


def _again(line: str) -> bool:
    """Does a command do something else when it is repeated?"""
    return line.split(" ", 1)[0] in AGAIN


@dataclass(frozen=True, slots=True)
class Written:
    """What one change does to one key family."""

    keys: Keys
    lines: tuple[str, ...]
    note: str = ""
    alone: bool = False
    before: tuple[str, ...] = ()
    """What is watched and read before the transaction."""

    @property
    def inside(self) -> tuple[str, ...]:
        """The commands without a transaction of their own."""
        return tuple(x for x in self.lines if x not in ("MULTI", "EXEC"))


def _spoken(writes: list[Written], plan: Plan) -> Iterable[str]:
    """One transaction where the plan found one slot; a note where the keys lie apart."""
    once = {w.lines: w for w in reversed(writes)}
    mine = [w for w in reversed(once.values()) if not w.alone]
    apart = any(m.code == "slot" for m in plan.misses) or (
        len({w.keys.key for w in mine}) > 1 and plan.scope != "slot" and any(w.keys.cluster for w in mine)
    )
    if apart and mine:
        yield f"# not one transaction: {CROSSSLOT}"
        yield from _apart(mine)
    else:
        yield from _noted(mine)
        before = dict.fromkeys(x for w in mine for x in w.before)
        yield from sorted(before, key=lambda line: not line.startswith("WATCH"))
        body = [x for w in mine for x in w.inside]
        commands_ = [x for x in body if not x.startswith("#")]
        yield from ["MULTI", *body, "EXEC"] if before or len(commands_) > 1 else body
    for one in (w for w in reversed(once.values()) if w.alone):
        yield from _noted([one])
        yield from one.lines


def _noted(writes: list[Written]) -> Iterable[str]:
    yield from dict.fromkeys(f"# {w.note}" for w in writes if w.note)


def _apart(writes: list[Written]) -> Iterable[str]:
    """One after the other; what is read of another key comes first, before that key is written."""
    seen: set[str] = set()
    for one in writes:
        for line in one.before:
            if one.keys.key not in line and not line.startswith("WATCH") and line not in seen:
                seen.add(line)
                yield line
    for one in writes:
        yield from _noted([one])
        own = [x for x in one.before if one.keys.key in x]
        yield from [*own, "MULTI", *one.inside, "EXEC"] if own else one.lines


def _written(structure: Structure, change: Asked, pattern: Pattern, model: Candidate, world: World) -> Written | None:
    given = values_of(Asked("", pattern.entity, pattern.where), world, structure)
    where = {**given, **values_of(Asked("", change.entity, change.where), world, structure)}
    keys = commands.family(structure, model, world, {**given, **values_of(change, world, structure)})
    if keys is None:
        return None
    if keys.kind in FIGURES and structure.of == change.entity:
        lines = (commands.remove(keys),) if change.kind == "delete" else tuple(commands.put(keys))
        return Written(keys, lines) if change.kind != "update" else None
    moved = move(keys, change, where, model, world) if structure.purpose not in ("cache", "limiter") else None
    own = keys.record.shape[0].entity == change.entity
    if moved is not None and (structure.counts == change.entity or (own and not structure.on_change)):
        there, here = (f"DECR {moved.old.key}", f"INCR {keys.key}"), (commands.remove(moved.old), *commands.put(keys))
        return Written(keys, there if structure.counts else here, moved.note, before=moved.before)
    held = [h for h in keys.record.shape if h.entity == change.entity]
    figures = [
        f
        for h in keys.record.shape
        for f in h.computed
        if f.startswith(f"={change.entity}.count(") or f"({change.entity})" in f
    ]
    if structure.counts == change.entity or (figures and structure.counts):
        return _counted(keys, change)
    if not held or not _touches(keys, change, world):
        return None
    if structure.purpose == "cache" or structure.on_change:
        return _cached(keys)
    if structure.purpose == "limiter" and keys.kind == "sorted set":
        return _limited(keys, pattern, change)
    if not own or (keys.kind == "string" and change.kind in ("update", "upsert")):
        return _whole(keys)
    before, unless = guard(keys, change, world)
    if change.kind == "delete":
        taken = keys.kind == "list"
        gone = f'LREM {commands.taken(keys)} 1 "$json"' if taken else commands.remove(keys)
        return Written(keys, (gone,), "when it is done" if taken else unless, before=before)
    return Written(keys, tuple(_changed(keys, change, world)), unless or _made(keys, change), before=before)


def _made(keys: Keys, change: Asked) -> str:
    """What an update does where there is nothing to update."""
    if change.kind != "update" or keys.kind != "hash":
        return ""
    return "a key that is not there is made: where that must not be, WATCH it and ask EXISTS first"


def _touches(keys: Keys, change: Asked, world: World) -> bool:
    """Does what changes stand in this family?"""
    if change.kind in ("insert", "delete", "upsert"):
        return True
    named = {lay.column(change.entity, a, world) for a in change.set}
    key = {p.attr for path in keys.record.paths for p in (*path.partition, *path.order)}
    for held in keys.record.shape:
        if held.entity == change.entity:
            inside = held.attrs is None or bool(named & held.attrs)
            return inside or bool(named & key)
    return False


def _cached(keys: Keys) -> Written:
    """After the truth is committed; before it, a reader could put the old value back."""
    how = keys.structure.on_change or "delete key"
    if "set" in how or "write" in how:
        return Written(keys, tuple(commands.put(keys)), f"after the commit: {how}", alone=True)
    note = f"after the commit: {how}"
    return Written(keys, (f"UNLINK {keys.key}",), note, alone=True)


def _whole(keys: Keys) -> Written:
    """A part of a value that is one text: read it, change it, write it, unless somebody else did meanwhile."""
    note = "the value is one text: read, change and write it whole; EXEC answers nil if it changed meanwhile"
    return Written(keys, tuple(commands.put(keys)), note, before=(f"WATCH {keys.key}", *commands.get(keys)))


def _counted(keys: Keys, change: Asked) -> Written | None:
    if change.kind == "update":
        return None
    if change.kind == "delete":
        return Written(keys, (f"DECR {keys.key}",))
    note = ""
    if keys.shards:
        note = f"$shard: a random number from 0 to {keys.shards - 1}"
    return Written(keys, tuple(commands.count(keys)), note)


def _limited(keys: Keys, pattern: Pattern, change: Asked) -> Written:
    script = "\n".join(LIMITER)
    spans = [o.offset for o in operands(pattern.where.terms if pattern.where else ()) if isinstance(o, Now)]
    window = f"{-spans[0]:.0f}" if spans and spans[0] < 0 else "$window_seconds"
    guard = re.search(r"count\s*<\s*(\d+)", change.only_if.text) if change.only_if else None
    limit = guard[1] if guard else "$limit"
    lines = (f'EVAL "{script}" 1 {keys.key} {window} {limit} $request_id',)
    return Written(keys, lines, "1: allowed and counted; 0: refused", alone=True)


def _changed(keys: Keys, change: Asked, world: World) -> Iterable[str]:
    """A hash changes by field, a sorted set by score; everything else is written whole."""
    if change.kind == "insert" or keys.kind not in ("hash", "sorted set"):
        yield from commands.put(keys)
        return
    lines = []
    for path, value in change.set.items():
        attr = lay.column(change.entity, path, world)
        kind, said = value_of(value, world.stats.get(attr))
        if kind in ("add", "less") and keys.kind == "hash":
            name = keys.member if keys.structure.member is not None else field_of(attr)
            lines.append(f"HINCRBY {keys.key} {name} {_step(kind, said)}")
        elif kind == "push":
            yield "# the value is read, changed and written: WATCH it first"
        elif kind in ("add", "less"):
            lines.append(f"ZINCRBY {keys.key} {_step(kind, said)} {keys.member}")
        elif keys.kind == "hash" and keys.structure.member is None:
            lines.append(f"HSET {keys.key} {field_of(attr)} {commands.quoted(text_of(kind, said))}")
    if not lines:
        yield from commands.put(keys)
        return
    yield from commands.together([*lines, commands.expire(keys)])


def _step(kind: str, said: object) -> str:
    """What a number is changed by: a number, or a value that the operation brings."""
    if not isinstance(said, str):
        return str(said)
    return commands.quoted(f"{'-' if kind == 'less' else ''}${field_of(said)}")


def text_of(kind: str, said: object) -> str:
    if kind == "now":
        return commands.NOW
    return f"${said}" if kind == "param" else commands.plain(said)


def values_of(change: Asked, world: World, structure: Structure) -> Mapping[str, str]:
    """What each attribute is in this operation: equalities of its condition, and what it sets."""
    of = structure.of or structure.counts
    found = {a: word(o) for a, o in equal_to(change.where, world, change.entity).items()}
    for path, value in change.set.items():
        attr = lay.column(change.entity, path, world)
        kind, said = value_of(value, world.stats.get(attr))
        if kind == "now":
            found[attr] = "now"
        elif kind in ("param", "set"):
            found[attr] = text_of(kind, said)
    mine = {lay.column(of, a, world): v for a, v in found.items()} if of else {}
    return {**mine, **found}
