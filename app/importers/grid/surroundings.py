"""Text around the tables: it becomes the note of a project, or is reported."""

from __future__ import annotations

import re

from app.importers.format import Unread

_KEPT = 1_500
"""Characters of text around a table that become the project's note; more is reported instead."""


def around(lines: list[str], used: set[int], *, keep: bool) -> tuple[str, tuple[Unread, ...]]:
    """Text outside the tables: the project's note where it is short, else reported paragraph by paragraph."""
    runs: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if number in used:
            runs.append((0, []))
        elif line.strip() and not re.fullmatch(r"\s*(```|~~~)\w*\s*", line):
            if not runs or not runs[-1][1]:
                runs.append((number, []))
            runs[-1][1].append(line.rstrip())
    filled = [(n, "\n".join(text)) for n, text in runs if text]
    if keep and sum(len(text) for _, text in filled) <= _KEPT:
        return "\n\n".join(text for _, text in filled), ()
    why = "stands outside the table"
    return "", tuple(Unread(n, text, why) for n, text in filled)
