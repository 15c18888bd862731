"""One change is written in many places."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.model.spread import ZERO, Spread
from app.plan.types import Touch
from app.rules.rule import Evidence, Finding, PlanCase, Severity, rule
from app.rules.unsaid import at_most_advice, guessed_plan
from app.rules.weigh import at_rate, cell, per_second, rate_evidence, spread_evidence
from app.rules.words import count, rate

MANY = 10.0
MANY_HIGH = 1000.0
MANY_A_SECOND = 1000.0


@rule(severity="warning", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """One change is written in many places.

    ## What it flags

    A write that changes at least ten records and index entries for each record it is about, on average, or a thousand
    at p99: copies to refresh, entries of indexes, one record for each follower. Refreshes made later count as well.

    ## Why it hurts

    Each place is a write to pay for, to wait for and to repair after a failure. The average looks harmless; the
    author with the most followers, and the name on the most orders, decide how long the queue gets.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: user, count: 100k, fields: [id uuid key, name string avg 18]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 2k, max: 90k}}
    patterns:
      - {operation: Rename user, update: user, where: "user.id = :u", set: {user.name: ":name"}, rate: 20/s}
    models:
      - name: Documents
        store: mongodb
        structures:
          - collection: orders
            of: order
            _id: order.id
            copy: [{what: user.name, refresh: async within 10 min}]
            indexes: [{keys: [order.user_id]}]
          - {collection: users, of: user, _id: user.id}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: user, count: 100k, fields: [id uuid key, name string avg 18]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 2k, max: 90k}}
    patterns:
      - {operation: Rename user, update: user, where: "user.id = :u", set: {user.name: ":name"}, rate: 20/s}
    models:
      - name: Documents
        store: mongodb
        structures:
          - collection: orders
            of: order
            _id: order.id
            copy: [{what: user.name, refresh: never, because: an order keeps the name of its day}]
            indexes: [{keys: [order.user_id]}]
          - {collection: users, of: user, _id: user.id}
    ```

    ## When to allow it

    Where the reads saved outnumber the writes paid: a copy on 100 orders that changes once a year and is read every
    day.

    ## Sources

    The project format: fan-out of a copy. The stores' rules for index entries.
    """
    intent, touches = case.intent, case.plan.touches
    if intent is None or not touches:
        return
    total = ZERO
    for t in touches:
        total = total + _written(t)
    own = sum(c.count.avg for c in intent.changes) or 1.0
    most = max((c.count.high for c in intent.changes), default=1.0) or 1.0
    if total.avg < MANY * own and (total.high < MANY_HIGH or total.high < MANY * most):
        return
    extra = per_second(case, total.avg)
    heavy = (extra is None or extra >= MANY_A_SECOND) or total.high >= MANY_HIGH
    severity: Severity = "warning" if heavy and (extra is None or extra >= 1) else "advice"
    rough = guessed_plan(case, case.plan) and any(c.count.avg > 1 for c in intent.changes)
    if rough:
        severity = at_most_advice(severity)
    worst = max(touches, key=lambda t: _written(t).avg)
    yield Finding(
        "write-amplification",
        severity,
        cell(case),
        f"{case.pattern.operation} writes {'≈' * rough}{_range(total)} records and index entries for"
        f" {'≈' * rough}{count(own)} changed"
        f"{at_rate(case)}, most of them in {worst.structure} ({worst.why})",
        (
            *spread_evidence("records and entries", total, assumed=rough),
            *((Evidence("written", rate(extra), extra),) if extra is not None else ()),
            *(Evidence(f"in {t.structure} ({t.why})", _range(_written(t)), _written(t).avg) for t in touches[:4]),
            *rate_evidence(case),
        ),
        model=case.model.name,
        structure=worst.structure,
        patterns=(case.pattern.operation,),
    )


def _written(touch: Touch) -> Spread:
    """Records with their index entries."""
    return touch.count.times(1 + touch.added + touch.removed + touch.rewritten)


def _range(total: Spread) -> str:
    """`120`, `120 (2,000 at p99, 90,000 at most)`."""
    more = [f"{count(total.high)} at p99"] if total.high > total.avg else []
    if total.high < total.max < inf:
        more.append(f"{count(total.max)} at most")
    return count(total.avg) + (f" ({', '.join(more)})" if more else "")
