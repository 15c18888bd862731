"""Where a request goes: the kind of item, the table or index, the templates of its key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.model.candidate import Structure
from app.plan import lay
from app.plan.types import Cond, Record, Step, World
from app.stores.common_home import Thing
from app.stores.common_query import Names, names_of
from app.stores.common_steps import Context
from app.stores.dynamodb.keys import (
    KeyAttribute,
    Way,
    base_way,
    index_key,
    index_way,
    local_key,
    local_way,
    table_key,
)
from app.stores.dynamodb.records import kinds
from app.stores.dynamodb.values import Bound, typed, whole

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spot:
    """One way into one kind of item: key schema, templates, stored names."""

    structure: Structure
    thing: Thing
    record: Record
    keys: tuple[KeyAttribute, ...]
    way: Way
    index: str = ""
    """Empty: the table itself."""

    def names(self, world: World) -> Names:
        return names_of(self.thing, self.record, world)


def conds_of(step: Step) -> Sequence[Cond]:
    """Every condition a step answers, each once."""
    found = list(step.conds)
    for part in (step, *step.branches):
        if part.match is not None:
            found += [c for c in part.match.single.where if c not in found]
    return found


def spot_of(step: Step, here: Context) -> Spot | None:
    """The kind of item and the table or index a step reads; None where the model has changed since."""
    structure = here.model.structure(step.structure)
    if structure is None:
        return None
    for thing, record in kinds(structure, here.model, here.world):
        if step.records_of and record.name not in step.records_of:
            continue
        return _spot(structure, thing, record, step.path, here.world)
    return None


def _spot(structure: Structure, thing: Thing, record: Record, path: str, world: World) -> Spot | None:
    for index in structure.gsi:
        if path == f"{structure.name}.{index.name}":
            way = index_way(index, thing, structure)
            keys = index_key(index, structure, world)
            return Spot(structure, thing, record, keys, way, index.name) if way else None
    for index in structure.lsi:
        if path == f"{structure.name}.{index.name}":
            way = local_way(index, thing, structure)
            keys = local_key(index, structure, world)
            return Spot(structure, thing, record, keys, way, index.name) if way else None
    return base_spot(structure, thing, record, world)


def base_spot(structure: Structure, thing: Thing, record: Record, world: World) -> Spot | None:
    way = base_way(thing, structure)
    return Spot(structure, thing, record, table_key(structure, world), way) if way else None


def key_of(spot: Spot, bound: Bound, world: World) -> Body | None:
    """The primary key with its values; None where a part is not bound."""
    found: Body = {}
    for attribute, parts in columns(spot):
        text = whole(parts, bound, lambda path: lay.column(spot.record.of, path, world))
        if text is None:
            return None
        found[attribute.name] = typed(text, attribute.type)
    return found


def columns(spot: Spot) -> Iterable[tuple[KeyAttribute, Any]]:
    """Key attributes beside the parts that fill them."""
    hashes = [k for k in spot.keys if k.role == "HASH"]
    ranges = [k for k in spot.keys if k.role == "RANGE"]
    yield from zip(hashes, spot.way.pk, strict=False)
    yield from zip(ranges, spot.way.sk, strict=False)
