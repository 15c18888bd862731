"""What Redis accepts: the key by equality, then what the type of its value offers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from app.plan.types import Dialect, Encoding, Joins, Kind, Match, Miss, Op, Use, Writing
from app.stores.redis.facts import FACTS

WORDING = {
    "partition": "Redis finds a value by its whole key: {attr} is part of the key of {path} and is not given."
    " Only a scan of all keys would find it.",
    "scan": "Redis has no query over values: without the key only SCAN is left, which walks every key of the server.",
    "filter": "{attr} is inside the value of {path}: Redis cannot look for it, a key made of it must be kept.",
    "gap": "{attr} lies behind {blocker} in {path}: only the beginning of a member or score can be bounded.",
    "order": "{path} does not keep the order of {attr}: only a sorted set (by score) or a stream (by id) has one.",
    "points": "Several values of {attr} are several commands: send them in one pipeline.",
    "fields": "{attr} is not in {path}: it takes a further command with its own key.",
    "structure": "no key family holds {attr}",
    "age": "{attr} in {path} may be older than the pattern allows",
    "stale": "{path} is a copy with a time to live; a strong read must go to the truth",
    "or": "Alternatives are several commands: one per key.",
    "type": "The value of {path} has a type that cannot answer {op} on {attr}.",
    "join": "Redis has no joins: the keys found are read with further commands.",
    "slot": "CROSSSLOT Keys in request don't hash to the same slot: {path} lie in several slots, and a transaction,"
    " script or multi-key command reaches one. Give them a common {{tag}}.",
    "fix new": "Keep a sorted set or stream in the order ({parts})",
    "fix new key": "Keep a key family made of ({partition}), written together with this one",
    "fix new partition": "Keep a sorted set per ({partition}) with the score ({order}), written together with this one",
    "fix extend": "Make {parts} part of the member of {path}",
    "fix flip": "Read {path} in reverse (REV)",
    "fix reorder": "Score {path} by ({parts})",
    "fix hold": "Write {parts} into {path} too",
    "fix strong": "Read the truth instead of {path}",
    "limit": "one value holds at most 512 MB",
}

SPANS = ("<", "<=", ">", ">=", "between", "prefix")
NOTHING = Encoding(
    field=lambda _name, _kind, size: size,
    record=0.0,
    element=lambda _i, size: size,
    nested=lambda _name, size: size,
    array=lambda _name, size: size,
    entry=lambda size: size,
)


def veto(match: Match) -> Iterable[Miss]:
    """A list is reached by position only; a hashed collection has no ranges."""
    if match.path.kind != "list":
        return
    for step in match.order:
        for cond in step.conds:
            what = f"a list is reached from its ends: {cond.attr} {cond.op} would read all of {match.path.name}"
            yield Miss("type", what, match.path.name, cond.attr, "keep a sorted set or a stream instead")


DIALECT = Dialect(
    store="redis",
    title="Redis",
    ops={
        "=": Op(Kind.POINT),
        "contains": Op(Kind.POINT),
        "in": Op(Kind.POINTS),
        **dict.fromkeys(SPANS, Op(Kind.SPAN)),
    },
    encoding=NOTHING,
    joins=Joins(list_max=int(FACTS["pipeline_commands"].value), by_key_only=True),
    writing=Writing(across="slot", condition="partition", by_prefix=True),
    partition_points=Use.EACH,
    order_points=Use.EACH,
    residual=Use.CLIENT,
    sort=Use.CLIENT,
    fetch=Use.EACH,
    union=Use.EACH,
    veto=veto,
    wording=WORDING,
)


@lru_cache(maxsize=2048)
def dialect(encoding: Encoding, clustered: bool) -> Dialect:
    """The dialect of one key family: its own encoding; in a cluster a list of keys must lie in one slot."""
    joins = replace(DIALECT.joins, one_place=True) if clustered else DIALECT.joins
    return replace(DIALECT, encoding=encoding, joins=joins)
