"""Lists of operations: numbered, bulleted, or plain lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.importers.grid.block import Block, one_line
from app.importers.grid.headers import introduces_patterns

_ITEM = re.compile(r"^\s*(?:\d{1,4}\s*[.):]|[-*•–—+·▪◦]|(?:AP|ap|Q|q|P)[- ]?\d{1,3}\s*[.:)-])\s*(?=\S)(?P<rest>.*)$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+\S")
_FENCE = re.compile(r"^\s*(```|~~~)")
_MARKS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


def list_blocks(lines: list[str]) -> Iterator[Block]:
    """Every list in a text; `led` where the lines before it introduce access patterns."""
    at = 0
    fenced = False
    while at < len(lines):
        if _FENCE.match(lines[at]):
            fenced = not fenced
        if fenced or not _item(lines[at]):
            at += 1
            continue
        block = _read(lines, at)
        yield block
        at = block.end - 1


def plain_lines(lines: list[str]) -> Block | None:
    """A text of short lines and nothing else, taken as one operation per line."""
    filled = [(n, one_line(line)) for n, line in enumerate(lines, 1) if line.strip()]
    if not filled or len(filled) > 500 or any(len(line) > 160 for _, line in filled):
        return None
    rows = tuple((line,) for _, line in filled)
    return Block("list", rows, tuple(n for n, _ in filled), 1, len(lines) + 1, header=False)


def _item(line: str) -> str:
    found = _ITEM.match(line)
    return found["rest"] if found else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read(lines: list[str], start: int) -> Block:
    """Items until a line that is neither item, continuation nor a blank line before another item."""
    rows: list[str] = []
    numbers: list[int] = []
    end = at = start
    while at < len(lines):
        line = lines[at]
        item = _item(line)
        if item:
            rows.append(item)
            numbers.append(at + 1)
            end = at + 1
        elif not line.strip():
            following = next((x for x in lines[at + 1 : at + 3] if x.strip()), "")
            if not _item(following):
                break
        elif _indent(line) > _indent(lines[numbers[-1] - 1]) and not _HEADING.match(line):
            rows[-1] += f" {line.strip()}"
            end = at + 1
        else:
            break
        at += 1
    cells = tuple((one_line(_MARKS.sub(r"\2", row)),) for row in rows)
    return Block("list", cells, tuple(numbers), start + 1, end + 1, header=False, led=_is_led(lines, start))


def _is_led(lines: list[str], start: int) -> bool:
    """The nearest lines above say `Access patterns:` or the like, with no other heading in between."""
    seen = 0
    for line in reversed(lines[:start]):
        if not line.strip():
            continue
        seen += 1
        if introduces_patterns(line):
            return True
        if seen >= 3 or _HEADING.match(line):
            return False
    return False
