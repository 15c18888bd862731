"""What rules about plans and patterns share: places, how often a pattern runs, evidence held against a fact."""

from __future__ import annotations

from app.model.spread import Spread
from app.model.workload import Pattern
from app.plan.types import Query
from app.rules.rule import Ask, Evidence, PatternCase, PlanCase
from app.rules.words import count, rate
from app.stores.store import Store

RARELY = 10.0
"""Records examined per second below which waste is not worth a warning."""


def row(pattern: Pattern) -> str:
    """The place of a pattern by itself."""
    return f"patterns/{pattern.operation}"


def cell(case: PlanCase) -> str:
    """The place of a pattern on a model."""
    return f"models/{case.model.name}/patterns/{case.pattern.operation}"


def pace(case: PatternCase | PlanCase) -> float | None:
    """Operations per second: the average, else the peak."""
    return case.rate if case.rate is not None else case.peak


def rate_evidence(case: PatternCase | PlanCase) -> tuple[Evidence, ...]:
    """The rate as evidence; nothing where it is not known."""
    often = pace(case)
    return () if often is None else (Evidence("rate", rate(often), often),)


def at_rate(case: PatternCase | PlanCase) -> str:
    """` at 20/s`, or nothing where the rate is not known."""
    often = pace(case)
    return "" if often is None else f" at {rate(often)}"


def per_second(case: PatternCase | PlanCase, each: float) -> float | None:
    """What an amount per operation makes per second; None where the rate is not known."""
    often = pace(case)
    return None if often is None else often * each


def rarely(case: PatternCase | PlanCase, records: float) -> bool:
    """Is so little read per second that it does not matter? A job with a deadline of its own is one."""
    total = per_second(case, records)
    return case.pattern.within is not None or (total is not None and total < RARELY)


def returned(query: Query) -> float:
    """Records that one run of a read gives on average; a count or a sum is one."""
    if query.action in ("count", "aggregate"):
        return 1.0
    return min(query.limit, query.matched.avg) if query.limit else query.matched.avg


def spread_evidence(label: str, spread: Spread, *, assumed: bool = False) -> tuple[Evidence, ...]:
    """Average, and p99 and maximum where they differ from it."""
    out = [Evidence(f"{label}, average", count(spread.avg), spread.avg, assumed=assumed)]
    if spread.high > spread.avg:
        out.append(Evidence(f"{label}, p99", count(spread.high), spread.high, assumed=assumed))
    if spread.max > spread.high and spread.max != float("inf"):
        out.append(Evidence(f"{label}, maximum", count(spread.max), spread.max, assumed=assumed))
    return tuple(out)


def fact_evidence(store: Store, slug: str, label: str, value: str) -> Evidence:
    """A limit of the store, as the thing a number was held against."""
    fact = store.facts[slug]
    return Evidence(label, value, fact.value, f"{store.name}.{slug}", fact.assumed)


def ask_row(pattern: Pattern, field: str, label: str, hint: str) -> Ask:
    """A number or word wanted in a pattern's row."""
    return Ask(f"{row(pattern)}/{field}", label, hint)
