"""Texts about time in a model: how long a record is kept, how old a copy may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from app.model.quantity import parse_duration

_AFTER = re.compile(r"^(?P<span>.+?)\s+after\s+(?P<attr>\S+)$")
_AT = re.compile(r"^at\s+(?P<attr>\S+)$")
_JITTER = re.compile(r"\bjitter\s+(?P<share>[\d.]+)\s*%")
_WITHIN = re.compile(r"\b(?:within|every)\s+(?P<span>.+)$")
AT_ONCE = ("", "same write", "same transaction")


@dataclass(frozen=True, slots=True)
class Ttl:
    """How long a record lives. `seconds`: 0 where there is none or the record itself says it.

    `after`: counted from this attribute; `at`: until the time this attribute holds; `sliding`:
    every read starts it anew; `jitter`: share by which it varies. `none`: said to be kept for ever;
    `unclear`: could not be read.
    """

    text: str = ""
    seconds: float = 0.0
    after: str = ""
    at: str = ""
    sliding: bool = False
    jitter: float = 0.0
    none: bool = False
    unclear: bool = False

    @property
    def expires(self) -> bool:
        return bool(self.seconds or self.at)


@lru_cache(maxsize=1024)
def ttl(text: str) -> Ttl:
    """`300 s`, `60 s sliding`, `300 s jitter 10%`, `30 days after cart.updated_at`, `at
    cart.expires_at`, `none`.
    """
    rest = " ".join(text.split())
    if rest in ("", "none"):
        return Ttl(text, none=rest == "none")
    sliding = bool(re.search(r"\bsliding\b", rest))
    hit = _JITTER.search(rest)
    jitter = float(hit["share"]) / 100 if hit else 0.0
    rest = re.sub(r"\bsliding\b", "", _JITTER.sub("", rest)).strip(" ,")
    if at := _AT.match(rest):
        return Ttl(text, at=at["attr"], sliding=sliding, jitter=jitter)
    after = _AFTER.match(rest)
    seconds = _seconds(after["span"] if after else rest)
    return Ttl(text, seconds, after["attr"] if after else "", "", sliding, jitter, False, not seconds)


def ttl_seconds(text: str) -> float:
    """Seconds a record lives; 0: for ever, or until a time that the record itself holds."""
    return ttl(text).seconds


@lru_cache(maxsize=1024)
def refresh_age(text: str, ttl_text: str = "") -> float:
    """Seconds by which a copy with this `refresh` may lag.

    `never` → inf; `same write`, `same transaction` or nothing said → 0; `async within 10 min` →
    600; `on expiry` → the time to live (inf without one); `async` alone → inf, nothing bounds it.
    """
    rest = " ".join(text.split()).lower()
    if rest in AT_ONCE:
        return 0.0
    if rest.startswith("on expiry"):
        return ttl_seconds(ttl_text) or inf
    within = _WITHIN.search(rest)
    return (_seconds(within["span"]) or inf) if within else inf


def _seconds(text: str) -> float:
    try:
        amount = parse_duration(text)
    except ValueError:
        return 0.0
    return amount.value or 0.0 if amount.bounded else 0.0
