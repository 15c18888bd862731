"""Conditions and orders: SQL text and what it says.

A condition is parsed inside `SELECT 1 WHERE …` by a SQL library; only the node kinds read here are
accepted, at most 2,000 characters and 50 levels deep.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import Annotated, Any, NoReturn

import sqlglot
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from sqlglot import exp
from sqlglot.errors import SqlglotError

from app.model.problem import Unreadable, did_you_mean
from app.model.quantity import parse_duration
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

MAX_LENGTH = 2_000
MAX_DEPTH = 50
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

_NAME = r'(?:[^\W\d]\w*|"[^"]+")'
_QUOTED = re.compile(r"'(?:[^']|'')*'")
# A dotted path outside of string literals: quoted for the SQL library, so that entities may be
# called order, group or case.
_PATH = re.compile(rf"'(?:[^']|'')*'|(?<![\w:.\"]){_NAME}(?:\.{_NAME})+(?!\w|\()")


def _quote_paths(text: str) -> str:
    def quote(hit: re.Match[str]) -> str:
        found = hit[0]
        if found.startswith("'"):
            return found
        return ".".join(f'"{n}"' for n in re.findall(r'[^."]+', found))

    return _PATH.sub(quote, text)


def _check_shape(text: str) -> None:
    """Refuse what the SQL library would accept beyond one condition, or could not bear."""
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"a condition of {len(text):,} characters", f"At most {MAX_LENGTH:,} are read")
    bare = _QUOTED.sub(lambda hit: "_" * len(hit[0]), text)
    if hit := re.search(r"--|/\*|;|#|\{|\}|`|\[|\]", bare):
        raise Unreadable(f"{hit[0]!r} has no place in a condition", "Write column = :value and …", hit.start())
    if bare.count("'"):
        raise Unreadable("a quote is not closed", "Write 'text' with a quote on each side", bare.find("'"))
    depth = 0
    for at, char in enumerate(bare):
        depth += (char == "(") - (char == ")")
        if depth > MAX_DEPTH:
            raise Unreadable(f"more than {MAX_DEPTH} levels", "Write it flatter", at)


def _parse(text: str) -> exp.Expression:
    try:
        found = sqlglot.parse(f"SELECT 1 WHERE {_quote_paths(text)}")
    except RecursionError:
        raise Unreadable(f"more than {MAX_DEPTH} levels", "Write it flatter") from None
    except SqlglotError as wrong:
        raise _syntax(text, wrong) from None
    select = found[0] if len(found) == 1 else None
    where = select.args.get("where") if isinstance(select, exp.Select) else None
    rest = {k for k, v in select.args.items() if v} - {"where", "expressions"} if select else set()
    if where is None or rest:
        more = f" ({', '.join(sorted(rest))})" if rest else ""
        raise Unreadable(f"this is more than a condition{more}", "Write only what would follow WHERE")
    node: exp.Expression = where.this
    return node


def _syntax(text: str, wrong: SqlglotError) -> Unreadable:
    errors = getattr(wrong, "errors", None) or [{}]
    near = str(errors[0].get("highlight") or "").strip('"')
    at = text.rfind(near) if near else -1
    where = f" at {near!r}" if near else ""
    return Unreadable(
        f"the condition cannot be read{where}",
        "Write conditions such as order.user_id = :user and order.status in ('open', 'paid')",
        at if at >= 0 else None,
    )


@lru_cache(maxsize=16_384)
def parse_where(text: str) -> Conditions:
    """Read a condition. Raises `Unreadable`."""
    tidy = " ".join(text.split()) if "'" not in text else text.strip()
    if not tidy:
        raise Unreadable("no condition is written here", "Leave the key out to read everything")
    _check_shape(tidy)
    try:
        return Conditions(tidy, _Reader(tidy).conjunction(_parse(tidy)))
    except RecursionError:
        raise Unreadable(f"more than {MAX_DEPTH} levels", "Write it flatter") from None


class _Reader:
    """Turns the nodes of one condition into terms, refusing every kind of node not named here."""

    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, node: exp.Expression, fix: str = "") -> NoReturn:
        shown = node.sql().replace('"', "")
        raise Unreadable(f"{shown!r} is not a condition Keywright understands", fix)

    def conjunction(self, node: exp.Expression) -> tuple[Term, ...]:
        """Terms that all hold."""
        node = _inside(node)
        if isinstance(node, exp.And):
            return tuple(t for part in _flat(node, exp.And) for t in self.conjunction(part))
        return (self.term(node),)

    def term(self, node: exp.Expression) -> Term:
        if node.args.get("negate"):  # `not like` and its kin may come as a mark on the node
            node = node.copy()
            node.set("negate", None)
            return self.negated(node)
        if isinstance(node, exp.Or):
            return self.either(node)
        if isinstance(node, exp.Not):
            return self.negated(_inside(node.this))
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
        for part in _flat(node, exp.Or):
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
        term = self.term(node)
        if isinstance(term, Comparison) and term.op in _OPPOSITE:
            first = term.operands[0] if term.operands else None
            if term.op == "=" and isinstance(first, Literal) and first.value is True:
                return Comparison(term.path, "=", (Literal(False),))
            return Comparison(term.path, _OPPOSITE[term.op], term.operands)
        found = tuple(dict.fromkeys(_path_of(c) for c in node.find_all(exp.Column)))
        return Opaque(f"not ({_shown(node)})", found)

    def comparison(self, node: exp.Expression) -> Term:
        left, right = _inside(node.this), _inside(node.expression)
        op = _COMPARE[type(node)]
        if not _is_path(left) and _is_path(right):
            left, right, op = right, left, _TURNED[op]
        if isinstance(right, exp.Null):
            self.refuse(node, "Write is null or is not null")
        if _is_path(left) and not self.computed(right):
            return Comparison(self.path(left), op, (self.operand(right),))
        return self.opaque(node)

    def opaque(self, node: exp.Expression) -> Opaque:
        """Arithmetic: only columns, parameters and numbers may take part."""
        for part in node.walk():
            if not isinstance(part, _IN_ARITHMETIC) and not _is_now(part):
                self.refuse(node, f"{type(part).__name__} has no place in arithmetic")
        found = tuple(dict.fromkeys(_path_of(c) for c in node.find_all(exp.Column)))
        if not found:
            self.refuse(node, "Name an attribute: order.status = …")
        return Opaque(_shown(node), found)

    def computed(self, node: exp.Expression) -> bool:
        """Arithmetic that is neither a shifted now() nor a negative number."""
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            return False
        if isinstance(node, (exp.Sub, exp.Add)) and _is_now(_inside(node.this)):
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
        name, args = _call(node)
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
        node = _inside(node)
        if not _is_path(node):
            self.refuse(node, "Name an attribute here: order.status")
        return _path_of(node)

    def operand(self, node: exp.Expression) -> Operand:
        node = _inside(node)
        if isinstance(node, exp.Placeholder) and isinstance(node.this, str):
            return Param(node.this)
        if isinstance(node, exp.Literal):
            return Literal(str(node.this) if node.is_string else float(node.this))
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            return Literal(-float(node.this.this))
        if isinstance(node, exp.Boolean):
            return Literal(bool(node.this))
        if _is_path(node):
            return Ref(_path_of(node))
        if _is_now(node):
            return Now()
        if isinstance(node, (exp.Sub, exp.Add)) and _is_now(_inside(node.this)):
            return self.shifted(node)
        return self.refuse(
            node, "Write a parameter (:name), a number, 'text', an attribute or now() - interval '1 hour'"
        )

    def shifted(self, node: exp.Sub | exp.Add) -> Operand:
        by, sign = _inside(node.expression), -1 if isinstance(node, exp.Sub) else 1
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


def _inside(node: Any) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = node.this
    if not isinstance(node, exp.Expression):
        raise Unreadable(f"{node!r} is not a condition Keywright understands")
    return node


def _flat(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """The parts of a chain of `and` or `or`, in order, without recursion (chains may be long)."""
    out: list[exp.Expression] = []
    left = [node]
    while left:
        here = _inside(left.pop())
        if isinstance(here, kind):
            left += [here.expression, here.this]
        else:
            out.append(here)
    return out


def _spread(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """A conjunction holding `or` as several without, while there are few."""
    choices = [t.branches if isinstance(t, AnyOf) else ((t,),) for t in terms]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_BRANCHES:
        return [terms]
    return [tuple(t for branch in pick for t in branch) for pick in product(*choices)]


def _is_path(node: Any) -> bool:
    return isinstance(node, exp.Column) or (
        isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier) and _is_path(node.this)
    )


def _path_of(node: exp.Expression) -> str:
    if isinstance(node, exp.Dot):
        return f"{_path_of(node.this)}.{node.expression.name}"
    if isinstance(node, exp.Column):
        return ".".join(part.name for part in node.parts)
    return node.name


def _is_now(node: Any) -> bool:
    if isinstance(node, exp.CurrentTimestamp):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).lower() == "now" and not node.expressions


def _call(node: exp.Expression) -> tuple[str, list[exp.Expression]]:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower(), list(node.expressions)
    if isinstance(node, (exp.StartsWith, exp.Contains)):
        name = "contains" if isinstance(node, exp.Contains) else "starts_with"
        return name, [node.this, node.expression]
    return "", []


def _shown(node: exp.Expression) -> str:
    return node.sql().replace('"', "")


_ITEM = re.compile(rf"\s*({_NAME}(?:\.{_NAME})*)(?:\s+(asc|desc))?\s*", re.IGNORECASE)


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
