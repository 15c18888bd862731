"""A pattern's commands as text, with what a reader must know above them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_query import head_of, lost, params, said_of
from app.stores.redis.facts import CONSISTENCY
from app.stores.redis.reads import read_lines
from app.stores.redis.writes import write_lines


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """Paste-ready commands; `$name` is a parameter."""
    body: list[str] = []
    if not pattern.is_write:
        body += read_lines(pattern, plan, model, world)
    if (pattern.is_write and not lost(plan)) or pattern.also:
        body += write_lines(pattern, plan, model, world)
    lines = [f"# {line}" for line in head_of(pattern, plan)]
    names = dict.fromkeys([*(f"${n}" for n in params(pattern)), *_used(body)])
    if names:
        lines.append(f"# parameters: {', '.join(names)}")
    lines += [f"# {line}" for line in said_of(pattern, model, CONSISTENCY)]
    return "\n".join([*lines, *body]) + "\n"


def _used(body: list[str]) -> Iterable[str]:
    """Every variable of the commands, in the order they are met."""
    for line in body:
        if not line.lstrip().startswith("#"):
            yield from re.findall(r"\$[A-Za-z_]\w*", line)
