"""What keys made from a template or key list look like: an example, their bytes, whether they only rise."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.model.keys import KeyFilter, KeyPart
from app.model.spread import ZERO, Spread, exactly
from app.model.workload import Field

Parts = Iterable[KeyPart]
"""A `Template`, a key list, or any parts."""

MOMENT = "2026-08-05T13:05:00.000Z"
_EXAMPLES = {
    "uuid": "3b1f8a52-9c0e-4d6b-8f57-2a6e1d0c4b9e", "timeuuid": "8e2c1f40-9042-11f1-8de9-0242ac120002",
    "objectid": "66b0f3a1c2d4e5f60718293a", "datetime": MOMENT, "date": MOMENT[:10], "bool": "yes",
    "int32": "42", "int64": "42", "float": "4.2", "double": "4.2", "decimal": "4.20", "point": "40.4168,-3.7038",
}  # fmt: skip
_BY_NAME = {
    "email": "ana@example.org", "name": "ana", "slug": "first-post", "title": "first-post", "status": "open",
    "country": "ES", "city": "madrid", "sku": "A-1042", "tag": "news", "token": "t9f3c2", "ip": "203.0.113.7",
    "url": "example.org", "type": "basic", "category": "books", "market": "ES",
}  # fmt: skip
_FORMATS = {
    "year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H",
    "minute": "%Y-%m-%dT%H:%M",
}  # fmt: skip
TEXT_BYTES = {
    "uuid": 36, "timeuuid": 36, "objectid": 24, "datetime": 24, "date": 10, "bool": 5, "int32": 6, "int64": 10,
    "float": 8, "double": 12, "decimal": 8, "point": 17,
}  # fmt: skip
"""Characters of a value written as text, where its type says them."""
_TIME_BYTES = {"year": (4, 4), "month": (7, 6), "week": (8, 7), "day": (10, 8), "hour": (13, 11), "minute": (16, 13)}
"""Characters of a time bucket, as it is and `compact`."""


def attributes(parts: Parts) -> tuple[str, ...]:
    """Every attribute a key names, in order, once."""
    return tuple(dict.fromkeys(p.attr for p in parts if p.attr))


def constant(parts: Parts) -> bool:
    """The key has one value: no attribute, and nothing the writer picks."""
    return all(p.is_literal for p in parts)


def rises_first(parts: Parts, rising: Collection[str]) -> bool:
    """The first thing in the key that varies only rises (or only falls), so that new records meet at one end.

    `rising`: attributes whose new values are never smaller.
    """
    first = next((p for p in parts if not p.is_literal), None)
    return first is not None and first.attr in rising and first.kept.order != 0 and not first.hashed


# ---------------------------------------------------------------- bytes


def text_bytes(field: Field | None) -> Spread:
    """Bytes of a field's value written as text; 8 where nothing is known."""
    if field is None:
        return exactly(8)
    given = field.bytes.spread if field.bytes else None
    if given is not None:
        return given
    known = TEXT_BYTES.get(field.type.removesuffix("[]"))
    return exactly(known) if known else Spread(8)


def key_bytes(parts: Parts, size: Callable[[str], Spread]) -> Spread:
    """Bytes of a key as text. `size` gives those of an attribute's value."""
    total = ZERO
    for part in parts:
        total += _part_bytes(part, size)
    return total


def _part_bytes(part: KeyPart, size: Callable[[str], Spread]) -> Spread:
    if part.is_literal:
        return exactly(len(part.literal.encode()))
    found = size(part.attr) if part.attr else ZERO
    names = {f.name for f in part.filters}
    for f in part.filters:
        if f.name in _TIME_BYTES:
            found = exactly(_TIME_BYTES[f.name]["compact" in names])
        elif f.name in ("hash", "shard"):
            found = exactly(len(str(f.n - 1)))
        elif f.name == "pad":
            found = Spread(max(found.avg, f.n), max(found.high, f.n), max(found.max, f.n))
        elif f.name == "offset":
            found = exactly(4)
        elif f.name == "tag":
            found += exactly(2)
    return found


# ---------------------------------------------------------------- examples


def example_value(field: Field | None, name: str = "") -> str:
    """A believable value of a field, the same every time."""
    if field is None:
        return _BY_NAME.get(name, "42")
    if field.values and field.values.given:
        return next(iter(field.values.given))
    kind = field.type.removesuffix("[]")
    if kind in _EXAMPLES:
        return _EXAMPLES[kind]
    last = re.split(r"[._]", field.name)[-1]
    return _BY_NAME.get(field.name) or _BY_NAME.get(last) or "42"


def real_example(parts: Parts, values: Mapping[str, str]) -> str:
    """A key as it would be stored: `USER#42`, `sensor-7:2026-08-05`. A missing value is 42."""
    return "".join(part_example(p, values.get(p.attr, "42")) for p in parts)


def part_example(part: KeyPart, value: str) -> str:
    """One component of a key for one value of its attribute."""
    if part.is_literal:
        return part.literal
    for f in part.filters:
        value = _filtered(f, value)
    return value


def _filtered(f: KeyFilter, value: str) -> str:
    if f.name in _FORMATS:
        return _moment(value, f.zone).strftime(_FORMATS[f.name])
    if f.name in ("hash", "shard"):
        number = int(hashlib.sha256(value.encode()).hexdigest()[:12], 16) % f.n
        return str(number).zfill(len(str(f.n - 1)))
    if f.name == "pad":
        return value.zfill(f.n)
    if f.name == "chunk":
        return str(int(value) // f.n) if value.isdecimal() else "0"
    changes: dict[str, Callable[[str], str]] = {
        "lower": str.lower,
        "compact": lambda v: re.sub(r"[^0-9A-Za-z]", "", v),
        "reverse": _reversed,
        "tag": lambda v: f"{{{v}}}",
        "offset": lambda _: "300",
    }
    return changes[f.name](value)


def _reversed(value: str) -> str:
    """Digits turned round nine by nine, so that the order is the opposite; other text backwards."""
    if re.fullmatch(r"[0-9:.\-TWZ]+", value):
        return "".join(str(9 - int(c)) if c.isdecimal() else c for c in value)
    return value[::-1]


def _moment(value: str, zone: str) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        found = datetime.fromisoformat(MOMENT)
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        return found.astimezone(ZoneInfo(zone) if zone else UTC)
    except ZoneInfoNotFoundError:  # a machine without time zones: the example stays in UTC
        return found.astimezone(UTC)


__all__ = [
    "TEXT_BYTES", "attributes", "constant", "example_value", "key_bytes", "part_example", "real_example",
    "rises_first", "text_bytes",
]  # fmt: skip
