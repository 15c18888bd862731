"""Which rows does a condition mean? Terms of `app.model.conditions` held against data, with values for parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from math import asin, cos, radians, sin, sqrt
from typing import Any

from app.model.conditions import AnyOf, Comparison, Has, Literal, Now, Operand, Param, Ref, Term
from app.plan import lay
from app.plan.ways import place
from app.proof.data import Data, Row, entity_of

EARTH_KM = 6371.0


class NotUnderstood(Exception):
    """A condition no row can be held against: arithmetic, a search over several records."""


def meets(data: Data, entity: str, row: Row, terms: Iterable[Term], given: Mapping[str, Any]) -> bool:
    """Does a row of an entity meet all terms? Raises NotUnderstood."""
    return all(_term(data, entity, row, term, given) for term in terms)


def _term(data: Data, entity: str, row: Row, term: Term, given: Mapping[str, Any]) -> bool:
    if isinstance(term, AnyOf):
        return any(meets(data, entity, row, branch, given) for branch in term.branches)
    if isinstance(term, Has):
        return _has(data, entity, row, term, given)
    if not isinstance(term, Comparison):
        raise NotUnderstood(f"{term.text} is not compared here")
    if term.op == "match":
        texts = [str(v) for p in (term.path, *term.more) for v in values_of(data, entity, row, p) if v is not None]
        return _matches(" ".join(texts), operand(term.operands[0], data, entity, row, given))
    operands = [operand(o, data, entity, row, given) for o in term.operands]
    values = values_of(data, entity, row, term.path)
    if term.op in ("!=", "not in", "null"):
        return all(compared(v, term.op, operands) for v in values or [None])
    return any(compared(v, term.op, operands) for v in values)


def _has(data: Data, entity: str, row: Row, term: Has, given: Mapping[str, Any]) -> bool:
    """One and the same child meets all that is asked."""
    first = next((t for t in term.terms if isinstance(t, Comparison)), None)
    edges = place(data.world, entity, first.path).edges if first is not None else ()
    if not edges:
        raise NotUnderstood("has(…) names no children")
    return any(meets(data, edges[-1].to, child, term.terms, given) for child in data.along(row, edges))


def values_of(data: Data, entity: str, row: Row, path: str) -> list[Any]:
    """What a path means for a row: its own value, or those of the rows it leads to; elements of an array apart."""
    own = lay.column(entity, path, data.world)
    spot = place(data.world, entity, path)
    if entity_of(own) == entity:
        found = [data.value(row, own)]
    elif spot.why:
        raise NotUnderstood(f"{path}: {spot.why}")
    else:
        found = [data.value(r, spot.attr) for r in data.along(row, spot.edges)]
    return [v for one in found for v in (one if isinstance(one, list) else [one])]


def operand(source: Operand, data: Data, entity: str, row: Row, given: Mapping[str, Any]) -> Any:
    if isinstance(source, Param):
        return given.get(source.name)
    if isinstance(source, Literal):
        return source.value
    if isinstance(source, Now):
        return data.moment + timedelta(seconds=source.offset)
    if isinstance(source, Ref):
        found = values_of(data, entity, row, source.path)
        return found[0] if found else None
    raise NotUnderstood("an operand is not understood")


def compared(value: Any, op: str, operands: list[Any]) -> bool:  # noqa: PLR0911 - one line per operator
    """One value against what it is held against."""
    if op == "null":
        return value is None
    if op == "not null":
        return value is not None
    flat = [v for o in operands for v in (o if isinstance(o, list) else [o])]
    if op in ("not in", "!="):
        return value not in flat
    if value is None or None in flat:
        return False
    match op:
        case "=" | "contains" | "in":
            return value in flat
        case "<":
            return bool(value < flat[0])
        case "<=":
            return bool(value <= flat[0])
        case ">":
            return bool(value > flat[0])
        case ">=":
            return bool(value >= flat[0])
        case "between":
            return bool(flat[0] <= value <= flat[1])
        case "prefix":
            return str(value).startswith(str(flat[0]))
        case "near":
            return distance_km(value, flat[0]) <= float(flat[1])
    raise NotUnderstood(f"{op} is not compared here")


def _matches(text: str, words: Any) -> bool:
    """Whole words, any of those asked for, in any case."""
    return bool(set(text.lower().split()) & set(str(words).lower().split()))


def distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Great-circle distance between two (longitude, latitude)."""
    lon1, lat1, lon2, lat2 = map(radians, (*one, *other))
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KM * asin(sqrt(half))


__all__ = ["NotUnderstood", "compared", "meets", "operand", "values_of"]
