"""No key or index of a model serves a pattern by itself."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import Level, Miss, Plan
from app.rules.remedies import remedies
from app.rules.rule import Evidence, Finding, PlanCase, Severity, rule
from app.rules.unsaid import at_most_advice, guessed_plan
from app.rules.weigh import at_rate, cell, pace, rarely, rate_evidence, returned, spread_evidence
from app.rules.words import count

OTHERS = frozenset({"stale", "age"})
"""Reasons that have rules of their own."""
QUOTE = "; the server answers"
"""What follows is the server's own sentence: it stands in the evidence."""
MANY_REQUESTS = 10.0
BUSY = 100.0
"""Requests per second of one pattern from which a fan-out is worth a warning."""
MANY_RECORDS = 1000.0
LARGE_WALK = 10_000.0
OFTEN = 10.0
"""Operations per second from which a join or a few requests more are worth a warning."""


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """No key or index of a model serves a pattern by itself.

    ## What it flags

    A pattern that a model cannot serve at all (an error), and one it serves only by a scan, by asking every node, by
    many requests, by a join or by a walk, with the records it examines, those it returns and the requests it takes.
    Rare operations and jobs with a deadline (`within`) are advice. Where entities have tables of their own, a join in
    one request that follows keys and indexes is how they are read: it is advice if it examines more than a thousand
    records at p99.

    ## Why it hurts

    What no key or index answers is paid for in records read and thrown away, requests that grow with the answer, or a
    second round trip. It works with test data and fails with the real number of records.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Accounts
    entities:
      - {name: user, count: 1M, fields: [id uuid key, email string unique avg 24]}
    patterns:
      - {operation: Get by id, get: user, where: "user.id = :u", rate: 50/s}
      - {operation: Get by email, get: user, where: "user.email = :e", rate: 10/s}
    models:
      - name: By id
        store: cassandra
        structures: [{table: user, of: user, partition key: [user.id]}]
      - name: Documents
        store: mongodb
        structures: [{collection: users, of: user, _id: user.id}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Accounts
    entities:
      - {name: user, count: 1M, fields: [id uuid key, email string unique avg 24]}
    patterns:
      - {operation: Get by id, get: user, where: "user.id = :u", rate: 50/s}
      - {operation: Get by email, get: user, where: "user.email = :e", rate: 10/s}
    models:
      - name: By id and email
        store: cassandra
        structures:
          - {table: user, of: user, partition key: [user.id]}
          - {table: user_by_email, of: user, partition key: [user.email]}
      - name: Documents
        store: mongodb
        structures: [{collection: users, of: user, _id: user.id, indexes: [{keys: [user.email], unique: yes}]}]
    ```

    ## When to allow it

    An operation nobody waits for, on a number of records that stays small. Accept it with that number.

    ## Sources

    The stores' rules for their keys and indexes, quoted in each finding; the planner's figures.
    """
    plan = case.plan
    if plan.served and not plan.missing:
        return
    severity = _severity(case, plan)
    if severity is None:
        return
    fixes = remedies(case, lambda p: (p.served and not p.missing) or _lighter(case, p))
    pattern = case.pattern
    yield Finding(
        "pattern-not-served",
        severity,
        cell(case),
        f"{pattern.operation}: {_message(case)}",
        (*_figures(case), *rate_evidence(case), *_reasons(plan)),
        fixes,
        model=case.model.name,
        structure=plan.steps[0].structure if plan.steps else "",
        patterns=(pattern.operation,),
    )


def _lighter(case: PlanCase, plan: Plan) -> bool:
    """Does something serve where nothing did?"""
    return case.plan.level is Level.IMPOSSIBLE and plan.level < Level.SCAN and not plan.missing


def _severity(case: PlanCase, plan: Plan) -> Severity | None:
    """None: nothing to say here. What rests on a number that nobody gave is advice; the impossible rests on none."""
    severity = _weighed(case, plan)
    rough = severity is not None and plan.level is not Level.IMPOSSIBLE and guessed_plan(case, plan)
    return at_most_advice(severity) if rough and severity is not None else severity


def _weighed(case: PlanCase, plan: Plan) -> Severity | None:
    level = plan.level
    if case.query is None and case.intent is None:
        return None  # the row is not understood yet
    codes = {m.code for m in plan.misses}
    if codes and codes <= OTHERS:
        return None
    if level is Level.IMPOSSIBLE:
        return "error"
    if case.query is None:
        return _of_write(case)
    if level is Level.SCAN:
        only_sorted = codes == {"order"} and any(s.order in ("sorted", "client") for s in plan.steps)
        return None if only_sorted else "advice" if rarely(case, plan.records.avg) else "warning"
    if _joined_by_index(case):
        return None if plan.records.high <= MANY_RECORDS else "advice"
    if _pipelined(case):
        return "advice"
    return "warning" if _heavy(case) and not rarely(case, max(plan.records.avg, plan.requests.avg)) else "advice"


def _of_write(case: PlanCase) -> Severity | None:
    """Many records written one by one are the writer's intent; what cannot be found by a key is not."""
    plan = case.plan
    if plan.level is Level.SCAN:
        return "advice" if rarely(case, _scanned(case)) else "warning"
    if plan.level in (Level.SCATTER, Level.JOIN, Level.TRAVERSAL):
        return "warning" if (pace(case) or OFTEN) >= OFTEN and case.pattern.within is None else "advice"
    return "advice" if plan.missing else None


def _scanned(case: PlanCase) -> float:
    """Records that a write reads through to find those it changes."""
    kinds = {t.record for t in case.plan.touches if t.level is Level.SCAN}
    return sum(r.count for r in case.records if r.name in kinds)


def _pipelined(case: PlanCase) -> bool:
    """Are the records found by key, in bounded steps whose requests go out together? The way of a store of keys."""
    plan = case.plan
    bounded = plan.requests.high <= MANY_RECORDS and plan.level in (Level.FAN_OUT, Level.JOIN)
    return case.store.can.by_key_only and bounded and all(s.level <= Level.FAN_OUT for s in plan.steps)


def _joined_by_index(case: PlanCase) -> bool:
    """Does the server join by keys and indexes, in one request, without reading much more than it returns? Where
    entities have tables of their own that is how they are read."""
    plan, query = case.plan, case.query
    if not case.store.can.relational or plan.level is not Level.JOIN or query is None:
        return False
    indexed = all(s.level.served for s in plan.steps)
    wasted = plan.records.avg - len(plan.steps) * max(1.0, returned(query))
    return indexed and plan.requests.high <= 1 and wasted <= MANY_RECORDS


def _heavy(case: PlanCase) -> bool:
    plan, often = case.plan, pace(case)
    if plan.level is Level.TRAVERSAL:
        return plan.records.high > LARGE_WALK or plan.requests.high > MANY_RECORDS
    query = case.query
    counts = query is not None and query.action in ("count", "aggregate")
    wasted = plan.records.avg - (returned(query) if query is not None and not counts else plan.records.avg)
    busy = often is None or often * plan.requests.high >= BUSY
    if (plan.requests.high > MANY_REQUESTS and busy) or wasted > MANY_RECORDS:
        return True
    return plan.level in (Level.SCATTER, Level.JOIN) and (often is None or often >= OFTEN)


def _message(case: PlanCase) -> str:
    """What happens, with the numbers that matter."""
    plan, query = case.plan, case.query
    why = f": {plan.misses[0].what.partition(QUOTE)[0]}" if plan.misses else ""
    if plan.level is Level.IMPOSSIBLE:
        return f"{case.model.name} cannot serve it{why}"
    if plan.missing and plan.served:
        return f"{case.model.name} stores nothing of {', '.join(plan.missing)}, which it writes"
    requests = f"{count(plan.requests.avg)} request{'s' * (plan.requests.avg != 1)}"
    if plan.requests.high > plan.requests.avg:
        requests += f" ({count(plan.requests.high)} at p99)"
    if query is None:
        looked = (
            f" of {'≈' * guessed_plan(case, plan)}{count(_scanned(case))} records" if plan.level is Level.SCAN else ""
        )
        return f"{plan.level.words}{looked} to find what it changes{at_rate(case)}{why}"
    mark = "≈" if guessed_plan(case, plan) else ""
    if _pipelined(case):
        trips = f"{plan.rounds} round trip{'s' * (plan.rounds != 1)}"
        why = f": an index of keys, then the records in one pipeline, {trips}" if len(plan.steps) > 1 else why
    entries = sum(s.keys for s in plan.steps)
    examined = f"{count(plan.records.avg)} records" if plan.records.avg else f"{count(entries)} index entries"
    work = f"{mark}{examined} examined to return {mark}{count(returned(query))}"
    if plan.level is Level.SCATTER:
        nodes = max((r.nodes for r in case.records if r.structure == plan.steps[0].structure), default=1.0)
        requests = f"all {count(nodes)} nodes asked" if nodes > 1 else "every node asked"
    return f"{plan.level.words}, {work}, {requests}{at_rate(case)}{why}"


def _figures(case: PlanCase) -> tuple[Evidence, ...]:
    plan, query = case.plan, case.query
    if plan.level is Level.IMPOSSIBLE:
        return ()
    rough = guessed_plan(case, plan)
    if query is None:
        n = _scanned(case)
        return (Evidence("records looked through", count(n), n, assumed=rough),) if n else ()
    out = [*spread_evidence("records examined", plan.records, assumed=rough)]
    out.append(Evidence("records returned", count(returned(query)), returned(query), assumed=rough))
    if plan.requests.high > 1:
        out += spread_evidence("requests", plan.requests, assumed=rough)
    if plan.units:
        out.append(Evidence("units of one operation", count(plan.units), plan.units))
    return tuple(out)


def _reasons(plan: Plan) -> tuple[Evidence, ...]:
    """The nearest way in and every reason why it does not serve, with the change that would."""
    return tuple(Evidence(_label(m), m.what if not m.fix else f"{m.what} → {m.fix}") for m in plan.misses[:4])


def _label(miss: Miss) -> str:
    return f"why not {miss.path}" if miss.path else "why not"
