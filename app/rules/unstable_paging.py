"""Pages repeat or skip records, because the order does not end in something unique."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.alter import change_pattern
from app.model.conditions import parse_order
from app.model.workload import Pattern
from app.plan.types import Query
from app.rules.rule import Evidence, Finding, Fix, PatternCase, rule
from app.rules.weigh import rate_evidence, row
from app.rules.words import count, percent, rate

TICK = 0.001
"""Seconds that a stored time tells apart, in most stores."""
SELDOM = 0.01
"""New records per second in one list below which equal times are rare even at 1 s."""
WORDS = frozenset({"relevance", "paths", "rank", "distance"})
TIMES = frozenset({"datetime", "timeuuid"})


@rule(severity="warning", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """Pages repeat or skip records, because the order does not end in something unique.

    ## What it flags

    A paged list whose order, together with what its condition fixes, does not name a key or another unique set of
    attributes.

    ## Why it hurts

    Records that are equal in the order have no fixed sequence. Where a page ends between two of them, the next page
    repeats one or loses one, with a cursor as with an offset. A cursor over two attributes also has to say `or` with
    the tie: after `(created_at, id)` come records with a smaller `created_at`, and those with an equal one and a
    smaller `id`.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 5M, growth: 50/s, fields: [id uuid key, created_at datetime]}
    patterns:
      - {operation: Newest posts, list: post, order by: post.created_at desc, limit: 20, paging: cursor, rate: 200/s}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 5M, growth: 50/s, fields: [id uuid key, created_at datetime]}
    patterns:
      - operation: Newest posts
        list: post
        order by: post.created_at desc, post.id desc
        limit: 20
        paging: cursor
        rate: 200/s
    ```

    ## When to allow it

    Where the list never has two equal values in practice, and a doubled line does no harm.

    ## Sources

    Public reports of repeated and lost records at page edges in several libraries; the rule follows from the order
    alone.
    """
    pattern, query, world = case.pattern, case.query, case.world
    if not pattern.paging or query is None or query.course is not None or pattern.group_by:
        return
    if pattern.order_by is not None and any(i.path in WORDS for i in pattern.order_by.items):
        return
    root = query.root
    fixed = {c.attr for c in root.where if c.op == "="} | {a for a, _ in root.order}
    if any(unique <= fixed for unique in world.unique_together.get(root.entity, ())):
        return
    keys = tuple(k for k in world.keys.get(root.entity, ()) if k not in fixed)
    if not keys and not root.order:
        return  # a value without a key and without an order is a question of its own
    last = root.order[-1][0] if root.order else ""
    what = f"the order ends in {last.lstrip('=')}, which is not unique" if last else "it has no order"
    cursor = _predicate(query, keys)
    yield Finding(
        "unstable-paging",
        "advice" if _seldom(case, last) else "warning",
        row(pattern),
        f"pages of {pattern.operation} can repeat or lose records: {what}{_ties(case, last)}",
        (
            *_tie_evidence(case, last),
            *((Evidence("condition of the next page", cursor),) if cursor else ()),
            *rate_evidence(case),
        ),
        (_fix(pattern, query, keys),) if keys else (),
        patterns=(pattern.operation,),
    )


def _share_per_second(case: PatternCase, last: str) -> float | None:
    """New records per second in one list, where the order ends in a time."""
    world, query = case.world, case.query
    stat = world.stats.get(last)
    if query is None or stat is None or stat.type not in TIMES:
        return None
    total, count_ = world.inflow.get(query.root.entity), world.counts.get(query.root.entity)
    if not total or not count_:
        return None
    return total * min(1.0, query.matched.avg / count_)


def _seldom(case: PatternCase, last: str) -> bool:
    """Are two new records of one list hardly ever made in the same second?"""
    rising = _share_per_second(case, last)
    return rising is not None and rising < SELDOM


def _ties(case: PatternCase, last: str) -> str:
    rising = _share_per_second(case, last)
    if rising is not None:
        if rising < SELDOM:
            return f"; seldom, at {rate(rising)} new records"
        part = percent(min(1.0, rising * TICK))
        at_once = f", {percent(min(1.0, rising))} at 1 s"
        return f"; at {rate(rising)} new records {part} of neighbours are equal at a resolution of 1 ms{at_once}"
    same = _alike(case, last)
    return f"; {count(same)} records share each value" if same and same > 1 else ""


def _alike(case: PatternCase, last: str) -> float | None:
    stat, query = case.world.stats.get(last), case.query
    if query is None or stat is None or stat.assumed or not stat.distinct:
        return None
    return query.matched.avg / stat.distinct


def _tie_evidence(case: PatternCase, last: str) -> tuple[Evidence, ...]:
    rising = _share_per_second(case, last)
    if rising is None:
        same = _alike(case, last)
        return (Evidence("records per value", count(same), same),) if same and same > 1 else ()
    part = min(1.0, rising * TICK)
    return (
        Evidence("new records in the list", rate(rising), rising),
        Evidence("neighbours equal at 1 ms", percent(part), part),
    )


def _predicate(query: Query, keys: tuple[str, ...]) -> str:
    """The condition that continues after the last record: later in the order, or equal and later by key."""
    if not keys:
        return ""
    down = query.root.order[-1][1] if query.root.order else 1
    order = [(a.lstrip("="), d) for a, d in (*query.root.order, *((k, down) for k in keys))]
    branches = []
    for i, (attr, direction) in enumerate(order):
        same = [f"{a} = :last_{_short(a)}" for a, _ in order[:i]]
        beyond = f"{attr} {'<' if direction < 0 else '>'} :last_{_short(attr)}"
        branches.append(" and ".join([*same, beyond]))
    return " or ".join(f"({b})" if " and " in b else b for b in branches)


def _short(attr: str) -> str:
    return attr.rpartition(".")[2]


def _fix(pattern: Pattern, query: Query, keys: tuple[str, ...]) -> Fix:
    name = pattern.operation
    before = pattern.order_by.text if pattern.order_by else ""
    down = bool(query.root.order) and query.root.order[-1][1] < 0
    tail = ", ".join(f"{k} desc" if down else k for k in keys)
    order = parse_order(f"{before}, {tail}" if before else tail)
    return Fix(f"Order by {order.text}", lambda project: change_pattern(project, name, order_by=order))
