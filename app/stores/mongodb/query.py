"""A pattern's query as mongosh text, with what a reader must know above it."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import params
from app.stores.mongodb.reads import read_lines
from app.stores.mongodb.writes import write_lines


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready text: parameters first, then the statements."""
    lines = [*_head(pattern, plan)]
    if not pattern.is_write:
        lines += read_lines(pattern, plan, model, world)
    if pattern.is_write or pattern.also:
        lines += write_lines(pattern, plan, model, world)
    return "\n".join(lines) + "\n"


def _head(pattern: Pattern, plan: Plan) -> Iterable[str]:
    yield f"// {pattern.operation}: {plan.level.words}"
    if not (plan.steps or plan.touches):
        for miss in plan.misses:
            yield f"// {miss.what}" + (f" {miss.fix}" if miss.fix else "")
    names = params(pattern)
    if names:
        yield f"const p = {{ {', '.join(f'{n}: null' for n in names)} }};  // fill in"
