"""One condition as nodes of the SQL library, and what can be asked of such nodes."""

from __future__ import annotations

import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from app.model.problem import Unreadable

MAX_LENGTH = 2_000
MAX_DEPTH = 50

NAME = r'(?:[^\W\d]\w*|"[^"]+")'
_QUOTED = re.compile(r"'(?:[^']|'')*'")
# A dotted path outside of string literals: quoted for the SQL library, so that entities may be
# called order, group or case.
_PATH = re.compile(rf"'(?:[^']|'')*'|(?<![\w:.\"]){NAME}(?:\.{NAME})+(?!\w|\()")


def quote_paths(text: str) -> str:
    def quote(hit: re.Match[str]) -> str:
        found = hit[0]
        if found.startswith("'"):
            return found
        return ".".join(f'"{n}"' for n in re.findall(r'[^."]+', found))

    return _PATH.sub(quote, text)


def check_shape(text: str) -> None:
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


def parse(text: str) -> exp.Expression:
    try:
        found = sqlglot.parse(f"SELECT 1 WHERE {quote_paths(text)}")
    except RecursionError:
        raise Unreadable(f"more than {MAX_DEPTH} levels", "Write it flatter") from None
    except SqlglotError as wrong:
        raise syntax(text, wrong) from None
    select = found[0] if len(found) == 1 else None
    where = select.args.get("where") if isinstance(select, exp.Select) else None
    rest = {k for k, v in select.args.items() if v} - {"where", "expressions"} if select else set()
    if where is None or rest:
        more = f" ({', '.join(sorted(rest))})" if rest else ""
        raise Unreadable(f"this is more than a condition{more}", "Write only what would follow WHERE")
    node: exp.Expression = where.this
    return node


def syntax(text: str, wrong: SqlglotError) -> Unreadable:
    errors = getattr(wrong, "errors", None) or [{}]
    near = str(errors[0].get("highlight") or "").strip('"')
    at = text.rfind(near) if near else -1
    where = f" at {near!r}" if near else ""
    return Unreadable(
        f"the condition cannot be read{where}",
        "Write conditions such as order.user_id = :user and order.status in ('open', 'paid')",
        at if at >= 0 else None,
    )


def inside(node: Any) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = node.this
    if not isinstance(node, exp.Expression):
        raise Unreadable(f"{node!r} is not a condition Keywright understands")
    return node


def flat(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """The parts of a chain of `and` or `or`, in order, without recursion (chains may be long)."""
    out: list[exp.Expression] = []
    left = [node]
    while left:
        here = inside(left.pop())
        if isinstance(here, kind):
            left += [here.expression, here.this]
        else:
            out.append(here)
    return out


def is_path(node: Any) -> bool:
    return isinstance(node, exp.Column) or (
        isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier) and is_path(node.this)
    )


def path_of(node: exp.Expression) -> str:
    if isinstance(node, exp.Dot):
        return f"{path_of(node.this)}.{node.expression.name}"
    if isinstance(node, exp.Column):
        return ".".join(part.name for part in node.parts)
    return node.name


def is_now(node: Any) -> bool:
    if isinstance(node, exp.CurrentTimestamp):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).lower() == "now" and not node.expressions


def call(node: exp.Expression) -> tuple[str, list[exp.Expression]]:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower(), list(node.expressions)
    if isinstance(node, (exp.StartsWith, exp.Contains)):
        name = "contains" if isinstance(node, exp.Contains) else "starts_with"
        return name, [node.this, node.expression]
    return "", []


def shown(node: exp.Expr) -> str:
    return node.sql().replace('"', "")
