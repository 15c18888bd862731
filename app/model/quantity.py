"""Numbers as people write them: `10M`, `2.5k/day`, `3 KB`, `5 min`, `90% of reads`, `~200`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from app.model.problem import Unreadable, did_you_mean


@dataclass(frozen=True, slots=True)
class Amount:
    """One number with the text it was typed as.

    `value` is in the base unit of its kind (records, bytes, seconds, per second, share 0..1); None means
    unknown. `assumed`: typed with `~` in front. `of` is `reads` or `writes` for a rate typed as a share of
    the traffic. `per` is the length in seconds of the period of a compound growth (`3%/month`), else 0.
    `bounded` is False for `none` (no bound; then `value` is infinite).
    """

    text: str
    value: float | None
    assumed: bool = False
    of: str = ""
    per: float = 0.0
    bounded: bool = True

    @property
    def known(self) -> bool:
        """A finite number was given or assumed."""
        return self.value is not None and self.bounded

    def plain(self) -> str:
        return self.text


SCALES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
BYTES = {
    "": 1.0, "B": 1.0, "BYTE": 1.0, "BYTES": 1.0,
    "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40,
    "KIB": 2.0**10, "MIB": 2.0**20, "GIB": 2.0**30, "TIB": 2.0**40,
}  # fmt: skip
"""Bytes in each unit; all figures are 1,024-based."""
DAY = 86_400.0
MONTH = 30 * DAY
YEAR = 365 * DAY
SECONDS = {
    "ms": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hr": 3600.0,
    "hour": 3600.0, "d": DAY, "day": DAY, "w": 7 * DAY, "week": 7 * DAY, "month": MONTH, "y": YEAR, "yr": YEAR,
    "year": YEAR,
}  # fmt: skip
"""Seconds in each unit: a month has 30 days, a year 365."""
UNITS_SHOWN = ("ms", "s", "min", "h", "day", "week", "month", "year")
LARGEST = 1e30

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE]\+?\d{1,3})?"
_COUNT = re.compile(rf"({_NUMBER}) ?([kKMBT]?)")
_SIZE = re.compile(rf"({_NUMBER}) ?([A-Za-z]*)")
_SPAN = re.compile(rf"({_NUMBER}) ?([A-Za-z]+) ?")
_SHARE = re.compile(rf"({_NUMBER}) ?%")
_PER = re.compile(r"(.+?) ?(?:/| per ) ?(.+)")
_TRAFFIC = re.compile(rf"({_NUMBER}) ?% of (reads|writes)")


def _number(digits: str, text: str, expected: str) -> float:
    try:
        value = float(digits.replace(",", ""))
    except ValueError:
        raise Unreadable(f"{text!r} is not a number", expected) from None
    if value > LARGEST:
        raise Unreadable(f"{text!r} is larger than anything counted here", expected)
    return value


def _count(body: str) -> float:
    expected = "Write a number such as 200, 2.5k, 10M or 4B"
    hit = _COUNT.fullmatch(body)
    if not hit or not hit[1]:
        hint = "for thousands write 2.5k, for millions 10M"
        raise Unreadable(f"{body!r} is not a count", f"{expected} ({hint})")
    return _number(hit[1], body, expected) * SCALES[hit[2]]


def _size(body: str) -> float:
    expected = "Write a size such as 600, 600 B, 3 KB or 1.5 MB (1 KB is 1,024 bytes)"
    hit = _SIZE.fullmatch(body)
    if not hit or not hit[1] or hit[2].upper() not in BYTES:
        raise Unreadable(f"{body!r} is not a size", expected)
    return _number(hit[1], body, expected) * BYTES[hit[2].upper()]


def unit_seconds(word: str) -> float:
    """Seconds in one unit of time, singular or plural."""
    name = word.lower()
    found = SECONDS.get(name) or SECONDS.get(name.removesuffix("s"))
    if found is None or name in ("mss", "ds", "hs", "ws", "ys"):
        fix = "Write min or month" if word in ("m", "M") else did_you_mean(word, UNITS_SHOWN)
        raise Unreadable(f"{word!r} is not a unit of time", fix)
    return found


def _span(body: str) -> float:
    expected = "Write a time such as 30 ms, 10 s, 5 min, 2 h, 30 days, 1 month (30 days)"
    total, at = 0.0, 0
    while at < len(body):
        hit = _SPAN.match(body, at)
        if not hit or not hit[1]:
            raise Unreadable(f"{body!r} is not a length of time", expected)
        total += _number(hit[1], body, expected) * unit_seconds(hit[2])
        at = hit.end()
    return total


def _period(body: str) -> float:
    """What stands behind `/` or `per`: `s`, `day`, `60 s`."""
    if re.fullmatch(r"[A-Za-z]+", body):
        return unit_seconds(body)
    seconds = _span(body)
    if seconds <= 0:
        raise Unreadable(f"{body!r} has no length", "Write a period such as s, min or day")
    return seconds


def _share(body: str) -> float:
    expected = "Write a share such as 30% or 0.3"
    hit = _SHARE.fullmatch(body)
    value = _number(hit[1], body, expected) / 100 if hit else _fraction(body, expected)
    if value > 1:
        raise Unreadable(f"{body!r} is more than all", "A share is at most 100%")
    return value


def _fraction(body: str, expected: str) -> float:
    if not re.fullmatch(_NUMBER, body):
        raise Unreadable(f"{body!r} is not a share", expected)
    value = _number(body, body, expected)
    if value > 1:
        raise Unreadable(f"{body!r} could be a share or a count", f"Write {body}% for a share")
    return value


def _flow(body: str, kind: str, expected: str) -> tuple[float, str, float]:
    """`2k/day`, `200 per 60 s`: per second. `kind` and `expected` say what stands here and how it looks."""
    hit = _PER.fullmatch(body)
    number = _COUNT.fullmatch(hit[1] if hit else body)
    if not number or not number[1]:
        raise Unreadable(f"{body!r} is not a {kind}", expected)
    if not hit:
        if body == "0":
            return 0.0, "", 0.0
        raise Unreadable(f"{body!r} does not say per what", f"Write {body}/s or {body}/day")
    return _count(hit[1]) / _period(hit[2]), "", 0.0


def _rate(body: str) -> tuple[float, str, float]:
    if hit := _TRAFFIC.fullmatch(body):
        share = _number(hit[1], body, "") / 100
        if share > 1:
            raise Unreadable(f"{body!r} is more than all", "A share is at most 100%")
        return share, hit[2], 0.0
    if _SHARE.fullmatch(body):
        raise Unreadable(f"{body!r} does not say of what", f"Write {body} of reads or of writes")
    return _flow(body, "rate", "Write a rate such as 500/s, 2k/min, 3/day or 90% of reads")


def _growth(body: str) -> tuple[float, str, float]:
    hit = _PER.fullmatch(body)
    part = _SHARE.fullmatch(hit[1]) if hit else None
    if hit and part:
        return _number(part[1], body, "") / 100, "", _period(hit[2])
    return _flow(body, "growth", "Write a growth such as 2k/day or 3%/month")


def _plain(kind: Callable[[str], float]) -> Callable[[str], tuple[float, str, float]]:
    return lambda body: (kind(body), "", 0.0)


def _parser(kind: Callable[[str], tuple[float, str, float]]) -> Callable[[Any], Amount]:
    @lru_cache(maxsize=16_384)
    def read(text: str) -> Amount:
        tidy = " ".join(text.split())
        body = tidy.removeprefix("~").lstrip()
        assumed = tidy.startswith("~")
        if body == "unknown":
            return Amount("unknown", None)
        if body == "none":
            return Amount("none", inf, bounded=False)
        if not body:
            raise Unreadable("nothing is written here", "Write a number, or unknown")
        value, of, per = kind(body)
        return Amount(f"~{body}" if assumed else body, value, assumed, of, per)

    def parse(raw: Any) -> Amount:
        if isinstance(raw, Amount):
            return raw
        if isinstance(raw, str):
            return read(raw)
        if isinstance(raw, (int, float)) and not isinstance(raw, bool):
            return read(f"{raw:.15g}")
        raise Unreadable("expected one number, not a list or mapping")

    return parse


parse_count = _parser(_plain(_count))
parse_size = _parser(_plain(_size))
parse_duration = _parser(_plain(_span))
parse_share = _parser(_plain(_share))
parse_growth = _parser(_growth)
parse_rate = _parser(_rate)


def assume(amount: Amount) -> Amount:
    """The same number, marked as a guess."""
    if amount.assumed or not amount.known:
        return amount
    return replace(amount, text=f"~{amount.text}", assumed=True)


def _schema(example: str, words: str) -> WithJsonSchema:
    return WithJsonSchema({"type": ["string", "number"], "description": words, "examples": [example]})


_TEXT = PlainSerializer(lambda amount: amount.text, return_type=str)
Count = Annotated[
    Amount, PlainValidator(parse_count), _TEXT, _schema("10M", "a count: 200, 2.5k, 10M, ~200, unknown, none")
]
Size = Annotated[Amount, PlainValidator(parse_size), _TEXT, _schema("3 KB", "bytes: 600, 3 KB, 1.5 MB")]
Duration = Annotated[
    Amount, PlainValidator(parse_duration), _TEXT, _schema("5 min", "a length of time: 30 ms, 5 min, 1 month")
]
Growth = Annotated[
    Amount, PlainValidator(parse_growth), _TEXT, _schema("2k/day", "growth: 2k/day, 200 per 60 s, 3%/month")
]
Rate = Annotated[Amount, PlainValidator(parse_rate), _TEXT, _schema("500/s", "a rate: 500/s, 1 per 10 s, 90% of reads")]
Share = Annotated[Amount, PlainValidator(parse_share), _TEXT, _schema("30%", "a share: 30%, 0.3")]

__all__ = [
    "BYTES", "DAY", "MONTH", "SECONDS", "YEAR", "Amount", "Count", "Duration", "Growth", "Rate", "Share", "Size",
    "assume", "parse_count", "parse_duration", "parse_growth", "parse_rate", "parse_share", "parse_size",
    "unit_seconds",
]  # fmt: skip
