"""Average, p99 and maximum as a person gave them: `{avg: 10, p99: 80, max: none}`, `exactly 1`, `12`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from app.model.problem import Unreadable, did_you_mean
from app.model.quantity import Amount, parse_count, parse_growth, parse_size
from app.model.spread import Spread


@dataclass(frozen=True, slots=True)
class GivenSpread:
    """What was said of a count, a size or the children of a parent.

    `growth` (children only): how avg, p99 and max grow per second, each its own; a spread with nothing known
    for `scaled`. `parents`: how many parents have any child. `text` is the canonical text; it reads back as
    the same value.
    """

    avg: Amount | None = None
    p99: Amount | None = None
    max: Amount | None = None
    growth: GivenSpread | None = None
    parents: Amount | None = None
    text: str = ""

    @property
    def spread(self) -> Spread | None:
        """The numbers; None while the average is unknown. An unknown maximum has no bound."""
        if self.avg is None or self.avg.value is None:
            return None
        p99 = self.p99.value if self.p99 and self.p99.value is not None else 0.0
        top = self.max.value if self.max and self.max.value is not None else inf
        return Spread(self.avg.value, p99, top)

    @property
    def scaled(self) -> bool:
        """Typed as `scaled`: grows in step with what it belongs to."""
        return self.text == "scaled"

    @property
    def assumed(self) -> bool:
        """At least one of its figures is a guess."""
        return any(a.assumed for a in (self.avg, self.p99, self.max) if a)

    def plain(self) -> Any:
        """The form a file holds: a text, or a mapping of texts."""
        if not self.text.startswith("{"):
            return self.text
        parts = {n: getattr(self, n) for n in ("avg", "p99", "max", "growth", "parents")}
        return {name: part.plain() for name, part in parts.items() if part is not None}


Number = Callable[[Any], Amount]
FIGURES = ("avg", "p99", "max")
_PAIR = re.compile(r"\s*,?\s*\b(avg|p99|max|growth|parents)\b\s*:?\s*")


def _spoken(text: str, words: tuple[str, ...]) -> dict[str, str]:
    """`avg 10, p99 80` and `{avg: 10, p99: 80}` typed as one text."""
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    pieces = _PAIR.split(inner)
    if pieces[0].strip() or len(pieces) < 3:
        raise Unreadable(f"{text!r} is not a spread", "Write avg 10, p99 80, max 500")
    found: dict[str, str] = {}
    for word, value in zip(pieces[1::2], pieces[2::2], strict=True):
        if word in found:
            raise Unreadable(f"{word} is given twice")
        if word not in words:
            raise Unreadable(f"{word} has no meaning here", f"Known here: {', '.join(words)}")
        found[word] = value
    return found


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "}"
    return str(value)


def _one(amount: Amount, text: str, alike: bool) -> GivenSpread:
    if alike:
        return GivenSpread(amount, amount, amount, text=text)
    return GivenSpread(amount, text=text)


def _read(raw: Any, number: Number, words: tuple[str, ...], alike: bool = False) -> GivenSpread:
    """`alike`: one number alone stands for all three figures (growth), else for the average."""
    if isinstance(raw, GivenSpread):
        return raw
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        raw = f"{raw:.15g}"
    if isinstance(raw, str):
        text = " ".join(raw.split())
        if text.startswith("exactly "):
            amount = number(text.removeprefix("exactly "))
            return _one(amount, f"exactly {amount.text}", alike=True)
        if not re.search(r"\b(avg|p99|max|parents)\b", text):
            amount = number(text)
            return _one(amount, amount.text, alike)
        raw = _spoken(text, words)
    if not isinstance(raw, Mapping):
        raise Unreadable("expected a number or {avg: …, p99: …, max: …}")
    for key in raw:
        if key not in words:
            raise Unreadable(f"{key!r} is not part of a spread", did_you_mean(str(key), words))
    figures = {name: number(raw[name]) for name in FIGURES if name in raw}
    growth = read_growth(raw["growth"]) if "growth" in raw else None
    parents = parse_count(raw["parents"]) if "parents" in raw else None
    found = GivenSpread(**figures, growth=growth, parents=parents, text="{")
    if set(raw) == {"avg"} and not alike:
        return GivenSpread(found.avg, text=figures["avg"].text)
    if not raw:
        raise Unreadable("nothing is given", "Write {avg: 10, p99: 80, max: 500}")
    plain = found.plain()
    return GivenSpread(**figures, growth=growth, parents=parents, text=_shown(plain))


def read_growth(raw: Any) -> GivenSpread:
    """`1440/day` (all three figures), `{avg: 1/day, max: 20k/day}`, `scaled`."""
    if isinstance(raw, str) and raw.strip() == "scaled":
        return GivenSpread(text="scaled")
    return _read(raw, parse_growth, FIGURES, alike=True)


def read_counts(raw: Any) -> GivenSpread:
    return _read(raw, parse_count, FIGURES)


def read_sizes(raw: Any) -> GivenSpread:
    return _read(raw, parse_size, FIGURES)


def read_children(raw: Any) -> GivenSpread:
    return _read(raw, parse_count, (*FIGURES, "growth", "parents"))


def _schema(words: tuple[str, ...]) -> WithJsonSchema:
    figure: dict[str, Any] = {"type": ["string", "number"]}
    deep = {**figure, "type": ["string", "number", "object"]}
    properties = {w: deep if w == "growth" else figure for w in words}
    mapping = {"type": "object", "properties": properties, "additionalProperties": False}
    return WithJsonSchema({"anyOf": [figure, mapping]})


_PLAIN = PlainSerializer(lambda given: given.plain())
CountSpread = Annotated[GivenSpread, PlainValidator(read_counts), _PLAIN, _schema(FIGURES)]
SizeSpread = Annotated[GivenSpread, PlainValidator(read_sizes), _PLAIN, _schema(FIGURES)]
ChildSpread = Annotated[GivenSpread, PlainValidator(read_children), _PLAIN, _schema((*FIGURES, "growth", "parents"))]

__all__ = [
    "ChildSpread", "CountSpread", "GivenSpread", "SizeSpread", "read_children", "read_counts", "read_growth",
    "read_sizes",
]  # fmt: skip
