"""What the texts of several stores know of a plan's steps: around what they stand, who serves them, where the values
of a later one come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Cond, Plan, Step, World
from app.stores.common_query import elsewhere, field_of, linked


@dataclass(frozen=True, slots=True)
class Context:
    """What every statement or request of one pattern needs to know."""

    pattern: Pattern
    plan: Plan
    model: Candidate
    world: World

    @property
    def drops(self) -> bool:
        """Does a later step decide which records count? Then a limit cannot stand with an earlier one."""
        return any(step.required for step in self.plan.steps[1:])

    def lines_elsewhere(self, step: Step) -> list[str]:
        """A step that another store serves, in that store's language."""
        plan = replace(self.plan, steps=(step,))
        return elsewhere(self.pattern, plan, self.model, self.world, step.store).splitlines()


def asked_apart(step: Step) -> tuple[Step, ...]:
    """The branches of a step, each a question of its own; the step itself where they are answered as one."""
    return (step,) if step.how == "collection" else step.branches or (step,)


def origin(cond: Cond, earlier: Sequence[Step], world: World) -> tuple[str, int]:
    """(field, number of the step, from 1) of the nearest step before that read the value; 0: none is known."""
    for number in range(len(earlier), 0, -1):
        step = earlier[number - 1]
        met = {step.entity, *(part.entity for part in step.branches)}
        if attr := linked(cond, met, world):
            return field_of(attr), number
    return field_of(cond.attr), len(earlier)


def source(conds: Iterable[Cond], earlier: Sequence[Step], world: World) -> int:
    """The step whose records a later step is repeated for; 0 for a first step."""
    links = [origin(c, earlier, world)[1] for c in conds if c.source is None]
    return max(links, default=len(earlier))
