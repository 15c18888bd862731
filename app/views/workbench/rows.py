"""One line of the table. A line is rendered once for the very objects it shows and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from app.analysis import ModelReport
from app.memory import Memory
from app.model.workload import Pattern
from app.plan.types import Level, Plan
from app.rules import words
from app.rules.rule import SEVERITIES, Finding
from app.templating import Page, html_of, number, plural, size
from app.views.editing.fields import shown
from app.views.opened import Opened

MEMORY = Memory(4_000)
"""Rendered lines and findings; about 3 KB each, in two generations."""
SLOW = 0.1
"""Requests per second below which a rate is shown in a longer unit of time."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How one model serves the line. `mark`: the worst finding there, or empty."""

    model: str
    level: Level
    path: str
    title: str
    records: str
    size: str
    mark: str

    @property
    def bad(self) -> bool:
        return self.level in {Level.SCAN, Level.IMPOSSIBLE}


@dataclass(frozen=True, slots=True)
class Value:
    """An editable value of a line: shown text, the text an editor starts with, why it was inferred (empty: given)."""

    shown: str
    text: str = ""
    why: str = ""
    known: bool = True


@dataclass(frozen=True, kw_only=True)
class RowPart(Page):
    """One line."""

    template: ClassVar[str] = "workbench/_row.html"
    id: str
    index: int
    version: int
    pattern: Pattern
    findings: tuple[Finding, ...]
    cells: tuple[Cell, ...]
    average: Value
    peak: Value
    opened: bool

    @property
    def place(self) -> str:
        return f"patterns/{self.pattern.operation}"

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Findings of the line by severity, the worst first; accepted ones are left out."""
        found = [(s, sum(f.severity == s and not f.accepted for f in self.findings)) for s in SEVERITIES]
        return tuple((s, n) for s, n in found if n)

    @property
    def kind(self) -> Value:
        p = self.pattern
        why = _why(p, "action", "entity")
        return Value(p.action or "not understood", f"{p.action} {p.entity}".strip(), why, bool(p.action))

    @property
    def query(self) -> Value:
        p = self.pattern
        text = shown(p.set if p.action == "insert" else p.where)
        return Value(phrase(p), text, _why(p, "where", "entity", "order by", "limit"))

    @property
    def fields(self) -> Value:
        p = self.pattern
        value, word = (p.set, "set") if p.is_write else (p.needs, "needs")
        text = shown(value)
        words = ", ".join(_short(n, p.entity) for n in (p.set if p.is_write else (n.what for n in p.needs)))
        return Value(words, text, _why(p, word))

    @property
    def consistency(self) -> Value:
        p = self.pattern
        levels = ", ".join(_level(k, v) for k, v in p.consistency.items())
        return Value(levels, shown(p.consistency), _why(p, "consistency"))


def phrase(pattern: Pattern) -> str:
    """A pattern in one line, the entity's own name left out of its attributes."""
    out = [pattern.entity or pattern.text]
    if pattern.with_:
        out.append("with " + ", ".join(pattern.with_))
    if pattern.where:
        out.append("where " + _bare(pattern.where.text, pattern.entity))
    if pattern.group_by:
        out.append("group by " + _bare(pattern.group_by, pattern.entity))
    if pattern.order_by:
        out.append("order by " + _bare(pattern.order_by.text, pattern.entity).replace(" desc", " ↓"))
    if pattern.limit:
        out.append(f"limit {pattern.limit.text}")
    return " ".join(part for part in out if part)


def _bare(text: str, entity: str) -> str:
    return text.replace(f"{entity}.", "") if entity else text


def _short(path: str, entity: str) -> str:
    return path.removeprefix(f"{entity}.") if entity else path


def _level(of: str, level: str) -> str:
    return level if of == "*" else f"{of}: {level}"


def _why(pattern: Pattern, *words: str) -> str:
    return "; ".join(dict.fromkeys(pattern.inferred[w] for w in words if w in pattern.inferred))


def cells(pattern: Pattern, models: Sequence[ModelReport], findings: Sequence[Finding]) -> tuple[Cell, ...]:
    """One cell per model."""
    return tuple(_cell(m, m.plans[pattern.operation], findings) for m in models)


def _cell(model: ModelReport, plan: Plan, findings: Sequence[Finding]) -> Cell:
    mine = [f for f in findings if f.model == model.model.name]
    open_ones = [f.severity for f in mine if not f.accepted]
    mark = next((s for s in SEVERITIES if s in open_ones), "accepted" if mine else "")
    why = plan.misses[0].what if plan.misses and not plan.served else ""
    path = plan.where or why or ", ".join(plan.missing) or (plan.questions[0] if plan.questions else "")
    records, amount = "", ""
    if plan.level != Level.IMPOSSIBLE:
        records = number(plan.records.avg) if plan.records.avg else ""
        amount = size(plan.bytes.avg) if plan.bytes.avg else ""
        if plan.touches and plan.units:
            amount = plural(plan.units, "unit")
    return Cell(model.model.name, plan.level, path, why or path, records, amount, mark)


def row_html(opened: Opened, index: int, is_open: bool = False) -> Markup:
    """The HTML of one line; kept for the objects it shows."""
    pattern = opened.project.patterns[index]
    place = f"patterns/{pattern.operation}"
    findings, rates = opened.beside[pattern.operation], opened.report.rates[pattern.operation]
    row, version = opened.rows[place], opened.versions[place]
    names = tuple(m.model.name for m in opened.report.models)

    def make() -> Markup:
        average, peak = (_rate(pattern, word, rate) for word, rate in zip(("avg", "peak"), rates, strict=True))
        part = RowPart(
            id=f"r-{row}", index=index, version=version, pattern=pattern, findings=findings, average=average, peak=peak,
            cells=cells(pattern, opened.report.models, findings), opened=is_open,
        )  # fmt: skip
        return html_of(part)

    return MEMORY.of("row", opened.made_from[index], make, (index, row, version, names, rates, is_open))


def _rate(pattern: Pattern, word: str, rate: float | None) -> Value:
    amount = getattr(pattern.rate, word) if pattern.rate else None
    text = amount.text if amount else ""
    why = _why(pattern, "rate", f"rate.{word}")
    if rate is None:
        return Value(text or "?", text, why, known=False)
    typed = amount or (pattern.rate.avg if pattern.rate else None)
    shown_rate = per_second(rate, typed.text if typed else "")
    if not amount:
        return Value(shown_rate, "", "no peak is given, so the average stands in" if word == "peak" else why)
    return Value(shown_rate, text, why or ("a rough guess" if amount.assumed else ""))


def per_second(rate: float, typed: str = "") -> str:
    """A rate in a column that says `/s`: `500`, and `50/day` where seconds would only show zeros; as `typed`, if that
    is short."""
    if not 0 < rate < SLOW:
        return number(rate)
    short = typed.lstrip("~ ").replace(" ", "")
    return short if "/" in short and len(short) <= 8 else words.rate(rate)


__all__ = ["MEMORY", "Cell", "RowPart", "Value", "cells", "phrase", "row_html"]
