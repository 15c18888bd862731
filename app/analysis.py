"""The only door between a project and everything that shows it.

`analyse(project)` gives a `Report`: plans, loads and findings. Pages, exporters, the API and the command line read a
Report; none of them calls a rule or the planner. A report depends on the project alone: no clock, file, network or
setting. Equal projects give equal reports in the same order. Results are remembered per part, so that an edit
recomputes only what it touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.forecast.load import StructureLoad
from app.model.candidate import Candidate
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.types import Plan, Record, World
from app.rules.rule import Finding, Severity
from app.stores.store import Store


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
        return sum(p.served for p in self.plans.values())


@dataclass(frozen=True)
class Report:
    """Plans, loads and findings of one project."""

    project: Project
    world: World
    models: tuple[ModelReport, ...]
    findings: tuple[Finding, ...]
    """Ordered: severity, then order of rows and models, then rule."""
    rates: Mapping[str, tuple[float | None, float | None]]
    """Average and peak operations/s of each pattern."""

    def model(self, name: str) -> ModelReport | None:
        return next((m for m in self.models if m.model.name == name), None)

    def beside(self, pattern: str) -> tuple[Finding, ...]:
        """Findings of one row."""
        return tuple(f for f in self.findings if pattern in f.patterns)

    def counts(self) -> Mapping[Severity, int]:
        """Findings per severity, accepted ones left out."""
        out: dict[Severity, int] = {"error": 0, "warning": 0, "advice": 0, "question": 0}
        for finding in self.findings:
            if not finding.accepted:
                out[finding.severity] += 1
        return out


__all__ = ["ModelReport", "Pattern", "Report"]
