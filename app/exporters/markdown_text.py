"""Pieces of Markdown: tables, headings, escaped user text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SPECIAL = "\\`*_[]<>|#"


def plain(text: object) -> str:
    """User text that must not become markup, on one line."""
    line = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in SPECIAL else c for c in line)


def code(text: object) -> str:
    """Text as inline code; a longer fence where it holds backticks. Bars are escaped for tables."""
    line = " ".join(str(text).split())
    if not line:
        return ""
    fence = "``" if "`" in line else "`"
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", "\\|")


def block(text: str, language: str = "") -> str:
    """A fenced block, its fence longer than any inside."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """A table; cells are Markdown already. `right`: columns of numbers."""
    right = set(right)
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(cell or " " for cell in line) + " |" for line in lines) + "\n"
