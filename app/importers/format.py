"""What an importer is, and what reading a text gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.model.project import Project

MAX_BYTES = 5 * 1024 * 1024
MAX_ROWS = 5_000
MAX_LINES = 200_000
MAX_OPERATION = 500
MAX_CELL = 10_000
"""Characters in an operation, and in any other cell."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something the text leaves open.

    `place`: where the answer goes (`patterns/Load order page/rate`, `entities/order/count`); `hint`: the form expected.
    """

    place: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """Text that went nowhere: its first line (1-based), the text itself and why it was left."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class RowReading:
    """One row: the line it came from, its own text, the pattern it became and the reading in one sentence."""

    line: int
    text: str
    pattern: str
    reading: str
    understood: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """A project read out of a text, with what was read row by row, what is open and what was left out."""

    project: Project
    rows: tuple[RowReading, ...] = ()
    questions: tuple[Question, ...] = ()
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class Importer:
    """One format.

    `detect(text, filename)` says from 0 to 1 how sure it is; `read(text, into)` raises `BadInput` or `BadProject`
    where the text cannot be read, and adds to `into` without overwriting anything.
    """

    name: str
    title: str
    detect: Callable[[str, str], float]
    read: Callable[[str, Project | None], Imported]
