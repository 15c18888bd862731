"""What the API answers, as far as it is not a project or a report: lines of lists, and problems."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from app.exporters.format import Exporter
from app.model.project import Project
from app.proof.standing import basis, moved
from app.proof.types import Proof
from app.rules.rule import Rule
from app.storage.projects import Summary
from app.storage.proofs import Run
from app.stores.store import Fact, Store


class ProjectLine(BaseModel):
    """One project of the list."""

    id: int
    name: str
    change: int = Field(description="Rises with every change.")
    changed_at: datetime
    patterns: int
    models: int

    @classmethod
    def of(cls, p: Summary) -> ProjectLine:
        return cls(id=p.id, name=p.name, change=p.change, changed_at=p.changed_at, patterns=p.patterns, models=p.models)


class FormatLine(BaseModel):
    """One export format."""

    name: str
    title: str
    about: str
    media_type: str
    per_model: bool = Field(description="Takes the query parameter `model`.")

    @classmethod
    def of(cls, e: Exporter) -> FormatLine:
        return cls(name=e.name, title=e.title, about=e.about, media_type=e.media_type, per_model=e.per_model)


class RuleLine(BaseModel):
    """One rule."""

    id: str
    severity: str = Field(description="The highest it gives: error, warning, advice or question.")
    scope: str = Field(description="What it looks at: project, entity, relationship, pattern, plan, structure, model.")
    title: str
    since: str = Field(description="The version of the studio that brought it.")

    @classmethod
    def of(cls, r: Rule) -> RuleLine:
        return cls(id=r.id, severity=r.severity, scope=r.scope, title=r.title, since=r.since)


class FactLine(BaseModel):
    """One limit or ceiling of a store."""

    value: float
    unit: str
    source: str
    read: str = Field(description="When the source was read.")
    note: str
    assumed: bool = Field(description="Not documented by the vendor; replace it with a measurement.")
    kind: str = Field(description="hard: the store refuses; soft: it hurts; price.")

    @classmethod
    def of(cls, f: Fact) -> FactLine:
        return cls(
            value=f.value, unit=f.unit, source=f.source, read=f.read, note=f.note, assumed=f.assumed, kind=f.kind
        )


class StoreLine(BaseModel):
    """One store."""

    name: str
    title: str
    family: str
    about: str
    evidence: str = Field(description="What its verdicts rest on.")
    facts: dict[str, FactLine]

    @classmethod
    def of(cls, s: Store) -> StoreLine:
        facts = {slug: FactLine.of(fact) for slug, fact in s.facts.items()}
        return cls(name=s.name, title=s.title, family=s.family, about=s.about, evidence=s.evidence, facts=facts)


class ProofLine(BaseModel):
    """One run of a candidate model on a real engine."""

    id: int
    model: str = Field(description="The model as it is called now; empty: it is gone.")
    store: str
    state: str = Field(description="running, done, failed, cancelled or interrupted.")
    current: bool = Field(description="The newest that is done, of its model and store.")
    change: int = Field(description="The change of the project that was proved.")
    changed_since: list[str] = Field(description="What is not as it was: `the model`, `the entities`, `2 patterns`.")
    said: str = Field(description="Why there is no result.")
    started_at: datetime
    ended_at: datetime | None
    proof: Proof | None = Field(description="The evidence; only of the current one.")

    @classmethod
    def of(cls, run: Run, project: Project, name: str, *, current: bool) -> ProofLine:
        return cls(
            id=run.id, model=name, store=run.store, state=run.state, current=current, change=run.change,
            changed_since=list(moved(run.basis, basis(project, name))) if name else ["the model"], said=run.said,
            started_at=run.started_at, ended_at=run.ended_at, proof=run.proof,
        )  # fmt: skip


PROBLEM_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "RFC 9457. `place` names the part meant; `fix` says what to do.",
    "required": ["title", "status"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "place": {"type": "string"},
        "fix": {"type": "string"},
    },
}


def problem(description: str) -> dict[str, Any]:
    """The description of an error answer."""
    return {
        "description": description,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


__all__ = ["PROBLEM_SCHEMA", "FactLine", "FormatLine", "ProjectLine", "ProofLine", "RuleLine", "StoreLine", "problem"]
