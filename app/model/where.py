"""Conditions: SQL text read into terms.

A condition is parsed inside `SELECT 1 WHERE …` by a SQL library; only the node kinds read here are
accepted, at most 2,000 characters and 50 levels deep.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import NoReturn

from sqlglot import exp

from app.model.problem import Unreadable, did_you_mean
from app.model.quantity import parse_duration
from app.model.sql import MAX_DEPTH, call, check_shape, flat, inside, is_now, is_path, parse, path_of, shown
from app.model.terms import (
    AnyOf,
    Comparison,
    Conditions,
    Has,
    Literal,
    Now,
    Opaque,
    Operand,
    Param,
    Ref,
    Term,
    paths_of,
)

MAX_BRANCHES = 16
"""An `or` inside an `and` is multiplied out up to this many branches; beyond it stays nested."""
FUNCTIONS = ("starts_with", "contains", "matches", "near", "has", "now")

_COMPARE: dict[type[exp.Expression], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {
    "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "in": "not in", "not in": "in", "null": "not null", "not null": "null",
}  # fmt: skip
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg)
_IN_ARITHMETIC = (
    *_ARITHMETIC, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
    exp.Column, exp.Dot, exp.Placeholder, exp.Literal, exp.Identifier, exp.Paren,
)  # fmt: skip


@lru_cache(maxsize=16_384)
def parse_where(text: str) -> Conditions:
    """Read a condition. Raises `Unreadable`."""
    tidy = " ".join(text.split()) if "'" not in text else text.strip()
    if not tidy:
        raise Unreadable("no condition is written here", "Leave the key out to read everything")
    check_shape(tidy)
    try:
        return Conditions(tidy, _Reader().conjunction(parse(tidy)))
    except RecursionError:
        raise Unreadable(f"more than {MAX_DEPTH} levels", "Write it flatter") from None


class _Reader:
    """Turns the nodes of one condition into terms, refusing every kind of node not named here."""

    def refuse(self, node: exp.Expr, fix: str = "") -> NoReturn:
        raise Unreadable(f"{shown(node)!r} is not a condition Keywright understands", fix)

    def conjunction(self, node: exp.Expression) -> tuple[Term, ...]:
        """Terms that all hold."""
        node = inside(node)
        if isinstance(node, exp.And):
            return tuple(t for part in flat(node, exp.And) for t in self.conjunction(part))
        return (self.term(node),)

    def term(self, node: exp.Expression) -> Term:
        if node.args.get("negate"):  # `not like` and its kin may come as a mark on the node
            node = node.copy()
            node.set("negate", None)
            return self.negated(node)
        if isinstance(node, exp.Or):
            return self.either(node)
        if isinstance(node, exp.Not):
            return self.negated(inside(node.this))
        if type(node) in _COMPARE:
            return self.comparison(node)
        if isinstance(node, exp.Between):
            ends = (self.operand(node.args["low"]), self.operand(node.args["high"]))
            return Comparison(self.path(node.this), "between", ends)
        if isinstance(node, exp.In):
            return self.listed(node)
        if isinstance(node, exp.Is):
            return self.is_what(node)
        if isinstance(node, exp.Like):
            return self.like(node)
        if isinstance(node, exp.Column):
            return Comparison(self.path(node), "=", (Literal(True),))
        return self.function(node)

    def either(self, node: exp.Or) -> Term:
        """`or` as branches; equalities of one attribute become a list, nested `or` is multiplied out."""
        branches: list[tuple[Term, ...]] = []
        for part in flat(node, exp.Or):
            branches.extend(_spread(self.conjunction(part)))
        first = branches[0][0]
        terms = [b[0] for b in branches if len(b) == 1]
        same = [
            t for t in terms if isinstance(t, Comparison) and isinstance(first, Comparison)
            and t.op in ("=", "in") and t.path == first.path
        ]  # fmt: skip
        values = tuple(o for t in same for o in t.operands)
        if len(same) == len(branches) and not any(isinstance(v, Ref) for v in values):
            return Comparison(same[0].path, "in", values)
        return AnyOf(tuple(branches))

    def negated(self, node: exp.Expression) -> Term:
        terms = self.conjunction(node)
        term = terms[0]
        if len(terms) == 1 and isinstance(term, Comparison) and term.op in _OPPOSITE:
            first = term.operands[0] if term.operands else None
            if term.op == "=" and isinstance(first, Literal) and first.value is True:
                return Comparison(term.path, "=", (Literal(False),))
            return Comparison(term.path, _OPPOSITE[term.op], term.operands)
        return Opaque(f"not ({shown(node)})", paths_of(terms))

    def comparison(self, node: exp.Expression) -> Term:
        left, right = inside(node.this), inside(node.expression)
        op = _COMPARE[type(node)]
        if not is_path(left) and is_path(right):
            left, right, op = right, left, _TURNED[op]
        if isinstance(right, exp.Null):
            self.refuse(node, "Write is null or is not null")
        if is_path(left) and not self.computed(right):
            return Comparison(self.path(left), op, (self.operand(right),))
        return self.opaque(node)

    def opaque(self, node: exp.Expression) -> Opaque:
        """Arithmetic: only columns, parameters and numbers may take part."""
        for part in node.walk():
            if not isinstance(part, _IN_ARITHMETIC) and not is_now(part):
                self.refuse(part, f"Functions are {', '.join(FUNCTIONS)}")
        found = tuple(dict.fromkeys(path_of(c) for c in node.find_all(exp.Column, bfs=False)))
        if not found:
            self.refuse(node, "Name an attribute: order.status = …")
        return Opaque(shown(node), found)

    def computed(self, node: exp.Expression) -> bool:
        """Arithmetic that is neither a shifted now() nor a negative number."""
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            return False
        if isinstance(node, (exp.Sub, exp.Add)) and is_now(inside(node.this)):
            return False
        return isinstance(node, _ARITHMETIC)

    def listed(self, node: exp.In) -> Term:
        values = node.expressions or ([node.args["field"]] if node.args.get("field") else [])
        if not values:
            self.refuse(node, "Write in ('a', 'b') or in (:list)")
        return Comparison(self.path(node.this), "in", tuple(self.operand(v) for v in values))

    def is_what(self, node: exp.Is) -> Term:
        path, what = self.path(node.this), node.expression
        if isinstance(what, exp.Null):
            return Comparison(path, "null")
        if isinstance(what, exp.Boolean):
            return Comparison(path, "=", (Literal(bool(what.this)),))
        return self.refuse(node, "Write is null, is not null or = :value")

    def like(self, node: exp.Like) -> Term:
        text = node.expression
        value = str(text.this) if isinstance(text, exp.Literal) and text.is_string else ""
        if not re.fullmatch(r"[^%_]+%", value):
            self.refuse(node, "Write starts_with(path, :text), or matches(path, :words) to search inside")
        return Comparison(self.path(node.this), "prefix", (Literal(value[:-1]),))

    def function(self, node: exp.Expression) -> Term:
        name, args = call(node)
        if name == "starts_with" and len(args) == 2:
            return Comparison(self.path(args[0]), "prefix", (self.operand(args[1]),))
        if name == "contains" and len(args) == 2:
            return Comparison(self.path(args[0]), "contains", (self.operand(args[1]),))
        if name == "matches" and len(args) >= 2:
            first, *more = (self.path(a) for a in args[:-1])
            return Comparison(first, "match", (self.operand(args[-1]),), tuple(more))
        if name == "near" and len(args) == 3:
            return Comparison(self.path(args[0]), "near", (self.operand(args[1]), self.operand(args[2])))
        if name == "has" and len(args) == 1:
            return Has(self.conjunction(args[0]))
        if name in FUNCTIONS:
            self.refuse(node, f"See how {name} is called: {_USAGE[name]}")
        return self.refuse(node, did_you_mean(name, FUNCTIONS) if name else "")

    def path(self, node: exp.Expression) -> str:
        node = inside(node)
        if not is_path(node):
            self.refuse(node, "Name an attribute here: order.status")
        return path_of(node)

    def operand(self, node: exp.Expression) -> Operand:
        node = inside(node)
        if isinstance(node, exp.Placeholder) and isinstance(node.this, str):
            return Param(node.this)
        if isinstance(node, exp.Literal):
            return Literal(str(node.this) if node.is_string else float(node.this))
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            return Literal(-float(node.this.this))
        if isinstance(node, exp.Boolean):
            return Literal(bool(node.this))
        if is_path(node):
            return Ref(path_of(node))
        if is_now(node):
            return Now()
        if isinstance(node, (exp.Sub, exp.Add)) and is_now(inside(node.this)):
            return self.shifted(node)
        return self.refuse(
            node, "Write a parameter (:name), a number, 'text', an attribute or now() - interval '1 hour'"
        )

    def shifted(self, node: exp.Sub | exp.Add) -> Operand:
        by, sign = inside(node.expression), -1 if isinstance(node, exp.Sub) else 1
        if isinstance(by, exp.Placeholder) and isinstance(by.this, str):
            return Param(by.this)
        if not isinstance(by, exp.Interval) or not isinstance(by.this, exp.Literal):
            self.refuse(node, "Write now() - interval '1 hour'")
        seconds = parse_duration(f"{by.this.this} {by.args.get('unit') or ''}").value or 0.0
        return Now(sign * seconds)


_USAGE = {
    "starts_with": "starts_with(user.name, :start)",
    "contains": "contains(post.tags, :tag)",
    "matches": "matches(post.title, post.content, :words)",
    "near": "near(shop.place, :point, :km)",
    "has": "has(line_item.sku = :sku)",
    "now": "order.created_at >= now() - interval '1 hour'",
}


def _spread(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """A conjunction holding `or` as several without, while there are few."""
    choices = [t.branches if isinstance(t, AnyOf) else ((t,),) for t in terms]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_BRANCHES:
        return [terms]
    return [tuple(t for branch in pick for t in branch) for pick in product(*choices)]
