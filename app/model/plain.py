"""Parts as plain data (texts, lists, mappings): what files hold, the API speaks and storage keeps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, get_args, runtime_checkable

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from app.model.part import ONE_OR_MORE, Part

LISTS = ("entities", "relationships", "patterns", "models", "decisions")
"""The lists of a project; everything else of it is its header."""


@runtime_checkable
class Textual(Protocol):
    """A value with a canonical form in files: amounts, spreads, shares, conditions, orders, templates."""

    def plain(self) -> Any: ...


@lru_cache(maxsize=256)
def _fields(kind: type[Part]) -> tuple[tuple[str, str, Any, bool], ...]:
    """Name, word in the file, default (None where there is none) of each field, and whether a list of one is
    written as a text; in canonical order."""
    out = []
    for name, field in kind.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        out.append((name, field.alias or name, None if default is PydanticUndefined else default, _single(field)))
    return tuple(out)


def _single(field: FieldInfo) -> bool:
    inside = (m for arg in get_args(field.annotation) for m in getattr(arg, "__metadata__", ()))
    return ONE_OR_MORE in field.metadata or ONE_OR_MORE in inside


def to_plain(value: Any) -> Any:
    """The canonical plain form of a part or of a value inside one. What equals its default is left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return value
    if isinstance(value, Part):
        found = {}
        for name, word, default, single in _fields(type(value)):
            held = getattr(value, name)
            if held != default:
                plain = to_plain(held)
                one = single and len(plain) == 1 and isinstance(plain[0], str)
                found[word] = plain[0] if one else plain
        return value.shorten(found)
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, Textual):
        return value.plain()
    raise TypeError(f"{type(value).__name__} has no plain form")
