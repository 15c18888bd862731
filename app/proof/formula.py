"""Figures worked out from rows: `count(comment)`, `sum(line_item.qty * line_item.price)`, `avg(reading.temperature)`.

The formula is SQL, read by the SQL library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

BINARY: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}


@lru_cache(maxsize=256)
def _parsed(formula: str) -> exp.Expr | None:
    try:
        return parse_one(formula)
    except SqlglotError:
        return None


def worked_out(formula: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    """The figure of these rows; None where the formula is not understood. Of no rows, counts and sums are 0."""
    tree = _parsed(formula)
    if isinstance(tree, exp.Count):
        return len(rows)
    if not isinstance(tree, exp.Sum | exp.Avg | exp.Max | exp.Min):
        return None
    values: list[float] = [v for v in (_value(tree.this, row) for row in rows) if v is not None]
    if isinstance(tree, exp.Sum):
        return sum(values)
    if not values:
        return 0
    if isinstance(tree, exp.Avg):
        return sum(values) / len(values)
    return max(values) if isinstance(tree, exp.Max) else min(values)


def _value(node: exp.Expr, row: Mapping[str, Any]) -> Any:
    if isinstance(node, exp.Paren):
        return _value(node.this, row)
    if isinstance(node, exp.Literal):
        return float(node.this)
    if isinstance(node, exp.Column):
        path = ".".join(p.name for p in node.parts)
        return row.get(path)
    sign = BINARY.get(type(node))
    if sign is None:
        return None
    left, right = _value(node.this, row), _value(node.expression, row)
    if left is None or right is None:
        return None
    return _joined(sign, left, right)


def _joined(sign: str, left: Any, right: Any) -> Any:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    return left * right if sign == "*" else left / right
