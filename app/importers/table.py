"""Access-pattern tables and lists: found in any text, read row by row, turned into a workload."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.errors import BadInput
from app.importers.format import MAX_CELL, MAX_OPERATION, MAX_ROWS, Imported, Importer
from app.importers.grid.block import Block, clean
from app.importers.grid.delimited import delimited_blocks
from app.importers.grid.headers import names_operations, roles_of, unit_of
from app.importers.grid.lists import list_blocks, plain_lines
from app.importers.grid.pipes import pipe_blocks
from app.importers.grid.surroundings import around
from app.importers.reading.cells import Row
from app.importers.reading.consistency import looks_like_consistency
from app.importers.reading.context import introduction, project_name, read_counts
from app.importers.reading.patterns import read_rows
from app.importers.reading.phrase import is_spanish, read_phrase, without_id
from app.importers.reading.rates import NOTHING, looks_like_rate
from app.importers.reading.text import flat
from app.model.project import Project

_PLACEHOLDER = re.compile(
    r"^(?:[\[<{(«].*[\]>})»]|\W+|x{2,}|example|ejemplo|operation|operacion|description|(?:access )?pattern(?: \d+)?)$"
)
_PART = re.compile(r"\s+[—–|]\s+|\s+-\s+|:\s+|\s*\t\s*")
_LOOKED_AT = 200
"""Lines of a list that decide whether it is one of operations."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or list of operations: headers, their roles (`""`: a note), the rows, and the text around it."""

    kind: str
    headers: tuple[str, ...]
    roles: tuple[str, ...]
    rows: tuple[Row, ...]
    start: int
    end: int
    before: str = ""
    after: str = ""


def read_table(text: str) -> Table:
    """The largest access-pattern table in a text, or its list. Raises `BadInput` where there is none."""
    tables = read_tables(text)
    if not tables:
        raise BadInput(
            "No access-pattern table was found.",
            fix="Paste a table with a column called Operation or Access pattern, or one operation per line.",
        )
    return max(tables, key=lambda t: (len(t.rows), -t.start))


def read_tables(text: str) -> tuple[Table, ...]:
    """Every access-pattern table of a text; its lists where it has no table. Placeholder rows are left out."""
    lines, blocks = _found(text)
    tables = [t for b in blocks if (t := _table(b, lines)) is not None]
    count = sum(len(t.rows) for t in tables)
    if count > MAX_ROWS:
        raise BadInput(f"{count:,} rows are more than {MAX_ROWS:,}.", fix="Paste the table in parts.")
    return tuple(tables)


@lru_cache(maxsize=2)
def _found(text: str) -> tuple[list[str], list[Block]]:
    """Lines and blocks of a text; remembered, for a text is looked at to find its format and then read."""
    lines = clean(text).split("\n")
    return lines, _blocks(lines)


def _blocks(lines: list[str]) -> list[Block]:
    piped = list(pipe_blocks(lines))
    free = _without(lines, piped)
    separated = [b for b in delimited_blocks(free) if not b.header or names_operations(b.rows[0])]
    with_header = [b for b in (*piped, *separated) if b.header]
    if with_header:
        return sorted(with_header, key=lambda b: b.start)
    lists = list(list_blocks(lines))
    led = [b for b in lists if b.led]
    if led:
        return led
    guessed = [b for b in separated if _guessed(b)]
    if guessed:
        return guessed
    return _whole(lines, lists)


def _without(lines: list[str], blocks: list[Block]) -> list[str]:
    used = {n for b in blocks for n in range(b.start, b.end)}
    return ["" if n in used or ("|" in line and line.count("|") > 1) else line for n, line in enumerate(lines, 1)]


def _whole(lines: list[str], lists: list[Block]) -> list[Block]:
    """A text that is nothing but operations, one per line, most of which start with a known verb."""
    inside = {n for b in lists for n in range(b.start, b.end)}
    outside = [line for n, line in enumerate(lines, 1) if line.strip() and n not in inside]
    if lists and len(outside) <= 3:
        return lists if _mostly_operations(lists) else []
    block = plain_lines(lines)
    return [block] if block is not None and _mostly_operations([block]) else []


def _mostly_operations(blocks: list[Block]) -> bool:
    said = [row[0] for b in blocks for row in b.rows][:_LOOKED_AT]
    spanish = is_spanish(said)
    understood = sum(
        bool((p := read_phrase(s, spanish=spanish)).action and p.head) and len(s.split()) < 20 for s in said
    )
    return understood * 2 > len(said) or (understood > 0 and len(said) == 1)


def _guessed(block: Block) -> tuple[str, ...]:
    """Roles of a spreadsheet selection without headers, by what its columns hold."""
    columns = list(zip(*block.rows, strict=True))
    roles = [""] * len(columns)
    for at, cells in enumerate(columns):
        filled = [c for c in cells if c]
        if filled and sum(looks_like_rate(c) for c in filled) * 2 > len(filled) and "rate" not in roles:
            roles[at] = "rate"
        elif filled and sum(looks_like_consistency(c) for c in filled) * 2 > len(filled) and "consistency" not in roles:
            roles[at] = "consistency"
        elif filled and all(re.fullmatch(r"#?[A-Z]{0,3}\d{1,4}\.?", c) for c in filled) and "id" not in roles:
            roles[at] = "id"
    free = [at for at, role in enumerate(roles) if not role]
    verbs = [sum(bool(read_phrase(c).action) for c in columns[at] if c) for at in free]
    if not free or max(verbs) * 2 < len(block.rows) or not set(roles) - {"", "id"}:
        return ()
    operation = free[verbs.index(max(verbs))]
    roles[operation] = "operation"
    rest = [at for at in free if at > operation]
    if rest:
        roles[rest[0]] = "fields"
    return tuple(roles)


def _table(block: Block, lines: list[str]) -> Table | None:
    if block.kind == "list":
        headers: tuple[str, ...] = ("",)
        roles: tuple[str, ...] = ("operation",)
        rows = [_list_row(row[0], n) for row, n in zip(block.rows, block.lines, strict=True)]
    else:
        headers = block.rows[0] if block.header else ("",) * len(block.rows[0])
        roles = _with_entities(block, roles_of(headers)) if block.header else _guessed(block)
        rows = _table_rows(block, headers, roles)
    kept = tuple(row for row in rows if not is_placeholder(row.operation))
    if not kept:
        return None
    for row in kept:
        _check_length(row)
    before = "\n".join(lines[: block.start - 1]).strip()
    after = "\n".join(lines[block.end - 1 :]).strip()
    return Table(block.kind, tuple(headers), roles, kept, block.start, block.end, before, after)


def _check_length(row: Row) -> None:
    longest = max((len(cell) for _, cell in [*row.cells.items(), *row.others]), default=0)
    if len(row.operation) > MAX_OPERATION or longest > MAX_CELL:
        raise BadInput(
            f"Line {row.line} has a cell of {max(longest, len(row.operation)):,} characters.",
            fix=f"Write at most {MAX_OPERATION:,} for an operation and {MAX_CELL:,} for any other cell.",
        )


def _with_entities(block: Block, roles: tuple[str, ...]) -> tuple[str, ...]:
    """A first column without a header that holds words names the entity of its rows."""
    cells = [row[0] for row in block.rows[1:] if row[0]]
    words = bool(cells) and all(re.fullmatch(r"[^\W\d][^\W\d ]*(?: [^\W\d]+)?", cell) for cell in cells)
    return ("entity", *roles[1:]) if words and not block.rows[0][0] and "entity" not in roles else roles


def is_placeholder(operation: str) -> bool:
    """Whether an operation only says where one should be written: `[operation]`, `...`, `TBD`."""
    plain = flat(operation)
    return plain in NOTHING or bool(_PLACEHOLDER.fullmatch(operation.strip().lower()))


def _table_rows(block: Block, headers: tuple[str, ...], roles: tuple[str, ...]) -> list[Row]:
    """Rows by role. A row without an operation continues the one above; a blank entity is that of the row above."""
    units = {role: unit_of(h) for h, role in zip(headers, roles, strict=True) if role in ("rate", "avg", "peak")}
    both = any(
        r == "rate" and re.search(r"peak|pico", flat(h)) and re.search(r"av|media", flat(h))
        for h, r in zip(headers, roles, strict=True)
    )
    rows: list[Row] = []
    entity = ""
    body = list(zip(block.rows, block.lines, strict=True))[1 if block.header else 0 :]
    for cells, line in body:
        row = Row(line, units=units)
        for cell, header, role in zip(cells, headers, roles, strict=True):
            if not role:
                row.others.append((header, cell))
            elif cell:
                row.cells[role] = cell
        entity = row.cells.get("entity", entity)
        if entity:
            row.cells["entity"] = entity
        if both and "rate" in row.cells and looks_like_rate(row.cells["rate"]) and "," not in row.cells["rate"]:
            row.cells["peak"] = row.cells["rate"]
        if row.operation or not rows:
            rows.append(row)
        else:
            _continue(rows[-1], row)
    return rows


def _continue(above: Row, row: Row) -> None:
    for role, cell in row.cells.items():
        if role in ("id", "entity"):
            continue
        if role == "fields":
            above.cells[role] = ", ".join(c for c in (above.cells.get(role, ""), cell) if c)
        else:
            above.others.append((role, cell))
    above.others.extend((h, c) for h, c in row.others if c)


def _list_row(text: str, line: int) -> Row:
    """An item of a list: the operation, and behind a dash or colon what else it says."""
    text = without_id(text)
    pieces = [p for p in _PART.split(text) if p and p.strip()]
    row = Row(line, {"operation": pieces[0] if pieces else text})
    for piece in pieces[1:]:
        said = piece.strip(" `")
        if looks_like_rate(said) and "rate" not in row.cells:
            row.cells["rate"] = said
        elif looks_like_consistency(said) and "consistency" not in row.cells:
            row.cells["consistency"] = said
        elif "`" not in piece and "=" not in piece and len(said.split(",")) > 1 and "fields" not in row.cells:
            row.cells["fields"] = said
        else:
            row.others.append(("", said))
    return row


def _merged(tables: tuple[Table, ...]) -> tuple[Row, ...]:
    """The rows of all tables; one operation told in two tables is one row with the cells of both."""
    out: list[Row] = []
    seen: dict[str, tuple[int, Row]] = {}
    for at, table in enumerate(tables):
        for row in table.rows:
            key = flat(without_id(row.operation))
            first = seen.get(key)
            if first and first[0] != at and _agree(first[1], row):
                first[1].cells = {**row.cells, **{k: v for k, v in first[1].cells.items() if v}}
                first[1].others.extend(o for o in row.others if o not in first[1].others)
            else:
                seen.setdefault(key, (at, row))
                out.append(row)
    return tuple(out)


def _agree(one: Row, other: Row) -> bool:
    return all(
        one.cells.get(role, "") == other.cells.get(role, "") or not one.cells.get(role) or not other.cells.get(role)
        for role in ("rate", "avg", "peak", "consistency", "fields")
    )


def read_patterns(text: str, into: Project | None = None, name: str = "") -> Imported:
    """The project with the patterns of a pasted text. Raises `BadInput` where the text holds no operation."""
    tables = read_tables(text)
    if not tables:
        read_table(text)
    lines, _ = _found(text)
    rows = _merged(tables)
    used = {n for t in tables for n in range(t.start, t.end)}
    said = [line for t in tables for line in introduction(lines, t.start - 1)]
    counts = read_counts(said, spanish=is_spanish([row.operation for row in rows] + said))
    note, unread = around(lines, used, keep=into is None)
    if into is None:
        into = Project(name=name or project_name(lines, used) or "Pasted patterns", note=note)
    return read_rows(rows, into, counts, unread)


def _detect(text: str, filename: str) -> float:
    if filename.lower().endswith((".csv", ".tsv")):
        return 0.9
    try:
        found = read_tables(text)
    except BadInput:
        return 0.1  # so that reading it says why
    if not found:
        return 0.1
    return 0.8 if any(t.kind != "list" for t in found) else 0.6


FORMAT = Importer("patterns", "Access-pattern table or list (Markdown, CSV, spreadsheet)", _detect, read_patterns)
