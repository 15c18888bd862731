"""How the values of an attribute are shared: `even`, `zipf 1.1`, `top value 40%`, `{open: 2%, paid: 98%}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Annotated, Any
from typing import Literal as Only

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from app.model.part import Frozen
from app.model.problem import Unreadable
from app.model.quantity import Amount, parse_share


@lru_cache(maxsize=4096)
def harmonic(n: float, s: float) -> float:
    """Σ 1/k^s for k to n. The first terms are added, the tail is the Euler–Maclaurin sum (error below 1e-9)."""
    head = int(min(n, 1000))
    total: float = sum(k**-s for k in range(1, head + 1))
    if n <= head:
        return total
    area = (n ** (1 - s) - head ** (1 - s)) / (1 - s) if s != 1 else log(n / head)
    tail: float = area + (n**-s - head**-s) / 2 + s * (head ** (-s - 1) - n ** (-s - 1)) / 12
    return total + tail


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of an attribute's values.

    `kind`: `even`; `zipf` with exponent `s`; `top`, the busiest single value with share `share`, the rest even;
    `list`, with `given` shares, what is missing to all being even over the other distinct values.
    """

    text: str
    kind: Only["even", "zipf", "top", "list"]
    share: float = 0.0
    s: float = 0.0
    given: Mapping[str, Amount] = field(default_factory=Frozen)
    assumed: bool = False

    @property
    def values(self) -> Mapping[str, float]:
        """Share of each listed value."""
        return {name: a.value for name, a in self.given.items() if a.value is not None}

    @property
    def rest(self) -> float:
        """Share of all values that are not listed."""
        return max(0.0, 1.0 - sum(self.values.values()))

    def top(self, distinct: float | None) -> float | None:
        """Share of the most frequent value; None if it depends on an unknown number of distinct values."""
        if self.kind == "top":
            return self.share
        if self.kind == "list":
            return self._top_of_list(distinct)
        if not distinct or distinct < 1:
            return None
        return 1 / distinct if self.kind == "even" else 1 / harmonic(distinct, self.s)

    def _top_of_list(self, distinct: float | None) -> float | None:
        listed = max(self.values.values(), default=0.0)
        if self.rest <= max(listed, 1e-9):  # one other value has at most the rest
            return listed
        others = distinct - len(self.given) if distinct else 0
        return max(listed, self.rest / others) if others >= 1 else None

    def of(self, value: str, distinct: float | None) -> float | None:
        """Share of one value; None if it cannot be told (which value is the busiest was not said)."""
        if self.kind == "even":
            return 1 / distinct if distinct else None
        if self.kind != "list":
            return None
        if value in self.values:
            return self.values[value]
        if self.rest <= 1e-9:
            return 0.0
        others = distinct - len(self.given) if distinct else 0
        return self.rest / others if others >= 1 else None

    def plain(self) -> Any:
        if self.kind != "list":
            return self.text
        return {name: amount.text for name, amount in self.given.items()}


_ZIPF = re.compile(r"zipf (\d+(?:\.\d+)?)")
_TOP = re.compile(r"top(?: value)? (.+)")
_ITEM = re.compile(r"\s*([^:,]+?)\s*:\s*([^,]+)")
_EXPECTED = "Write even, zipf 1.1, top value 40%, or {open: 2%, paid: 98%}"


@lru_cache(maxsize=4096)
def _read_text(text: str) -> Shares:
    body = text.removeprefix("~").lstrip()
    assumed = text.startswith("~")
    mark = "~" if assumed else ""
    if body == "even":
        return Shares(mark + body, "even", assumed=assumed)
    if hit := _ZIPF.fullmatch(body):
        exponent = float(hit[1])
        if exponent > 20:
            raise Unreadable(f"zipf {hit[1]} is steeper than any data", "Exponents are about 0.5 to 2")
        return Shares(f"{mark}zipf {hit[1]}", "zipf", s=exponent, assumed=assumed)
    if hit := _TOP.fullmatch(body):
        amount = parse_share(hit[1])
        if amount.value is None or not amount.bounded:
            raise Unreadable(f"{text!r} gives no share", _EXPECTED)
        return Shares(f"{mark}top value {amount.text}", "top", amount.value, assumed=assumed or amount.assumed)
    if body.startswith("{") and body.endswith("}"):
        return _read_list(dict(_ITEM.findall(body[1:-1])))
    raise Unreadable(f"{text!r} does not say how values are shared", _EXPECTED)


def _read_list(raw: Mapping[str, Any]) -> Shares:
    given = Frozen({str(name): parse_share(share) for name, share in raw.items()})
    if not given:
        raise Unreadable("no value is listed", _EXPECTED)
    if any(not a.known for a in given.values()):
        raise Unreadable("a listed value needs its share", _EXPECTED)
    total: float = sum(a.value or 0.0 for a in given.values())
    if total > 1 + 1e-6:
        raise Unreadable(f"the shares add up to {100 * total:.4g}%", "Together they are at most 100%")
    text = "{" + ", ".join(f"{name}: {a.text}" for name, a in given.items()) + "}"
    return Shares(text, "list", given=given, assumed=any(a.assumed for a in given.values()))


def read_shares(raw: Any) -> Shares:
    if isinstance(raw, Shares):
        return raw
    if isinstance(raw, str):
        return _read_text(" ".join(raw.split()))
    if isinstance(raw, Mapping):
        return _read_list(raw)
    raise Unreadable("expected one text or a list of values with shares", _EXPECTED)


ShareList = Annotated[
    Shares,
    PlainValidator(read_shares),
    PlainSerializer(lambda shares: shares.plain()),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
            ]
        }
    ),
]

__all__ = ["ShareList", "Shares", "harmonic", "read_shares"]
