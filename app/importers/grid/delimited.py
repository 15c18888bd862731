"""Tables of separated values: CSV with comma or semicolon, and what a spreadsheet puts on the clipboard (tabs)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator

from app.errors import BadInput
from app.importers.format import MAX_ROWS
from app.importers.grid.block import Block, one_line
from app.importers.grid.headers import names_operations


def delimited_blocks(
    lines: list[str], accepts: Callable[[tuple[str, ...]], bool] = names_operations
) -> Iterator[Block]:
    """Tables whose first line is accepted as headers, or tab-separated lines of one width without a header."""
    at = 0
    while at < len(lines):
        delimiter = _header_delimiter(lines[at], accepts)
        if delimiter:
            block = _read(lines, at, delimiter, header=True)
        elif "\t" in lines[at].strip():
            block = _read(lines, at, "\t", header=False)
        else:
            block = None
        if block is None:
            at += 1
            continue
        yield block
        at = max(at + 1, block.end - 1)


def _header_delimiter(line: str, accepts: Callable[[tuple[str, ...]], bool]) -> str:
    """The delimiter under which a line reads as headers that name an operation and something else."""
    if len(line) > 2_000:
        return ""
    for delimiter in ("\t", ";", ","):
        if delimiter in line and accepts(tuple(_split(line, delimiter))):
            return delimiter
    return ""


def _split(line: str, delimiter: str) -> list[str]:
    try:
        row = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []
    return [one_line(cell) for cell in row]


def _read(lines: list[str], start: int, delimiter: str, *, header: bool) -> Block | None:
    """Rows from here until a blank line that no row of the same width follows."""
    reader = csv.reader(
        (line + "\n" for line in lines[start:]), delimiter=delimiter, skipinitialspace=delimiter != "\t"
    )
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = []
    end = begin = start
    try:
        for row in reader:
            cells = [one_line(cell) for cell in row]
            apart = bool(rows) and begin > end and len(cells) != len(rows[0])
            if not apart and _is_row(cells, header=header, first=not rows):
                rows.append(tuple(cells))
                numbers.append(begin + 1)
                end = start + reader.line_num
            elif any(cells):
                break
            begin = start + reader.line_num
            if len(rows) > MAX_ROWS + 1:
                raise BadInput(f"More than {MAX_ROWS} rows.", fix="Split the table.")
    except csv.Error as why:
        if not header:
            return None
        raise BadInput(f"Line {start + reader.line_num + 1} cannot be read as CSV: {why}.") from why
    if not rows or (not header and (len(rows) < 2 and len(rows[0]) < 3)):
        return None
    width = max(len(r) for r in rows)
    padded = tuple(r + ("",) * (width - len(r)) for r in rows)
    kind = "tsv" if delimiter == "\t" else "csv"
    return Block(kind, padded, tuple(numbers), start + 1, end + 1, header=header)


def _is_row(cells: list[str], *, header: bool, first: bool) -> bool:
    """A line of the table: two cells or more; under a header one filled cell is enough while it stays in shape."""
    if not any(cells):
        return False
    return len(cells) > 1 or (header and first)
