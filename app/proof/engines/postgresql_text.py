"""An emitted SQL text taken apart: its statements, the notes above them, what they leave to be bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sqlglot import TokenType
from sqlglot.dialects.postgres import Postgres

NEXT = "-- next page"
AROUND = ("BEGIN", "COMMIT", "ROLLBACK")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `text`: as it was emitted; `bound`: with `%(name)s` where it says `:name`. `names`: all it asks
    for. `table`: the first one it names after FROM, INTO, UPDATE. `following`: it reads the next page."""

    text: str
    bound: str
    names: tuple[str, ...]
    verb: str
    table: str
    following: bool

    @property
    def around(self) -> bool:
        """Does it begin or end a transaction?"""
        return self.verb in AROUND

    @property
    def writes(self) -> bool:
        return self.verb in ("INSERT", "UPDATE", "DELETE")


@lru_cache(maxsize=256)
def statements(text: str) -> tuple[Statement, ...]:
    """Every statement in order. A name is bound outside strings, comments and casts."""
    return tuple(_each(text))


def _each(text: str) -> Iterator[Statement]:
    tokens: list[Any] = []
    following, end = False, 0
    for token in Postgres().tokenize(text):
        if token.token_type is not TokenType.SEMICOLON:
            tokens.append(token)
            continue
        if tokens:
            following = following or NEXT in text[end : tokens[0].start]
            yield _one(text, tokens, token.start, following=following)
        tokens, end = [], token.end + 1


def _one(text: str, tokens: Sequence[Any], end: int, *, following: bool) -> Statement:
    pieces: list[str] = []
    names: list[str] = []
    at = tokens[0].start
    for colon, name in pairwise(tokens):
        if colon.token_type is TokenType.COLON and name.start == colon.end + 1 and name.text.isidentifier():
            pieces += [text[at : colon.start].replace("%", "%%"), f"%({name.text})s"]
            names.append(name.text)
            at = name.end + 1
    pieces.append(text[at:end].replace("%", "%%"))
    return Statement(
        text=text[tokens[0].start : end].strip(), bound="".join(pieces).strip(), names=tuple(dict.fromkeys(names)),
        verb=tokens[0].text.upper(), table=_table(tokens), following=following,
    )  # fmt: skip


def _table(tokens: Sequence[Any]) -> str:
    words = ("FROM", "INTO", "UPDATE")
    after = (b for a, b in pairwise(tokens) if a.text.upper() in words)
    return next((t.text for t in after if t.token_type is not TokenType.L_PAREN), "")


__all__ = ["Statement", "statements"]
