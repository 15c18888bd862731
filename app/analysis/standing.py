"""A model as the last run left it, so that an edit of a few rows costs those rows and not the whole table."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_not

from app.analysis.report import Findings
from app.analysis.rows import Cell, Row
from app.forecast.heat import User
from app.forecast.load import StructureLoad
from app.plan.types import Level, Plan

FEW = 100
"""Changed rows up to which patching is cheaper than starting anew."""


@dataclass
class Standing:
    """Cells in the order of rows, and what is summed up over them. Changed by `follow`.

    `places`: structure → positions of the rows that read or write it. `reads`, `finds`: how many rows name a
    structure or path. `judged`: load and findings of each structure.
    """

    rows: list[Row] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    reads: Counter[str] = field(default_factory=Counter)
    finds: Counter[str] = field(default_factory=Counter)
    impossible: int = 0
    judged: dict[str, tuple[StructureLoad, Findings]] = field(default_factory=dict)

    def follow(self, rows: Sequence[Row], make: Callable[[Row], Cell]) -> None:
        """Become what stands for these rows. `make` gives the cell of a row; structures it touches are forgotten."""
        changed = self._changed(rows)
        if changed is None:
            self._anew(rows, make)
            return
        for n in changed:
            old, new = self.cells[n], make(rows[n])
            self._take(n, old)
            self.rows[n], self.cells[n] = rows[n], new
            self._add(n, new)
            for name in {*old.structures, *new.structures}:
                self.judged.pop(name, None)
        if changed:
            self.plans = {**self.plans, **{rows[n].pattern.operation: self.cells[n].plan for n in changed}}

    def _changed(self, rows: Sequence[Row]) -> list[int] | None:
        """Positions of rows that are others now; None where the table has another shape."""
        if len(rows) != len(self.rows) or not self.rows:
            return None
        changed = [n for n, differs in enumerate(map(is_not, rows, self.rows)) if differs]
        same_names = all(rows[n].pattern.operation == self.rows[n].pattern.operation for n in changed)
        return changed if same_names and len(changed) <= FEW else None

    def _anew(self, rows: Sequence[Row], make: Callable[[Row], Cell]) -> None:
        self.rows, self.cells = list(rows), [make(row) for row in rows]
        self.places, self.judged, self.impossible = {}, {}, 0
        self.reads, self.finds = Counter(), Counter()
        for n, cell in enumerate(self.cells):
            self._add(n, cell)
        self.plans = {cell.user.pattern.operation: cell.plan for cell in self.cells}

    def _add(self, n: int, cell: Cell) -> None:
        for name in cell.structures:
            insort(self.places.setdefault(name, []), n)
        self.reads.update(cell.user.reads)
        self.finds.update(cell.user.finds)
        self.impossible += cell.plan.level is Level.IMPOSSIBLE

    def _take(self, n: int, cell: Cell) -> None:
        for name in cell.structures:
            self.places[name].remove(n)
        for counts, names in ((self.reads, cell.user.reads), (self.finds, cell.user.finds)):
            counts.subtract(names)
            for name in names:
                if not counts[name]:
                    del counts[name]
        self.impossible -= cell.plan.level is Level.IMPOSSIBLE

    def users(self, structure: str) -> list[User]:
        """Patterns that read or write a structure, in the order of rows."""
        return [self.cells[n].user for n in self.places.get(structure, ())]
