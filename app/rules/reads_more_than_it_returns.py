"""A filter after the read throws most of the records away."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import Plan, Step
from app.rules.remedies import remedies
from app.rules.rule import Evidence, Finding, PlanCase, Severity, rule
from app.rules.unsaid import count_ask, guessed_plan
from app.rules.weigh import ask_row, at_rate, cell, rarely, rate_evidence, returned, spread_evidence
from app.rules.words import count, size

TIMES = 5.0
HISTORY = 10_000.0
"""Records added up for one answer from which it is said."""
TIMES_OF = ("datetime", "date", "timeuuid")
FEW = 20.0
"""Records that are read without anyone noticing."""


@rule(severity="warning", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A filter after the read throws most of the records away.

    ## What it flags

    A read that finds its records by a key or an index and then judges a condition on each of them, so that it
    examines at least five times as many as it returns; and a count or a sum that reads ten thousand records or more for
    each answer.

    ## Why it hurts

    Every record in the bounds is read, and charged where reads are billed. Where the limit counts before the filter,
    a page can be empty although more follows.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Events
    entities:
      - {name: user, count: 100k, fields: [id string key avg 8]}
      - name: event
        size: 0.5 KB
        fields: [user_id string, at datetime monotonic, {name: type, type: enum, values: {X: 5%, Y: 95%}}]
    relationships:
      - {parent: user, child: event, via: user_id, children: {avg: 1000, p99: 3k, max: 20k}}
    patterns:
      - operation: Latest ten of type X
        list: event
        where: event.user_id = :u and event.type = 'X'
        order by: event.at desc
        limit: 10
        rate: 100/s
    models:
      - name: By time
        store: dynamodb
        structures:
          - {table: events, records: [{of: event, pk: "{event.user_id}", sk: "{event.at}"}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Events
    entities:
      - {name: user, count: 100k, fields: [id string key avg 8]}
      - name: event
        size: 0.5 KB
        fields: [user_id string, at datetime monotonic, {name: type, type: enum, values: {X: 5%, Y: 95%}}]
    relationships:
      - {parent: user, child: event, via: user_id, children: {avg: 1000, p99: 3k, max: 20k}}
    patterns:
      - operation: Latest ten of type X
        list: event
        where: event.user_id = :u and event.type = 'X'
        order by: event.at desc
        limit: 10
        rate: 100/s
    models:
      - name: By type and time
        store: dynamodb
        structures:
          - {table: events, records: [{of: event, pk: "{event.user_id}", sk: "{event.type}#{event.at}"}]}
    ```

    ## When to allow it

    Where the key finds few records anyway, or the filter is used so seldom that another index would cost more to
    keep.

    ## Sources

    The stores' rules for filters after the read; the project format: records examined.
    """
    plan, query = case.plan, case.query
    if query is None or not plan.steps or not plan.served:
        return
    if query.action in ("count", "aggregate"):
        yield from _history(case, plan)
        return
    step = plan.steps[0]
    gives = returned(query)
    if not step.residual or step.records.avg < FEW or step.records.avg < TIMES * max(gives, 1.0):
        return
    needed = max(gives, 1.0)
    rough = guessed_plan(case, plan)
    yield Finding(
        "reads-more-than-it-returns",
        "advice" if rough or rarely(case, step.records.avg - needed) else "warning",
        cell(case),
        f"{case.pattern.operation} examines {'≈' * rough}{count(step.records.avg)} records in {step.path} to return"
        f" {'≈' * rough}{count(gives)}{at_rate(case)}: {_judged(step)} judged after the read",
        (
            *spread_evidence("records examined", step.records, assumed=rough),
            Evidence("records returned", count(gives), gives),
            Evidence("bytes read", size(step.bytes.avg), step.bytes.avg),
            *_units(plan, step.records.avg, needed),
            *rate_evidence(case),
            *(Evidence("note", note) for note in plan.notes if "filter" in note),
        ),
        remedies(case, lambda p: _better(p, needed)),
        model=case.model.name,
        structure=step.structure,
        patterns=(case.pattern.operation,),
    )


def _history(case: PlanCase, plan: Plan) -> Iterator[Finding]:
    """A count or a sum that adds up a long history each time. A count kept by the path reads no records."""
    pattern, step = case.pattern, max(plan.steps, key=lambda s: s.records.high)
    if step.records.high < HISTORY or (step.covered and not step.bytes.avg):
        return
    rough = guessed_plan(case, plan)
    ask = () if _in_time(case, step) else (ask_row(pattern, "where", "Time range it adds up", "record.at >= :since"),)
    wanted = "keep the figure as records come in" + (", or give the time range it is of" if ask else "")
    if rough:
        severity: Severity = "question"
        text = f"cannot judge how many records {pattern.operation} adds up: needs the number of {step.entity} records"
        text += " and a time range" if ask else ""
    else:
        severity = "advice" if rarely(case, step.records.avg) else "warning"
        many = f"{count(step.records.avg)} records ({size(step.bytes.avg)})"
        text = f"{pattern.operation} reads {many} in {step.path} for each answer{at_rate(case)}: {wanted}"
    yield Finding(
        "reads-more-than-it-returns",
        severity,
        cell(case),
        text,
        (
            *spread_evidence("records examined", step.records, assumed=rough),
            Evidence("bytes read", size(step.bytes.avg), step.bytes.avg, assumed=rough),
            *rate_evidence(case),
        ),
        asks=(*ask, *((count_ask(step.entity),) if rough else ())),
        model=case.model.name,
        structure=step.structure,
        patterns=(pattern.operation,),
    )


def _in_time(case: PlanCase, step: Step) -> bool:
    """Does the read say from when on?"""
    types = {c.attr: case.world.stats[c.attr].type for c in step.conds if c.attr in case.world.stats}
    return any(c.seconds or (c.op in (">", ">=") and types.get(c.attr) in TIMES_OF) for c in step.conds)


def _judged(step: Step) -> str:
    attrs = list(dict.fromkeys(c.replace(" not ", " ").rpartition(" ")[0] or c for c in step.residual))
    return f"{' and '.join(attrs)} {'is' if len(attrs) == 1 else 'are'}"


def _units(plan: Plan, examined: float, needed: float) -> tuple[Evidence, ...]:
    if not plan.units:
        return ()
    useful = plan.units * needed / examined
    return (Evidence("read units, of which useful", f"{plan.units:.3g}, {useful:.2g}", plan.units),)


def _better(plan: Plan, needed: float) -> bool:
    return plan.served and not plan.missing and plan.records.avg < max(FEW, TIMES * needed)
