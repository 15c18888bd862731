"""What a rule is, what it is shown and what it says.

A rule is one file in `app.rules`: a function with a docstring, decorated with `@rule`. The docstring is the page a
user reads, and its examples are its tests. A rule looks at one *case* (its scope) and yields findings; it is pure, and
asks a store for facts and capabilities, never for its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.forecast.load import StructureLoad
from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.workload import Entity, Pattern, Relationship
from app.plan.types import Plan, Query, Record, World, WriteIntent
from app.stores.store import Store

Severity = Literal["error", "warning", "advice", "question"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "advice", "question")
Scope = Literal["project", "entity", "relationship", "pattern", "plan", "structure", "design", "model"]
"""What a rule is shown. `design`: a model as it is written down, without plans; `model`: with them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number a finding rests on: `label` in words, `value` as shown (`1,500 WCU/s`), `number` in base units."""

    label: str
    value: str
    number: float | None = None
    fact: str = ""
    """The fact it was held against: `dynamodb.partition_writes_per_second`."""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A number or word the studio needs: the place it belongs to and the field's label.

    `at` is an editable place (`patterns/Load order page/rate`, `entities/order/count`,
    `relationships/order-line_item/children`); `hint` shows the form expected (`500/s`).
    """

    at: str
    label: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that would remove the finding. `label` names it ("Add index status, id"). `apply` is pure."""

    label: str
    apply: Callable[[Project], Project] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's statement about one place.

    `at`: stable path: `patterns/NAME`, `entities/NAME`, `relationships/PARENT-CHILD`, `models/MODEL`,
    `models/MODEL/STRUCTURE`, `models/MODEL/STRUCTURE/INDEX or field`, `models/MODEL/patterns/NAME`. `patterns`:
    the rows it concerns, worst first.
    """

    rule: str
    severity: Severity
    at: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()
    asks: tuple[Ask, ...] = ()
    model: str = ""
    structure: str = ""
    patterns: tuple[str, ...] = ()
    accepted: bool = False
    """A decision covers it."""

    @property
    def key(self) -> str:
        """Identity across reports: rule and place."""
        return f"{self.rule}@{self.at}"

    @property
    def told(self) -> str:
        """The message for a place that already names the first pattern and the model: both are left out in front."""
        rest = self.message
        for name in (*self.patterns[:1], self.model):
            after = rest.removeprefix(name)
            if after != rest and after.startswith((": ", " ")) and not after.startswith((" and ", " or ")):
                rest = after.removeprefix(":").lstrip()
        first = rest.partition(" ")[0]
        plain = rest != self.message and first.isalpha() and first not in {self.structure, self.model}
        return rest[:1].upper() + rest[1:] if plain else rest


# ---------------------------------------------------------------- cases: what a rule is shown


@dataclass(frozen=True)
class ProjectCase:
    project: Project
    world: World


@dataclass(frozen=True)
class EntityCase:
    project: Project
    world: World
    entity: Entity


@dataclass(frozen=True)
class RelationshipCase:
    project: Project
    world: World
    relationship: Relationship


@dataclass(frozen=True)
class PatternCase:
    """A pattern by itself. `query` or `intent`: its lowered form; `rate`, `peak`: operations/s (None: unknown)."""

    project: Project
    world: World
    pattern: Pattern
    query: Query | None
    intent: WriteIntent | None
    rate: float | None
    peak: float | None


@dataclass(frozen=True)
class PlanCase:
    """One pattern on one model."""

    project: Project
    world: World
    pattern: Pattern
    query: Query | None
    intent: WriteIntent | None
    rate: float | None
    peak: float | None
    model: Candidate
    store: Store
    stores: Mapping[str, Store]
    records: tuple[Record, ...]
    """Every kind of record of the model."""
    plan: Plan


@dataclass(frozen=True)
class StructureCase:
    """One structure of one model, with all that the patterns do to it."""

    project: Project
    world: World
    model: Candidate
    store: Store
    """Of the structure (it may live in another store than the model)."""
    stores: Mapping[str, Store]
    structure: Structure
    records: tuple[Record, ...]
    """Its own kinds of record."""
    load: StructureLoad
    users: tuple[tuple[Pattern, Plan, float | None, float | None], ...]
    """Patterns that read or write it, with their plan, average and peak operations/s."""
    reads: frozenset[str] = frozenset()
    """Paths that some of them read, or that an engine would probably read instead."""
    finds: frozenset[str] = frozenset()
    """Paths by which some of them find what they write."""


@dataclass(frozen=True)
class ModelCase:
    """One model as a whole."""

    project: Project
    world: World
    model: Candidate
    store: Store
    stores: Mapping[str, Store]
    records: tuple[Record, ...]
    plans: tuple[tuple[Pattern, Plan], ...]
    reads: frozenset[str] = frozenset()
    """Structures and paths that some plan reads, or that an engine would probably read instead."""
    finds: frozenset[str] = frozenset()
    """Structures that writes change and paths they find records by."""
    impossible: int = 0
    """How many of the plans are impossible."""


Case = ProjectCase | EntityCase | RelationshipCase | PatternCase | PlanCase | StructureCase | ModelCase


@dataclass(frozen=True)
class Rule:
    """One rule: `id` is the file's slug (`unbounded-array`), `title` the first line of the docstring."""

    id: str
    severity: Severity
    """The highest it gives."""
    scope: Scope
    since: str
    check: Callable[..., Iterator[Finding]]
    title: str
    doc: str


def rule(*, severity: Severity, scope: Scope, since: str = "0.1") -> Callable[[Callable[..., Iterator[Finding]]], Rule]:
    """Make a rule of a check function. The id follows from the module's name."""

    def wrap(check: Callable[..., Iterator[Finding]]) -> Rule:
        doc = check.__doc__ or ""
        slug = check.__module__.rsplit(".", 1)[-1].replace("_", "-")
        return Rule(slug, severity, scope, since, check, doc.strip().splitlines()[0] if doc.strip() else "", doc)

    return wrap


def share_text(x: float) -> str:
    return f"{100 * x:.3g} %"


__all__ = [
    "SEVERITIES",
    "Ask",
    "Case",
    "EntityCase",
    "Evidence",
    "Finding",
    "Fix",
    "Iterable",
    "ModelCase",
    "PatternCase",
    "PlanCase",
    "ProjectCase",
    "RelationshipCase",
    "Rule",
    "Scope",
    "Severity",
    "StructureCase",
    "rule",
    "share_text",
]
