"""Text for a terminal: never wider than 100 columns, the same on every machine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 100


def wrapped(text: str, indent: str = "", more: str | None = None) -> str:
    """A paragraph on lines of at most 100 columns; words that are longer stay whole. `more`: indent of later lines."""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if more is None else more,
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(rows: Iterable[Sequence[str]], widest: Sequence[int], indent: str = "") -> list[str]:
    """Rows in columns as wide as needed, at most `widest`; what is longer wraps within its column. The last column
    takes the rest of the line."""
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not rows:
        return []
    wide = [max(1, min(most, max(len(row[i]) for row in rows))) for i, most in enumerate(widest)]
    rest = max(10, WIDTH - len(indent) - sum(wide) - 2 * len(wide))
    return [line for row in rows for line in _row(row, [*wide, rest], indent)]


def _row(row: Sequence[str], widths: Sequence[int], indent: str) -> list[str]:
    cells = [
        textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]
        for cell, width in zip(row, widths, strict=True)
    ]
    height = max(len(cell) for cell in cells)
    lines = [[cell[i] if i < len(cell) else "" for cell in cells] for i in range(height)]
    return [
        (indent + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))).rstrip()
        for line in lines
    ]


__all__ = ["WIDTH", "columns", "wrapped"]
