"""Plain data as YAML that people like to read: short parts on one line, long ones spread out.

Only what the reader in `tree.py` understands is written: mappings, lists and text. The same data
always gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

WIDTH = 120
"""Longest line on which a whole mapping or list is written."""
LONGEST_KEY = 120
"""Longer keys are written behind `? `: readers look only so far for the colon of a simple key."""

# What a plain scalar may not begin with, hold or end with; everything is text, so words need no quotes.
_BEGIN = r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=<~]"
_PLAIN = re.compile(rf"{_BEGIN}(?:[^\n\r\t:#{{}}]|:(?!\s|$)|(?<!\s)#)*", re.UNICODE)
_FLOW_PLAIN = re.compile(rf"{_BEGIN}[^\n\r\t:#,\[\]{{}}]*", re.UNICODE)
_SIGNED = re.compile(r"[-~=]?[\w.][\w.%/ ]*")
_PRINTABLE = re.compile("[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_BLOCK_LINE = re.compile(r"(?:[^\s].*[^\s]|[^\s])?")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write(data: dict[str, Any]) -> str:
    """The text of a mapping. Raises nothing: any text can be written."""
    return "\n".join(_mapping(data, 0)) + "\n"


def quote(text: str) -> str:
    """A double-quoted scalar."""
    out = []
    for char in text:
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif _PRINTABLE.fullmatch(char):
            out.append(char)
        else:
            code = ord(char)
            out.append(f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
    return f'"{"".join(out)}"'


def scalar(value: Any, flow: bool = False) -> str:
    text = str(value)
    pattern = _FLOW_PLAIN if flow else _PLAIN
    safe = pattern.fullmatch(text) or _SIGNED.fullmatch(text)
    if safe and not text[-1:].isspace() and not text.startswith(("- ", "---")) and _PRINTABLE.fullmatch(text):
        return text
    return quote(text)


def _key(key: str, flow: bool) -> str:
    text = scalar(key, flow)
    return f"? {text} :" if len(text) > LONGEST_KEY else f"{text}:"


def _flow(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_key(k, True)} {_flow(v)}" for k, v in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(_flow(v) for v in data) + "]"
    return scalar(data, flow=True)


def _fits(data: Any, used: int) -> str | None:
    """The one-line form of a mapping or list if it is short enough."""
    if isinstance(data, (dict, list)) and data and _lines(data):
        return None
    text = _flow(data) if isinstance(data, (dict, list)) else scalar(data)
    return text if len(text) + used <= WIDTH or not isinstance(data, (dict, list)) or not data else None


def _lines(data: Any) -> bool:
    """Some text inside has several lines."""
    if isinstance(data, dict):
        return any(_lines(v) for v in data.values())
    return any(_lines(v) for v in data) if isinstance(data, list) else "\n" in str(data)


def _block(text: str) -> list[str] | None:
    """The lines of a literal block, where the text survives one."""
    lines = text.split("\n")
    if len(lines) < 2 or not lines[0] or not lines[-1]:
        return None
    if all(_BLOCK_LINE.fullmatch(line) and _PRINTABLE.fullmatch(line) for line in lines):
        return lines
    return None


def _value(data: Any, indent: int, used: int) -> Iterator[str]:
    """The value of a key: the first line follows the key, the others stand by themselves."""
    lines = _block(data) if isinstance(data, str) else None
    if lines:
        yield "|-"
        yield from (f"{'  ' * (indent + 1)}{line}" if line else "" for line in lines)
        return
    short = _fits(data, used + 1)
    if short is not None:
        yield short
    else:
        yield ""
        yield from (_mapping if isinstance(data, dict) else _list)(data, indent + 1)


def _mapping(data: dict[str, Any], indent: int) -> Iterator[str]:
    pad = "  " * indent
    for key, value in data.items():
        head = f"{pad}{_key(key, False)}"
        if head.lstrip().startswith("? "):
            yield head.removesuffix(" :")
            head = f"{pad}:"
        if indent == 0 and isinstance(value, list) and value and not all(isinstance(v, str) for v in value):
            yield head
            yield from _list(value, 1)
            continue
        first, *rest = _value(value, indent, len(head))
        yield f"{head} {first}" if first else head
        yield from rest


def _list(data: list[Any], indent: int) -> Iterator[str]:
    pad = "  " * indent
    for item in data:
        lines = _block(item) if isinstance(item, str) else None
        short = None if lines else _fits(item, len(pad) + 2)
        if lines:
            yield f"{pad}- |-"
            yield from (f"{pad}  {line}" if line else "" for line in lines)
        elif short is not None:
            yield f"{pad}- {short}"
        else:
            inner = list((_mapping if isinstance(item, dict) else _list)(item, indent + 1))
            yield f"{pad}- {inner[0].lstrip(' ')}"
            yield from inner[1:]
