"""What every kind of table becomes: rows of cells with the lines they came from."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from app.errors import BadInput
from app.importers.format import MAX_BYTES, MAX_LINES

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\ufeff\u00ad]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")


@dataclass(frozen=True, slots=True)
class Block:
    """A table as found: `rows[0]` is the header where `header` says so; `lines[i]` (1-based) is that of `rows[i]`."""

    kind: str
    """`markdown`, `box`, `csv`, `tsv` or `list`."""
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    start: int
    end: int
    """First line, and the line after the last (1-based)."""
    header: bool = True
    led: bool = False
    """A list that the text introduces as access patterns."""


def clean(text: str) -> str:
    """Text with one kind of line end and space, without invisible and control characters."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadInput("This text is larger than 5 MB.", fix="Paste only the table.")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    if text.count("\n") >= MAX_LINES:
        raise BadInput(f"This text has more than {MAX_LINES:,} lines.", fix="Paste only the table.")
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = unicodedata.normalize("NFC", text)
    return _SPACES.sub(" ", _CONTROL.sub("", _INVISIBLE.sub("", text)))


def one_line(cell: str) -> str:
    """A cell without line breaks and runs of spaces, with straight quotes."""
    cell = cell.translate(_STRAIGHT)
    return " ".join(cell.split())


_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "´": "'"})
