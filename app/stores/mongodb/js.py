"""Values as mongosh text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.model.conditions import Literal, Now, Operand, Param, Ref

WIDTH = 96
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


class Raw(str):
    """Text that is code already."""

    __slots__ = ()


def js(value: Any, indent: int = 0) -> str:
    """A value as JavaScript, on one line where it fits."""
    flat = _flat(value)
    if len(flat) + indent <= WIDTH or not isinstance(value, Mapping | list | tuple) or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, Mapping):
        items = [f"{pad}{name(k)}: {js(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    items = [pad + js(v, indent + 2) for v in value]
    return "[\n" + ",\n".join(items) + "\n" + " " * indent + "]"


def _flat(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name(k)}: {_flat(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_flat(v) for v in value)}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def call(function: str, arguments: list[str], ending: str = "") -> str:
    """`function(a, b)ending;` on one line, or one argument per line where it would be long."""
    text = f"{function}({', '.join(arguments)}){ending};"
    if len(arguments) < 2 or (len(text) <= WIDTH + 14 and "\n" not in text):
        return text
    inner = ",\n".join("  " + a.replace("\n", "\n  ") for a in arguments)
    return f"{function}(\n{inner}\n){ending};"


def name(word: str) -> str:
    return word if IDENTIFIER.match(word) else json.dumps(word, ensure_ascii=False)


def operand(value: Operand, document: str = "") -> Any:
    """What a comparison is held against: a parameter `p.name`, a literal, the time, another field."""
    match value:
        case Param(name=param):
            return Raw(f"p.{param}")
        case Literal(value=literal):
            return literal
        case Now(offset=offset):
            return now(offset)
        case Ref(path=path):
            return Raw(f"{document}.{path.rpartition('.')[2]}" if document else f'"${path}"')


def now(offset: float = 0) -> Raw:
    if not offset:
        return Raw("new Date()")
    sign = "-" if offset < 0 else "+"
    return Raw(f"new Date(Date.now() {sign} {abs(offset) * 1000:.0f})")


def collection(structure: str, values: Mapping[str, str] | None = None) -> str:
    """`db.orders`; a name with placeholders becomes a template literal. `values`: code by placeholder."""
    given = values or {}
    if "{" in structure:
        text = re.sub(
            r"\{([^}|]+)[^}]*\}",
            lambda m: "${" + given.get(m[1], f"p.{m[1].replace('.', '_')}") + "}",
            structure,
        )
        return f"db.getCollection(`{text}`)"
    if IDENTIFIER.match(structure):
        return f"db.{structure}"
    return f"db.getCollection({json.dumps(structure, ensure_ascii=False)})"
