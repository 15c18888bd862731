"""Key templates and key lists: the one small language for every key in every store.

`USER#{user.id}`, `{sensor.id}:{reading.at|day}`, `counter:orders:{shard 16}` are templates; `[sensor.id,
month = reading.at|month desc]` is a key list (typed columns). Both are read here only; everything after
works on parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import available_timezones

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from app.model.problem import Unreadable, nearest
from app.model.quantity import DAY, MONTH, YEAR


@dataclass(frozen=True, slots=True)
class Kept:
    """What survives of an attribute inside a key: all a planner needs to know of filters.

    order: 1 keeps the attribute's order, -1 turns it round, 0 destroys it. exact: equal keys mean equal
    values. bucket: seconds in one time bucket (0: none). chosen: the writer picks the value, so a reader
    tries all `fan` of them. fan: number of values of `shard N` and `hash N` (0: not limited). chunk:
    records per bucket of `chunk N` (0: none). width: characters of `pad N` (0: as many as there are).
    """

    order: int = 1
    exact: bool = True
    bucket: float = 0.0
    chosen: bool = False
    fan: int = 0
    chunk: int = 0
    width: int = 0


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """One filter as written: `day Europe/Madrid`, `hash 20`, `pad 6`, `compact`, `tag`."""

    name: str
    n: int = 0
    zone: str = ""

    def __str__(self) -> str:
        return " ".join(x for x in (self.name, str(self.n) if self.n else "", self.zone) if x)


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

    @property
    def is_literal(self) -> bool:
        return not self.attr and not self.kept.chosen

    @property
    def inside(self) -> str:
        """The text between the braces of a template, or of a key list: path and filters."""
        path = f"{self.attr}[]" if self.array else self.attr
        return "|".join(x for x in (path, *map(str, self.filters)) if x)

    def plain(self) -> str:
        """The canonical text of a part of a key list."""
        head = f"{self.name} = " if self.name else ""
        return head + self.inside + (" desc" if self.desc else "") + (" hashed" if self.hashed else "")


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed key template with the text it was typed as."""

    text: str
    parts: tuple[KeyPart, ...]

    def __iter__(self) -> Iterator[KeyPart]:
        return iter(self.parts)

    def plain(self) -> str:
        return self.text


BUCKETS = {
    "year": YEAR, "month": MONTH, "week": 7 * DAY, "day": DAY, "hour": 3600.0, "minute": 60.0,
}  # fmt: skip
"""Seconds in one bucket of each time filter."""
NUMBERED = ("hash", "pad", "chunk", "shard")
BARE = ("lower", "reverse", "tag", "offset", "compact")
FILTERS = (*BUCKETS, *BARE, *NUMBERED)

_SEGMENT = r"[^\s{}|,\"'#:;()\[\]=<>.*+/]+"
_PATH = re.compile(rf"{_SEGMENT}(?:\.{_SEGMENT})+")
_EXAMPLE = "Write {entity.field}, e.g. {user.id}"


def _number(words: list[str], name: str, at: int) -> int:
    text = words[1] if len(words) > 1 else ""
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise Unreadable(f"{name} needs a number, found {text or 'nothing'!r}", f"Write {name} 16", at)
    return int(text)


def _filter(text: str, at: int) -> KeyFilter:
    words = text.split()
    name = words[0] if words else ""
    if name not in FILTERS:
        near = nearest(name, FILTERS)
        fix = f"Did you mean {near!r}?" if near else f"Filters are {', '.join(FILTERS)}"
        raise Unreadable(f"{name!r} is not a filter" if name else "a filter is missing", fix, at)
    if name in BUCKETS:
        if len(words) > 2 or (len(words) == 2 and not _zone(words[1])):
            fix = "Write a zone such as Europe/Madrid, or none for UTC"
            raise Unreadable(f"{' '.join(words[1:])!r} is not a time zone", fix, at)
        return KeyFilter(name, zone=words[1] if len(words) == 2 else "")
    extra = words[2:] if name in NUMBERED else words[1:]
    n = _number(words, name, at) if name in NUMBERED else 0
    if extra:
        raise Unreadable(f"{' '.join(extra)!r} after {name} has no meaning", f"Write {name}", at)
    return KeyFilter(name, n)


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _zone(word: str) -> bool:
    known = _zones()
    return word in known if known else bool(re.fullmatch(r"[A-Za-z_]+(/[A-Za-z_+\-0-9]+)*", word))


def _keep(filters: tuple[KeyFilter, ...]) -> Kept:
    """What a chain of filters leaves of the attribute."""
    kept = Kept()
    for f in filters:
        if f.name in BUCKETS:
            kept = replace(kept, exact=False, bucket=BUCKETS[f.name])
        elif f.name == "reverse":
            kept = replace(kept, order=-kept.order)
        elif f.name == "lower":
            kept = replace(kept, order=0, exact=False)
        elif f.name == "hash":
            kept = replace(kept, order=0, exact=False, fan=f.n)
        elif f.name == "chunk":
            kept = replace(kept, exact=False, chunk=f.n)
        elif f.name == "pad":
            kept = replace(kept, width=f.n)
        elif f.name == "offset":
            kept = replace(kept, exact=False)
    return kept


def _inside(text: str, at: int) -> KeyPart:
    """Read what stands between braces, or one element of a key list without name and flags."""
    head, *rest = text.split("|")
    path = head.strip()
    here = at + len(head) - len(head.lstrip())
    if path.split()[:1] == ["shard"]:
        shard = _filter(path, here)
        if rest:
            raise Unreadable("shard takes no filter", "Write {shard 16} by itself", at + len(head))
        return KeyPart(filters=(shard,), kept=Kept(0, False, chosen=True, fan=shard.n))
    array = path.endswith("[]")
    path = path.removesuffix("[]")
    if not _PATH.fullmatch(path):
        shown = f"found {path!r}" if path else "found nothing"
        raise Unreadable(f"expected a field of an entity, {shown}", _EXAMPLE, here)
    filters, offset = [], at + len(head)
    for piece in rest:
        filters.append(_filter(piece, offset + 1))
        offset += len(piece) + 1
    if any(f.name == "shard" for f in filters):
        fix = f"Write hash N to derive it from the value, or {{shard N}} beside {{{path}}}"
        raise Unreadable("shard stands by itself: the writer picks it", fix, at + len(head))
    return KeyPart(path, filters=tuple(filters), kept=_keep(tuple(filters)), array=array)


@lru_cache(maxsize=16_384)
def parse_template(text: str) -> Template:
    """Read a key template. Raises `Unreadable` with the offset of what cannot be read."""
    if not text:
        raise Unreadable("the key is empty", _EXAMPLE)
    parts: list[KeyPart] = []
    literal, at = "", 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            literal, at = literal + char, at + 2
        elif char == "}":
            raise Unreadable("'}' closes nothing", "Write }} for a brace in the key", at)
        elif char == "{":
            end = text.find("}", at)
            if end < 0:
                raise Unreadable("'{' is not closed", "Write {entity.field}, or {{ for a brace", at)
            if literal:
                parts.append(KeyPart(literal=literal))
            parts.append(_inside(text[at + 1 : end], at + 1))
            literal, at = "", end + 1
        else:
            literal, at = literal + char, at + 1
    if literal:
        parts.append(KeyPart(literal=literal))
    return Template(text, tuple(parts))


_NAMED = re.compile(rf"\s*({_SEGMENT})\s*=\s*")
_FLAG = re.compile(r"\s+(asc|desc|hashed)\s*$")


@lru_cache(maxsize=16_384)
def parse_key_part(text: str) -> KeyPart:
    """Read one element of a key list: `month = reading.at|month desc`. Raises `Unreadable`."""
    if "{" in text or "}" in text:
        fix = "Write order.id here; braces belong to key templates"
        raise Unreadable("a key list has no braces", fix, min(i for i in map(text.find, "{}") if i >= 0))
    body, flags = text, set[str]()
    while hit := _FLAG.search(body):
        body = body[: hit.start()]
        flags.add(hit[1])
    if {"asc", "desc"} <= flags:
        raise Unreadable("asc and desc exclude each other", "Write one of them", len(body))
    named = _NAMED.match(body)
    start = named.end() if named else 0
    part = _inside(body[start:], start)
    return replace(part, desc="desc" in flags, hashed="hashed" in flags, name=named[1] if named else "")


def _read_text(raw: Any) -> Template:
    if isinstance(raw, Template):
        return raw
    if isinstance(raw, str):
        return parse_template(raw)
    raise Unreadable("expected one key as text", _EXAMPLE)


def _read_list(raw: Any) -> tuple[KeyPart, ...]:
    items = [raw] if isinstance(raw, (str, KeyPart)) else raw
    if not isinstance(items, (list, tuple)):
        raise Unreadable("expected a list of fields", "Write [order.user_id, order.created_at desc]")
    out = []
    for i, item in enumerate(items):
        if isinstance(item, KeyPart):
            out.append(item)
        elif isinstance(item, str):
            out.append(_located(item, i if isinstance(raw, (list, tuple)) else None))
        else:
            raise Unreadable("expected a field as text", "Write order.created_at desc", loc=(i,))
    return tuple(out)


def _located(text: str, index: int | None) -> KeyPart:
    try:
        return parse_key_part(text)
    except Unreadable as wrong:
        if index is None:
            raise
        raise Unreadable(wrong.what, wrong.fix, wrong.at, (index,)) from None


def _read_either(raw: Any) -> Template | tuple[KeyPart, ...]:
    if isinstance(raw, Template) or (isinstance(raw, str) and "{" in raw):
        return _read_text(raw)
    return _read_list(raw)


def _plain(value: Any) -> Any:
    return value.text if isinstance(value, Template) else [part.plain() for part in value]


_LIST = {"type": "array", "items": {"type": "string"}}
_SCHEMA = WithJsonSchema({"anyOf": [{"type": "string"}, _LIST]})
KeyText = Annotated[
    Template,
    PlainValidator(_read_text),
    PlainSerializer(_plain),
    WithJsonSchema({"type": "string", "examples": ["USER#{user.id}"]}),
]
KeyList = Annotated[tuple[KeyPart, ...], PlainValidator(_read_list), PlainSerializer(_plain), _SCHEMA]
KeyListOrText = Annotated[
    Template | tuple[KeyPart, ...], PlainValidator(_read_either), PlainSerializer(_plain), _SCHEMA
]
"""A key list, or one text with braces (a key packed into one value)."""

__all__ = [
    "BUCKETS",
    "FILTERS",
    "Kept",
    "KeyFilter",
    "KeyList",
    "KeyListOrText",
    "KeyPart",
    "KeyText",
    "Template",
    "parse_key_part",
    "parse_template",
]  # fmt: skip
