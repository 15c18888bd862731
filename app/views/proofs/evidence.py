"""A proof ready to show: its cards with what was planned beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from app.model.project import Project
from app.proof.standing import VERDICTS, Standing, loaded, standing, tally
from app.proof.types import Card, Proof, Request, Verdict
from app.storage.proofs import Run
from app.stores import STORES
from app.templating import ENVIRONMENT, number

MOST_KEPT = 12
"""A card keeps no more requests of a run than this; then their number is not told."""
MARKS: Mapping[Verdict, tuple[str, str]] = {
    "agrees": ("ok", "agrees"), "differs": ("warning", "differs"), "failed": ("error", "wrong rows"),
    "refused": ("error", "refused"), "skipped": ("accepted", "skipped"),
}  # fmt: skip
"""Look and words of a verdict."""
MEANS: Mapping[Verdict, str] = {
    "agrees": "the right rows, as cheaply as planned",
    "differs": "another way in, or more work than planned",
    "failed": "not the rows that the conditions ask for",
    "refused": "the engine does not take a statement",
    "skipped": "impossible by plan, or nothing to ask",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a card. `pct`: measured as a share of the larger of both, `mark` where that is too much."""

    label: str
    planned: str
    measured: str
    pct: float | None = None
    limit: float | None = None
    mark: str = ""


@dataclass(frozen=True)
class Shown:
    """One card. `number` 0: the pattern is not in the table any more."""

    card: Card
    number: int
    index: int
    outdated: bool

    @property
    def id(self) -> str:
        return f"c-{self.index}"

    @property
    def mark(self) -> tuple[str, str]:
        return MARKS[self.card.verdict]

    @property
    def statements(self) -> tuple[Request, ...]:
        return self.card.requests

    @property
    def figures(self) -> tuple[Figure, ...]:
        c = self.card
        out = []
        if c.examined is not None:
            over = c.verdict == "differs" and c.examined > c.planned_examined
            out.append(_figure("examined", c.planned_examined, c.examined, "warning" if over else ""))
        if c.returned is not None:
            out.append(Figure("returned", "", number(c.returned)))
        if len(c.requests) >= MOST_KEPT:
            out.append(Figure("requests", number(c.planned_requests), f"{len(c.requests)} or more"))
        elif c.requests:
            out.append(_figure("requests", c.planned_requests, float(len(c.requests))))
        if c.units is not None or c.planned_units is not None:
            out.append(_figure("units", c.planned_units, c.units))
        return tuple(out)

    @property
    def times(self) -> str:
        """`median 0.41 ms, p99 1.2 ms of 20 runs`, or empty."""
        c = self.card
        named = (("median", c.median_ms), ("p99", c.p99_ms))
        said = [f"{word} {milliseconds(value)}" for word, value in named if value is not None]
        runs = f"{c.runs} {'run' if c.runs == 1 else 'runs'}"
        return f"{', '.join(said)} of {runs}" if said else ""

    @property
    def rows(self) -> tuple[str, str]:
        """Look and words of the comparison of rows."""
        looks = {"right": ("ok", "right rows"), "wrong": ("error", "wrong rows")}
        return looks.get(self.card.rows, ("accepted", "rows not compared"))


def _figure(label: str, planned: float | None, measured: float | None, mark: str = "") -> Figure:
    whole = max(planned or 0, measured or 0)
    if planned is None or measured is None or not whole:
        return Figure(label, _said(planned), _said(measured), mark=mark)
    return Figure(label, _said(planned), _said(measured), 100 * measured / whole, 100 * planned / whole, mark)


def _said(value: float | None) -> str:
    return "" if value is None else number(value)


def milliseconds(value: float) -> str:
    """`0.41 ms`, `1.2 s`."""
    return f"{number(value / 1000)} s" if value >= 1000 else f"{number(value)} ms"


@dataclass(frozen=True)
class Evidence:
    """One proof and how it stands to the project as it is shown now. `model`: what its model is called now."""

    run: Run
    stands: Standing
    project: Project
    model: str

    @property
    def proof(self) -> Proof:
        return self.stands.proof

    @property
    def title(self) -> str:
        return f"{self.model} on {self.engine}"

    @property
    def engine(self) -> str:
        return f"{self.proof.engine} {self.proof.version}".strip()

    @property
    def store(self) -> str:
        return STORES[self.run.store].title if self.run.store in STORES else self.run.store

    @property
    def said(self) -> str:
        return tally(self.proof)

    @property
    def loaded(self) -> str:
        return loaded(self.proof)

    @property
    def stale(self) -> str:
        """`Proved at change 12. The model has changed since.`, or empty."""
        return f"Proved at change {self.run.change}. {self.stands.since}" if self.stands.since else ""

    @property
    def worst(self) -> Verdict:
        """The verdict that decides the look of the whole."""
        order: tuple[Verdict, ...] = ("failed", "refused", "differs")
        return next((v for v in order if self.proof.count(v)), "agrees" if self.proof.count("agrees") else "skipped")

    @property
    def marks(self) -> Mapping[Verdict, tuple[str, str]]:
        return MARKS

    @property
    def counts(self) -> tuple[tuple[int, str, str, str], ...]:
        """How many cards of each verdict: number, look, words, meaning."""
        return tuple((self.proof.count(v), *MARKS[v], MEANS[v]) for v in VERDICTS)

    @cached_property
    def cards(self) -> tuple[Shown, ...]:
        """In the order of the table; patterns that are gone come last."""
        numbers = {p.operation: i for i, p in enumerate(self.project.patterns, 1)}
        shown = [
            Shown(card, numbers.get(card.operation, 0), i, card.operation in self.stands.outdated)
            for i, card in enumerate(self.proof.cards, 1)
        ]
        return tuple(sorted(shown, key=lambda s: s.number or len(numbers) + s.index))

    def of(self, operation: str) -> Shown | None:
        """The card of a pattern that is still what was proved."""
        return next((s for s in self.cards if s.card.operation == operation and not s.outdated), None)


def evidence(run: Run, project: Project, model: str) -> Evidence | None:
    """None where the run has no result. `model`: as it is called in `project`, or empty if it is not in it."""
    if run.proof is None:
        return None
    if not model:
        return Evidence(run, Standing(run.proof, ("the model",)), project, run.model)
    return Evidence(run, standing(run.proof, run.basis, project, model), project, model)


ENVIRONMENT.filters["ms"] = milliseconds

__all__ = ["MARKS", "Evidence", "Figure", "Shown", "evidence", "milliseconds"]
