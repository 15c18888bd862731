"""Key values as text: a template with the values a request brings, and the interval of a sort key.

A value the caller brings stands in braces, as in a template: `USER#{user}`; one taken from the item read before,
`{order.id of step 1}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.model.conditions import Literal, Now, Operand, Param
from app.model.key_values import part_example
from app.model.keys import KeyPart
from app.plan.types import Cond, World
from app.stores.common_query import field_of
from app.stores.dynamodb.keys import KeyAttribute

LAST = "\uffff"
"""Sorts behind every text."""
FILTER_WORDS = {
    "prefix": "begins_with({0}, {1})",
    "contains": "contains({0}, {1})",
    "match": "contains({0}, {1})",  # the nearest there is: letters, not words
}
PLAIN = frozenset({"pad", "lower", "reverse", "compact"})
"""Filters that make the same text everywhere."""
SPANS = (">", ">=", "<", "<=", "between")
Own = Callable[[str], str]
"""From a path in a key to the own column of the record."""


def value_text(operand: Operand | None) -> str:
    """`:user` as `{user}`, a literal as it is."""
    if isinstance(operand, Param):
        return "{" + operand.name + "}"
    if isinstance(operand, Literal):
        if isinstance(operand.value, bool):
            return "true" if operand.value else "false"
        if isinstance(operand.value, float):
            return f"{operand.value:.15g}"
        return "" if operand.value is None else str(operand.value)
    if isinstance(operand, Now):
        return "{now}" if not operand.offset else f"{{now {operand.offset:+g} s}}"
    return "{" + operand.path + "}" if operand is not None else "{}"


def typed(text: str, kind: str) -> dict[str, Any]:
    """A value as the API writes it: `{"S": "USER#{user}"}`."""
    return {kind: text}


@dataclass(slots=True)
class Bound:
    """What conditions say about the attributes of one record: operands by attribute and operator."""

    conds: Sequence[Cond]
    origin: Callable[[Cond], str] | None = None
    """Words for a value that comes from an item read before; None: there is no such item."""
    several: list[str] = field(default_factory=list)
    """Sentences: which values are tried one by one."""
    ends: list[str] = field(default_factory=list)
    """Sentences: what a BETWEEN returns though it was not asked for."""

    def of(self, attr: str) -> list[Cond]:
        return [c for c in self.conds if c.attr == attr]

    def point(self, part: KeyPart, attr: str, *, sort: bool = False) -> str | None:
        """The text of one key part bound to one value (at a time); None where it is not.

        In a sort key a time bucket may be left to a range.
        """
        if part.kept.chosen:
            self._note(f"one request for each of the {part.kept.fan} values of {{shard}}")
            return "{shard}"
        for cond in self.of(attr):
            if cond.op in ("=", "contains"):  # an array in a key is one of its elements
                return filtered(self.operand(cond), part)
            if cond.op == "in":
                self._note(f"one request for each value of {field_of(attr)}")
                return filtered("{each " + field_of(attr) + "}", part)
        own = filtered("{" + field_of(attr) + "}", part)
        if part.kept.bucket and not sort:
            word = part.filters[0].name if part.filters else "bucket"
            self._note(f"one request for each {word} of {field_of(attr)}, in the order asked for")
            return own
        if part.kept.fan:
            self._note(f"one request for each of the {part.kept.fan} values of {own.strip('{}')}")
            return own
        return None

    def operand(self, cond: Cond, at: int = 0) -> str:
        operands = cond.source.operands if cond.source is not None else ()
        if at < len(operands):
            return value_text(operands[at])
        return "{" + (self.origin(cond) if self.origin is not None else field_of(cond.attr)) + "}"

    def include(self, text: str) -> None:
        if text not in self.ends:
            self.ends.append(text)

    def _note(self, text: str) -> None:
        if text not in self.several:
            self.several.append(text)


def filtered(text: str, part: KeyPart) -> str:
    """A value as its key part keeps it: `{user}` is `{user|lower}`, a literal is changed here.

    A literal whose filter only the application knows (its hash, its day) stands in braces with it.
    """
    if not part.filters:
        return text
    filters = "".join(f"|{f}" for f in part.filters)
    if text.endswith("}"):
        return text[:-1] + filters + "}"
    return part_example(part, text) if all(f.name in PLAIN for f in part.filters) else "{" + text + filters + "}"


def whole(parts: Iterable[KeyPart], bound: Bound, own: Own) -> str | None:
    """The text of a key attribute whose every part is bound; None where one is not."""
    texts = [p.literal if p.is_literal else bound.point(p, own(p.attr)) for p in parts]
    return None if any(t is None for t in texts) else "".join(t or "" for t in texts)


@dataclass(frozen=True, slots=True)
class Interval:
    """A condition on a sort key: `=`, `begins_with`, `between`, or a comparison, with its values; "" for none."""

    op: str = ""
    values: tuple[str, ...] = ()


def interval(parts: Sequence[KeyPart], bound: Bound, own: Own) -> Interval:
    """The one condition a Query can set on a sort key packed from these parts."""
    start = ""
    for at, part in enumerate(parts):
        text = part.literal if part.is_literal else bound.point(part, own(part.attr), sort=True)
        if text is None:
            return _range(start, part, own(part.attr), bound, last=at == len(parts) - 1)
        start += text
    return Interval("=", (start,)) if parts else Interval()


def _range(start: str, part: KeyPart, attr: str, bound: Bound, *, last: bool) -> Interval:
    """The interval that a range on this part leaves; `start` is the text before it. A bucket is taken whole."""
    prefix = next((c for c in bound.of(attr) if c.op == "prefix"), None)
    if prefix is not None:
        return Interval("begins_with", (start + bound.operand(prefix),))
    spans = [c for c in bound.of(attr) if c.op in SPANS]
    if not spans:
        return Interval("begins_with", (start,)) if start else Interval()
    end = "" if last else LAST
    behind = "" if last or part.kept.bucket else LAST
    low, high = "", ""
    for cond in spans:
        one = filtered(bound.operand(cond), part)
        if cond.op == "between":
            low, high = one, filtered(bound.operand(cond, 1), part) + end
        elif cond.op in (">", ">="):
            low = one + (behind if cond.op == ">" else "")
        else:
            high = one + (end if cond.op == "<=" or part.kept.bucket else "")
        if cond.op in ("<", ">") and last and (start or len(spans) > 1):
            bound.include(f"BETWEEN includes both ends: leave out what has exactly {one}, as {cond.op} was asked for")
    if low and high:
        return Interval("between", (start + low, start + high))
    if start:
        return Interval("between", (start + low, start + (high or LAST)))
    return Interval(spans[0].op, (low or high,))


def condition(key: KeyAttribute, found: Interval) -> tuple[str, dict[str, Any]]:
    """A key condition and its values: `#sk BETWEEN :sk_from AND :sk_to`."""
    name, word = f"#{_word(key.name)}", f":{_word(key.name)}"
    if found.op == "between":
        low, high = found.values
        values = {f"{word}_from": typed(low, key.type), f"{word}_to": typed(high, key.type)}
        return f"{name} BETWEEN {word}_from AND {word}_to", values
    values = {word: typed(found.values[0], key.type)}
    if found.op == "begins_with":
        return f"begins_with({name}, {word})", values
    return f"{name} {found.op} {word}", values


def _word(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name)


def placeholder(name: str) -> str:
    """`#status`: names go through placeholders, for many of them are reserved words."""
    return f"#{_word(name)}"


def filter_text(cond: Cond, stored: str, world: World) -> tuple[str, Mapping[str, Any]]:
    """One condition on an attribute as a filter or condition expression, with its values."""
    name, word = placeholder(stored), placeholder(stored).replace("#", ":")
    kind = scalar(cond.attr, world)
    operands = cond.source.operands if cond.source is not None else ()
    if cond.op in ("null", "not null"):
        return f"attribute_{'not_' if cond.op == 'null' else ''}exists({name})", {}
    words = [f"{word}{i}" if len(operands) > 1 else word for i in range(1, len(operands) + 1)]
    values = {w: typed(value_text(o), kind) for w, o in zip(words, operands, strict=True)}
    if not words:
        return f"{name} = {word}", {word: typed("{" + field_of(cond.attr) + "}", kind)}
    if cond.op in ("in", "not in"):
        text = f"{name} IN ({', '.join(words)})"
        return text if cond.op == "in" else f"NOT {text}", values
    if cond.op == "between":
        return f"{name} BETWEEN {words[0]} AND {words[-1]}", values
    op = "<>" if cond.op == "!=" else cond.op
    return FILTER_WORDS.get(cond.op, f"{{0}} {op} {{1}}").format(name, words[0]), values


def whole_value(attr: str, text: str, world: World) -> dict[str, Any]:
    """The value of an attribute as an item keeps it: lists and maps as such, what they hold typed one by one."""
    stat = world.stats.get(attr)
    kind = stat.type if stat is not None else ""
    if kind.endswith("[]") or kind.startswith("vector("):
        return {"L": [text]}
    return {"M": text} if kind in ("json", "object", "point") else typed(text, scalar(attr, world))


def scalar(attr: str, world: World) -> str:
    """S, N, BOOL or B: how the API types a value of this attribute, or of each in an array."""
    stat = world.stats.get(attr)
    kind = stat.type.removesuffix("[]") if stat is not None else "string"
    numbers = ("int32", "int64", "float", "double", "decimal")
    return "N" if kind in numbers else {"bool": "BOOL", "binary": "B"}.get(kind, "S")
