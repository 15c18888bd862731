"""An order that no key or index gives is made in memory."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.model.spread import Spread
from app.plan.types import Plan, Query, Step
from app.rules.remedies import remedies
from app.rules.rule import Evidence, Finding, PlanCase, Severity, rule
from app.rules.unsaid import at_most_advice, guessed_plan
from app.rules.weigh import at_rate, cell, fact_evidence, rarely, rate_evidence, returned
from app.rules.words import count, size

FEW = 100.0
SOME = 1000.0
"""Records that are sorted without harm: nothing is said up to the first number, advice up to the second."""
LIMIT = "sort_memory_bytes"


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """An order that no key or index gives is made in memory.

    ## What it flags

    A read whose records are sorted after they are read, by the server or by the application, with the number of
    records and the memory it takes, held against the store's limit for a sort. Up to a hundred records nothing is
    said.

    ## Why it hurts

    To give the first record, all of them are read and kept. With paging by offset the memory grows with the page: the
    first page works and the last one fails.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Search words
    entities:
      - {name: keyword, count: 24k, size: 14 KB, fields: [id objectid key, created_at datetime]}
    patterns:
      - {operation: Newest keywords, list: keyword, order by: "keyword.created_at desc, keyword.id desc", rate: 1/s}
    models:
      - {name: Documents, store: mongodb, structures: [{collection: keywords, of: keyword, _id: keyword.id}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Search words
    entities:
      - {name: keyword, count: 24k, size: 14 KB, fields: [id objectid key, created_at datetime]}
    patterns:
      - {operation: Newest keywords, list: keyword, order by: "keyword.created_at desc, keyword.id desc", rate: 1/s}
    models:
      - name: Documents
        store: mongodb
        structures:
          - collection: keywords
            of: keyword
            _id: keyword.id
            indexes: [{keys: [keyword.created_at desc, keyword.id desc]}]
    ```

    ## When to allow it

    Short lists, and reports that run seldom and may use the disk.

    ## Sources

    `sort_memory_bytes` of the store; the project format: records examined when the order is not served.
    """
    query = case.query
    if query is None:
        return
    step = next((s for s in case.plan.steps if s.order in ("sorted", "client")), None)
    if step is None or step.records.high <= FEW:
        return
    each = step.bytes.avg / step.records.avg if step.records.avg else 0.0
    kept = _kept(query, step)
    fact = case.store.facts.get(LIMIT)
    severity: Severity = "warning"
    over = ""
    if fact is not None and step.order == "sorted" and kept.high * each > fact.value:
        severity, over = "error", f", against {size(fact.value)}"
    elif step.records.high <= SOME or rarely(case, step.records.avg):
        severity = "advice"
    mark = "≈" if guessed_plan(case, case.plan) else ""
    if mark:
        severity = at_most_advice(severity)
    who = "the application sorts" if step.order == "client" else "the server sorts"
    deep = f" and keeps {count(kept.high)} ({size(kept.high * each)}{over}) for the deepest page"
    yield Finding(
        "sort-in-memory",
        severity,
        cell(case),
        f"{case.pattern.operation}: {who} {mark}{count(step.records.avg)} records ({mark}{size(step.bytes.avg)}) to"
        f" return {mark}{count(returned(query))}{at_rate(case)}{deep if query.peak_offset else over}",
        tuple(_evidence(case, step, kept, each)),
        remedies(case, _ordered),
        model=case.model.name,
        structure=step.structure,
        patterns=(case.pattern.operation,),
    )


def _kept(query: Query, step: Step) -> Spread:
    """Records held while sorting: the page and all before it, or everything where there is no limit."""
    if not query.limit:
        return step.records
    return step.records.at_most(query.peak_offset + query.limit)


def _evidence(case: PlanCase, step: Step, kept: Spread, each: float) -> Iterator[Evidence]:
    yield Evidence("records sorted", count(step.records.avg), step.records.avg, assumed=guessed_plan(case, case.plan))
    if step.records.high > step.records.avg:
        yield Evidence("records sorted, p99", count(step.records.high), step.records.high)
    yield Evidence("memory", size(kept.high * each), kept.high * each)
    if kept.high < kept.max < inf:
        yield Evidence("memory, maximum", size(kept.max * each), kept.max * each)
    fact = case.store.facts.get(LIMIT)
    if fact is not None:
        yield fact_evidence(case.store, LIMIT, "memory of one sort", size(fact.value))
    yield from (Evidence("why", m.what) for m in case.plan.misses[:2] if m.code == "order")
    yield from rate_evidence(case)


def _ordered(plan: Plan) -> bool:
    return plan.served and not plan.missing and not any(s.order in ("sorted", "client") for s in plan.steps)
