"""An emitted CQL text taken apart by its own lines: statements with the notes above them, steps, further pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

FIRST = "-- where there is no row yet"
STEP = re.compile(r"-- (\d+)\. \S+")
ORIGIN = re.compile(r"once for each row of step (\d+)|once for each row reached")
NEXT = "-- next page"
TABLE = re.compile(r"\b(?:INTO|UPDATE|FROM)\s+(\"[^\"]+\"|\w+)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `step`: its number among those of a read, from 1; `origin`: the step for each of whose rows it is
    repeated (0: none). `following`: it reads the next page. `several`: one request for each bucket or shard. `batch`:
    it stands in a batch."""

    cql: str
    step: int = 0
    origin: int = 0
    following: bool = False
    several: bool = False
    batch: bool = False
    first: bool = False
    """Sent where there is no row yet."""
    second: bool = False
    """Sent where there is one: another statement makes the first."""

    @property
    def table(self) -> str:
        hit = TABLE.search(self.cql)
        return hit[1].strip('"') if hit else ""

    @property
    def verb(self) -> str:
        return self.cql.split(None, 1)[0].upper()


def statements(text: str) -> list[Statement]:
    """Every statement in order; those of a batch apart."""
    found = list(_each(text))
    made = {s.table for s in found if s.first}
    return [replace(s, second=s.table in made and s.verb == "UPDATE" and "IF " in s.cql) for s in found]


def _each(text: str) -> Iterator[Statement]:
    step = origin = 0
    first = False
    following = several = batch = False
    lines: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if not lines and (not bare or bare.startswith("--")):
            if hit := STEP.match(bare):
                step, following, several = int(hit[1]), False, False
                loop = ORIGIN.search(bare)
                origin = (int(loop[1]) if loop[1] else step - 1) if loop else 0
            first = bare.startswith(FIRST)
            following = following or bare.startswith(NEXT)
            several = several or "one request for each" in bare
            continue
        if not lines and bare in ("BEGIN BATCH", "APPLY BATCH;"):
            batch = bare == "BEGIN BATCH"
            continue
        lines.append(line)
        if bare.endswith(";"):
            yield Statement("\n".join(lines).strip().removesuffix(";"), step, origin, following, several, batch, first)
            lines, first = [], False


OLD = (3, 0, 8)
"""Before it, a server does not know time windows for compaction; before 2.2 no dates, before 2.1.3 no frozen lists."""


def as_known(statement: str, version: tuple[int, ...]) -> str:
    """The same for a server that is older than the statement."""
    if version >= OLD:
        return statement
    windows = r"'TimeWindowCompactionStrategy'(, 'compaction_window_\w+': [^,}]+)*"
    statement = re.sub(windows, "'SizeTieredCompactionStrategy'", statement)
    if version < (2, 2):
        statement = re.sub(r"^(  \w+) date\b", r"\1 timestamp", statement, flags=re.MULTILINE)
    if version < (2, 1, 3):
        statement = re.sub(r"frozen<((?:list|set|map)<(?:[^<>]|<[^<>]*>)*>)>", r"\1", statement)
    return statement


__all__ = ["Statement", "as_known", "statements"]
