"""Changes of a model that would serve a pattern, each tried out before it is offered.

The ideal way in follows from the read: what it fixes by equality, then its order, then one range. A change is offered
only if planning again with it gives what was wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from app.plan.both import plan_both
from app.plan.read import plan_read
from app.plan.types import Level, Plan
from app.plan.write import plan_write
from app.rules.remedy import Remedy
from app.rules.remedy_hold import hold
from app.rules.remedy_near import nearly
from app.rules.remedy_ways import apart, found, ways_in
from app.rules.rule import Fix, PlanCase


def remedies(case: PlanCase, good: Callable[[Plan], bool]) -> tuple[Fix, ...]:
    """The first change that gives a good plan, as a fix; nothing where none is known."""
    if case.plan.level is Level.SCATTER and not case.store.can.table_per_query:
        return ()  # every node is asked because of where records lie, not for want of an index
    name = case.model.name
    known = chain(nearly(case), hold(case), ways_in(case, case.query), apart(case)) if case.query else found(case)
    for remedy in known:
        plan = _replanned(case, remedy)
        if plan is not None and good(plan):
            return (Fix(remedy.label, lambda project, r=remedy: r.apply(project, name)),)  # type: ignore[misc]
    return ()


def _replanned(case: PlanCase, remedy: Remedy) -> Plan | None:
    """The plan of the pattern on the model as it would be."""
    before = case.model.structure(remedy.of)
    structure = remedy.new or (remedy.change(before) if before else None)
    if structure is None or structure == before:  # a set of members holds nothing more
        return None
    kept = tuple(s for s in case.model.structures if s.name != remedy.of)
    model = case.model.model_copy(update={"structures": (*kept, structure)})
    store = case.stores.get(model.store_of(structure))
    if store is None:
        return None
    changed, others = structure, [r for r in case.records if r.structure != remedy.of]
    if remedy.entity and structure.records:  # of many kinds in one table those that stay as they are stay
        mine = tuple(s for s in structure.records if s.of == remedy.entity)
        changed = structure.model_copy(update={"records": mine}) if mine else structure
        others = [r for r in case.records if r.structure != remedy.of or (mine and r.of != remedy.entity)]
    records = (*others, *store.records(changed, model, case.world))
    if case.query is not None and case.intent is not None:
        return plan_both(case.query, case.intent, records, case.world)
    if case.query is not None:
        return plan_read(case.query, records, case.world)
    return plan_write(case.intent, records, case.world) if case.intent is not None else None
