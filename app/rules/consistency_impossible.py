"""A read must see the latest write, and the model can only give an older answer."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.growth import read_consistency
from app.plan.types import Level, Plan
from app.rules.remedies import remedies
from app.rules.rule import Evidence, Finding, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence
from app.rules.words import duration

STRICT = ("strong", "read your writes")


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A read must see the latest write, and the model can only give an older answer.

    ## What it flags

    A read that asks for `strong` or `read your writes` where the only way in is a path that lags behind the record,
    and a consistency that the store does not offer at all.

    ## Why it hurts

    The user saves and sees the old value. It happens seldom enough to pass every test, and often enough to be
    reported.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 10M, size: 1 KB, fields: [id string key avg 12, user_id uuid]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 500/s, consistency: read your writes}
    models:
      - name: By user
        store: dynamodb
        structures:
          - table: orders
            records: [{of: order, pk: "{order.user_id}", sk: "{order.id}"}]
            gsi: [{name: by_id, pk: "{order.id}", of: [order], projection: all}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 10M, size: 1 KB, fields: [id string key avg 12, user_id uuid]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 500/s, consistency: read your writes}
    models:
      - name: By id
        store: dynamodb
        structures:
          - table: orders
            records: [{of: order, pk: "{order.id}"}]
            gsi: [{name: by_user, pk: "{order.user_id}", sk: "{order.id}", of: [order], projection: all}]
    ```

    ## When to allow it

    Where a second or two does no harm: then say `eventual 5 s`, and the finding is gone.

    ## Sources

    The stores' rules for indexes that are updated later, and for replicas.
    """
    query, plan = case.query, case.plan
    if query is None or not any(n.strong for n in query.needs):
        return
    stale = [m for m in plan.misses if m.code == "stale"]
    said = {read_consistency(text).level for text in case.pattern.consistency.values()}
    offered = case.store.can.consistency
    unknown = [level for level in STRICT if level in said and offered and level not in offered]
    if unknown:
        yield _finding(case, f"{case.store.title} has no {unknown[0]} reads", ())
    elif stale and plan.level >= Level.SCAN:
        path = stale[0].path
        lag = next((p.lag for r in case.records for p in r.paths if p.name == path), 0.0)
        assumed = case.store.facts.get("gsi_lag_seconds")
        evidence: tuple[Evidence, ...] = (Evidence("why not " + path, stale[0].what),)
        if lag:
            given = (Evidence("lag of " + path, duration(lag), lag, assumed=bool(assumed and assumed.assumed)),)
            evidence = (*given, *evidence)
        wants = " and ".join(level for level in STRICT if level in said) or "current data"
        yield _finding(case, f"it asks for {wants}, and {path} lags behind the record", evidence)


def _finding(case: PlanCase, what: str, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(
        "consistency-impossible",
        "error",
        cell(case),
        f"{case.pattern.operation} cannot be served{at_rate(case)}: {what}",
        (*evidence, *rate_evidence(case)),
        remedies(case, _good) if evidence else (),
        model=case.model.name,
        patterns=(case.pattern.operation,),
    )


def _good(plan: Plan) -> bool:
    return plan.served and not plan.missing
