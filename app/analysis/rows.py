"""One pattern by itself, and one pattern on one model: what an edit leaves as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from app.analysis.judge import run
from app.analysis.report import Findings
from app.forecast.heat import User
from app.model.growth import rate_of
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.lower import lower, lower_write
from app.plan.types import Plan, Query, World, WriteIntent
from app.rules.rule import PatternCase


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
    pair: tuple[Pattern, Plan]

    @property
    def plan(self) -> Plan:
        return self.user.plan


def row_of(pattern: Pattern, project: Project, world: World, head: Project) -> Row:
    """A pattern lowered. `head`: what rules of a single part may see of the project."""
    lowered = lower(pattern, world, project) if pattern.action and pattern.entity else None
    others = {p.operation: p for p in project.patterns} if pattern.for_each else None
    average, peak, _ = rate_of(pattern, project.traffic, others)
    query = lowered if isinstance(lowered, Query) else None
    intent = lowered if isinstance(lowered, WriteIntent) else None
    if query is not None and pattern.also:
        intent = lower_write(pattern, world)
        query = replace(query, questions=tuple(dict.fromkeys((*query.questions, *intent.questions))))
    named: Iterable[str] = [n.entity for n in query.needs] if query is not None else ()
    if query is not None and query.course is not None:
        named = chain(named, [r for hop in query.course.hops for e in hop.edges for r in (e.rel.parent, e.rel.child)])
    if intent is not None:
        named = chain(named, [c.entity for c in intent.changes])
    findings = tuple(run("pattern", PatternCase(head, world, pattern, query, intent, average, peak)))
    return Row(pattern, query, intent, average, peak, frozenset(named), findings)


def cell_of(row: Row, plan: Plan, findings: Findings) -> Cell:
    """A row with its plan on one model."""
    places = dict.fromkeys([*(s.structure for s in plan.steps), *(t.structure for t in plan.touches)])
    user = User(row.pattern, plan, row.query, row.intent, row.rate, row.peak, read_by(plan), found_by(plan))
    return Cell(user, findings, tuple(places), (row.pattern, plan))


def read_by(plan: Plan) -> frozenset[str]:
    """Structures and paths a plan reads, or that an engine would probably read instead."""
    steps = [*plan.every_step, *([plan.likely] if plan.likely is not None else [])]
    return frozenset(name for step in steps for name in (step.structure, step.path))


def found_by(plan: Plan) -> frozenset[str]:
    """Structures a plan writes, and paths by which it finds what it writes."""
    return frozenset(name for touch in plan.touches for name in (touch.structure, touch.find))
