"""What is wrong with a text that should be a project, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


class Unreadable(ValueError):
    """A text that its place does not understand.

    `what` says what was found and expected, `fix` what to write instead (may be empty). `at` is the
    offset in the text where reading stopped (None: the text as a whole). `loc` leads from the part
    that complains to the place meant, for complaints about several parts at once; `on_key`: to the key
    there, not to its value.
    """

    def __init__(
        self,
        what: str,
        fix: str = "",
        at: int | None = None,
        loc: tuple[str | int, ...] = (),
        on_key: bool = False,
    ) -> None:
        super().__init__(f"{what}. {fix}" if fix else what)
        self.what = what
        self.fix = fix
        self.at = at
        self.loc = loc
        self.on_key = on_key


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong in a file. `line` and `column` count from 1 (0: the place has none).

    `place` is a path people recognise: `patterns/Load order page/rate`.
    """

    line: int
    column: int
    place: str
    what: str
    fix: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}" if self.line else ""
        head = ", ".join(x for x in (where, self.place) if x)
        return f"{head}: {self.what}" + (f". {self.fix}" if self.fix else "")


class BadProject(Exception):
    """A text that is not a project. `problems` holds everything found, in the order of the text."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like `word`, or empty if none is near."""
    names = {k.lower(): k for k in known}
    found = get_close_matches(word.strip().lower(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence naming the nearest known word, or all of them where none is near."""
    words = tuple(known)
    near = nearest(word, words)
    return f"Did you mean {near!r}?" if near else f"Known here: {', '.join(words)}"
