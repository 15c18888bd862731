"""A list without a limit returns thousands of records to one caller."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.model.alter import change_pattern
from app.model.conditions import parse_order
from app.model.quantity import parse_count
from app.rules.rule import Finding, Fix, PatternCase, rule
from app.rules.unsaid import guessed_matches
from app.rules.weigh import ask_row, at_rate, rate_evidence, row, spread_evidence
from app.rules.words import count

MANY_HIGH = 1000.0
"""Records at p99 that are too many for one answer; where a time range is asked for, as many as at the maximum."""
MANY_MOST = 10_000.0


@rule(severity="advice", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """A list without a limit returns thousands of records to one caller.

    ## What it flags

    A list or a search without `limit` that finds more than 1,000 records at p99, or more than 10,000 at its maximum.
    Jobs (`within`) and operations that run for each record of another are left out.

    ## Why it hurts

    The answer grows with the data. It works in tests, fills pages and memory in production, and every record is read,
    sent and paid for although a person looks at the first screen.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: user, count: 100k, fields: [id uuid key]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 3k, max: 50k}}
    patterns:
      - {operation: Orders of a user, list: order, where: "order.user_id = :u", rate: 20/s}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: user, count: 100k, fields: [id uuid key]}
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid]}
    relationships:
      - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 3k, max: 50k}}
    patterns:
      - operation: Orders of a user
        list: order
        where: order.user_id = :u
        order by: order.id
        limit: 20
        paging: cursor
        rate: 20/s
    ```

    ## When to allow it

    An export that really wants everything: say `within`, so that it counts as a job.

    ## Sources

    The project format: records matched. Page sizes of the stores.
    """
    pattern, query = case.pattern, case.query
    if pattern.limit is not None or query is None or pattern.action not in ("list", "search"):
        return
    if pattern.within or pattern.for_each or pattern.group_by or query.course is not None:
        return
    found, many = query.matched, MANY_MOST if pattern.span else MANY_HIGH
    if found.high <= many and (found.max == inf or found.max <= MANY_MOST):
        return
    name = "maximum" if found.high <= many else "p99" if found.high > found.avg else "average"
    figure = found.max if name == "maximum" else found.high
    if guessed_matches(query, case.world):
        yield _question(case)
        return
    yield Finding(
        "unbounded-list",
        "advice",
        row(pattern),
        f"{pattern.operation} returns {count(figure)} records of {pattern.entity} at the {name}{at_rate(case)}: "
        "it has no limit",
        (*spread_evidence("records found", found), *rate_evidence(case)),
        (_fix(case),),
        patterns=(pattern.operation,),
    )


def _question(case: PatternCase) -> Finding:
    """How long the list gets is not known, and nothing bounds it."""
    pattern = case.pattern
    return Finding(
        "unbounded-list",
        "question",
        row(pattern),
        f"cannot judge how many records of {pattern.entity} {pattern.operation} returns: needs a limit",
        asks=(ask_row(pattern, "limit", "Records on a page", "50"),),
        fixes=(_fix(case),),
        patterns=(pattern.operation,),
    )


def _fix(case: PatternCase) -> Fix:
    """A page of 100, in an order that ends in the key."""
    pattern, world = case.pattern, case.world
    change: dict[str, object] = {"limit": parse_count("100"), "paging": "cursor"}
    keys = world.keys.get(pattern.entity, ())
    if pattern.order_by is None and keys:
        change["order_by"] = parse_order(", ".join(keys))
    name = pattern.operation
    return Fix("Return 100 at a time, by cursor", lambda project: change_pattern(project, name, **change))
