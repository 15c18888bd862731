"""What a finished starter can do without: its own patterns are planned once, and what no plan uses goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.model.candidate import Candidate, Structure
from app.plan.both import plan_both
from app.plan.lower import lower, lower_write
from app.plan.read import plan_read
from app.plan.types import Level, Plan, Query, Record
from app.plan.write import plan_write
from app.rules.ground import index_of, without_index
from app.starters.design import Design

Kinds = Mapping[str, tuple[Record, ...]]
"""Kinds of record by structure."""


@dataclass(frozen=True, slots=True)
class _Uses:
    """`reads`: structures and paths that plans read; `finds`: those by which writes find and change records.

    `lost`: entities that some read wants and cannot be served: what holds them might still be meant for it.
    """

    reads: frozenset[str]
    finds: frozenset[str]
    lost: frozenset[str]
    asked: bool


def pruned(model: Candidate, design: Design) -> Candidate:
    """The model without indexes that no plan uses and structures that no plan reads and nothing refers to."""
    made: dict[int, tuple[Structure, tuple[Record, ...]]] = {}  # an untouched structure keeps its records
    for _ in range(3):  # what is dropped may have been all that another place was there for
        kinds = _kinds(model, design, made)
        uses = _uses(design, [r for found in kinds.values() for r in found])
        if not uses.asked:
            return model
        kept = _structures(model, kinds, uses)
        slim = tuple(_slim(s, kinds[s.name], uses, design) for s in kept)
        if slim == model.structures:
            return model
        model = model.model_copy(update={"structures": slim})
    return model


def _kinds(model: Candidate, design: Design, made: dict[int, tuple[Structure, tuple[Record, ...]]]) -> Kinds:
    out = {}
    for structure in model.structures:
        if id(structure) not in made:
            made[id(structure)] = structure, design.store.records(structure, model, design.world)
        out[structure.name] = made[id(structure)][1]
    return out


def _uses(design: Design, found: list[Record]) -> _Uses:
    records, world = tuple(found), design.world
    reads: set[str] = set()
    finds: set[str] = set()
    lost: set[str] = set()
    asked = False
    for pattern in design.project.patterns:
        lowered = lower(pattern, world, design.project) if pattern.action and pattern.entity else None
        if lowered is None:
            continue
        if not isinstance(lowered, Query):
            plan = plan_write(lowered, records, world)
        elif pattern.also:
            plan = plan_both(lowered, lower_write(pattern, world), records, world)
        else:
            plan = plan_read(lowered, records, world)
        if isinstance(lowered, Query):
            asked = asked or plan.level is not Level.IMPOSSIBLE
            if plan.level is Level.IMPOSSIBLE:
                lost |= {n.entity for n in lowered.needs}
        reads |= set(_read(plan))
        finds |= {name for t in plan.touches for name in (t.structure, t.find)}
    return _Uses(frozenset(reads), frozenset(finds), frozenset(lost), asked)


def _read(plan: Plan) -> Iterable[str]:
    steps = [*plan.every_step, *([plan.likely] if plan.likely is not None else [])]
    return (name for step in steps for name in (step.structure, step.path))


def _structures(model: Candidate, kinds: Kinds, uses: _Uses) -> tuple[Structure, ...]:
    """Those that a plan reads, that hold the truth of something written, or that another refers to."""
    kept = []
    for structure in model.structures:
        mine = kinds[structure.name]
        repeats = bool(mine) and all(r.purpose == "second copy" for r in mine)
        wanted = bool({r.of for r in mine} & uses.lost)
        written = structure.name in uses.finds and (not repeats or wanted)
        if structure.name in uses.reads or written or structure.purpose == "unique" or _named(model, structure, kinds):
            kept.append(structure)
    return tuple(kept) or model.structures


def _named(model: Candidate, structure: Structure, kinds: Kinds) -> bool:
    """Whether another structure names this one as its truth, or holds what only this one has the truth of."""
    if any(structure.name == s.truth for s in model.structures):
        return True
    mine = {r.of for r in kinds[structure.name] if r.purpose != "second copy"}
    others = [r for name, found in kinds.items() if name != structure.name for r in found]
    whole = {r.of for r in others if r.purpose != "second copy"}
    return any(h.entity in mine - whole for r in others if r.of not in mine for h in r.shape)


def _slim(structure: Structure, mine: tuple[Record, ...], uses: _Uses, design: Design) -> Structure:
    """A structure without the indexes that no read is served by and no write finds its records by."""
    for record in mine:
        if record.of in uses.lost:
            continue
        for path in record.paths:
            found = index_of(structure, path, design.world)
            used = path.name in uses.reads or path.name in uses.finds
            if found is not None and not used and not path.unique and not found[1].unique:
                structure = without_index(*found)(structure)
    return structure
