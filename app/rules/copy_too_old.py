"""A copy is there, but older than the pattern allows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.plan.types import Level, Miss, Plan
from app.rules.remedies import remedies
from app.rules.rule import Ask, Evidence, Finding, PlanCase, rule
from app.rules.weigh import ask_row, at_rate, cell, rate_evidence, spread_evidence
from app.rules.words import duration


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A copy is there, but older than the pattern allows.

    ## What it flags

    A read that finds what it needs as a copy, in a cache or behind an index whose age is greater than the read
    allows, so that it takes a further step, or cannot be served at all.

    ## Why it hurts

    The copy is written and stored, and the read does not profit from it: it pays for both sides.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: user, count: 1M, fields: [id uuid key, name string avg 18]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, total int64]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
    patterns:
      - operation: Load order
        get: order
        where: order.id = :o
        needs: [order, user.name]
        rate: 500/s
        consistency: eventual 1 min
    models:
      - name: Documents
        store: mongodb
        structures:
          - {collection: orders, of: order, _id: order.id, copy: [{what: user.name, refresh: async within 1 h}]}
          - {collection: users, of: user, _id: user.id}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: user, count: 1M, fields: [id uuid key, name string avg 18]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, total int64]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
    patterns:
      - operation: Load order
        get: order
        where: order.id = :o
        needs: [order, user.name]
        rate: 500/s
        consistency: eventual 1 min
    models:
      - name: Documents
        store: mongodb
        structures:
          - {collection: orders, of: order, _id: order.id, copy: [{what: user.name, refresh: async within 1 min}]}
          - {collection: users, of: user, _id: user.id}
    ```

    ## When to allow it

    Where other patterns live from the copy, and this one is rare.

    ## Sources

    The project format: ages add up along the way from the truth to the reader.
    """
    plan, query = case.plan, case.query
    if query is None or not plan.misses:
        return
    old = [m for m in plan.misses if m.code == "age"]
    if not old:
        return
    first = old[0]
    lost = plan.level is Level.IMPOSSIBLE
    then = "cannot be served" if lost else f"takes a further step ({plan.level.words})"
    ask: Ask = ask_row(case.pattern, "consistency", "Greatest age allowed", "eventual 5 min")
    yield Finding(
        "copy-too-old",
        "error" if lost else "warning",
        cell(case),
        f"{case.pattern.operation} {then}{at_rate(case)}: {first.attr} in {first.path}{_ages(case, first)}",
        (*_figures(case, first), *spread_evidence("requests", plan.requests), *rate_evidence(case)),
        remedies(case, _young),
        asks=(ask,),
        model=case.model.name,
        structure=next((r.structure for r in case.records if r.name == first.path), ""),
        patterns=(case.pattern.operation,),
    )


def _young(plan: Plan) -> bool:
    """Served, with nothing that is too old in the way."""
    return plan.served and not plan.missing and all(m.code != "age" for m in plan.misses)


def _age(case: PlanCase, miss: Miss) -> float | None:
    """Seconds by which the copy may lag."""
    record = next((r for r in case.records if r.name == miss.path), None)
    if record is None:
        return None
    entity = miss.attr.split(", ")[0].lstrip("=").partition(".")[0]
    ages = [h.age for h in record.shape if h.entity == entity]
    age = max(ages, default=0.0)
    return age or max(record.computed_age.values(), default=0.0) or (record.ttl if record.purpose == "cache" else 0.0)


def _allowed(case: PlanCase, miss: Miss) -> float | None:
    entity = miss.attr.split(", ")[0].lstrip("=").partition(".")[0]
    needs = case.query.needs if case.query else ()
    return next((n.age for n in needs if n.entity == entity), None)


def _ages(case: PlanCase, miss: Miss) -> str:
    age, allowed = _age(case, miss), _allowed(case, miss)
    if not age or allowed is None:
        return " may be older than the read allows"
    wants = "current data" if allowed == 0 else f"at most {duration(allowed)}"
    return ": never refreshed" if age == inf else f" may be {duration(age)} old, and the read wants {wants}"


def _figures(case: PlanCase, miss: Miss) -> Iterator[Evidence]:
    age, allowed = _age(case, miss), _allowed(case, miss)
    if age:
        yield Evidence(f"age of {miss.attr}", duration(age), age)
    if allowed is not None:
        yield Evidence("age allowed", "current" if allowed == 0 else duration(allowed), allowed)
