"""Values of one attribute: of its type, its bytes, its number of distinct values and their shares."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from math import exp, log, sqrt
from random import Random
from typing import Any
from uuid import UUID

from app.model.spread import Z99, Spread
from app.model.workload import Field
from app.plan.types import Stat
from app.proof.data import Long, Oid

EPOCH_1582 = datetime(1582, 10, 15, tzinfo=UTC)
"""Where the clock of UUIDs begins."""
COMMON = """
    amber birch cedar delta ember frost grove harbour island juniper kestrel lantern meadow north orchard pebble quarry
    river saddle timber umber valley willow yarrow zephyr anchor basalt canyon dune estuary fjord glacier heath inlet
    jetty knoll lagoon marsh nook oasis prairie quay ridge shoal tundra upland vista wharf xenon yonder
"""
WORDS = tuple(COMMON.split())
"""What texts are made of; the first are met most often."""
SHARE = 5
"""Texts that have a rare word in common: what people search for is in few of them."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def seeded(*words: object) -> Random:
    """A generator of its own for each name: data made twice from one seed are the same."""
    return Random("|".join(map(str, words)))  # noqa: S311 - test data, no secret


def amount(rng: Random, spread: Spread, least: int = 0) -> int:
    """A whole number spread like this: lognormal through average and p99, at most the maximum."""
    if spread.max == spread.avg or spread.avg <= 0:
        return max(least, round(spread.avg))
    s = sigma(spread)
    if s == 0:
        low = int(spread.avg)
        drawn = low + (rng.random() < spread.avg - low)
    else:
        drawn = round(rng.lognormvariate(log(spread.avg) - s * s / 2, s))
    return max(least, min(drawn, int(min(spread.max, 1e9))))


def sigma(spread: Spread) -> float:
    """σ of the lognormal through average and p99; 0 where they are the same or no p99 is known."""
    if spread.high <= spread.avg or spread.avg <= 0:
        return 0.0
    c = log(spread.high / spread.avg)
    return Z99 - sqrt(max(0.0, Z99 * Z99 - 2 * c))


def weights(rng: Random, spread: Spread, n: int) -> list[float]:
    """How `n` parents share their children."""
    s = sigma(spread)
    return [exp(rng.gauss(0, s)) if s else 1.0 for _ in range(n)]


@dataclass(slots=True)
class Maker:
    """Makes the values of one attribute. `times`: moments of the entity's records, in order."""

    field: Field | None
    stat: Stat
    name: str
    seed: int
    times: Sequence[datetime]
    distinct: int
    time_uuid: int
    """Version of identifiers in time order: 1, or 6 where the store does not know how to order version 1."""

    def make(self, count: int, first: int = 0) -> list[Any]:
        """Values of the records `first` and following."""
        rng = seeded(self.seed, self.name, first)
        one = self._one(rng)
        absent = 1 - self.stat.present
        return [None if absent and rng.random() < absent else one(i) for i in range(first, first + count)]

    def _one(self, rng: Random) -> Callable[[int], Any]:
        kind = self.stat.type
        if kind.endswith("[]"):
            return lambda i: self._list(rng, i)
        if self.stat.unique or (self.field is not None and (self.field.key or self.field.unique)):
            return lambda i: self._value(kind, i, rng)
        if kind in ("datetime", "date", "timeuuid"):
            monotonic = self.field is not None and self.field.monotonic
            return lambda i: self._value(kind, i if monotonic else rng.randrange(len(self.times)), rng)
        pick = self._picker(rng)
        return lambda _: pick()

    def _list(self, rng: Random, i: int) -> list[Any]:
        kind = self.stat.type.removesuffix("[]")
        pick = self._picker(rng)
        least = 1 if self.stat.items.avg >= 1 else 0
        found: dict[Any, None] = {}
        for _ in range(amount(rng, self.stat.items, least)):
            found[pick() if kind not in ("datetime", "date") else self._value(kind, i, rng)] = None
        return list(found)

    def _picker(self, rng: Random) -> Callable[[], Any]:
        """Draws one of the distinct values by their shares."""
        kind = self.stat.type.removesuffix("[]")
        listed = list(self.stat.shares)
        shares = self.field.values if self.field is not None else None
        if listed:
            others = max(0, self.distinct - len(listed))
            rest = max(0.0, 1 - sum(self.stat.shares.values()))
            pool = [self._said(kind, v) for v in listed] + [self._value(kind, k, rng) for k in range(min(others, 1000))]
            chances = [*self.stat.shares.values(), *([rest / others] * min(others, 1000) if others else [])]
            return _drawn(rng, pool, chances)
        size = self.distinct
        if shares is not None and shares.kind == "zipf":
            return self._ranked(rng, kind, [k**-shares.s for k in range(1, size + 1)])
        top = self.stat.top
        if top is not None and top > 1.5 / max(size, 1) and size > 1:
            return self._ranked(rng, kind, [top, *[(1 - top) / (size - 1)] * (size - 1)])
        return lambda: self._value(kind, rng.randrange(size), rng)

    def _ranked(self, rng: Random, kind: str, chances: list[float]) -> Callable[[], Any]:
        edges = list(accumulate(chances))
        return lambda: self._value(kind, bisect(edges, rng.random() * edges[-1]) % len(edges), rng)

    def _said(self, kind: str, text: str) -> Any:
        if kind == "bool":
            return text.lower() in ("true", "yes", "1")
        if kind in ("int32", "int64") and text.lstrip("-").isdecimal():
            return Long(text) if kind == "int64" else int(text)
        return text

    def _value(self, kind: str, i: int, rng: Random) -> Any:  # noqa: PLR0911 - one line per type
        """The i-th distinct value."""
        own = seeded(self.seed, self.name, "value", i)
        moment = self.times[min(i, len(self.times) - 1)] if self.times else EPOCH_1582
        match kind:
            case "int32":
                return i + 1
            case "int64":
                return Long(i + 1)
            case "float" | "double":
                return round(own.uniform(0, 1000), 3)
            case "decimal":
                return Decimal(own.randrange(1, 100_000)) / 100
            case "bool":
                return bool(i % 2)
            case "uuid":
                return UUID(int=own.getrandbits(128), version=4)
            case "timeuuid":
                return time_uuid(moment, own, self.time_uuid)
            case "objectid":
                return Oid(f"{int(moment.timestamp()):08x}{i:016x}"[-24:])
            case "datetime":
                return moment
            case "date":
                return moment.date()
            case "binary":
                return own.randbytes(amount(rng, self.stat.bytes, 1))
            case "json" | "object":
                return {"text": text(own, amount(own, self.stat.bytes, 4))}
            case "point":
                return (round(own.uniform(-179, 179), 5), round(own.uniform(-80, 80), 5))
        if kind.startswith("vector("):
            return [round(own.uniform(-1, 1), 4) for _ in range(int(kind[7:-1] or 1))]
        return self._text(i, own)

    def _text(self, i: int, own: Random) -> str:
        """A text no other value has; long ones are made of words, so that they can be searched."""
        length = min(amount(own, self.stat.bytes, 1), 200_000)
        if self.stat.type == "text" or length > 40:
            return f"{rare(i)} {text(own, length)}"[:length].strip()
        head = _digits(i)
        return (head + "".join(own.choices(LETTERS, k=max(0, length - len(head)))))[: max(length, len(head))]


def _drawn(rng: Random, pool: Sequence[Any], chances: Sequence[float]) -> Callable[[], Any]:
    edges = list(accumulate(chances))
    return lambda: pool[min(len(pool) - 1, bisect(edges, rng.random() * edges[-1]))]


def _digits(i: int) -> str:
    found = ""
    while True:
        found = LETTERS[i % 36] + found
        i //= 36
        if not i:
            return found


def rare(i: int) -> str:
    """A word that few texts have. It ends in digits: a letter more could be an ending that a search takes off."""
    return f"{WORDS[i // SHARE % len(WORDS)]}{i // SHARE}"


def text(rng: Random, length: int) -> str:
    """Words, the first of the list most often."""
    chosen: list[str] = []
    size = 0
    while size < length:
        word = WORDS[min(int(rng.expovariate(0.12)), len(WORDS) - 1)]
        chosen.append(word)
        size += len(word) + 1
    return " ".join(chosen)[:length].strip() or WORDS[0]


def time_uuid(moment: datetime, rng: Random, version: int) -> UUID:
    """An identifier with the time in it. Version 6 sorts by it byte by byte (RFC 9562); version 1 does not."""
    ticks = (moment - EPOCH_1582) // timedelta(microseconds=1) * 10 + rng.randrange(10)
    clock, node = rng.getrandbits(14), rng.getrandbits(48)
    if version == 6:
        high = (ticks >> 12) << 16 | 6 << 12 | ticks & 0xFFF
    else:
        high = (ticks & 0xFFFFFFFF) << 32 | (ticks >> 32 & 0xFFFF) << 16 | 1 << 12 | ticks >> 48
    return UUID(int=high << 64 | 2 << 62 | clock << 48 | node)


def moments(rng: Random, count: int, start: datetime, end: datetime) -> list[datetime]:
    """So many times in a span, rising, no two the same, in whole milliseconds."""
    span = max(1, int((end - start).total_seconds() * 1000))
    drawn = sorted(rng.randrange(span) for _ in range(count))
    found: list[datetime] = []
    least = -1
    for ms in drawn:
        least = max(least + 1, ms)
        found.append(start + timedelta(milliseconds=least))
    return found
