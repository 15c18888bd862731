"""The door: one model proved on one engine, from its emitted script to a card for every pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from app.analysis import Report, analyse
from app.model.project import Project
from app.proof.engines import ENGINES
from app.proof.problem import Cancelled, ProofError
from app.proof.prove import Proving
from app.proof.types import Proof

INSTALL = ".venv/bin/python -m pip install --require-hashes -r requirements/prove.txt"
"""How the drivers are had; `pip install 'keywright[prove]'` does the same for an installed package."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a proof stands. `step`: a text such as `loading orders`; `done` of `total` units of the whole proof."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Available:
    """Can models of a store be proved here? `why`: empty, or the sentence that says what is missing."""

    store: str
    title: str
    why: str = ""

    @property
    def ready(self) -> bool:
        return not self.why


def engines() -> Mapping[str, Available]:
    """By store name: every store that has an adapter, with what is missing where its driver is not installed."""
    return {name: _available(name) for name in ENGINES}


def _available(name: str) -> Available:
    engine = ENGINES[name]
    lacking = [m for m in engine.modules if find_spec(m) is None]
    why = f"The driver {' and '.join(lacking)} is not installed. Run: {INSTALL}" if lacking else ""
    return Available(name, engine.title, why)


def prove(  # noqa: PLR0913 - one call says everything
    report_or_project: Report | Project,
    model_name: str,
    url: str,
    *,
    scale: float | None = None,
    seed: int = 1,
    date: str,
    change: int = 0,
    runs: int = 20,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Proof:
    """Prove one model on the server at `url`; everything is made in a namespace of its own, which is dropped again.

    `scale`: share of the project's counts to load, None: as much as a minute or so takes. `date`: ISO, kept with the
    proof. Raises ProofError (with what to do; never with a password) and Cancelled.
    """
    project = report_or_project.project if isinstance(report_or_project, Report) else report_or_project
    report = report_or_project if isinstance(report_or_project, Report) else analyse(project)
    made = report.model(model_name)
    if made is None:
        known = ", ".join(m.model.name for m in report.models) or "none"
        raise ProofError(f"There is no model called {model_name!r}.", fix=f"Name one of: {known}.")
    name = made.model.store
    if name not in ENGINES:
        raise ProofError(f"{made.store.title} cannot be proved.", fix=f"These can: {', '.join(ENGINES)}.")
    if why := _available(name).why:
        raise ProofError(why)
    if scale is not None and not 0 < scale <= 1:
        raise ProofError(f"A scale of {scale:g} is no share of the project's counts.", fix="Give one above 0, up to 1.")

    def stand(step: str, done: int, total: int) -> None:
        if cancelled():
            raise Cancelled
        progress(Progress(step, done, total))

    proving = Proving(project, model_name, ENGINES[name], seed=seed, runs=runs, stand=stand)
    return proving.on(url, scale=scale, date=date, change=change)


__all__ = ["Available", "Cancelled", "Progress", "ProofError", "engines", "prove"]
