"""The project: workload, candidate models, decisions. The one value that everything else reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field as Key

from app.model.candidate import Candidate
from app.model.part import Part, Words
from app.model.quantity import Duration
from app.model.workload import Entity, Pattern, Relationship, Traffic

SCHEMA_VERSION = 1


class Decision(Part):
    """A finding the team accepted: where, why, who and when; `numbers` are those it was accepted at."""

    finding: str
    at: str
    reason: str = ""
    by: str = ""
    date: str = ""
    review_by: str = Key("", alias="review by")
    numbers: Mapping[str, Any] = Key(default_factory=dict)


class Project(Part):
    """One system being designed. Only `keywright` (the schema version) and `name` are required."""

    keywright: Literal[1] = 1
    name: str
    note: str = ""
    horizon: Duration | None = None
    tenant: str = ""
    stores: tuple[Words, ...] = ()
    """Stores the team compares; used where a starter model is to be built for each."""
    traffic: Traffic | None = None
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    models: tuple[Candidate, ...] = ()
    decisions: tuple[Decision, ...] = ()
    inferred: Mapping[str, str] = Key(default_factory=dict)

    def entity(self, name: str) -> Entity | None:
        return next((e for e in self.entities if e.name == name), None)

    def pattern(self, operation: str) -> Pattern | None:
        return next((p for p in self.patterns if p.operation == operation), None)

    def model(self, name: str) -> Candidate | None:
        return next((m for m in self.models if m.name == name), None)


__all__ = ["SCHEMA_VERSION", "Decision", "Project"]
