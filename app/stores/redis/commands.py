"""Commands of one key family, by the type of its value: write, read, remove, count, expire.

Commands are lines for redis-cli in a shell: parameters are `$name`. Keys with a dollar stand in double quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.model.candidate import Candidate, Structure
from app.plan import lay
from app.plan.spell import Ttl
from app.plan.types import Record, World
from app.stores.common_query import field_of
from app.stores.common_record import amount
from app.stores.redis.keys import clustered, spoken, template, variable
from app.stores.redis.records import before, member_parts, records, type_of

NOW = "$(date -u +%FT%TZ)"
NOW_MS = "$(date +%s%3N)"
"""The time as text, and as milliseconds for a score."""
ANY_ID = '"*"'
"""The server makes the id; in quotes, for a shell would put file names in its place."""


def quoted(text: str) -> str:
    """A word of a command; in quotes where a shell would read something into it."""
    plain = text.replace(":", "").replace("-", "").replace("_", "").replace(".", "")
    return text if plain.isalnum() else f'"{text}"'


def plain(value: object) -> str:
    """A literal as text: no store reads `True` or `None`."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: ""}[value]
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True, slots=True)
class Keys:
    """A key family ready for commands. `values`: attribute → text of its value."""

    structure: Structure
    record: Record
    model: Candidate
    world: World
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return type_of(self.structure)

    @property
    def key(self) -> str:
        return quoted(spoken(self.structure, self.record.of, self.values, self.world))

    @property
    def shards(self) -> int:
        return next((p.kept.fan for p in template(self.structure.name).parts if p.kept.chosen), 0)

    @property
    def cluster(self) -> bool:
        return clustered(self.structure, self.model)

    @property
    def life(self) -> Ttl:
        return lay.ttl(self.structure.ttl)

    @property
    def member(self) -> str:
        """The member of a collection as text."""
        parts = member_parts(self.structure, self.record.of, self.world)
        words = [self.value(p.attr) if p.attr else p.literal for p in parts]
        return quoted(":".join(words) if self.structure.member is None else "".join(words))

    @property
    def score(self) -> str:
        text = self.structure.score.strip().strip("{}").lstrip("-").strip()
        found = self.value(lay.column(self.record.of, text, self.world)) if text else "0"
        return NOW_MS if found == NOW else found

    def value(self, attr: str) -> str:
        given = self.values.get(attr)
        if given == "now":
            return NOW
        return given if given is not None else variable(attr)


def family(
    structure: Structure, model: Candidate, world: World, values: Mapping[str, str] | None = None
) -> Keys | None:
    """A key family by its structure; None where its entity is not known."""
    found = records(structure, model, world)
    return Keys(structure, found[0], model, world, values or {}) if found else None


# ---------------------------------------------------------------- time to live


def seconds(keys: Keys) -> str:
    """The number of seconds a key lives, a random part included where it shall jitter."""
    life = keys.life
    base = int(life.seconds)
    spread = int(base * life.jitter)
    if spread:
        return f"$(({base - spread} + RANDOM % {2 * spread + 1}))"
    return str(base)


def expire(keys: Keys, *, once: bool = False) -> str:
    """EXPIRE with the family's time to live; `once`: only if the key has none, so that a window does not slide."""
    if not keys.life.seconds:
        return ""
    return f"EXPIRE {keys.key} {seconds(keys)}" + (" NX" if once else "")


def together(lines: Iterable[str]) -> list[str]:
    """Several commands as one transaction; one stays alone."""
    wanted = [line for line in lines if line]
    return ["MULTI", *wanted, "EXEC"] if len(wanted) > 1 else wanted


# ---------------------------------------------------------------- writing


def put(keys: Keys) -> list[str]:
    """Commands that write one record whole."""
    if keys.structure.counts and keys.kind == "string":
        return count(keys)
    if keys.kind == "string":
        value = keys.structure.value.strip("{}")
        text = keys.value(lay.column(keys.record.of, value, keys.world)) if value else "$json"
        tail = f" EX {seconds(keys)}" if keys.life.seconds else ""
        return [f"SET {keys.key} {quoted(text)}{tail}"]
    added = _added(keys)
    return together([added, trim(keys) if keys.kind in ("list", "sorted set") else "", expire(keys)])


def _added(keys: Keys) -> str:
    """The one command that adds to a value of this type."""
    most = int(amount(keys.structure.max))
    match keys.kind:
        case "hash":
            return f"HSET {keys.key} {pairs(keys)}"
        case "list":
            return f"RPUSH {keys.key} {quoted('$json')}"
        case "set":
            return f"SADD {keys.key} {keys.member}"
        case "sorted set":
            return f"ZADD {keys.key} {quoted(keys.score)} {keys.member}"
        case "stream":
            return f"XADD {keys.key}{f' MAXLEN ~ {most}' if most else ''} {ANY_ID} {pairs(keys)}"
        case "hyperloglog":
            return f"PFADD {keys.key} {keys.member}"
        case "bitmap":
            return f"SETBIT {keys.key} $offset 1"
        case _:
            return f"GEOADD {keys.key} $lon $lat {keys.member}"


def taken(keys: Keys) -> str:
    """The list that holds what is being worked on; its tag is the queue's key, so that both lie in one slot."""
    name = keys.key.strip('"')
    return quoted(f"{name}:taken" if "{" in name else f"{{{name}}}:taken")


def trim(keys: Keys) -> str:
    """What keeps a list or board at its bound; nothing without `max`."""
    most = int(amount(keys.structure.max))
    if not most:
        return ""
    if keys.kind == "list":
        return f"LTRIM {keys.key} -{most} -1"
    return f"ZREMRANGEBYRANK {keys.key} 0 -{most + 1}"


def pairs(keys: Keys) -> str:
    """Field and value of a hash or stream entry."""
    if keys.kind == "hash" and keys.structure.member is not None:
        value = keys.structure.value.strip("{}")
        return f"{keys.member} {keys.value(value) if value else '$value'}"
    root = keys.record.shape[0]
    own = keys.world.fields.get(root.entity, ()) if root.attrs is None else sorted(root.attrs)
    words = [f"{field_of(a)} {quoted(keys.value(a))}" for a in own]
    for held in keys.record.shape[1:]:
        given = dict(held.names)
        attrs = keys.world.fields.get(held.entity, ()) if held.attrs is None else sorted(held.attrs)
        words += [f"{given.get(a) or field_of(a)} {quoted(keys.value(a))}" for a in attrs]
    return " ".join(words) or "value $value"


def count(keys: Keys) -> list[str]:
    """A counter raised by one; the first one of a window starts its life, the others do not prolong it."""
    if keys.life.seconds and before(keys.model, 7, 0):
        # EXPIRE takes no NX yet: start the window with a zero that lives as long.
        return together([f"SET {keys.key} 0 EX {seconds(keys)} NX", f"INCR {keys.key}"])
    return together([f"INCR {keys.key}", expire(keys, once=True)])


def remove(keys: Keys) -> str:
    """The command that takes one record away."""
    match keys.kind:
        case "set":
            return f"SREM {keys.key} {keys.member}"
        case "sorted set" | "geo":
            return f"ZREM {keys.key} {keys.member}"
        case "hash" if keys.structure.member is not None:
            return f"HDEL {keys.key} {keys.member}"
        case "stream":
            return f"XDEL {keys.key} $entry_id"
        case "list":
            return f"LPOP {keys.key}"
        case "bitmap":
            return f"SETBIT {keys.key} $offset 0"
        case "hyperloglog":
            return f"# {keys.key} forgets nothing: count anew if it must"
        case _:
            return f"UNLINK {keys.key}"


# ---------------------------------------------------------------- reading


def get(keys: Keys, wanted: tuple[str, ...] = ()) -> list[str]:
    """One record, or all of a small collection. `wanted`: fields of a hash; none: all."""
    match keys.kind:
        case "string" if keys.shards:
            return shards(keys)
        case "string":
            if keys.life.sliding and keys.life.seconds:
                return [f"GETEX {keys.key} EX {seconds(keys)}"]
            return [f"GET {keys.key}"]
        case "hash":
            read = f"HMGET {keys.key} {' '.join(wanted)}" if wanted else f"HGETALL {keys.key}"
            if keys.structure.member is not None and not wanted:
                read = f"HGET {keys.key} {keys.member}"
            return [read, *([expire(keys)] if keys.life.sliding else [])]
        case "set":
            return [f"SISMEMBER {keys.key} {keys.member}"]
        case "sorted set":
            return [f"ZSCORE {keys.key} {keys.member}"]
        case "hyperloglog":
            return [f"PFCOUNT {keys.key}"]
        case "bitmap":
            return [f"GETBIT {keys.key} $offset"]
        case "geo":
            return [f"GEOPOS {keys.key} {keys.member}"]
        case _:
            return members(keys, 10)


def shards(keys: Keys) -> list[str]:
    """All shards of a counter: in a cluster one command each, for they lie in different slots."""
    names = [keys.key.replace("$shard", str(i)).strip('"') for i in range(min(keys.shards, 64))]
    if keys.cluster and _spread(keys):
        return ["# one pipeline, added up by the caller:", *(f"GET {quoted(n)}" for n in names)]
    return [f"MGET {' '.join(quoted(n) for n in names)}", "# add up what comes back; nil is 0"]


def _spread(keys: Keys) -> bool:
    """Do the shards lie in several slots?"""
    return any(p.kept.chosen for p in keys.record.primary.placed_by)


def members(keys: Keys, limit: float, desc: bool = False) -> list[str]:
    """The first members of a collection in its own order."""
    last = int(limit) - 1 if limit else -1
    match keys.kind:
        case "list":
            return [f"LRANGE {keys.key} {f'-{last + 1} -1' if desc and limit else f'0 {last}'}"]
        case "set":
            if keys.record.per.high > 1000:
                return [f"SSCAN {keys.key} 0 COUNT 100"]
            return [f"SMEMBERS {keys.key}"]
        case "sorted set":
            return [f"ZRANGE {keys.key} 0 {last}{' REV' if desc else ''} WITHSCORES"]
        case "stream":
            bound = f" COUNT {int(limit)}" if limit else ""
            return [f"XREVRANGE {keys.key} + -{bound}" if desc else f"XRANGE {keys.key} - +{bound}"]
        case "hash":
            return [f"HSCAN {keys.key} 0 COUNT 100" if keys.record.per.high > 1000 else f"HGETALL {keys.key}"]
        case _:
            return get(keys)
