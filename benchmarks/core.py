"""Reading a table, analysing projects of two sizes, and what one edit costs."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app.analysis import analyse
from app.importers import import_text
from app.memory import Memory
from app.model.candidate import Index
from app.model.plain import to_plain
from app.model.project import Project
from app.model.text import part_from_plain
from app.starters import starter
from app.stores import STORES
from benchmarks.figure import Figure, measured, median, p95, seconds
from benchmarks.generate import ENTITIES, SHAPES, project

ROOT = Path(__file__).resolve().parents[1]
TABLE = """
| # | Operation                        | Fields needed           | Freq  | Consistency       |
|---|----------------------------------|-------------------------|-------|-------------------|
| 1 | Get a playlist with its tracks   | title, owner, tracks    | 900/s | eventual (5 s)    |
| 2 | List newest playlists of a fan   | title, created_at       | 120/s | eventual          |
| 3 | Add a track to a playlist        | track, position         | 15/s  | strong (same doc) |
"""
EDITS = 20
FEW = 5
"""Edits of a kind that touches nearly everything, each of which takes its time."""
Edit = Callable[[Project, int], Project]


def figures() -> Iterator[Figure]:
    yield from _paste()
    small, large = _Measured(100), _Measured(1000)
    for of in (small, large):
        yield Figure(
            f"analyse cold, {of.size:,} patterns × {ENTITIES} entities × 4 models",
            of.cold,
            "s",
            1.0 if of.size == 1000 else None,
            f"processor {of.cold_cpu:.2f} s, {of.findings:,} findings",
        )
    for name in PATTERN_EDITS:
        few, many = small.edits[name], large.edits[name]
        for size, cost, aim in ((100, few, None), (1000, many, 15.0)):
            yield Figure(f"one edit, {name}, {size:,} patterns (median of {EDITS})", cost.ms, "ms", aim, cost.note)
        yield Figure(f"one edit, {name}: 1,000 against 100 patterns", many.ms / few.ms, "×", 1.5)
    for name, edit in OTHER_EDITS.items():
        for of in (small, large):
            cost = of.edits[name]
            turns = FEW if edit is _count else EDITS
            text = f"one edit, {name}, {of.size:,} patterns (median of {turns})"
            yield Figure(text, cost.ms, "ms", None, cost.note)


def paste_to_report() -> int:
    """The whole way of a pasted table: read, four starter models, report. Returns the number of plans."""
    pasted = import_text(TABLE).project
    whole = pasted.model_copy(update={"models": tuple(starter(pasted, store) for store in STORES)})
    return sum(len(m.plans) for m in analyse(whole, Memory()).models)


def _paste() -> Iterator[Figure]:
    code = "from benchmarks.core import paste_to_report as run; run()"
    cold = median(seconds(lambda: subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)) for _ in range(3))
    paste_to_report()
    warm = median(seconds(paste_to_report) for _ in range(10))
    yield Figure("paste to report, three rows, 4 starters", warm * 1000, "ms", 1000, "in a running process")
    yield Figure("paste to report, the same", cold * 1000, "ms", None, "in a new process, its start included")


# ---------------------------------------------------------------- edits


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one kind of edit: median and 95th percentile in ms, processor time, and how many results were made anew."""

    ms: float
    worst: float
    cpu: float
    made: float

    @property
    def note(self) -> str:
        return f"p95 {self.worst:.1f} ms, processor {self.cpu:.1f} ms, {self.made:.0f} results made anew"


class _Measured:
    """One size of project: cold analysis, then every kind of edit."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.start = project(size)
        colds = [measured(lambda: analyse(self.start, Memory())) for _ in range(3)]
        self.cold, self.cold_cpu = (median(times) for times in zip(*colds, strict=True))
        self.findings = len(analyse(self.start, Memory()).findings)
        self.edits = {name: self._cost(edit) for name, edit in {**PATTERN_EDITS, **OTHER_EDITS}.items()}

    def _cost(self, edit: Edit) -> Cost:
        memory, now = Memory(), self.start
        analyse(now, memory)
        times, busy, made = [], [], []
        gc.collect()
        for turn in range(FEW if edit is _count else EDITS):
            now = edit(now, turn)
            before = memory.made
            wall, cpu = measured(partial(analyse, now, memory))
            times.append(wall * 1000)
            busy.append(cpu * 1000)
            made.append(float(memory.made - before))
        return Cost(median(times), p95(times), median(busy), median(made))


def _pattern(shape: int, change: Callable[[dict[str, Any], int], None]) -> Edit:
    """An edit of one cell. `shape`: which of the generator's five kinds of pattern."""

    def edit(before: Project, turn: int) -> Project:
        at = shape + SHAPES * turn
        plain = to_plain(before.patterns[at])
        change(plain, turn)
        made = part_from_plain("access_pattern", plain)
        return before.model_copy(update={"patterns": (*before.patterns[:at], made, *before.patterns[at + 1 :])})

    return edit


def _rate(plain: dict[str, Any], turn: int) -> None:
    plain["rate"] = f"{300 + turn}/s"


def _where(plain: dict[str, Any], _: int) -> None:
    plain["where"] += f" and {plain['list']}.state = :state"


def _limit(plain: dict[str, Any], turn: int) -> None:
    plain["limit"] = str(30 + turn)


def _count(before: Project, turn: int) -> Project:
    plain = to_plain(before.entities[turn]) | {"count": f"{7000 + turn}"}
    made = part_from_plain("entity", plain)
    return before.model_copy(update={"entities": (*before.entities[:turn], made, *before.entities[turn + 1 :])})


def _index(before: Project, turn: int) -> Project:
    """One more index on one collection of the document model."""
    model = next(m for m in before.models if m.store == "mongodb")
    at = turn % len(model.structures)
    structure = model.structures[at]
    index = Index.model_validate({"keys": [f"{structure.of}.score"]})
    changed = structure.model_copy(update={"indexes": (*structure.indexes, index)})
    structures = (*model.structures[:at], changed, *model.structures[at + 1 :])
    new = model.model_copy(update={"structures": structures})
    return before.model_copy(update={"models": tuple(new if m is model else m for m in before.models)})


PATTERN_EDITS: dict[str, Edit] = {
    "rate of a read": _pattern(0, _rate),
    "where of a list": _pattern(1, _where),
    "limit of a list": _pattern(1, _limit),
    "rate of an insert": _pattern(3, _rate),
}
OTHER_EDITS: dict[str, Edit] = {"count of an entity": _count, "index of a structure": _index}
