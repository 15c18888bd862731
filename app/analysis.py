"""The only door between a project and everything that shows it.

`analyse(project)` gives a `Report`: plans, loads and findings. Pages, exporters, the API and the command line read a
Report; none of them calls a rule or the planner. A report depends on the project alone: no clock, file, network or
setting. Equal projects give equal reports in the same order. Results are remembered per part (by the identity of the
frozen values they came from), so that an edit recomputes only what it touches.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from app.forecast.load import StructureLoad
from app.forecast.heat import User
from app.forecast.structure import load_of
from app.memory import Memory
from app.model.candidate import Candidate, Structure
from app.model.growth import rate_of
from app.model.project import Decision, Project
from app.model.workload import Pattern
from app.plan.lower import lower
from app.plan.read import plan_read
from app.plan.types import Level, Plan, Query, Record, World, WriteIntent
from app.plan.world import build_world
from app.plan.write import plan_write
from app.rules import RULES
from app.rules.rule import (
    SEVERITIES,
    Case,
    EntityCase,
    Finding,
    ModelCase,
    PatternCase,
    PlanCase,
    ProjectCase,
    RelationshipCase,
    Rule,
    Scope,
    Severity,
    StructureCase,
)
from app.stores import STORES
from app.stores.store import Store

log = logging.getLogger(__name__)
MEMORY = Memory()
Rates = tuple[float | None, float | None]


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
    findings: tuple[Finding, ...]
    """Ordered: severity, then project, entities, rows and models as they stand, then rule."""
    rates: Mapping[str, Rates]
    """Average and peak operations/s of each pattern."""

    def model(self, name: str) -> ModelReport | None:
        return next((m for m in self.models if m.model.name == name), None)

    def beside(self, pattern: str) -> tuple[Finding, ...]:
        """Findings of one row."""
        return tuple(f for f in self.findings if pattern in f.patterns)

    def counts(self) -> Mapping[Severity, int]:
        """Findings per severity, accepted ones left out."""
        out: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        for finding in self.findings:
            if not finding.accepted:
                out[finding.severity] += 1
        return out


@dataclass(frozen=True, slots=True)
class Row:
    """One pattern, lowered, with its rates. The same object as long as nothing it depends on changes."""

    pattern: Pattern
    query: Query | None
    intent: WriteIntent | None
    rate: float | None
    peak: float | None
    entities: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One pattern on one model."""

    plan: Plan
    findings: tuple[Finding, ...]


def analyse(project: Project, memory: Memory = MEMORY) -> Report:
    """Plans, loads and findings of a project. Raises nothing for any valid project."""
    world = build_world(project)
    head = _heading(project, memory)
    rows = [_row(pattern, world, project, memory) for pattern in project.patterns]
    found = [_whole(project, world), *_entities(project, world, head, memory)]
    found += [_pattern_findings(row, world, head, memory) for row in rows]
    models = []
    for model in project.models:
        report, findings = _model(model, rows, world, head, memory)
        models.append(report)
        found.extend(findings)
    findings = _accepted(_by_severity(chain.from_iterable(found)), project.decisions)
    rates = {row.pattern.operation: (row.rate, row.peak) for row in rows}
    return Report(project, world, tuple(models), findings, rates)


# ---------------------------------------------------------------- rows and cells


def _heading(project: Project, memory: Memory) -> Project:
    """The project without its parts: rules of one part see only this of the rest."""
    key = (project.name, project.tenant, project.horizon, project.traffic)
    return memory.of(
        "head",
        (),
        lambda: Project(name=project.name, tenant=project.tenant, horizon=project.horizon, traffic=project.traffic),
        key,
    )


def _row(pattern: Pattern, world: World, project: Project, memory: Memory) -> Row:
    def make() -> Row:
        lowered = lower(pattern, world, project) if pattern.action and pattern.entity else None
        average, peak, _ = rate_of(pattern, project.traffic)
        query = lowered if isinstance(lowered, Query) else None
        intent = lowered if isinstance(lowered, WriteIntent) else None
        named: Iterable[str] = (
            (n.entity for n in query.needs) if query else (c.entity for c in intent.changes) if intent else ()
        )
        return Row(pattern, query, intent, average, peak, frozenset(named))

    # `for each` names another pattern, whose reading decides how often this one runs
    other = project.pattern(pattern.for_each) if pattern.for_each else None
    return memory.of("row", (pattern, world, project.traffic, other), make)


def _records(model: Candidate, world: World, memory: Memory) -> dict[str, tuple[Record, ...]]:
    """Kinds of record by structure name; a structure edited leaves the others' records as they are."""
    out: dict[str, tuple[Record, ...]] = {}
    setting = (model.store, model.version, model.nodes, repr(sorted(model.options.items())) if model.options else "")
    for structure in model.structures:
        store = STORES.get(model.store_of(structure))
        out[structure.name] = (
            ()
            if store is None
            else memory.of(
                "records",
                (structure, world),
                lambda s=structure, r=store: r.records(s, model, world),
                setting,  # type: ignore[misc]
            )
        )
    return out


def _relevant(row: Row, records: tuple[Record, ...], memory: Memory) -> tuple[Record, ...]:
    """The kinds of record that hold any entity the row names: nothing else can serve it or be changed by it."""

    def make() -> tuple[Record, ...]:
        return tuple(r for r in records if any(h.entity in row.entities for h in r.shape))

    return memory.of("relevant", (row, records), make)


def _cell(row: Row, model: Candidate, records: tuple[Record, ...], world: World, head: Project, memory: Memory) -> Cell:
    store = STORES[model.store]
    mine = _relevant(row, records, memory)

    def make() -> Cell:
        if row.query is not None:
            plan = plan_read(row.query, mine, world)
        elif row.intent is not None:
            plan = plan_write(row.intent, mine, world)
        else:
            plan = Plan(row.pattern.operation, Level.IMPOSSIBLE, questions=("The operation is not understood yet.",))
        case = PlanCase(
            head, world, row.pattern, row.query, row.intent, row.rate, row.peak, model, store, STORES, mine, plan
        )
        return Cell(plan, tuple(_run("plan", case)))

    served = model.serves.get(row.pattern.operation)
    return memory.of("cell", (row, *mine, world, head, served), make, model.name)


# ---------------------------------------------------------------- findings


def _run(scope: Scope, case: Case) -> Iterator[Finding]:
    """All findings of one scope for one case. A rule that breaks says so and leaves the rest standing."""
    for rule in _RULES[scope]:
        try:
            yield from rule.check(case)
        except Exception:
            # One faulty rule must not take the page down; tests fail on this finding.
            log.exception("rule %s failed", rule.id)
            yield Finding(
                "rule-failed",
                "question",
                f"rules/{rule.id}",
                f"The rule {rule.id} could not judge this place. The other findings stand.",
            )


_RULES: Mapping[Scope, tuple[Rule, ...]] = {
    scope: tuple(rule for rule in RULES.values() if rule.scope == scope)
    for scope in ("project", "entity", "relationship", "pattern", "plan", "structure", "model")
}


def _whole(project: Project, world: World) -> tuple[Finding, ...]:
    return tuple(_run("project", ProjectCase(project, world)))


def _entities(project: Project, world: World, head: Project, memory: Memory) -> Iterator[tuple[Finding, ...]]:
    for entity in project.entities:
        yield memory.of(
            "entity", (entity, world, head), lambda e=entity: tuple(_run("entity", EntityCase(head, world, e)))
        )  # type: ignore[misc]
    for relationship in project.relationships:
        yield memory.of(
            "relationship",
            (relationship, world, head),
            lambda r=relationship: tuple(_run("relationship", RelationshipCase(head, world, r))),  # type: ignore[misc]
        )


def _pattern_findings(row: Row, world: World, head: Project, memory: Memory) -> tuple[Finding, ...]:
    def make() -> tuple[Finding, ...]:
        return tuple(_run("pattern", PatternCase(head, world, row.pattern, row.query, row.intent, row.rate, row.peak)))

    return memory.of("pattern", (row, world, head), make)


def _by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    heaps: dict[Severity, list[Finding]] = {severity: [] for severity in SEVERITIES}
    for finding in findings:
        heaps[finding.severity].append(finding)
    return tuple(chain.from_iterable(heaps.values()))


def _accepted(findings: tuple[Finding, ...], decisions: tuple[Decision, ...]) -> tuple[Finding, ...]:
    """Mark what a decision covers: same rule, at its place or below it."""
    if not decisions:
        return findings
    by_rule: dict[str, list[str]] = {}
    for decision in decisions:
        by_rule.setdefault(decision.finding, []).append(decision.at)

    def covered(finding: Finding) -> bool:
        return any(finding.at == at or finding.at.startswith(f"{at}/") for at in by_rule.get(finding.rule, ()))

    return tuple(replace(f, accepted=True) if covered(f) else f for f in findings)


# ---------------------------------------------------------------- models


def _model(
    model: Candidate, rows: list[Row], world: World, head: Project, memory: Memory
) -> tuple[ModelReport, list[tuple[Finding, ...]]]:
    by_structure = _records(model, world, memory)
    kinds = tuple(chain.from_iterable(by_structure.values()))
    records = memory.of("kinds", kinds, lambda: kinds)
    cells = [_cell(row, model, records, world, head, memory) for row in rows]
    found = [cell.findings for cell in cells]
    users = _users(rows, cells)
    loads: dict[str, StructureLoad] = {}
    for structure in model.structures:
        mine = by_structure[structure.name]
        load, findings = _structure(model, structure, mine, tuple(users.get(structure.name, ())), world, head, memory)
        loads[structure.name] = load
        found.append(findings)
    plans = {row.pattern.operation: cell.plan for row, cell in zip(rows, cells, strict=True)}
    report = ModelReport(model, STORES[model.store], records, plans, loads)

    def judge() -> tuple[Finding, ...]:
        pairs = tuple((row.pattern, cell.plan) for row, cell in zip(rows, cells, strict=True))
        return tuple(_run("model", ModelCase(head, world, model, STORES[model.store], STORES, records, pairs)))

    found.append(judge())
    return report, found


def _users(rows: list[Row], cells: list[Cell]) -> dict[str, list[tuple[Row, Cell]]]:
    """Which patterns read or write each structure."""
    out: dict[str, list[tuple[Row, Cell]]] = {}
    for row, cell in zip(rows, cells, strict=True):
        for name in {*(s.structure for s in cell.plan.steps), *(t.structure for t in cell.plan.touches)}:
            out.setdefault(name, []).append((row, cell))
    return out


def _structure(
    model: Candidate,
    structure: Structure,
    records: tuple[Record, ...],
    pairs: tuple[tuple[Row, Cell], ...],
    world: World,
    head: Project,
    memory: Memory,
) -> tuple[StructureLoad, tuple[Finding, ...]]:
    store = STORES[model.store_of(structure)]

    def make() -> tuple[StructureLoad, tuple[Finding, ...]]:
        users = tuple(User(row.pattern, cell.plan, row.query, row.intent, row.rate, row.peak) for row, cell in pairs)
        load = load_of(structure, records, users, world, store, head)
        seen = tuple((u.pattern, u.plan, u.rate, u.peak) for u in users)
        case = StructureCase(head, world, model, store, STORES, structure, records, load, seen)
        return load, tuple(_run("structure", case))

    return memory.of("structure", (structure, world, head, *records, *chain.from_iterable(pairs)), make, model.name)


__all__ = ["MEMORY", "Cell", "ModelReport", "Report", "Row", "analyse"]
