"""Every mention of a name inside a part, found and replaced.

What a text mentions is said by the marks of `app.model.words`; conditions, orders, keys and templates are
rewritten by what they mean. A part in which nothing changes stays the same object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol, TypeVar, get_args

from app.model.candidate import Index
from app.model.conditions import parse_order, parse_where
from app.model.keys import KeyPart, Template, parse_template
from app.model.part import Frozen, Part
from app.model.problem import Unreadable
from app.model.terms import Conditions, Order
from app.model.words import Mark
from app.model.workload import AlsoWrite, Entity

P = TypeVar("P", bound=Part)


class Renaming(Protocol):
    """What becomes of each name. `anchor`: the entity from which a path is seen."""

    def path(self, path: str, anchor: str) -> str: ...

    def field(self, name: str, entity: str) -> str: ...

    def target(self, path: str, anchor: str) -> str:
        """The entity a path leads to: the anchor of what stands inside an embed."""

    def structure(self, name: str) -> str: ...

    def pattern(self, name: str) -> str: ...

    def place(self, place: str) -> str: ...


_NAME = r'(?:[^\W\d][\w]*|"[^"]+")'
# Text in quotes and parameters are no mentions; names in front of a bracket are functions.
_WORD = re.compile(rf"'(?:[^']|'')*'|:[\w]+|(?<![\w.\"]){_NAME}(?:\.{_NAME})*(?!\w)(?!\s*\()")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_SPOKEN = frozenset(
    ("and", "or", "not", "in", "is", "null", "between", "like", "asc", "desc", "by", "as", "now", "true", "false")
)


def rewrite_text(text: str, change: Callable[[str], str], dotted: bool = False) -> str:
    """A text with its paths changed; `dotted`: only those with a dot, other words being values."""

    def one(hit: re.Match[str]) -> str:
        found = hit[0]
        path = found.replace('"', "")
        if found[0] in "':" or path.lower() in _SPOKEN or (dotted and "." not in path):
            return found
        new = change(path)
        return found if new == path else ".".join(_spelled(p) for p in new.split("."))

    return _WORD.sub(one, text)


def _spelled(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else f'"{name}"'


def rewrite_template(template: Template, change: Callable[[str], str]) -> Template:
    parts = [rewrite_key(p, change) for p in template.parts]
    if all(a is b for a, b in zip(parts, template.parts, strict=True)):
        return template
    shown = (_escaped(p.literal) if p.is_literal else f"{{{p.inside}}}" for p in parts)
    return parse_template("".join(shown))


def _escaped(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def rewrite_key(part: KeyPart, change: Callable[[str], str]) -> KeyPart:
    new = change(part.attr) if part.attr else ""
    return part if new == part.attr else replace(part, attr=new)


def rewrite(part: P, renaming: Renaming, anchor: str = "") -> P:
    """The part with every mention renamed. `anchor` is the entity of what holds it."""
    here = _anchor(part, renaming, anchor)
    changed: dict[str, Any] = {}
    for name, mark in _marks(type(part)).items():
        held = getattr(part, name)
        if held is None or held in ("", ()):
            continue
        # what leads into an embed is seen from outside, what stands in it from inside
        seen = anchor if name == "what" and anchor else here
        new = _value(held, mark, renaming, seen)
        if new is not held and new != held:
            changed[name] = new
    return part.model_copy(update=changed) if changed else part


def _anchor(part: Part, renaming: Renaming, outer: str) -> str:
    if isinstance(part, Entity):
        return part.name
    if isinstance(part, AlsoWrite):
        return part.entity
    if isinstance(part, Index):
        return part.of[0] if len(part.of) == 1 else outer
    if what := getattr(part, "what", ""):
        return renaming.target(what, outer) if outer else outer
    for name in ("entity", "of", "child"):
        if found := getattr(part, name, ""):
            return str(found)
    return outer


@lru_cache(maxsize=128)
def _marks(kind: type[Part]) -> Mapping[str, str]:
    """The mark of each field that may mention a name; empty for values that say it by their type."""
    found: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        mark = next((m.what for m in field.metadata if isinstance(m, Mark)), None) or _inner(field.annotation)
        found[name] = "inside" if name == "inferred" else mark or ""
    return found


def _inner(annotation: Any) -> str | None:
    for arg in get_args(annotation):
        for m in getattr(arg, "__metadata__", ()):
            if isinstance(m, Mark):
                return m.what
    return None


def _value(held: Any, mark: str, renaming: Renaming, anchor: str) -> Any:
    def path(text: str) -> str:
        return renaming.path(text, anchor)

    if isinstance(held, Conditions):
        text = rewrite_text(held.text, path)
        return held if text == held.text else parse_where(text)
    if isinstance(held, Order):
        text = rewrite_text(held.text, path)
        return held if text == held.text else parse_order(text)
    if isinstance(held, Template):
        return rewrite_template(held, path)
    if isinstance(held, KeyPart):
        return rewrite_key(held, path)
    if isinstance(held, Part):
        return rewrite(held, renaming, anchor)
    if isinstance(held, tuple):
        new = tuple(_value(item, mark, renaming, anchor) for item in held)
        return held if all(a is b for a, b in zip(new, held, strict=True)) else new
    if isinstance(held, Mapping):
        return _mapping(held, mark, renaming, anchor)
    return _word(held, mark, renaming, anchor) if isinstance(held, str) else held


_PATHS_INSIDE = frozenset(("needs", "set", "skew", "span", "consistency", "given", "where", "order by"))
"""Places inside a part that may be followed by a path: `needs.buyer.name`."""


def _place_inside(place: str, renaming: Renaming, anchor: str) -> str:
    head, dot, path = place.partition(".")
    return f"{head}.{renaming.path(path, anchor)}" if dot and head in _PATHS_INSIDE else place


def _mapping(held: Mapping[str, Any], mark: str, renaming: Renaming, anchor: str) -> Mapping[str, Any]:
    if mark == "inside":
        moved = {_place_inside(key, renaming, anchor): value for key, value in held.items()}
        return held if moved == dict(held) else Frozen(moved)
    new = {
        _word(key, mark, renaming, anchor): _value(value, "" if mark == "pattern" else mark, renaming, anchor)
        for key, value in held.items()
    }
    return held if new == dict(held) else Frozen(new)


def _word(text: str, mark: str, renaming: Renaming, anchor: str) -> str:
    if mark in ("mention", "dotted"):
        return rewrite_text(text, lambda p: renaming.path(p, anchor), dotted=mark == "dotted")
    if mark in ("field", "child field"):
        return renaming.field(text, anchor)
    if mark == "structure":
        return renaming.structure(text)
    if mark == "pattern":
        return renaming.pattern(text)
    if mark == "place":
        return renaming.place(text)
    if mark == "template" and "{" in text:
        try:
            return rewrite_template(parse_template(text), lambda p: renaming.path(p, anchor)).text
        except Unreadable:
            return text  # a name may hold braces that are no template
    return text
