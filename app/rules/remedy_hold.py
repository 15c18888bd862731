"""Let the record that a read meets first hold what a further step fetches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from app.model.candidate import Computed, Copy, RecordShape, Structure
from app.plan.types import NeedNode, Query, Record
from app.rules.remedy import Remedy
from app.rules.rule import PlanCase

MOST_COPIED = 6
"""Fields that are still offered as copies of one read."""


def _short(attr: str) -> str:
    return attr.partition(".")[2]


def hold(case: PlanCase) -> Iterator[Remedy]:
    """Let the record read first hold what a further step fetches: own fields, figures, fields of its parents."""
    plan, query = case.plan, case.query
    if query is None or query.course is not None or len(plan.steps) == 1:
        return
    record = _entry(case, query)
    home = case.model.structure(record.structure) if record is not None else None
    if record is None or home is None or home.bucket is not None:
        return
    own, figures = _lacking_own(record, query.root)
    copies = tuple(chain.from_iterable(_lacking_up(record, n) for n in query.needs[1:]))
    if not 0 < len(own) + len(figures) + len(copies) <= MOST_COPIED:
        return
    names = ", ".join((*map(_short, own), *map(_short, figures), *copies))

    def change(structure: Structure) -> Structure:
        shapes = structure.records
        if not shapes:
            return structure.model_copy(update=_added(structure, own, figures, copies))
        at = next((i for i, s in enumerate(shapes) if s.of == record.of), -1)
        if at < 0:
            return structure
        new = shapes[at].model_copy(update=_added(shapes[at], own, figures, copies))
        return structure.model_copy(update={"records": (*shapes[:at], new, *shapes[at + 1 :])})

    yield Remedy(f"Hold {names} in {home.name}, refreshed by the same write", change, home.name, entity=record.of)


def _entry(case: PlanCase, query: Query) -> Record | None:
    """The record the plan reads first, or one of the entity asked for where nothing is served."""
    names = case.plan.steps[0].records_of if case.plan.steps else ()
    mine = [r for r in case.records if r.of == query.root.entity and r.purpose != "cache"]
    if names:
        return next((r for r in mine if r.name in names), None)
    return mine[0] if mine else None


def _lacking_own(record: Record, root: NeedNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Own fields and figures that a read needs and a record lacks."""
    held = record.shape[0]
    keyed = record.key_attrs
    own = () if held.attrs is None else sorted(a for a in root.attrs - held.attrs - keyed if not a.startswith("="))
    return tuple(own), tuple(sorted(a[1:] for a in root.attrs if a.startswith("=") and a not in held.computed))


def _lacking_up(record: Record, node: NeedNode) -> Iterator[str]:
    """Fields of a parent (`seller.name`) that a read needs and a record does not hold."""
    edge = node.edge
    if edge is None or edge.down or node.up != 0:
        return
    held = [h for h in record.shape[1:] if h.edge == edge and h.up == 0]
    for attr in sorted(node.attrs - frozenset(edge.rel.key)):
        if not attr.startswith("=") and not any(h.attrs is None or attr in h.attrs for h in held):
            yield f"{edge.rel.role}.{attr.partition('.')[2]}"


def _added(
    thing: Structure | RecordShape, own: tuple[str, ...], figures: tuple[str, ...], copies: tuple[str, ...]
) -> dict[str, object]:
    out: dict[str, object] = {}
    if own and thing.fields is not None:
        out["fields"] = (*(f for f in thing.fields if f != "none"), *own)
    if figures:
        out["computed"] = (*thing.computed, *(Computed(what=f, refresh="same write") for f in figures))
    if copies:
        out["copied"] = (*thing.copied, *(Copy(what=c, refresh="same write") for c in copies))
    return out
