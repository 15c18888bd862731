"""A pattern in SQL, with what a reader must know above it; `:name` stands for what the caller brings."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import head_of, lost, said_of
from app.stores.common_steps import Context
from app.stores.common_write import asked
from app.stores.postgresql.facts import CONSISTENCY, WRITE_CONSISTENCY
from app.stores.postgresql.reads import read_lines
from app.stores.postgresql.writes import write_lines


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready text: what it is, the statements."""
    here = Context(pattern, plan, model, world)
    setting = WRITE_CONSISTENCY if pattern.is_write else CONSISTENCY
    notes = [f"-- {line}" for line in (*head_of(pattern, plan), *said_of(pattern, model, setting))]
    return "\n".join([*notes, *_body(here)]) + "\n"


def _body(here: Context) -> Iterator[str]:
    if not here.pattern.is_write and not lost(here.plan):
        yield from read_lines(here)
    if any(c.taken and (c.kind != "delete" or c.entity in here.world.soft_delete) for c in asked(here.pattern)):
        yield "-- taken: the keys of the rows just read; both in one transaction, the read with FOR UPDATE"
    yield from write_lines(here)
