"""Reading what a person names on the command line, and writing where they say."""

from __future__ import annotations

import sys
from pathlib import Path

from app.errors import BadInput, TooLarge
from app.importers import import_text
from app.importers.format import MAX_BYTES, Imported


def read(name: str) -> Imported:
    """A project file or a pasted table; `-` is standard input. Raises BadInput, BadProject or OSError."""
    if name == "-":
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with Path(name).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise TooLarge(f"{name} has more than 5 MB.", fix="Split it.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise BadInput(f"{name} is not UTF-8 text (byte {wrong.start}).", fix="Save it as UTF-8.") from None
    return import_text(text, "" if name == "-" else Path(name).name)


def write(text: str, out: str) -> None:
    """To a file, or to standard output. Raises OSError."""
    if out in ("", "-"):
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        Path(out).write_text(text, encoding="utf-8", newline="")
