"""Structures of a model as lines of a table: what they hold, how large their records get, whom they serve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from app.analysis import ModelReport, Report
from app.exporters.words import held
from app.model.candidate import Structure
from app.model.spread import Spread
from app.plan.types import Plan, Record, World
from app.rules.rule import SEVERITIES, Finding
from app.stores import STORES
from app.stores.store import Store
from app.templating import size

CLOSE = 0.5
"""Share of a limit from which on a gauge warns."""


@dataclass(frozen=True, slots=True)
class Line:
    """One structure, or one of several kinds of record in it (`inside`). `pct` of the limit, `mark`: what it means."""

    name: str
    holds: str
    records: float
    bytes: Spread | None
    limit: float
    stored: float = 0.0
    indexes: int = 0
    serves: tuple[int, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    inside: bool = False
    store: str = ""
    lines: tuple[Line, ...] = field(default=())
    assumed: str = ""
    """Which numbers are not given, so that defaults stand in."""

    @property
    def pct(self) -> float:
        if self.bytes is None or self.limit == inf:
            return 0.0
        return 100.0 if self.bytes.max == inf else min(100.0, 100 * self.bytes.max / self.limit)

    @property
    def mark(self) -> str:
        if self.bytes is None or self.limit == inf:
            return ""
        if self.bytes.high > self.limit or inf > self.bytes.max > self.limit:
            return "error"
        return "warning" if self.bytes.max > self.limit * CLOSE else ""

    @property
    def against(self) -> str:
        """The gauge in words."""
        if self.bytes is None or self.limit == inf:
            return "no limit"
        return f"max {size(self.bytes.max)} of {size(self.limit)}"


def lines(report: Report, made: ModelReport) -> tuple[Line, ...]:
    """One line per structure, in the order of the model."""
    numbers = {p.operation: i for i, p in enumerate(report.project.patterns, 1)}
    return tuple(_line(report, made, s, numbers) for s in made.model.structures)


def _line(report: Report, made: ModelReport, s: Structure, numbers: dict[str, int]) -> Line:
    store = store_of(made, s)
    kinds = records_of(made, s.name)
    load = made.loads.get(s.name)
    limit = limit_of(store)
    now = load.record_now if load else {}
    inner = tuple(
        Line(
            r.name, " ".join(x for x in (r.of, r.purpose) if x), r.count, now.get(r.name), limit, inside=True,
            assumed=assumed(r, report.world),
        )
        for r in kinds
    )  # fmt: skip
    largest = max((line.bytes for line in inner if line.bytes), key=lambda b: (b.max, b.high, b.avg), default=None)
    elsewhere = store.title if store else s.store
    return Line(
        s.name, held(s), sum(r.count for r in kinds), largest, limit, load.storage if load else 0.0,
        len(s.indexes) + len(s.gsi) + len(s.lsi), serves(made, s.name, numbers),
        counts(findings_of(report, made, s.name)), store="" if store is made.store else elsewhere,
        lines=inner if len(inner) > 1 else (), assumed=next((i.assumed for i in inner if i.assumed), ""),
    )  # fmt: skip


def assumed(record: Record, world: World) -> str:
    """What is not known of a kind of record, in words; empty where every number is given."""
    if record.of in world.unknown_counts or record.of in world.counts_assumed:
        return f"the number of {record.of} records is not given"
    rel = next((h.edge.rel for h in record.shape if h.edge is not None and h.edge.down and h.edge.rel.assumed), None)
    return f"the number of {rel.child} per {rel.role} is not given" if rel else ""


def store_of(made: ModelReport, structure: Structure) -> Store | None:
    """The store a structure lives in; None where nobody knows it."""
    return STORES.get(made.model.store_of(structure))


def limit_of(store: Store | None) -> float:
    """Bytes of the largest record."""
    fact = store.facts.get("max_record_bytes") if store else None
    return fact.value if fact else inf


def records_of(made: ModelReport, structure: str) -> tuple[Record, ...]:
    """The kinds of record of one structure."""
    return tuple(r for r in made.records if r.structure == structure)


def serves(made: ModelReport, structure: str, numbers: dict[str, int]) -> tuple[int, ...]:
    """Numbers of the patterns that read or write a structure."""
    return tuple(numbers[name] for name, plan in made.plans.items() if name in numbers and structure in places(plan))


def places(plan: Plan) -> frozenset[str]:
    """Structures a plan reads or writes."""
    return frozenset([*(s.structure for s in plan.steps), *(t.structure for t in plan.touches)])


def findings_of(report: Report, made: ModelReport, structure: str) -> tuple[Finding, ...]:
    """Findings about one structure of one model."""
    place = f"models/{made.model.name}/{structure}"
    return tuple(
        f for f in report.findings
        if f.model == made.model.name and (f.structure == structure or f.at == place or f.at.startswith(f"{place}/"))
    )  # fmt: skip


def counts(findings: Iterable[Finding]) -> tuple[tuple[str, int], ...]:
    """How many of each severity, the worst first; accepted ones left out."""
    open_ones = [f.severity for f in findings if not f.accepted]
    return tuple((s, open_ones.count(s)) for s in SEVERITIES if s in open_ones)


def said(shown: Sequence[Line], word: str) -> str:
    """What the table says, in one sentence."""
    over = [line.name for line in shown if line.mark == "error"]
    near = [line.name for line in shown if line.mark == "warning"]
    if over:
        return f"{', '.join(over)} can outgrow the largest {word} the store takes."
    if near:
        return f"The largest {word} of {', '.join(near)} uses more than half of what the store takes."
    return f"No {word} comes near the limit of the store." if shown else ""


__all__ = [
    "Line", "assumed", "counts", "findings_of", "limit_of", "lines", "places", "records_of", "said", "serves",
    "store_of",
]  # fmt: skip
