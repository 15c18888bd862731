"""Pieces of Markdown: tables, headings, escaped user text.

User text cannot become markup: it is put on one line and every character that could begin something is escaped, or it
is code in a fence longer than any inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

ALWAYS = set("\\`*[]<>&~")
_LIST = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def plain(text: object) -> str:
    """User text that must not become markup, on one line. Underscores inside a word and hashes after it stay."""
    line = " ".join(str(text).split())
    out = []
    for i, c in enumerate(line):
        inside = 0 < i < len(line) - 1 and line[i - 1].isalnum() and line[i + 1].isalnum()
        begins = (i == 0 and c in "-+=#|") or (c == "#" and not line[i - 1].isalnum())
        out.append(f"\\{c}" if c in ALWAYS or (c == "_" and not inside) or begins else c)
    made = "".join(out)
    return _LIST.sub(r"\1\\\2", made, count=1) if _LIST.match(made) else made


def code(text: object) -> str:
    """Text as inline code on one line; its fence is longer than any inside."""
    line = " ".join(str(text).split())
    if not line:
        return ""
    fence = "`" * (_longest(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(text: str, language: str = "") -> str:
    """A fenced block, its fence longer than any inside."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = (), keep_empty: bool = False
) -> str:
    """A table; cells are Markdown already. `right`: columns of numbers. A column without any entry is left out unless
    `keep_empty`."""
    rows = [tuple(row) for row in rows]
    right = set(right)
    shown = [i for i in range(len(head)) if keep_empty or not rows or any(row[i] for row in rows)]
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    return "".join(_line([line[i] for i in shown]) for line in (head, rule, *rows))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") or " " for cell in cells) + " |\n"
