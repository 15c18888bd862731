"""The engine will probably take another index than the best one."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import Plan
from app.rules.remedies import remedies
from app.rules.rule import Evidence, Finding, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence
from app.rules.words import count

TWICE = 2.0
SORTED = ("sorted", "client")
FEW = 100.0
"""Records that are read without anyone noticing."""


@rule(severity="advice", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """The engine will probably take another index than the best one.

    ## What it flags

    A read for which the store's own choice, judged as it judges, falls on a path that examines at least twice as many
    records as the best one, or sorts in memory what the best one brings in order. For engines that try plans out and
    keep the first to bring results, and for those that choose by estimated cost.

    ## Why it hurts

    The plan shown is what the model can do. What runs is what the engine picks: by the first results it sees, not by
    the whole answer, or by costs that rest on its statistics.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Tickets
    entities:
      - name: ticket
        count: 5M
        fields: [id uuid key, {name: status, type: enum, values: {open: 1%, done: 99%}}, created_at datetime]
    patterns:
      - operation: Newest open tickets
        list: ticket
        where: ticket.status = 'open'
        order by: ticket.created_at desc, ticket.id desc
        matches: 50k
        limit: 2000
        rate: 5/s
    models:
      - name: Documents
        store: mongodb
        structures:
          - collection: tickets
            of: ticket
            _id: ticket.id
            indexes: [{keys: [ticket.status]}, {keys: [ticket.created_at desc, ticket.id desc]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Tickets
    entities:
      - name: ticket
        count: 5M
        fields: [id uuid key, {name: status, type: enum, values: {open: 1%, done: 99%}}, created_at datetime]
    patterns:
      - operation: Newest open tickets
        list: ticket
        where: ticket.status = 'open'
        order by: ticket.created_at desc, ticket.id desc
        matches: 50k
        limit: 2000
        rate: 5/s
    models:
      - name: Documents
        store: mongodb
        structures:
          - collection: tickets
            of: ticket
            _id: ticket.id
            indexes: [{keys: [ticket.status, ticket.created_at desc, ticket.id desc]}]
    ```

    ## When to allow it

    Where the query carries a hint, or a test shows that the engine picks the better one.

    ## Sources

    How the engine races or prices its candidates, as far as it is documented; a guess, and marked as one.
    """
    plan = case.plan
    likely = plan.likely
    if likely is None or not plan.steps:
        return
    step = plan.steps[0]
    sorts = likely.order in SORTED and step.order not in SORTED
    if likely.records.avg < max(FEW, step.records.avg * (1 if sorts else TWICE)):
        return
    then = " and sort them in memory" if sorts else ""
    same = likely.path == step.path
    other = "walk it in its order" if same and sorts else f"{count(step.records.avg)} by {step.path}"
    yield Finding(
        "engine-may-choose-other",
        "advice",
        cell(case),
        f"{case.pattern.operation} will probably run by {likely.path} and examine {count(likely.records.avg)} records"
        f"{then}{at_rate(case)}, not {other}",
        (
            Evidence(f"records by {likely.path}", count(likely.records.avg), likely.records.avg, assumed=True),
            Evidence(f"records by {step.path}", count(step.records.avg), step.records.avg),
            *rate_evidence(case),
        ),
        remedies(case, _certain),
        model=case.model.name,
        structure=step.structure,
        patterns=(case.pattern.operation,),
    )


def _certain(plan: Plan) -> bool:
    """Served, with the best path also the likely one."""
    return plan.served and not plan.missing and plan.likely is None
