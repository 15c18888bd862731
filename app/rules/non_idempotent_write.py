"""A write that is sent twice changes twice."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.alter import change_pattern
from app.rules.rule import Evidence, Finding, Fix, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence

TOGETHER = ("record", "partition", "slot", "transaction")
"""Scopes in which a key or a condition can notice a repeat."""
INEXACT = ("counter", "limiter")
"""Purposes for which one more or less does no harm."""
NEW_KEY = "a new key each time"


@rule(severity="warning", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A write that is sent twice changes twice.

    ## What it flags

    A write whose repeat is not safe: it adds again, pushes again or makes a new key each time, and no idempotency
    key, condition or transaction token notices it. Keys of purpose counter or limiter are left out.

    ## Why it hurts

    Timeouts are answered by sending again, by drivers, queues and people. The stock is taken twice, the order is
    placed twice, and no later check can tell which of the two was meant.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Stock
    entities:
      - {name: stock, count: 100k, fields: [id uuid key, available int32]}
    patterns:
      - {operation: Take one, update: stock, where: "stock.id = :s", set: {stock.available: -1}, rate: 50/s}
    models:
      - {name: Documents, store: mongodb, structures: [{collection: stock, of: stock, _id: stock.id}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Stock
    entities:
      - {name: stock, count: 100k, fields: [id uuid key, available int32]}
    patterns:
      - operation: Take one
        update: stock
        where: stock.id = :s
        set: {stock.available: -1}
        rate: 50/s
        retry: idempotency key
    models:
      - {name: Documents, store: mongodb, structures: [{collection: stock, of: stock, _id: stock.id}]}
    ```

    ## When to allow it

    Counters of views and clicks, where one more or less does no harm: accept it, or say `retry: unsafe` and it is
    advice.

    ## Sources

    The drivers' rules for repeating writes; the transaction tokens of stores that have them.
    """
    plan, pattern = case.plan, case.pattern
    if not plan.retry or plan.retry.startswith("safe"):
        return
    place, _, harm = plan.retry.partition(": ")
    if any(r.name == place and r.purpose in INEXACT for r in case.records):
        return
    said = f" ({pattern.retry} is not enough here)" if pattern.retry not in ("", "unsafe") else ""
    yield Finding(
        "non-idempotent-write",
        "advice" if pattern.retry == "unsafe" else "warning",
        cell(case),
        f"{pattern.operation} sent twice {harm} in {place}{at_rate(case)}, and nothing notices the repeat{said}",
        (Evidence("a repeat", f"{harm} in {place}"), Evidence("written as one", plan.scope), *rate_evidence(case)),
        tuple(_fixes(case, harm)),
        model=case.model.name,
        structure=next((t.structure for t in plan.touches if t.record == place), ""),
        patterns=(pattern.operation,),
    )


def _fixes(case: PlanCase, harm: str) -> Iterator[Fix]:
    name = case.pattern.operation
    if harm == NEW_KEY:
        yield Fix("Send the same key again", lambda project: change_pattern(project, name, retry="same key"))
    if case.plan.scope in TOGETHER and case.pattern.retry in ("", "unsafe", "same key", "same value"):
        yield Fix("Carry an idempotency key", lambda project: change_pattern(project, name, retry="idempotency key"))
