"""A read plan as redis-cli commands: by key, by member, by score, with the cache in front of its truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.model.candidate import Candidate
from app.model.conditions import Comparison, Literal, Now, Operand, Param
from app.model.workload import Pattern
from app.plan.types import Cond, Plan, Step, World
from app.plan.ways import place
from app.stores.common_query import elsewhere, equal_to, field_of
from app.stores.redis import commands
from app.stores.redis.commands import Keys
from app.stores.redis.keys import variable


def read_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """The lines of a read, steps in other stores included."""
    for step in plan.steps:
        if step.store != "redis":
            part = replace(plan, steps=(step,))
            yield f"# in {step.store}:"
            text = elsewhere(pattern, part, model, world, step.store)
            yield from (f"#   {line}" for line in text.splitlines())
            continue
        structure = model.structure(step.structure)
        keys = commands.family(structure, model, world, _values(step, pattern, world)) if structure else None
        if keys is None:
            continue
        if pattern.also and keys.structure.purpose == "limiter":
            continue  # checked and written in one script
        if step.how == "each":
            yield "# once per record of the step before, in one pipeline"
        yield from _step(step, keys, pattern)
        yield from _miss(keys, model)


def word(operand: Operand) -> str:
    """An operand as it stands in a command."""
    match operand:
        case Param(name=name):
            return f"${name}"
        case Literal(value=value):
            return commands.plain(value)
        case Now(offset=offset):
            sign = "-" if offset < 0 else "+"
            return f"$(({commands.NOW_MS} {sign} {abs(offset) * 1000:.0f}))" if offset else "now"
        case _:
            return variable(operand.path)


def _values(step: Step, pattern: Pattern, world: World) -> Mapping[str, str]:
    """What each attribute is equal to in this operation."""
    found = {a: word(o) for a, o in equal_to(pattern.where, world, step.entity or pattern.entity).items()}
    for cond in step.conds:
        if cond.source is not None and cond.op in ("=", "contains") and cond.source.operands:
            found[cond.attr] = word(cond.source.operands[0])
    return found


def _step(step: Step, keys: Keys, pattern: Pattern) -> Iterable[str]:
    ranges = [c for c in step.conds if c.op in ("<", "<=", ">", ">=", "between", "prefix")]
    ask = step.ask[0] if step.ask else None
    if pattern.figures and "rank" in pattern.compute and keys.kind == "sorted set":
        yield _rank(keys, pattern)
    elif pattern.counts or (pattern.figures and not pattern.group_by and "count" in pattern.compute):
        yield from _count(keys, ranges)
    elif pattern.figures:
        yield from commands.members(keys, 0)
        yield f"# {pattern.compute or 'the figure'}: worked out by the caller from all of them"
    elif ranges and keys.kind in ("sorted set", "stream"):
        yield from _range(step, keys, ranges, pattern)
    elif _several(step, keys):
        yield from _many(step, keys)
    elif keys.structure.purpose == "queue" and pattern.also:
        yield _take(keys)
    elif pattern.action == "get" or (step.level == 0 and ask is None and not step.limit):
        yield from commands.get(keys, _fields(keys, pattern))
    else:
        yield from _page(step, keys, pattern)


def _rank(keys: Keys, pattern: Pattern) -> str:
    down = "desc" in pattern.compute.split()
    return f"{'ZREVRANK' if down else 'ZRANK'} {keys.key} {keys.member}"


def _count(keys: Keys, ranges: list[Cond]) -> Iterable[str]:
    if keys.kind == "sorted set":
        low, high = _bounds(ranges)
        yield f"ZCOUNT {keys.key} {low} {high}" if ranges else f"ZCARD {keys.key}"
    elif keys.kind in ("set", "hash", "list", "stream"):
        word = {"set": "SCARD", "hash": "HLEN", "list": "LLEN", "stream": "XLEN"}[keys.kind]
        yield f"{word} {keys.key}"
    elif keys.kind == "bitmap":
        yield f"BITCOUNT {keys.key}"
    else:
        yield from commands.get(keys)


def _bounds(ranges: Iterable[Cond]) -> tuple[str, str]:
    """Lowest and highest score; an open end is exclusive."""
    low, high = "-inf", "+inf"
    for cond in ranges:
        source = cond.source
        words = [word(o) for o in source.operands] if isinstance(source, Comparison) else []
        words = [commands.NOW_MS if w == "now" else w for w in words]
        if not words:
            continue
        match cond.op:
            case ">" | ">=":
                low = commands.quoted(("(" if cond.op == ">" else "") + words[0])
            case "<" | "<=":
                high = commands.quoted(("(" if cond.op == "<" else "") + words[0])
            case "between" if len(words) > 1:
                low, high = commands.quoted(words[0]), commands.quoted(words[1])
            case _:
                pass
    return low, high


def _range(step: Step, keys: Keys, ranges: list[Cond], pattern: Pattern) -> Iterable[str]:
    low, high = _bounds(ranges)
    down = bool(step.ask) and step.ask[0][1] < 0
    limit = int(step.limit or (pattern.limit.value or 0 if pattern.limit is not None else 0))
    if keys.kind == "stream":
        low, high = low.replace("-inf", "-"), high.replace("+inf", "+")
        bound = f" COUNT {limit}" if limit else ""
        yield f"XREVRANGE {keys.key} {high} {low}{bound}" if down else f"XRANGE {keys.key} {low} {high}{bound}"
        return
    ends = f"{high} {low} BYSCORE REV" if down else f"{low} {high} BYSCORE"
    bound = f" LIMIT 0 {limit}" if limit else ""
    yield f"ZRANGE {keys.key} {ends}{bound} WITHSCORES"


def _several(step: Step, keys: Keys) -> bool:
    return keys.kind in ("string", "hash") and any(c.op == "in" and c.attr in keys.record.key_attrs for c in step.conds)


def _many(step: Step, keys: Keys) -> Iterable[str]:
    """Several keys: one MGET where they may share a request, else one command each."""
    listed = next(c for c in step.conds if c.op == "in" and c.attr in keys.record.key_attrs)
    source = listed.source
    words = [word(o) for o in source.operands] if source is not None else []
    if len(words) < 2:
        words = [f"{words[0] if words else '$value'}_1", f"{words[0] if words else '$value'}_2"]
        yield "# one key per value of the list"
    every = [replace(keys, values={**keys.values, listed.attr: w}) for w in words]
    if keys.kind == "string" and not keys.cluster:
        yield f"MGET {' '.join(k.key for k in every)}"
        return
    yield "# one pipeline" + (": the keys lie in several slots" if keys.cluster else "")
    for each in every:
        yield from commands.get(each)


def _take(keys: Keys) -> str:
    if keys.kind == "stream":
        return f"XREADGROUP GROUP $group $consumer COUNT 1 BLOCK 5000 STREAMS {keys.key} '>'"
    return f"LMOVE {keys.key} {commands.taken(keys)} LEFT RIGHT"


def _page(step: Step, keys: Keys, pattern: Pattern) -> Iterable[str]:
    down = bool(step.ask) and step.ask[0][1] < 0
    limit = step.limit or (pattern.limit.value or 0 if pattern.limit is not None else 0)
    yield from commands.members(keys, limit, down)
    if pattern.paging == "cursor" and keys.kind == "sorted set":
        ends = "$last_score -inf BYSCORE REV" if down else "$last_score +inf BYSCORE"
        more = f" LIMIT 0 {int(limit) + 1}" if limit else ""
        way = "before" if down else "after"
        yield "# next page: from the last score on; drop what has that score and does not come "
        yield f"# {way} the last member seen (score, then member)"
        yield f"ZRANGE {keys.key} {ends}{more} WITHSCORES"
    elif pattern.paging == "cursor" and keys.kind == "stream":
        bound = f" COUNT {int(limit)}" if limit else ""
        yield "# next page: ( leaves out the last id seen"
        yield f'XREVRANGE {keys.key} "($last_id" -{bound}' if down else f'XRANGE {keys.key} "($last_id" +{bound}'
    elif pattern.paging == "offset" and keys.kind == "sorted set":
        yield "# next pages: add the offset to both ranks; the server counts past what it skips"


def _fields(keys: Keys, pattern: Pattern) -> tuple[str, ...]:
    """Fields of a hash that are needed; none: all of them."""
    if keys.kind != "hash" or keys.structure.member is not None:
        return ()
    named = [n.what for n in pattern.needs]
    if not named or any("." not in n for n in named):
        return ()
    given = {a: n for held in keys.record.shape for a, n in held.names}
    attrs = [place(keys.world, pattern.entity, n).attr for n in named]
    return tuple(given.get(a) or field_of(a) for a in attrs)


def _miss(keys: Keys, model: Candidate) -> Iterable[str]:
    """What a cache does when it has nothing: read the truth, put it in, with its time to live."""
    structure = keys.structure
    if structure.purpose != "cache" or not structure.truth or structure.truth == "none":
        return
    truth = model.structure(structure.truth)
    place_ = f"{model.store_of(truth)} {truth.name}" if truth is not None else structure.truth
    yield f"# nil: read {place_}, then"
    yield from commands.put(keys)
    if not keys.life.seconds:
        yield "# no time to live: what is never invalidated stays for ever"
