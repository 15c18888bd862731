"""What the analysis of a project gives: plans, loads and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.forecast.load import StructureLoad
from app.model.candidate import Candidate
from app.model.project import Project
from app.plan.types import Plan, Record, World
from app.rules.rule import SEVERITIES, Finding, Severity
from app.stores.store import Store

Rates = tuple[float | None, float | None]
Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class ModelReport:
    """One candidate model: its store, kinds of record, the plan of each pattern (by operation), loads by structure."""

    model: Candidate
    store: Store
    records: tuple[Record, ...]
    plans: Mapping[str, Plan]
    loads: Mapping[str, StructureLoad]

    @property
    def served(self) -> int:
        return sum(plan.served for plan in self.plans.values())


@dataclass(frozen=True)
class Report:
    """Plans, loads and findings of one project."""

    project: Project
    world: World
    models: tuple[ModelReport, ...]
    findings: Findings
    """Ordered: severity, then project, entities, rows and models as they stand, then rule."""
    rates: Mapping[str, Rates]
    """Average and peak operations/s of each pattern."""

    def model(self, name: str) -> ModelReport | None:
        return next((m for m in self.models if m.model.name == name), None)

    def beside(self, pattern: str) -> Findings:
        """Findings of one row."""
        return tuple(f for f in self.findings if pattern in f.patterns)

    def counts(self) -> Mapping[Severity, int]:
        """Findings per severity, accepted ones left out."""
        out: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        for finding in self.findings:
            if not finding.accepted:
                out[finding.severity] += 1
        return out
