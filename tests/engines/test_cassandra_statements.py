"""Tables and queries of Cassandra models on a real server: every table is created, every statement is understood.

A statement is prepared: the server checks its names, its types and whether it may be run, and needs no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engines.models import Statements, names, statements
from tests.engines.server import WORKER

NEWER = {
    "CREATE MATERIALIZED VIEW": "since 3.0",
    "USING 'sai'": "since 5.0",
    "GROUP BY": "since 3.10",
    "PER PARTITION LIMIT": "since 3.6",
}
"""What a 2.1 does not know: left out."""


def parts(text: str) -> Iterator[str]:
    """Statements without their comments; a batch is one."""
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for piece in re.findall(r"\s*(BEGIN.*?APPLY BATCH;|(?:'(?:[^']|'')*'|[^;'])+;)", bare, flags=re.DOTALL):
        if piece.strip(" \n;"):
            yield older(piece.strip().removesuffix(";"))


def older(statement: str) -> str:
    """The same for a 2.1: no dates and no word for an index on the values of a list (both since 2.2), no frozen
    collections (2.1.3), no compaction by time windows (3.0.8)."""
    plain = re.sub(r"frozen<((?:list|set|map)<(?:[^<>]|<[^<>]*>)*>)>", r"\1", statement)
    plain = re.sub(r"\(VALUES\((\w+)\)\)", r"(\1)", plain)
    plain = re.sub(r"^(  \w+) date\b", r"\1 timestamp", plain, flags=re.MULTILINE)
    return re.sub(
        r"'TimeWindowCompactionStrategy'(, 'compaction_window_\w+': [^,}]+)*", "'SizeTieredCompactionStrategy'", plain
    )


def apart(statement: str) -> str:
    """A keyspace of this process's own."""
    return re.sub(r"^(CREATE KEYSPACE IF NOT EXISTS|USE) (\w+)", rf"\1 \2_{WORKER}", statement)


def refusals(model: Statements, session: Any) -> dict[str, str]:
    """Statement → why the server refuses it."""
    from cassandra import InvalidRequest  # noqa: PLC0415 (only where an engine is used)
    from cassandra.protocol import ErrorMessage  # noqa: PLC0415

    found: dict[str, str] = {}
    made: set[str] = set()
    for text in model.scripts.values():
        for statement in map(apart, parts(text)):
            if space := re.match(r"CREATE KEYSPACE IF NOT EXISTS (\S+)", statement):
                made.add(space[1])
                session.execute(f"DROP KEYSPACE IF EXISTS {space[1]}")
            if any(word in statement for word in NEWER):
                continue
            try:
                session.execute(statement)
            except (InvalidRequest, ErrorMessage) as refused:
                found[statement] = str(refused)
    for text in model.queries.values():
        for statement in parts(text):
            if any(word in statement for word in NEWER):
                continue
            try:
                session.prepare(statement)
            except (InvalidRequest, ErrorMessage) as refused:
                found[statement] = str(refused)
    for space in made:
        session.execute(f"DROP KEYSPACE {space}")
    return found


@pytest.mark.parametrize("model", names("cassandra"))
def test_every_statement_is_accepted(model: str, cassandra: Any) -> None:
    mine = next(s for s in statements("cassandra") if s.name == model)
    assert refusals(mine, cassandra) == {}
