"""A write asked to be all-or-nothing is made in parts."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.rules.rule import Evidence, Finding, PlanCase, Severity, rule
from app.rules.weigh import at_rate, cell, fact_evidence, rate_evidence, spread_evidence
from app.rules.words import count


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A write asked to be all-or-nothing is made in parts.

    ## What it flags

    `atomic: yes` on a write whose places the store cannot change as one: several partitions, several slots, several
    stores, more records than a transaction takes at p99 (an error) or at the maximum (a warning). A batch that is
    all-or-nothing without isolation is a warning.

    ## Why it hurts

    A failure between two of the parts leaves the order without its payment, or the copy without its truth, and
    readers see the state in between.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40, run_at datetime]}
    patterns:
      - {operation: Enqueue, insert: job, atomic: yes, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "q:{job.queue}", type: list, of: job, ttl: none, purpose: queue, truth: none}
          - {keys: sched, type: sorted set, of: job, member: "{job.id}", score: job.run_at, ttl: none, purpose: queue}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40, run_at datetime]}
    patterns:
      - {operation: Enqueue, insert: job, atomic: yes, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "q:{job.queue|tag}", type: list, of: job, ttl: none, purpose: queue, truth: none}
          - keys: "sched:{job.queue|tag}"
            type: sorted set
            of: job
            member: "{job.id}"
            score: job.run_at
            ttl: none
            purpose: queue
    ```

    ## When to allow it

    Where each part can be repeated safely and something repeats it until all are done: write the truth first, the
    rest through an outbox.

    ## Sources

    The stores' rules for transactions, batches and slots; `transaction_items`.
    """
    if case.intent is None or not case.intent.atomic or len(case.plan.touches) < 1:
        return
    plan = case.plan
    if plan.scope in ("none", "batch"):
        yield _parts(case)
        return
    limit = case.store.facts.get("transaction_items")
    if plan.scope == "transaction" and limit is not None and limit.value < plan.records.max < inf:
        yield _finding(
            case,
            "warning",
            f"{case.pattern.operation} writes {count(plan.records.max)} records at the maximum; one transaction takes"
            f" {count(limit.value)}",
            _limit(case),
        )
    elif plan.scope == "transaction" and not case.store.dialect.writing.twice and _same_twice(case):
        yield _finding(
            case,
            "warning",
            f"{case.pattern.operation} fails where two of its parts change the same record: one transaction takes each"
            " record once; add up equal keys first",
            (),
        )


def _parts(case: PlanCase) -> Finding:
    plan, now = case.plan, [t for t in case.plan.touches if t.when == "same"]
    places = list(dict.fromkeys(t.structure for t in now))
    stores = list(dict.fromkeys(t.store for t in now))
    why = next((m.what for m in plan.misses if m.code in ("slot", "limit")), "")
    if len(stores) > 1:
        why = f"nothing is all-or-nothing across {' and '.join(stores)}"
    if plan.scope == "batch":
        message = f"{case.pattern.operation} is a batch over {' and '.join(places)}: all of it happens in the end, but"
        return _finding(case, "warning", f"{message} readers can see a part", _limit(case))
    message = f"{case.pattern.operation} changes {' and '.join(places)} in parts{at_rate(case)}"
    return _finding(case, "error", f"{message}: {why or 'nothing here makes them one'}", _limit(case))


def _finding(case: PlanCase, severity: Severity, message: str, more: tuple[Evidence, ...]) -> Finding:
    plan = case.plan
    return Finding(
        "not-atomic",
        severity,
        cell(case),
        message,
        (
            Evidence("written as one", plan.scope),
            *spread_evidence("records written", plan.records),
            *more,
            *rate_evidence(case),
        ),
        model=case.model.name,
        structure=plan.touches[0].structure,
        patterns=(case.pattern.operation,),
    )


def _limit(case: PlanCase) -> tuple[Evidence, ...]:
    fact = case.store.facts.get("transaction_items")
    if fact is None:
        return ()
    return (fact_evidence(case.store, "transaction_items", "records in one transaction", count(fact.value)),)


def _same_twice(case: PlanCase) -> bool:
    """Is one change repeated for each child, on records that two children may share?"""
    repeated = (t for t in case.plan.touches if t.when == "same" and t.count.max > 1)
    return any(t.op in ("set", "add") and t.why == "truth" for t in repeated)
