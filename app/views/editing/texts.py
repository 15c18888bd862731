"""How values that are no plain text are typed into one line, and read back.

Lists are typed with commas, mappings as `key: value, key: value`; a comma inside brackets or quotes separates nothing.
What begins with `{` or `[` is read like the project file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.model.problem import BadProject, Unreadable
from app.model.tree import read_yaml_tree

OPENING, CLOSING, QUOTES = "([{", ")]}", "'\""
_NEEDS_QUOTES = re.compile(r"^[\s\[\]{}&*!|>%@`'\"#,?-]|[,\[\]{}]|: |:$| #|^$")


def split(text: str) -> list[str]:
    """The pieces between commas and line ends, those inside brackets and quotes left together."""
    pieces, depth, quote, start = [], 0, "", 0
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in QUOTES:
            # An apostrophe inside a word opens nothing.
            quote = char if i == 0 or not text[i - 1].isalnum() else ""
        elif char in OPENING:
            depth += 1
        elif char in CLOSING:
            depth = max(0, depth - 1)
        elif char in {",", "\n"} and depth == 0:
            pieces.append(text[start:i].strip())
            start = i + 1
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def read_list(text: str) -> list[Any]:
    """`order, {what: comment, limit: 10}` as a list of texts and mappings."""
    text = text.strip()
    if text.startswith("["):
        found = read_flow(text)
        if not isinstance(found, list):
            raise Unreadable(f"{text!r} is no list", "Write the entries with commas between them")
        return found
    return [read_flow(piece) if piece[0] in "{['\"" else piece for piece in split(text)]


def read_mapping(text: str) -> dict[str, Any]:
    """`order.status: open, order.created_at: now` as a mapping."""
    text = text.strip()
    if text.startswith("{"):
        found = read_flow(text)
        if not isinstance(found, dict):
            raise Unreadable(f"{text!r} is no mapping", "Write key: value, key: value")
        return found
    out: dict[str, Any] = {}
    for piece in split(text):
        key, colon, value = piece.partition(":")
        if not colon and "=" in piece:
            key, colon, value = piece.partition("=")
        key, value = key.strip().strip(QUOTES), value.strip()
        if not colon or not key or not value:
            raise Unreadable(f"{piece!r} gives no value", "Write key: value, key: value")
        if key in out:
            raise Unreadable(f"{key!r} is given twice", "Keep one of them")
        out[key] = read_flow(value) if value[0] in "{['\"" else value
    return out


def read_flow(text: str) -> Any:
    """A value in the words of the project file."""
    try:
        return read_yaml_tree(text).data
    except BadProject as wrong:
        first = wrong.problems[0]
        raise Unreadable(first.what, first.fix) from None


def write(value: Any) -> str:
    """Plain data (texts, lists, mappings) as one line that reads back as the same."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_quoted(str(k))}: {flow(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        if any(isinstance(v, (list, tuple)) for v in value):
            return flow(value)
        return ", ".join(_entry(v) for v in value)
    return str(value)


def _entry(value: Any) -> str:
    """Texts stand as they are unless reading would split them or take them for something else."""
    plain = isinstance(value, str) and split(value) == [value] and value[0] not in "{['\""
    return str(value) if plain else flow(value)


def flow(value: Any) -> str:
    """One value in the words of the project file, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return _quoted(str(value))


def _quoted(text: str) -> str:
    if not _NEEDS_QUOTES.search(text) and text == text.strip():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


__all__ = ["flow", "read_flow", "read_list", "read_mapping", "split", "write"]
