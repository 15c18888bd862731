"""Tables drawn with pipes or boxes: Markdown, psql and MySQL output, Unicode frames.

A table is brought into the one shape Markdown accepts (outer pipes, one separator, every row as wide as the
widest) and then read by the Markdown library, so that emphasis, code, links and escapes mean what they mean there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from app.errors import BadInput
from app.importers.format import MAX_ROWS
from app.importers.grid.block import Block, one_line
from app.importers.grid.headers import names_operations

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_PIPE = re.compile(r"(?<!\\)\|")
_UPRIGHT = str.maketrans(dict.fromkeys("│┃║┆┇┊┋╎╏", "|"))
_FRAME = re.compile(r"[\s|:+=\-─━═┄┅┈┉╌╍┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫╭╮╯╰]+")
_STROKE = re.compile(r"[\-=─━═]")
_QUOTE = re.compile(r"^\s*>\s?")
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)


Accepts = Callable[[tuple[str, ...]], bool]
"""Whether a table with these headers is one that is looked for."""


def pipe_blocks(lines: list[str], accepts: Accepts = names_operations) -> Iterator[Block]:
    """Every table of pipes in a text whose headers are accepted, in order; other tables are passed over."""
    at = 0
    while at < len(lines):
        if not _drawn(lines[at]):
            at += 1
            continue
        end = _end_of_run(lines, at)
        block = _read_run(lines, at, end, accepts)
        if block is not None:
            yield block
        at = end


def _plain(line: str) -> str:
    return _QUOTE.sub("", line).translate(_UPRIGHT).strip()


def _is_frame(line: str) -> bool:
    """A line of strokes only, which separates or borders."""
    return bool(_FRAME.fullmatch(line)) and bool(_STROKE.search(line))


def _drawn(line: str) -> bool:
    plain = _plain(line)
    if _PIPE.search(plain):
        return True
    return _is_frame(plain) and any(c in plain for c in "+┌┬├┼└╔╦╠╚┏┳┣┗╭╰╟╞")


def _end_of_run(lines: list[str], at: int) -> int:
    """The line after the table that starts here. One blank line between outer-piped rows does not end it."""
    end = at + 1
    while end < len(lines):
        if _drawn(lines[end]):
            end += 1
            continue
        following = _plain(lines[end + 1]) if end + 1 < len(lines) else ""
        after = _plain(lines[end + 2]) if end + 2 < len(lines) else ""
        spaced = (
            not lines[end].strip()
            and following.startswith("|")
            and _plain(lines[end - 1]).startswith("|")
            and not _is_frame(after)
        )
        if not spaced:
            break
        end += 2
    return end


def _read_run(lines: list[str], start: int, end: int, accepts: Accepts) -> Block | None:
    """The table in these lines, or None where they only happen to hold pipes."""
    body: list[tuple[int, str]] = []
    frames = 0
    header_closed = False
    for number in range(start, end):
        plain = _plain(lines[number])
        if _is_frame(plain):
            if body:
                frames += 1
                header_closed = header_closed or len(body) == 1
                body.append((-1, ""))
        elif plain:
            body.append((number + 1, plain))
    rows = _split_rows(body, merged=frames > 2 and _boxed(lines, start, end))
    if len(rows) < 2 or (len(rows[0][1]) < 2 and not header_closed):
        return None
    if not accepts(tuple(_BREAK.sub(" ", one_line(c)) for c in rows[0][1])):
        return None
    if len(rows) > MAX_ROWS + 1:
        raise BadInput(f"The table in line {start + 1} has more than {MAX_ROWS:,} rows.", fix="Paste it in parts.")
    width = max(len(cells) for _, cells in rows)
    cells = _through_markdown([r for _, r in rows], width)
    kind = "box" if _boxed(lines, start, end) else "markdown"
    return Block(kind, cells, tuple(n for n, _ in rows), start + 1, end + 1)


def _boxed(lines: list[str], start: int, end: int) -> bool:
    return any(c in lines[n] for n in range(start, end) for c in "│┃║┼╬") or any(
        _plain(lines[n]).startswith("+-") for n in range(start, end)
    )


def _split_rows(body: list[tuple[int, str]], *, merged: bool) -> list[tuple[int, list[str]]]:
    """Cells of each row. In a box with a frame under every row, the lines between two frames are one row."""
    rows: list[tuple[int, list[str]]] = []
    fresh = True
    outer = next((line.startswith("|") for _, line in body if line), False)
    width = 0
    for number, line in body:
        if number < 0:
            fresh = True
            continue
        cells = _cells(line, outer=outer, width=width)
        if merged and not fresh and rows:
            above = rows[-1][1]
            for i, cell in enumerate(cells[: len(above)]):
                above[i] = f"{above[i]} {cell}".strip()
        else:
            rows.append((number, cells))
            width = width or len(cells)
        fresh = False
    return rows


def _cells(line: str, *, outer: bool, width: int) -> list[str]:
    """The cells of a line, with or without outer pipes. `width`: how many the header has (0: this is it)."""
    parts = [part.strip() for part in _PIPE.split(line)]
    first_is_blank_cell = not outer and width and len(parts) == width
    if parts and not parts[0] and not first_is_blank_cell:
        parts = parts[1:]
    if parts and not parts[-1] and (outer or len(parts) > max(width, 1)):
        parts = parts[:-1]
    while width and len(parts) > width and not parts[-1]:
        parts.pop()
    return parts


def _through_markdown(rows: list[list[str]], width: int) -> tuple[tuple[str, ...], ...]:
    drawn = ["| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |" for cells in rows]
    drawn.insert(1, "|" + " --- |" * width)
    tokens = _markdown().parse("\n".join(drawn))
    out: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            out.append([])
        elif token.type == "inline" and out:
            out[-1].append(_words(token))
    if len(out) != len(rows):  # a cell that Markdown takes for something else: keep the raw text
        return tuple(tuple(one_line(c) for c in [*r, *[""] * (width - len(r))]) for r in rows)
    return tuple(tuple(row) for row in out)


def _words(token: Token) -> str:
    """The text of a cell: marks gone, code and link text kept, `<br>` a semicolon."""
    said = "".join("\n" if part.type in ("softbreak", "hardbreak") else part.content for part in token.children or ())
    said = "; ".join(piece.strip(" ;") for piece in _BREAK.split(said) if piece.strip(" ;"))
    return one_line(said)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - loaded when a table is pasted, not at start-up

    return MarkdownIt("commonmark", {"html": False}).enable("table")
