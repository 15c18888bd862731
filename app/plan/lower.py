"""From a pattern as people write it to what the planner works on."""

from __future__ import annotations

from dataclasses import replace

from app.model.project import Project
from app.model.workload import Pattern
from app.plan.lower_read import ANY_AGE, lower_read
from app.plan.lower_write import lower_write
from app.plan.types import Query, World, WriteIntent


def lower(pattern: Pattern, world: World, project: Project) -> Query | WriteIntent | None:
    """The query of a read, the changes of a write; None where the action is not known yet.

    Never raises: what cannot be understood is in `questions`. A read that also writes gives its query; `lower_write`
    gives the changes it makes besides.
    """
    if not pattern.entity or not (pattern.is_read or pattern.is_write):
        return None
    lowered = lower_read(pattern, world) if pattern.is_read else lower_write(pattern, world)
    if pattern.for_each and project.pattern(pattern.for_each) is None:
        question = f"`for each` names {pattern.for_each}, and there is no such pattern"
        return replace(lowered, questions=(*lowered.questions, question))
    return lowered


__all__ = ["ANY_AGE", "lower", "lower_read", "lower_write"]
