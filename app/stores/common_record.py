"""What every store's kinds of record have in common: names, truth, counts, lifetimes, ages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.model.candidate import Candidate, RecordShape, Structure
from app.model.spread import ONE, Spread
from app.plan import lay
from app.plan.size import size_of
from app.plan.types import AccessPath, Dialect, Held, Record, World
from app.stores.common_home import is_truth

COPIES = frozenset({"cache", "second copy", "unique", "queue", "index", "lookup"})
"""Purposes of records that repeat a truth kept elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """What a store works out itself before `record` adds the rest."""

    of: str
    shape: tuple[Held, ...]
    paths: tuple[AccessPath, ...]
    dialect: Dialect
    nodes: float = 1
    per: Spread = ONE
    value_type: str = ""
    count: float | None = None
    group: float | None = None


def record(structure: Structure, thing: Structure | RecordShape, laid: Laid, model: Candidate, world: World) -> Record:
    """The kind of record `thing` (the structure itself, or one of its `records`), with all that is common, sized."""
    purpose = lay.purpose(thing) or structure.purpose
    truth = _is_truth(thing, structure, purpose, model)
    life = thing.ttl or structure.ttl
    gates = lay.conds(thing.where, laid.of, world)
    made = Record(
        name=record_name(structure, thing),
        structure=structure.name,
        of=laid.of,
        shape=laid.shape,
        paths=tuple(replace(p, only=(*gates, *p.only)) for p in laid.paths) if gates else laid.paths,
        dialect=laid.dialect,
        truth=truth,
        purpose=purpose or ("" if truth else "second copy"),
        group=lay.group(thing, laid.of, world) if laid.group is None else laid.group,
        per=laid.per,
        entries=lay.entries(thing, laid.of, world),
        on_change=structure.on_change,
        refresh=thing.refresh or structure.refresh or "same transaction",
        ttl=lay.ttl_seconds(life),
        ttl_text=life,
        count=lay.stored(thing, laid.of, world) if laid.count is None else laid.count,
        value_type=laid.value_type,
        nodes=laid.nodes,
        computed_age=lay.figure_ages(thing, laid.of, world),
    )
    return replace(made, size=size_of(made, world))


def _is_truth(thing: Structure | RecordShape, structure: Structure, purpose: str, model: Candidate) -> bool:
    """A record that names its truth repeats it; one with a purpose of its own (a session, a board) does not."""
    named = (thing.truth or structure.truth).strip()
    if named not in ("", "none"):
        return False
    if purpose or named:
        return purpose not in COPIES
    return is_truth(thing, structure, model)


def record_name(structure: Structure, thing: Structure | RecordShape) -> str:
    """The structure's name; with several kinds in it, the kind's entity and purpose too: `desk/user unique`."""
    if isinstance(thing, Structure):
        return structure.name
    kind = f"{thing.of} {thing.purpose}".strip()
    same = [r for r in structure.records if (r.of, r.purpose) == (thing.of, thing.purpose)]
    if len(same) > 1:
        kind += f" {same.index(thing) + 1}"
    return f"{structure.name}/{kind}"


def amount(value: object) -> float:
    """The number behind an amount; 0 where it is missing or has no bound."""
    number = getattr(value, "value", None)
    return float(number) if isinstance(number, int | float) else 0.0


def nodes_of(model: Candidate) -> float:
    return max(1.0, amount(model.nodes))
