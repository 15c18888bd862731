"""A pattern's commands as text, with what a reader must know above them."""

from __future__ import annotations

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import head_of, lost, params, said_of
from app.stores.redis.facts import CONSISTENCY
from app.stores.redis.reads import read_lines
from app.stores.redis.writes import write_lines


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready commands; `$name` is a parameter."""
    lines = [f"# {line}" for line in head_of(pattern, plan)]
    names = params(pattern)
    if names:
        lines.append(f"# parameters: {', '.join(f'${n}' for n in names)}")
    lines += [f"# {line}" for line in said_of(pattern, model, CONSISTENCY)]
    if not pattern.is_write:
        lines += read_lines(pattern, plan, model, world)
    if (pattern.is_write and not lost(plan)) or pattern.also:
        lines += write_lines(pattern, plan, model, world)
    return "\n".join(lines) + "\n"
