"""Deep pages read and throw away everything before them."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.alter import change_pattern
from app.model.spread import Spread
from app.model.workload import Pattern
from app.plan.types import Query
from app.rules.rule import Evidence, Finding, Fix, PatternCase, Severity, rule
from app.rules.weigh import ask_row, at_rate, pace, rate_evidence, row
from app.rules.words import count, rate

DEEP = 1000.0
"""Records passed over that make a page slow."""


@rule(severity="warning", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """Deep pages read and throw away everything before them.

    ## What it flags

    Paging by offset, with the number of records that the deepest page passes over. Without the number of pages it is
    a question.

    ## Why it hurts

    An offset counts: page 80 of 30 reads 2,370 records to skip them and 30 to show. The work grows with the page
    number, deep pages are the first to time out, and a record inserted meanwhile moves every later page by one.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, created_at datetime]}
    patterns:
      - operation: Newest orders
        list: order
        order by: order.created_at desc, order.id desc
        limit: 30
        paging: offset
        pages: {avg: 2, max: 80}
        rate: 50/s
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, created_at datetime]}
    patterns:
      - operation: Newest orders
        list: order
        order by: order.created_at desc, order.id desc
        limit: 30
        paging: cursor
        rate: 50/s
    ```

    ## When to allow it

    Short lists with page numbers people jump to: a few hundred records are read faster than anyone notices.

    ## Sources

    The project format: records examined, offset. Limits of the stores on skipping.
    """
    pattern, query = case.pattern, case.query
    if pattern.paging != "offset" or query is None:
        return
    pages = pattern.pages.spread if pattern.pages else None
    if pages is None or not query.limit:
        yield _question(pattern, pages, query.limit)
    elif query.peak_offset > 0:
        yield _judge(case, query)


def _question(pattern: Pattern, pages: Spread | None, limit: float) -> Finding:
    fields = (
        ("pages", "Page people go to", "{avg: 2, max: 80}", pages),
        ("limit", "Records on a page", "20", limit or None),
    )
    asks = tuple(ask_row(pattern, field, label, hint) for field, label, hint, given in fields if given is None)
    needs = " and ".join("how deep people page" if a.at.endswith("pages") else "a limit" for a in asks)
    return Finding(
        "offset-paging",
        "question",
        row(pattern),
        f"cannot judge what deep pages of {pattern.operation} cost: needs {needs}",
        asks=asks,
        fixes=(_cursor(pattern),),
        patterns=(pattern.operation,),
    )


def _judge(case: PatternCase, query: Query) -> Finding:
    pattern, skipped = case.pattern, query.peak_offset
    severity: Severity = "warning" if skipped >= DEEP else "advice"
    deepest = skipped / query.limit + 1
    return Finding(
        "offset-paging",
        severity,
        row(pattern),
        f"page {count(deepest)} passes over {count(skipped)} records of {pattern.entity} to return {count(query.limit)}"
        f"; the average page passes over {count(query.offset)}{at_rate(case)}",
        (
            Evidence("records passed over, deepest page", count(skipped), skipped),
            Evidence("records passed over, average page", count(query.offset), query.offset),
            Evidence("records returned", count(query.limit), query.limit),
            *rate_evidence(case),
            *_wasted(case, query.offset),
        ),
        (_cursor(pattern),),
        patterns=(pattern.operation,),
    )


def _wasted(case: PatternCase, each: float) -> tuple[Evidence, ...]:
    often = pace(case)
    return () if often is None else (Evidence("records thrown away", rate(often * each), often * each),)


def _cursor(pattern: Pattern) -> Fix:
    name = pattern.operation
    return Fix("Page by cursor", lambda project: change_pattern(project, name, paging="cursor", pages=None))
