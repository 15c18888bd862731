"""One change of a model that would help a pattern, and what a read would like to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.model import alter
from app.model.candidate import Structure
from app.model.project import Project


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change: of the structure called `of`, or (`of` empty) a new structure. `entity`: whose records alone the
    change concerns; empty: all there."""

    label: str
    change: Callable[[Structure], Structure] = lambda s: s
    of: str = ""
    new: Structure | None = None
    entity: str = ""

    def apply(self, project: Project, model: str) -> Project:
        if self.new is not None:
            return alter.add_structure(project, model, self.new)
        return alter.change_structure(project, model, self.of, self.change)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a read would like to find: attributes fixed, its order, at most one range."""

    entity: str
    equal: tuple[str, ...]
    order: tuple[tuple[str, int], ...]

    @property
    def attrs(self) -> tuple[str, ...]:
        return (*self.equal, *(a for a, _ in self.order))
