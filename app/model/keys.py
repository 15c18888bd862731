"""Key templates and key lists: the one small language for every key in every store.

`USER#{user.id}`, `{sensor.id}:{reading.at|day}`, `counter:orders:{shard 16}` are templates; `[sensor.id,
month = reading.at|month desc]` is a key list (typed columns). Both are read here only; everything after
works on parts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """What survives of an attribute inside a key: all a planner needs to know of filters.

    order: 1 keeps the attribute's order, -1 turns it round, 0 destroys it. exact: equal keys mean equal
    values. bucket: seconds in one time bucket (0: none). chosen: the writer picks the value, so a reader
    tries all `fan` of them. fan: number of values of `shard N` and `hash N` (0: not limited). chunk:
    records per bucket of `chunk N` (0: none).
    """

    order: int = 1
    exact: bool = True
    bucket: float = 0.0
    chosen: bool = False
    fan: int = 0
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """One filter as written: `day Europe/Madrid`, `hash 20`, `pad 6`, `compact`, `tag`."""

    name: str
    n: int = 0
    zone: str = ""


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One component, in stored order: literal text (`attr` empty, not a shard) or an attribute with filters.

    `{shard N}` has no attr and `kept.chosen`. `desc` and `hashed` follow a part of a key list; `name` names a
    derived column. `array` is true for `order.tags[]`.
    """

    attr: str = ""
    literal: str = ""
    filters: tuple[KeyFilter, ...] = ()
    kept: Kept = Kept()
    desc: bool = False
    hashed: bool = False
    name: str = ""
    array: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed key template with the text it was typed as."""

    text: str
    parts: tuple[KeyPart, ...]
