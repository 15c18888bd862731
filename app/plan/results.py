"""What the planner answers: steps of a read, touches of a write, a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.model.spread import ONE, ZERO, Spread
from app.plan.dialect import Cond, Level, Match, Miss


@dataclass(frozen=True, slots=True)
class Step:
    """One read of a plan. `how`: first, list, each, server, collection. `by`: where, key, or the link it follows.

    `bounds`, `checks`, `residual` are attribute + kind in words; `order`: none, stored, reversed, merged, partial,
    sorted, client. `ask`: the order to write in the query. `conds`: conditions answered here. `record`: records read.
    """

    records_of: tuple[str, ...]
    structure: str
    store: str
    path: str
    how: str
    by: str
    level: Level
    bounds: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    residual: tuple[str, ...] = ()
    order: str = "none"
    ask: tuple[tuple[str, int], ...] = ()
    covered: bool = False
    keys: float = 0
    requests: Spread = ONE
    records: Spread = ONE
    bytes: Spread = ZERO
    partitions: float = 1
    units: float = 0
    conds: tuple[Cond, ...] = ()
    limit: float = 0
    entity: str = ""
    match: Match | None = None
    branches: tuple[Step, ...] = ()
    note: str = ""
    """What is done with what it brings, by whom: sorted afterwards."""
    required: bool = False
    """Records read before that have none of these are no answer."""
    merged: tuple[Step, ...] = ()
    """The paths of one conjunction that are all read and intersected."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One place a write changes.

    `op`: put, set, push, pull, add, remove, move, delete key. `why`: truth, second copy, embed, copy, computed, unique,
    cache … `place`: which instance; equal places are one record. `find`: `key`, the access path that finds it, or ""
    when none can. `reads`: requests before it. `added/removed/rewritten`: index entries of one record. `units`: write
    units of one record with its entries. `when`: same, async, never. `unsafe`: why repeating it is wrong.
    """

    record: str
    store: str
    structure: str
    op: str
    why: str
    place: str
    count: Spread
    find: str = "key"
    level: Level = Level.KEY_LOOKUP
    reads: float = 0
    added: float = 0
    removed: float = 0
    rewritten: float = 0
    units: float = 0
    bytes: Spread = ZERO
    when: str = "same"
    unsafe: str = ""
    only_if: bool = False
    attrs: frozenset[str] = frozenset()
    entries: Mapping[str, float] = field(default_factory=dict)
    """Access path → entries written (added + removed + rewritten) for one record."""
    within: float = 0
    """Seconds allowed for an asynchronous refresh."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one model serves one pattern. For a write, `touches`; for a read, `steps`.

    `requests`, `records`, `bytes`: of one operation at average, p99, maximum. `rounds`: dependent round trips. `units`:
    billed units of one operation (0: store has none). `missing`: needed attributes no structure gives. `misses`: why
    the nearest path does not serve it. `likely`: what the engine will probably run instead, None where it is the same.
    `notes`: sentences worth showing. `questions`: numbers or words missing. `scope`: record, partition, batch, slot,
    transaction, none. `retry`: `safe`, or what a repeat does.
    """

    pattern: str
    level: Level
    steps: tuple[Step, ...] = ()
    touches: tuple[Touch, ...] = ()
    requests: Spread = ZERO
    records: Spread = ZERO
    bytes: Spread = ZERO
    rounds: int = 0
    partitions: float = 1
    units: float = 0
    missing: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()
    likely: Step | None = None
    scope: str = ""
    retry: str = ""
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()

    @property
    def served(self) -> bool:
        return self.level.served

    @property
    def every_step(self) -> tuple[Step, ...]:
        """Steps, the branches inside them and the paths that are intersected."""
        found, left = [], list(self.steps)
        while left:
            step = left.pop(0)
            found.append(step)
            left = [*step.branches, *step.merged, *left]
        return tuple(found)

    @property
    def where(self) -> str:
        """The structure and key or index, short: `orders._id`, `desk.GSI1`, `orders + users`."""
        if self.steps:
            return " + ".join(dict.fromkeys(s.path for s in self.steps))
        return " + ".join(dict.fromkeys(t.structure for t in self.touches if t.when == "same"))
