"""Conditions and orders: SQL text and what it says.

A condition is parsed by `app.model.where`; what it says, `app.model.terms`, is what planner, rules and
exporters read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from app.model.problem import Unreadable
from app.model.sql import MAX_LENGTH, NAME
from app.model.terms import (
    AnyOf,
    Comparison,
    Conditions,
    Has,
    Literal,
    Now,
    Opaque,
    Operand,
    Order,
    OrderItem,
    Param,
    Ref,
    Term,
)
from app.model.where import parse_where

_ITEM = re.compile(rf"\s*({NAME}(?:\.{NAME})*)(?:\s+(asc|desc))?\s*", re.IGNORECASE)


@lru_cache(maxsize=8192)
def parse_order(text: str) -> Order:
    """Read an order: attributes with `desc` where they fall, separated by commas. Raises `Unreadable`."""
    tidy = " ".join(text.split())
    if len(tidy) > MAX_LENGTH:
        raise Unreadable(f"an order of {len(tidy):,} characters", f"At most {MAX_LENGTH:,} are read")
    items, at = [], 0
    while True:
        hit = _ITEM.match(tidy, at)
        end = hit.end() if hit else at
        if not hit or (end < len(tidy) and tidy[end] != ","):
            fix = "Write attributes such as order.created_at desc, order.id desc"
            raise Unreadable(f"the order cannot be read at {tidy[end : end + 20]!r}", fix, end)
        items.append(OrderItem(hit[1].replace('"', ""), (hit[2] or "").lower() == "desc"))
        if end >= len(tidy):
            return Order(tidy, tuple(items))
        at = end + 1


def _read_where(raw: Any) -> Conditions:
    if isinstance(raw, Conditions):
        return raw
    if isinstance(raw, str):
        return parse_where(raw)
    raise Unreadable("expected a condition as one text", "Write order.id = :order")


def _read_order(raw: Any) -> Order:
    if isinstance(raw, Order):
        return raw
    if isinstance(raw, str):
        return parse_order(raw)
    raise Unreadable("expected an order as one text", "Write order.created_at desc, order.id desc")


_TEXT = PlainSerializer(lambda value: value.text, return_type=str)
Where = Annotated[
    Conditions,
    PlainValidator(_read_where),
    _TEXT,
    WithJsonSchema({"type": "string", "examples": ["order.id = :order"]}),
]
OrderBy = Annotated[
    Order,
    PlainValidator(_read_order),
    _TEXT,
    WithJsonSchema({"type": "string", "examples": ["order.created_at desc, order.id desc"]}),
]

__all__ = [
    "AnyOf", "Comparison", "Conditions", "Has", "Literal", "Now", "Opaque", "Operand", "Order", "OrderBy",
    "OrderItem", "Param", "Ref", "Term", "Where", "parse_order", "parse_where",
]  # fmt: skip
