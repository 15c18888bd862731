"""What an index over an expression is over: columns searched for words, a value inside JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError


@dataclass(frozen=True, slots=True)
class Over:
    """`columns` of the table the expression reads, in order; `words`: it is a text search vector; `path`: it is the
    value at this path inside the one column; `error`: why it cannot be read."""

    columns: tuple[str, ...] = ()
    words: bool = False
    path: tuple[str, ...] = ()
    error: str = ""


@lru_cache(maxsize=1024)
def over(expression: str) -> Over:
    """What an expression is over; an empty `Over` with `error` where it is no expression."""
    try:
        tree = sqlglot.parse_one(f"SELECT {expression}", read="postgres")
    except SqlglotError as wrong:
        return Over(error=str(wrong).partition("\n")[0])
    columns = tuple(dict.fromkeys(c.name for c in tree.find_all(exp.Column)))
    root = tree.expressions[0].unnest() if isinstance(tree, exp.Select) and len(tree.expressions) == 1 else None
    words = isinstance(root, exp.Anonymous) and root.name.lower() == "to_tsvector"
    return Over(columns, words or type(root).__name__ == "ToTsVector", _inside(root) if len(columns) == 1 else ())


def _inside(node: exp.Expression | None) -> tuple[str, ...]:
    """`address ->> 'city'` → `city`, where every step is a name."""
    if isinstance(node, exp.Paren):
        return _inside(node.this)
    if not isinstance(node, exp.JSONExtract | exp.JSONExtractScalar):
        return ()
    own = tuple(str(s.this) for s in node.expression.find_all(exp.JSONPathKey))
    if isinstance(node.this, exp.Column):
        return own
    before = _inside(node.this)
    return (*before, *own) if before else ()


def qualified(expression: str, alias: str) -> str:
    """An expression with a table's alias before its columns."""
    tree = sqlglot.parse_one(f"SELECT {expression}", read="postgres")
    for column in tree.find_all(exp.Column):
        if not column.table:
            column.set("table", exp.to_identifier(alias))
    return tree.expressions[0].sql(dialect="postgres") if isinstance(tree, exp.Select) else expression
