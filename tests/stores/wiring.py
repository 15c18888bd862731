"""From a project text to the plans and query texts of one store: what the tests of the stores share."""

from __future__ import annotations

from dataclasses import dataclass

from app.model.candidate import Candidate
from app.model.project import Project
from app.model.text import read_yaml
from app.plan.lower import lower
from app.plan.read import plan_read
from app.plan.types import Plan, Query, Record, World
from app.plan.world import build_world
from app.plan.write import plan_write
from app.stores import STORES, Store


@dataclass(frozen=True)
class Bench:
    """One model of one project in front of its store."""

    project: Project
    model: Candidate
    world: World
    store: Store

    @property
    def records(self) -> tuple[Record, ...]:
        found = (self.store.records(s, self.model, self.world) for s in self.model.structures)
        return tuple(r for kinds in found for r in kinds)

    def record(self, name: str) -> Record:
        return next(r for r in self.records if r.name == name)

    def plan(self, operation: str) -> Plan:
        pattern = self.project.pattern(operation)
        assert pattern is not None, operation
        lowered = lower(pattern, self.world, self.project)
        assert lowered is not None
        if isinstance(lowered, Query):
            return plan_read(lowered, self.records, self.world)
        return plan_write(lowered, self.records, self.world)

    def text(self, operation: str) -> str:
        pattern = self.project.pattern(operation)
        assert pattern is not None, operation
        return self.store.query(pattern, self.plan(operation), self.model, self.world)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the structures, as sentences."""
        found = (self.store.problems(s, self.model, self.world) for s in self.model.structures)
        return tuple(fault.what for each in found for fault in each)

    @property
    def script(self) -> dict[str, str]:
        return dict(self.store.script(self.model, self.project, self.world))


def bench(text: str, store: str, model: str = "") -> Bench:
    """The first model of a store in a project text, or the one named."""
    project = read_yaml(text)
    found = next(m for m in project.models if m.store == store and model in ("", m.name))
    return Bench(project, found, build_world(project), STORES[store])
