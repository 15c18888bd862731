"""A pattern's query as mongosh text, with what a reader must know above it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import head_of, lost, said_of
from app.stores.common_write import asked
from app.stores.mongodb.facts import CONSISTENCY, WRITE_CONSISTENCY
from app.stores.mongodb.reads import read_lines, take_lines
from app.stores.mongodb.writes import write_lines

PARAMETER = re.compile(r"(?<![\w.])p\.([A-Za-z_]\w*)")


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready text: what it is, the values to fill in, the statements."""
    body = [*take_lines(pattern, plan, model, world)] or [*_lines(pattern, plan, model, world)]
    setting = WRITE_CONSISTENCY if pattern.is_write else CONSISTENCY
    notes = [f"// {line}" for line in (*head_of(pattern, plan), *said_of(pattern, model, setting))]
    return "\n".join([*notes, *_parameters(body), *body]) + "\n"


def _lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """What is read, then what is written."""
    if not pattern.is_write:
        kept = any(change.taken for change in asked(pattern))
        yield from read_lines(pattern, plan, model, world, kept=kept)
    if (pattern.is_write and not lost(plan)) or pattern.also:
        yield from write_lines(pattern, plan, model, world)


def _parameters(body: list[str]) -> Iterable[str]:
    names = dict.fromkeys(n for line in body if not line.startswith("//") for n in PARAMETER.findall(line))
    if names:
        yield f"const p = {{ {', '.join(f'{n}: null' for n in names)} }};  // fill in"
    if "buckets" in names:
        yield "// p.buckets: the _id of every bucket that may hold what is asked for"
