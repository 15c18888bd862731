"""Planning a read: from a pattern and the records of one model to how it is served.

A read that one record gives needs no search; everything else is a shortest path over what is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.plan.explain import explain, unexplained
from app.plan.quick import quick
from app.plan.reasons import missing, refused_parts
from app.plan.search import Outcome, cheapest
from app.plan.steps import Search, entries
from app.plan.tell import tell
from app.plan.traverse import plan_walk
from app.plan.types import Level, Plan, Query, Record, World


def plan_read(query: Query, records: Sequence[Record], world: World) -> Plan:
    """How one model serves one read. Pure: equal arguments give equal plans.

    `records`: every kind of record of the model, with its access paths; a tuple kept from call to call saves looking
    it through again.
    """
    if query.course is not None:
        return plan_walk(query, records, world, plan_read)
    plan = quick(query, records, world)
    return plan if plan is not None else _searched(query, records, world)


def _searched(query: Query, records: Sequence[Record], world: World) -> Plan:
    search = Search(query, records, world)
    outcome = min([cheapest(search, e) for e in entries(query)], key=_rank)
    if not outcome.reads:
        lost, why = missing(search, outcome)
        return Plan(query.name, Level.IMPOSSIBLE, missing=lost, misses=why, questions=query.questions)
    plan = tell(query, outcome.reads)
    if plan.level.served and not unexplained(outcome.reads):
        return plan
    parts = refused_parts(search, outcome) if len(outcome.reads) > 1 else ()
    return replace(plan, misses=(*parts, *explain(outcome.reads, outcome.found.choices)))


def _rank(outcome: Outcome) -> tuple[bool, float, int]:
    return not outcome.reads, outcome.cost, outcome.missing.bit_count()
