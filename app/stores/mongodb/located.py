"""One step of a read as it is to be written: where it reads, its names, the role it follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.model.candidate import Candidate, Structure
from app.model.workload import Pattern
from app.plan.types import Edge, Record, Step, World
from app.plan.ways import place, way
from app.stores.common_query import things_of
from app.stores.common_steps import Context
from app.stores.mongodb.filters import Fields, fields_of
from app.stores.mongodb.records import records


@dataclass(frozen=True, slots=True)
class Read:
    """A step with the structure, record and names it reads, and the variable its answer goes into."""

    step: Step
    structure: Structure
    record: Record
    fields: Fields
    var: str
    many: bool
    world: World

    @property
    def by_id(self) -> bool:
        """Is the document found by `_id`?"""
        return self.step.path.endswith("._id")

    def ask(self) -> list[tuple[str, int]]:
        """The order to write; parts of a compound `_id` are the `_id` itself where its index is walked."""
        found: dict[str, int] = {}
        for attr, turn in self.step.ask:
            path = self.fields(attr)
            whole = self.by_id and self.fields.whole_id and path.startswith("_id.")
            found.setdefault("_id" if whole else path, turn)
        return list(found.items())


@dataclass(frozen=True, slots=True)
class ReadContext(Context):
    """A read with `roles`: how each needed entity is reached, in the order asked."""

    roles: Mapping[str, tuple[tuple[str, Edge], ...]]

    def role(self, step: Step) -> tuple[str, Edge] | None:
        """The role a step follows: the n-th step to an entity is the n-th role it is asked in."""
        mine = [s for s in self.plan.steps if s.entity == step.entity and s.by != "where"]
        at = next((i for i, s in enumerate(mine) if s is step), -1)
        found = self.roles.get(step.entity, ())
        return found[at] if 0 <= at < len(found) else None


def roles_of(pattern: Pattern, world: World) -> Mapping[str, tuple[tuple[str, Edge], ...]]:
    """Entity → (role, last relationship) of everything a read needs beside its own entity."""
    found: dict[str, list[tuple[str, Edge]]] = {}
    for need in pattern.needs:
        label = need.what.partition(".")[0]
        spot = place(world, pattern.entity, need.what)
        edges = spot.edges if "." in need.what else way(world, pattern.entity, need.what).edges
        if edges and (label, edges[-1]) not in found.setdefault(edges[-1].to, []):
            found[edges[-1].to].append((label, edges[-1]))
    return {entity: tuple(roles) for entity, roles in found.items()}


def located(step: Step, model: Candidate, world: World) -> tuple[Structure, Record, Fields] | None:
    """The structure, kind of record and names a step reads."""
    structure = model.structure(step.structure)
    if structure is None:
        return None
    kinds = records(structure, model, world)
    things = [t for t in things_of(structure) if (t.of or structure.of) in {k.of for k in kinds}]
    for thing, kind in zip(things, kinds, strict=False):
        if not step.records_of or kind.name in step.records_of or kind.of in step.records_of:
            return structure, kind, fields_of(structure, thing, kind, world)
    return None


def variable(name: str, done: list[Read]) -> str:
    word = re.sub(r"\W+", "_", name).strip("_") or "found"
    taken = {r.var for r in done}
    return word if word not in taken else f"{word}_{len(done) + 1}"


def inside(read: Read) -> tuple[str, ...]:
    """Entities a step's documents hold besides their own."""
    return tuple(h.entity for h in read.record.shape[1:])
