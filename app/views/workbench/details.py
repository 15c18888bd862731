"""What an open line shows: every editable word of the pattern, each plan in full, findings with their fixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.analysis import ModelReport
from app.model.workload import Pattern
from app.plan.types import Level, Miss, Plan, Step, Touch
from app.rules.rule import Finding
from app.templating import Page, number, size, split_unit
from app.views.editing.fields import shown
from app.views.opened import Opened
from app.views.page import row_id, version_of

ORDERS = {"sorted": ", sorted in memory", "client": ", sorted by the application", "reversed": ", backwards"}
HOW = {"list": "in one list, ", "each": "one request each, ", "server": "in the server, "}


@dataclass(frozen=True, slots=True)
class Word:
    """One editable word of a pattern."""

    field: str
    label: str
    text: str
    hint: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One plan, ready to show. `figures`: label, number with unit, whether it is the one that hurts."""

    model: str
    store: str
    level: Level
    figures: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    query: str
    misses: tuple[Miss, ...]
    notes: tuple[str, ...]
    questions: tuple[str, ...]
    likely: str

    @property
    def served(self) -> bool:
        return self.level.served


@dataclass(frozen=True, kw_only=True)
class Details(Page):
    """The second line of an open row."""

    template: ClassVar[str] = "workbench/_details.html"
    opened: Opened
    index: int
    findings: tuple[Finding, ...]

    @property
    def pattern(self) -> Pattern:
        return self.opened.project.patterns[self.index]

    @property
    def id(self) -> str:
        return row_id(self.opened, self.pattern.operation)

    @property
    def place(self) -> str:
        return f"patterns/{self.pattern.operation}"

    def version(self, place: str) -> int:
        return version_of(self.opened, place)

    @property
    def plans(self) -> tuple[Shown, ...]:
        return tuple(show_plan(m, self.pattern, self.opened) for m in self.opened.report.models)

    @property
    def words(self) -> tuple[tuple[Word, ...], ...]:
        """Two columns of words."""
        p = self.pattern
        reads = [
            _word(p, "where", "Conditions", "order.user_id = :user"),
            _word(p, "order by", "Order", "order.created_at desc"),
            _word(p, "limit", "Limit", "20"), _word(p, "paging", "Paged by", "cursor"),
            _word(p, "needs", "Fields", "order, user.name"),
        ]  # fmt: skip
        writes = [
            _word(p, "where", "Conditions", "order.id = :order"), _word(p, "set", "Sets", "order.status: :status"),
            _word(p, "with", "With", "line_item"), _word(p, "only if", "Only if", "order.status = 'open'"),
            _word(p, "retry", "Retry", "idempotency key"),
        ]  # fmt: skip
        left = writes if p.is_write else reads
        right = [
            _word(p, "rate.avg", "Average", "500/s"), _word(p, "rate.peak", "Peak", "1500/s"),
            _word(p, "skew", "Skew", "order.user_id: top value 2%"),
            _word(p, "consistency", "Staleness", "eventual 5 min"),
            _word(p, "latency", "Latency", "30 ms"),
        ]  # fmt: skip
        if p.is_read:
            right.insert(2, _word(p, "matches", "Matches", "avg 500, max 20k"))
        return tuple(left), (*right, _word(p, "note", "Note", "note"))


def _word(pattern: Pattern, field: str, label: str, hint: str) -> Word:
    value: object = pattern
    for word in field.split("."):
        name = {"with": "with_"}.get(word, word.replace(" ", "_"))
        value = getattr(value, name, None) if value is not None else None
    why = pattern.inferred.get(field, "") or pattern.inferred.get(field.split(".", maxsplit=1)[0], "")
    return Word(field, label, shown(value), hint, why)


def show_plan(model: ModelReport, pattern: Pattern, opened: Opened) -> Shown:
    """One plan with its figures, steps and query text."""
    plan = model.plans[pattern.operation]
    query = ""
    if plan.steps or plan.touches:
        query = model.store.query(pattern, plan, model.model, opened.report.world)
    return Shown(
        model=model.model.name, store=model.store.title, level=plan.level, figures=tuple(_figures(plan)),
        steps=tuple(_step(s) for s in plan.steps) or tuple(_touch(t) for t in plan.touches), query=query,
        misses=plan.misses, notes=plan.notes, questions=plan.questions,
        likely=_step(plan.likely) if plan.likely else "",
    )  # fmt: skip


def _figures(plan: Plan) -> Sequence[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    if plan.level == Level.IMPOSSIBLE:
        return out
    out.append(("requests", _pair(plan.requests.avg, plan.requests.high)))
    if plan.records.avg:
        out.append(("records", _pair(plan.records.avg, plan.records.high)))
    if plan.bytes.avg:
        out += [("avg", size(plan.bytes.avg)), ("p99", size(plan.bytes.high)), ("max", size(plan.bytes.max))]
    if plan.units:
        out.append(("units", number(plan.units)))
    if plan.partitions > 1:
        out.append(("partitions", number(plan.partitions)))
    if plan.rounds > 1:
        out.append(("round trips", number(plan.rounds)))
    if plan.touches:
        out += [("all or nothing", plan.scope or "?"), ("retry", plan.retry or "?")]
    return out


def _pair(average: float, high: float) -> str:
    """`12`, or `12–80` where the p99 is clearly more."""
    return f"{number(average)}–{number(high)}" if high > average * 1.05 else number(average)


def _step(step: Step) -> str:
    bounds = ", ".join(step.bounds)
    order = ORDERS.get(step.order, "")
    rest = f", then filters {', '.join(step.residual)}" if step.residual else ""
    how = HOW.get(step.how, "")
    after = f", then {step.note}" if step.note else ""
    return f"{step.path}: {how}{bounds or 'all'}{order}{rest}{after}"


def _touch(touch: Touch) -> str:
    times = "" if touch.count.avg == 1 else f" × {number(touch.count.avg)}"
    entries = touch.added + touch.removed + touch.rewritten
    more = f", {number(entries)} index entries" if entries else ""
    late = {"async": ", later", "never": ", never refreshed"}.get(touch.when, "")
    return f"{touch.op} {touch.structure} ({touch.why}){times}{more}{late}"


def details(opened: Opened, row: str) -> Details | None:
    """The details of the line with this element id; None if it is gone."""
    for i, pattern in enumerate(opened.project.patterns):
        if row_id(opened, pattern.operation) == row:
            return Details(opened=opened, index=i, findings=opened.beside[pattern.operation])
    return None


__all__ = ["Details", "Shown", "Word", "details", "show_plan", "split_unit"]
