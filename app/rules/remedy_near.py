"""Changes of a record that nearly gives what a read needs: a copy refreshed sooner, a longer subset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from app.model.candidate import Computed, Copy, Embed, RecordShape, Structure
from app.model.quantity import parse_count
from app.plan.types import Miss, Query, Record, World
from app.plan.ways import fold, place, way
from app.rules.remedy import Remedy
from app.rules.rule import PlanCase

Thing = Structure | RecordShape
Made = TypeVar("Made", Copy, Computed)


def nearly(case: PlanCase) -> Iterator[Remedy]:
    """One change for each reason of the plan that a record holds too old or too few of what is needed."""
    if case.query is None:
        return
    for miss in case.plan.misses:
        record = next((r for r in case.records if r.name == miss.path), None)
        home = case.model.structure(record.structure) if record is not None else None
        if record is None or home is None:
            continue
        if miss.code == "age":
            yield from _sooner(case, miss, record, home)
        elif miss.code == "subset":
            yield from _longer(case, case.query, miss, record, home)


def _sooner(case: PlanCase, miss: Miss, record: Record, home: Structure) -> Iterator[Remedy]:
    """Copies and figures that are refreshed with the write itself."""
    attrs = set(miss.attr.split(", "))
    thing = _thing(home, record)
    every = (*(c.what for c in thing.copied), *(c.what for c in thing.computed))
    old = [what for what in every if _means(what, record, case.world) in attrs]
    if not old:
        return

    def change(thing: Thing) -> dict[str, object]:
        return {"copied": _fresh(thing.copied, old), "computed": _fresh(thing.computed, old)}

    yield Remedy(
        f"Refresh {', '.join(old)} in {home.name} by the same write", _of(record, change), home.name, entity=record.of
    )


def _fresh(held: Sequence[Made], old: Sequence[str]) -> tuple[Made, ...]:
    return tuple(c.model_copy(update={"refresh": "same write"}) if c.what in old else c for c in held)


def _means(what: str, record: Record, world: World) -> str:
    return fold(place(world, record.of, what)).attr if "." in what else ""


def _longer(case: PlanCase, query: Query, miss: Miss, record: Record, home: Structure) -> Iterator[Remedy]:
    """A subset as long as the read asks for."""
    entity = miss.attr.lstrip("=").partition(".")[0]
    first = max((n.first for n in query.needs if n.entity == entity), default=0.0)
    if not first:
        return

    def change(thing: Thing) -> dict[str, object]:
        return {"embed": tuple(_embed(e, entity, first, record, case.world) for e in thing.embed)}

    if change(_thing(home, record))["embed"] != _thing(home, record).embed:
        yield Remedy(
            f"Embed the first {first:,.0f} {entity} in {home.name}", _of(record, change), home.name, entity=record.of
        )


def _embed(held: Embed, entity: str, first: float, record: Record, world: World) -> Embed:
    found = way(world, record.of, held.what)
    short = held.first is not None and (held.first.value or 0.0) < first
    if not short or found.why or not found.edges or found.edges[-1].to != entity:
        return held
    return held.model_copy(update={"first": parse_count(f"{first:.0f}")})


def _thing(home: Structure, record: Record) -> Thing:
    return next((s for s in home.records if s.of == record.of), home)


def _of(record: Record, change: Callable[[Thing], dict[str, object]]) -> Callable[[Structure], Structure]:
    """The change made where the kind of record is described."""

    def apply(structure: Structure) -> Structure:
        if not structure.records:
            return structure.model_copy(update=change(structure))
        shapes = tuple(s.model_copy(update=change(s)) if s.of == record.of else s for s in structure.records)
        return structure.model_copy(update={"records": shapes})

    return apply
