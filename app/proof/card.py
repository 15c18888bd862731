"""From runs to a card: does what the engine did agree with what was planned, at the size that was loaded?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from app.model.workload import Pattern
from app.plan.types import Level, Plan
from app.proof.engines.engine import Answer
from app.proof.types import Card, Request, Verdict

FACTOR = 2.0
"""How many times as much as planned an engine may read and still agree: selectivities are averages."""
SLACK = 10.0
"""Records on top of that: nothing is told by whether 3 or 8 were read."""
KEPT_PLAN = 4_000
KEPT_REQUESTS = 12


@dataclass(frozen=True, slots=True)
class Case:
    """One pattern: its plan, its plan at the loaded scale, and its emitted text."""

    pattern: Pattern
    plan: Plan
    planned: Plan
    text: str


@dataclass(slots=True)
class Tally:
    """What the runs of one pattern came to. `hits`: records right, of each run."""

    answers: list[Answer] = field(default_factory=list)
    expected: list[int] = field(default_factory=list)
    matched: list[int] = field(default_factory=list)
    """Records that the conditions mean, on all pages."""
    wrong: str = ""
    refused: str = ""
    uncompared: str = ""


def skipped(case: Case, why: str, verdict: Verdict = "skipped") -> Card:
    """A card without runs."""
    return Card(
        operation=case.pattern.operation, verdict=verdict, why=why, level=case.plan.level.words,
        planned_requests=case.planned.requests.avg, planned_examined=case.planned.records.avg,
    )  # fmt: skip


def card(case: Case, tally: Tally) -> Card:
    """The card of a pattern that was run."""
    if tally.refused:
        return skipped(case, tally.refused, "refused")
    if tally.uncompared and not tally.answers:
        return skipped(case, tally.uncompared)
    runs = len(tally.answers)
    examined = _mean([_sum(a, "examined") for a in tally.answers])
    returned = _mean([_returned(a) for a in tally.answers])
    units = _mean([_sum(a, "units") for a in tally.answers])
    times = [a.seconds * 1000 for a in tally.answers]
    verdict: Verdict = "agrees"
    why = ""
    if tally.wrong:
        verdict, why = "failed", tally.wrong
    elif why := _differs(case, tally, examined, units):
        verdict = "differs"
    shown = next((a for a in tally.answers if _returned(a)), tally.answers[0] if tally.answers else Answer())
    return Card(
        operation=case.pattern.operation, verdict=verdict, why=why or tally.uncompared, level=case.plan.level.words,
        planned_requests=case.planned.requests.avg, planned_examined=case.planned.records.avg,
        requests=tuple(_request(e) for e in shown.requests[:KEPT_REQUESTS]),
        examined=examined, returned=returned, units=units, planned_units=case.planned.units or None,
        rows="wrong" if tally.wrong else "not compared" if tally.uncompared else "right",
        runs=runs, median_ms=round(median(times), 3) if times else None, p99_ms=_p99(times),
    )  # fmt: skip


def _request(e: object) -> Request:
    return Request(
        text=getattr(e, "text", ""), plan=getattr(e, "plan", "")[:KEPT_PLAN], examined=getattr(e, "examined", None),
        returned=getattr(e, "returned", None), units=getattr(e, "units", None),
    )  # fmt: skip


def _sum(answer: Answer, what: str) -> float | None:
    values = [v for e in answer.requests if not e.further and (v := getattr(e, what)) is not None]
    return sum(values) if values else None


def _returned(answer: Answer) -> float:
    return _sum(answer, "returned") or 0.0


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return round(sum(known) / len(known), 2) if known else None


def _p99(times: Sequence[float]) -> float | None:
    if not times:
        return None
    return round(quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0], 3)


# ---------------------------------------------------------------- agreement


def _differs(case: Case, tally: Tally, examined: float | None, units: float | None) -> str:
    """In what the engine did other than planned, as a sentence; empty where it did as planned, or better."""
    evidence = [e for a in tally.answers for e in a.requests]
    scanned = next((e for e in evidence if e.scan), None)
    if scanned is not None and case.plan.level < Level.SCATTER:
        return f"The engine went through a whole structure ({scanned.path or scanned.text[:60]})."
    stored = any(s.order in ("stored", "reversed") for s in case.plan.every_step)
    if any(e.sort for e in evidence) and stored:
        return "The engine sorted in memory; the plan says that the order is stored."
    if wrong := _requests(case, tally):
        return wrong
    if wrong := _changed(case, tally):
        return wrong
    bound = _bound(case, tally)
    if examined is not None and not case.pattern.is_write and examined > bound:
        return f"The engine read {examined:,.1f} records on average, and {bound:,.1f} would still agree with the plan."
    # what is refreshed later is run here, and is billed apart from the plan's own units
    later = sum(t.count.avg * (t.units + t.reads) for t in case.planned.touches if t.when == "async")
    planned_units = case.planned.units + later if case.planned.units else 0.0
    if units and planned_units and units > FACTOR * planned_units + 1:
        return f"It took {units:g} units on average; {planned_units:g} are planned."
    return ""


def _requests(case: Case, tally: Tally) -> str:
    sent = _mean([float(sum(not e.further for e in a.requests)) for a in tally.answers]) or 0.0
    planned = max(case.planned.requests.avg, case.plan.requests.avg, 1.0)
    # what is refreshed later is run here, and is no part of the plan's requests
    planned += sum(t.count.avg + t.reads for t in case.planned.touches if t.when == "async")
    if sent > FACTOR * planned + 1:
        return f"{sent:g} requests were sent on average; {planned:g} are planned."
    return ""


def _changed(case: Case, tally: Tally) -> str:
    """Does a write modify as many records as planned?"""
    counts = [sum(e.changed for e in a.requests) for a in tally.answers]
    planned = sum(t.count.avg for t in case.planned.touches if t.when != "never")
    if not any(counts) or not planned or not case.pattern.is_write:
        return ""
    changed = _mean(counts) or 0.0
    most = sum(t.count.max for t in case.planned.touches if t.when != "never")
    # of few runs, one may have met the record that has the most copies
    if changed > FACTOR * planned + 1 + max(0.0, most - planned) / len(counts):
        return f"{changed:g} records were modified on average; {planned:g} are planned."
    return ""


def _bound(case: Case, tally: Tally) -> float:
    """Records that may be read: as planned, and as many more as more were found than the plan expects on average."""
    planned = max(case.planned.records.avg, case.plan.records.avg if case.plan.level.served else 0.0)
    met = [float(n) for n in tally.expected]
    found = sum(met) / len(met) if met else 0.0
    planned = max(planned, found)
    if tally.matched and any(s.order in ("sorted", "partial", "client") for s in case.plan.every_step):
        planned = max(planned, sum(tally.matched) / len(tally.matched))  # a sort reads all of them
    return FACTOR * planned + SLACK
