"""A pattern in SQL, with what a reader must know above it."""

from __future__ import annotations

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import head_of, said_of
from app.stores.postgresql.facts import CONSISTENCY


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready text: what it is, the statements."""
    notes = [f"-- {line}" for line in (*head_of(pattern, plan), *said_of(pattern, model, CONSISTENCY))]
    return "\n".join(notes) + "\n"
