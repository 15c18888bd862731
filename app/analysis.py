"""The only door between a project and everything that shows it.

`analyse(project)` gives a `Report`: plans, loads and findings. Pages, exporters, the API and the command line read a
Report; none of them calls a rule or the planner. A report depends on the project alone: no clock, file, network or
setting. Equal projects give equal reports in the same order.

Results are remembered per part, by the identity of the frozen values they came from, so that an edit recomputes only
what it touches.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from app.forecast.heat import User
from app.forecast.load import StructureLoad
from app.forecast.structure import concerned, load_of
from app.memory import Carried, Memory
from app.model.candidate import Candidate, Structure
from app.model.growth import rate_of
from app.model.project import Decision, Project
from app.model.workload import Pattern
from app.plan.as_run import plan_as_run
from app.plan.both import plan_both
from app.plan.lower import lower, lower_write
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


@dataclass(frozen=True, slots=True)
class Row:
    """One pattern, lowered, with its rates and what rules say of it alone. A read with `also` has both forms."""

    pattern: Pattern
    query: Query | None
    intent: WriteIntent | None
    rate: float | None
    peak: float | None
    entities: frozenset[str]
    findings: Findings


@dataclass(frozen=True, slots=True)
class Cell:
    """One pattern on one model, and what rules say of that. `structures`: names of those it reads or writes."""

    user: User
    findings: Findings
    structures: tuple[str, ...]
    reads: frozenset[str]
    finds: frozenset[str]

    @property
    def plan(self) -> Plan:
        return self.user.plan


def analyse(project: Project, memory: Memory = MEMORY) -> Report:
    """Plans, loads and findings of a project. Raises nothing for any valid project."""
    with memory.lock:
        return _Analysis(project, memory).report()


class _Analysis:
    """One run over one project. Every stage looks up what is known and makes the rest."""

    def __init__(self, project: Project, memory: Memory) -> None:
        self.project = project
        self.memory = memory
        self.world = build_world(project)
        self.head = self._heading()

    def report(self) -> Report:
        rows = self._rows()
        found: list[Findings] = [tuple(_run("project", ProjectCase(self.project, self.world)))]
        found += self._parts()
        found += [row.findings for row in rows]
        models = []
        for model in self.project.models:
            if model.store not in STORES:
                continue  # the rule `unknown-store` says so
            report, findings = self._model(model, rows)
            models.append(report)
            found += findings
        ordered = _accepted(_by_severity(chain.from_iterable(found)), self.project.decisions)
        rates = {row.pattern.operation: (row.rate, row.peak) for row in rows}
        return Report(self.project, self.world, tuple(models), ordered, rates)

    def _heading(self) -> Project:
        """The project without its parts: rules of one part see only this of the rest, else they would go stale."""
        p = self.project
        key = (p.name, p.tenant, p.horizon, p.traffic)
        make = lambda: Project(name=p.name, tenant=p.tenant, horizon=p.horizon, traffic=p.traffic)  # noqa: E731
        return self.memory.of("head", (), make, key)

    def _flow(self, entities: Iterable[str]) -> tuple[float | None, ...]:
        """What of the inflow concerns these entities: beside the world's base, all that can differ."""
        return tuple(self.world.inflow.get(e) for e in entities)

    def _carried(self, stage: str, *sources: object) -> Carried:
        """A table of this stage; after a change of inflow, what does not name the changed entities is kept."""
        return self.memory.carried(stage, (self.world.base, self.head, *sources), self.world.inflow)

    # ------------------------------------------------------------ workload

    def _parts(self) -> Iterator[Findings]:
        p, world, head = self.project, self.world, self.head
        for e in p.entities:
            make = lambda e=e: tuple(_run("entity", EntityCase(head, world, e)))  # noqa: E731
            yield self.memory.of("entity", (e, world.base, head), make, self._flow((e.name,)))
        for r in p.relationships:
            make = lambda r=r: tuple(_run("relationship", RelationshipCase(head, world, r)))  # noqa: E731
            yield self.memory.of("relationship", (r, world.base, head), make)

    def _rows(self) -> list[Row]:
        """Every pattern lowered; those seen before are the same objects."""
        table = self._carried("rows")
        out = []
        for pattern in self.project.patterns:
            # `for each` names another pattern, whose reading decides how often this one runs
            other = self.project.pattern(pattern.for_each) if pattern.for_each else None
            row: Row | None = table.get(pattern, other) if other else table.one(pattern)
            if row is None:
                row = self._row(pattern)
                if other:
                    table.put(row, row.entities, pattern, other)
                else:
                    table.put_one(row, row.entities, pattern)
                self.memory.made += 1
            out.append(row)
        return out

    def _row(self, pattern: Pattern) -> Row:
        lowered = lower(pattern, self.world, self.project) if pattern.action and pattern.entity else None
        others = {p.operation: p for p in self.project.patterns} if pattern.for_each else None
        average, peak, _ = rate_of(pattern, self.project.traffic, others)
        query = lowered if isinstance(lowered, Query) else None
        intent = lowered if isinstance(lowered, WriteIntent) else None
        if query is not None and pattern.also:
            intent = lower_write(pattern, self.world)
            query = replace(query, questions=tuple(dict.fromkeys((*query.questions, *intent.questions))))
        named: Iterable[str] = [n.entity for n in query.needs] if query is not None else ()
        if intent is not None:
            named = chain(named, [c.entity for c in intent.changes])
        findings = tuple(_run("pattern", PatternCase(self.head, self.world, pattern, query, intent, average, peak)))
        return Row(pattern, query, intent, average, peak, frozenset(named), findings)

    # ------------------------------------------------------------ models

    def _model(self, model: Candidate, rows: list[Row]) -> tuple[ModelReport, list[Findings]]:
        store = STORES[model.store]
        by_structure = self._records(model)
        kinds = tuple(chain.from_iterable(by_structure.values()))
        records = self.memory.of("kinds", kinds, lambda: kinds)
        cells = self._cells(model, rows, records)
        found = [cell.findings for cell in cells]
        users: dict[str, list[User]] = {}
        for cell in cells:
            for name in cell.structures:
                users.setdefault(name, []).append(cell.user)
        loads: dict[str, StructureLoad] = {}
        for structure in model.structures:
            load, findings = self._structure(
                model, structure, by_structure[structure.name], users.get(structure.name, [])
            )
            loads[structure.name] = load
            found.append(findings)
        plans = {cell.user.pattern.operation: cell.user.plan for cell in cells}
        pairs = tuple((cell.user.pattern, cell.user.plan) for cell in cells)
        reads = frozenset().union(*(cell.reads for cell in cells))
        finds = frozenset().union(*(cell.finds for cell in cells))
        bare = ModelCase(self.head, self.world, model, store, STORES, records, ())
        sources = (model, records, self.world.base, self.head)
        found.append(self.memory.of("design", sources, lambda: tuple(_run("design", bare))))
        case = ModelCase(self.head, self.world, model, store, STORES, records, pairs, reads, finds)
        found.append(tuple(_run("model", case)))
        return ModelReport(model, store, records, plans, loads), found

    def _records(self, model: Candidate) -> dict[str, tuple[Record, ...]]:
        """Kinds of record by structure name; a structure edited leaves the others' records as they are."""
        out: dict[str, tuple[Record, ...]] = {}
        setting = (
            model.store,
            model.version,
            model.nodes,
            repr(sorted(model.options.items())) if model.options else "",
        )
        table = self._carried("records")
        for structure in model.structures:
            store = STORES.get(model.store_of(structure))
            kept: tuple[Record, ...] | None = table.get(structure, setting=setting)
            if kept is None:
                made = store.records(structure, model, self.world) if store is not None else ()
                # records that come out the same, though how fast they arrive changed, keep their plans and heat
                kept = self.memory.settled((model.name, structure.name), made)
                table.put(kept, frozenset(h.entity for r in kept for h in r.shape), structure, setting=setting)
            out[structure.name] = kept
        return out

    def _relevant(self, row: Row, records: tuple[Record, ...]) -> tuple[Record, ...]:
        """The kinds of record that hold any entity the row names: nothing else can serve it or be changed by it.

        A write finds the keys of what it changes in other records of the same entity.
        """
        index: Mapping[str, tuple[int, ...]] = self.memory.of(
            "by entity", (records, self.world.base), lambda: _by_entity(records, self.world)
        )
        found = {n for e in row.entities for n in index.get(e, ())}
        if row.intent is not None:
            found |= {n for of in {records[m].of for m in found} for n in index.get(of, ())}
        return tuple(records[n] for n in sorted(found))

    def _cells(self, model: Candidate, rows: list[Row], records: tuple[Record, ...]) -> list[Cell]:
        """Every pattern on this model; what was planned before is only looked up."""
        whole = self._carried("cells", records, model.serves)
        apart = self._carried("cell", model.name, model.store)
        out = []
        for row in rows:
            cell: Cell | None = whole.one(row)
            if cell is None:
                # an edited structure changes the records, but not those that serve most rows
                mine = self._relevant(row, records)
                served = model.serves.get(row.pattern.operation)
                cell = apart.get(row, *mine, served)
                if cell is None:
                    cell = self._cell(row, model, mine)
                    self.memory.made += 1
                    apart.put(cell, row.entities, row, *mine, served)
                whole.put_one(cell, row.entities, row)
            out.append(cell)
        return out

    def _cell(self, row: Row, model: Candidate, records: tuple[Record, ...]) -> Cell:
        plan = self._plan(row, model, records)
        store = STORES[model.store]
        case = PlanCase(
            self.head,
            self.world,
            row.pattern,
            row.query,
            row.intent,
            row.rate,
            row.peak,
            model,
            store,
            STORES,
            records,
            plan,
        )
        places = dict.fromkeys([*(s.structure for s in plan.steps), *(t.structure for t in plan.touches)])
        user = User(row.pattern, plan, row.query, row.intent, row.rate, row.peak)
        return Cell(user, tuple(_run("plan", case)), tuple(places), _read_by(plan), _found_by(plan))

    def _plan(self, row: Row, model: Candidate, records: tuple[Record, ...]) -> Plan:
        """How these records serve a row. A fault of the planner costs this one answer, never the page."""
        try:
            if row.query is not None and row.intent is not None:
                return plan_both(row.query, row.intent, records, self.world)
            if row.query is not None:
                return plan_as_run(row.query, records, model.serves.get(row.pattern.operation), self.world)
            if row.intent is not None:
                return plan_write(row.intent, records, self.world)
        except Exception:  # said on the row; tests fail on it
            log.exception("%s cannot be planned on %s", row.pattern.operation, model.name)
            return Plan(
                row.pattern.operation,
                Level.IMPOSSIBLE,
                questions=("The planner failed on this row; nothing is said of it.",),
            )
        return Plan(row.pattern.operation, Level.IMPOSSIBLE, questions=("The operation is not understood yet.",))

    def _structure(
        self, model: Candidate, structure: Structure, records: tuple[Record, ...], users: list[User]
    ) -> tuple[StructureLoad, Findings]:
        store = STORES.get(model.store_of(structure), STORES[model.store])
        named = self.memory.of("concerned", (self.world.base, *records), lambda: concerned(records, self.world))
        flow = self._flow(named)

        def make() -> tuple[StructureLoad, Findings]:
            load = load_of(structure, records, users, self.world, store, self.head, self.memory, flow)
            seen = tuple((u.pattern, u.plan, u.rate, u.peak) for u in users)
            case = StructureCase(self.head, self.world, model, store, STORES, structure, records, load, seen)
            return load, tuple(_run("structure", case))

        sources = (structure, self.world.base, self.head, *records, *users)
        return self.memory.of("structure", sources, make, (model.name, model.version, flow))


def _by_entity(records: tuple[Record, ...], world: World) -> Mapping[str, tuple[int, ...]]:
    """Positions of the kinds of record that hold an entity anywhere in their shape, or a figure computed from it."""
    counted = {f.name: {f.rel.child, *(a.partition(".")[0] for a in f.reads)} for f in world.figures}
    out: dict[str, list[int]] = {}
    for n, record in enumerate(records):
        figures = (counted.get(name, set()) for h in record.shape for name in sorted(h.computed))
        for entity in dict.fromkeys([*(h.entity for h in record.shape), *sorted(set().union(*figures))]):
            out.setdefault(entity, []).append(n)
    return {entity: tuple(found) for entity, found in out.items()}


def _read_by(plan: Plan) -> frozenset[str]:
    """Structures and paths a plan reads, those of branches included, or would probably read instead."""
    names: set[str] = set()
    steps = [*plan.steps, *([plan.likely] if plan.likely is not None else [])]
    while steps:
        step = steps.pop()
        names |= {step.structure, step.path}
        steps += step.branches
    return frozenset(names)


def _found_by(plan: Plan) -> frozenset[str]:
    """Structures a plan writes, and paths by which it finds what it writes."""
    return frozenset(name for touch in plan.touches for name in (touch.structure, touch.find))


# ---------------------------------------------------------------- findings

_RULES: Mapping[Scope, tuple[Rule, ...]] = {
    scope: tuple(rule for rule in RULES.values() if rule.scope == scope)
    for scope in ("project", "entity", "relationship", "pattern", "plan", "structure", "design", "model")
}


def _run(scope: Scope, case: Case) -> Iterator[Finding]:
    """All findings of one scope for one case. A rule that breaks says so and leaves the rest standing."""
    for rule in _RULES[scope]:
        try:
            yield from rule.check(case)
        except Exception:  # one faulty rule must not take the page down; tests fail on this finding
            log.exception("rule %s failed", rule.id)
            text = f"The rule {rule.id} could not judge this place. The other findings stand."
            yield Finding("rule-failed", "question", f"rules/{rule.id}", text)


def _by_severity(findings: Iterable[Finding]) -> Findings:
    heaps: dict[Severity, list[Finding]] = {severity: [] for severity in SEVERITIES}
    for finding in findings:
        heaps[finding.severity].append(finding)
    return tuple(chain.from_iterable(heaps.values()))


def _accepted(findings: Findings, decisions: tuple[Decision, ...]) -> Findings:
    """Mark what a decision covers: same rule, at its place or below it."""
    if not decisions:
        return findings
    by_rule: dict[str, list[str]] = {}
    for decision in decisions:
        by_rule.setdefault(decision.finding, []).append(decision.at)

    def covered(finding: Finding) -> bool:
        return any(finding.at == at or finding.at.startswith(f"{at}/") for at in by_rule.get(finding.rule, ()))

    return tuple(replace(f, accepted=True) if covered(f) else f for f in findings)


__all__ = ["MEMORY", "Cell", "ModelReport", "Report", "Row", "analyse"]
