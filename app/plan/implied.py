"""Does a condition with known values say no less than another on the same attribute?

Ranges, values and lists are compared where all their operands are literals of one kind; what comes as a parameter
implies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from app.model.conditions import Comparison, Literal

End = tuple[float | str, bool]
"""A bound, and whether it belongs to the range."""
LEAST: End = (-inf, False)
MOST: End = (inf, False)


def within(narrow: Comparison | None, wide: Comparison | None) -> bool:
    """Is every value that meets `narrow` also one that meets `wide`?"""
    if narrow is None or wide is None:
        return False
    inner, outer = _values(narrow), _values(wide)
    if inner is None or outer is None:
        return False
    if wide.op in ("=", "in"):
        return narrow.op in ("=", "in") and set(inner) <= set(outer)
    span = _span(wide.op, outer)
    if span is None:
        return False
    if narrow.op in ("=", "in"):
        return all(_holds(span, ((v, True), (v, True))) for v in inner)
    part = _span(narrow.op, inner)
    return part is not None and _holds(span, part)


def _values(term: Comparison) -> tuple[float | str, ...] | None:
    """The literals of a condition; None where one is not known or cannot be ordered."""
    found: list[float | str] = []
    for operand in term.operands:
        value = operand.value if isinstance(operand, Literal) else None
        if value is None or isinstance(value, bool):
            return None
        found.append(value)
    return tuple(found) or None


def _span(op: str, values: Iterable[float | str]) -> tuple[End, End] | None:
    first, *more = values
    if op == "between" and more:
        return (first, True), (more[0], True)
    if op in (">", ">="):
        return (first, op == ">="), MOST
    return (LEAST, (first, op == "<=")) if op in ("<", "<=") else None


def _holds(span: tuple[End, End], part: tuple[End, End]) -> bool:
    (low, low_in), (high, high_in) = span
    (first, first_in), (last, last_in) = part
    above = low == -inf or (_alike(low, first) and (first > low or (first == low and (low_in or not first_in))))  # type: ignore[operator]
    below = high == inf or (_alike(high, last) and (last < high or (last == high and (high_in or not last_in))))  # type: ignore[operator]
    return bool(above and below)


def _alike(one: float | str, other: float | str) -> bool:
    """Numbers with numbers, texts with texts; an open end is of neither kind."""
    return isinstance(one, str) == isinstance(other, str) and other not in (inf, -inf)
