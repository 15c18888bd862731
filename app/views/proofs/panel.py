"""The part on a model's page that starts a proof, shows how it goes and what the last one said."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from markupsafe import Markup
from starlette.requests import Request

from app.exporters.format import slug
from app.model.candidate import Candidate
from app.proof.standing import basis
from app.storage import proofs
from app.storage.proofs import Run, Wanted
from app.stores import STORES
from app.stores.store import Store
from app.templating import Page, html_of, number
from app.views.opened import Opened, desk
from app.views.proofs.evidence import Evidence, evidence
from app.views.proofs.runs import Live, Prover, clock

SHARES = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1.0)
"""Shares of the project's counts of which those are offered that load a sensible number of records."""
LEAST_RECORDS = 1_000
MOST_RECORDS = 200_000
"""Loaded from a page; the command line has no such bound."""


@dataclass(frozen=True, slots=True)
class Size:
    """One choice of how much is loaded. `share` empty: chosen by the proof."""

    share: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Progress(Page):
    """How a running proof stands; fetched again every second. `to`: what is shown anew when it has ended."""

    template: ClassVar[str] = "proofs/_progress.html"
    run: Run
    live: Live | None
    to: str
    at: str
    pressed: bool = False
    """Whoever sees it has just started it: the button to cancel takes the focus of the one that is gone."""

    @property
    def pct(self) -> float:
        step = self.live.at if self.live else None
        return min(100.0, 100 * step.done / step.total) if step and step.total else 0.0

    @property
    def step(self) -> str:
        if self.live is None:
            return "Runs in another process of this server"
        if self.live.stopping.is_set():
            return "Stopping: drops what it made"
        said = self.live.at.step if self.live.at else "Connecting"
        return said[:1].upper() + said[1:]

    @property
    def counted(self) -> str:
        """`3 of 14 steps`, or empty."""
        step = self.live.at if self.live else None
        return f"{number(step.done)} of {number(step.total)} steps" if step and step.total else ""

    @property
    def elapsed(self) -> str:
        return clock(self.run.seconds)

    @property
    def stopping(self) -> bool:
        return self.live is not None and self.live.stopping.is_set()

    @property
    def html(self) -> Markup:
        return html_of(self)

    @property
    def button(self) -> Markup:
        return html_of(CancelButton(run=self.run, live=self.live, to=self.to, at=self.at, pressed=self.pressed))


@dataclass(frozen=True, kw_only=True)
class CancelButton(Progress):
    """The button beside the progress; it cannot be pressed twice."""

    template: ClassVar[str] = "proofs/_cancel.html"


@dataclass(frozen=True, kw_only=True)
class Panel(Page):
    """Everything about proofs of one model. `mine`: its runs without results, the newest first."""

    template: ClassVar[str] = "proofs/_panel.html"
    opened: Opened
    model: Candidate
    mine: Sequence[Run]
    proved: Run | None
    live: Live | None
    configured: bool
    lacking: str
    pressed: bool = False

    @property
    def id(self) -> int:
        return self.opened.id

    @property
    def html(self) -> Markup:
        return html_of(self)

    @property
    def row(self) -> int:
        return row_of(self.opened, self.model.name)

    @property
    def store(self) -> Store | None:
        return STORES.get(self.model.store)

    @property
    def setting(self) -> str:
        return f"KEYWRIGHT_PROVE_{self.model.store.upper()}"

    @property
    def command(self) -> str:
        """What proves the same from a command line."""
        name = shlex.quote(self.model.name)
        file = f"{slug(self.opened.project.name)}.yaml"
        return f"keywright prove {file} --store {self.model.store} --model {name} --url …"

    @cached_property
    def evidence(self) -> Evidence | None:
        return evidence(self.proved, self.opened.project, self.model.name) if self.proved else None

    @property
    def running(self) -> Progress | None:
        """The proof of this model that runs."""
        run = next((r for r in self.mine if r.state == "running"), None)
        return replace(progress_of(self.opened, run, self.live), pressed=self.pressed) if run else None

    @property
    def elsewhere(self) -> Run | None:
        """The proof of something else that runs, in whose way nobody gets."""
        mine = {r.id for r in self.mine}
        return self.live.run if self.live and self.live.run.id not in mine else None

    @property
    def stopped(self) -> Run | None:
        """The last try, if it gave no result."""
        last = self.mine[0] if self.mine else None
        return last if last and last.state not in {"running", "done"} else None

    @property
    def older(self) -> Sequence[Run]:
        """Finished proofs before the current one."""
        return [r for r in self.mine if r.state == "done" and (not self.proved or r.id != self.proved.id)]

    @property
    def sizes(self) -> tuple[Size, ...]:
        total = records(self.opened)
        shares = (share for share in SHARES if LEAST_RECORDS <= total * share <= MOST_RECORDS)
        some = (Size(f"{x:g}", f"{number(x * 100)} % of the counts, {number(total * x)} records") for x in shares)
        return (Size("", "as much as a minute takes"), *some)


def row_of(opened: Opened, model: str) -> int:
    """The row of a model, by which its runs are known."""
    return opened.rows.get(f"models/{model}", 0)


def name_of(opened: Opened, row: int) -> str:
    """What the model of a row is called now; empty if it is gone."""
    return next((m.name for m in opened.project.models if row_of(opened, m.name) == row), "")


def records(opened: Opened) -> float:
    """How many records all entities have."""
    return sum(opened.report.world.counts.values())


def refresh_of(opened: Opened, run: Run, at: str) -> str:
    """The address of what shows a run: its own page, or that of its model."""
    if at == "model" and name_of(opened, run.model_row):
        return f"/p/{opened.id}/models?row={run.model_row}"
    return f"/p/{opened.id}/proofs/{run.id}"


def progress_of(opened: Opened, run: Run, live: Live | None, at: str = "model") -> Progress:
    """How a run stands, as its page (`at` run) or its model's (`at` model) shows it."""
    mine = live if live and live.run.id == run.id else None
    return Progress(run=run, live=mine, to=refresh_of(opened, run, at), at=at)


def prover(request: Request) -> Prover:
    """What runs proofs here."""
    found: Prover = request.app.state.prover
    return found


def panel(request: Request, opened: Opened, model: Candidate, *, pressed: bool = False) -> Panel:
    """The part about proofs of a model. `pressed`: for whoever has just pressed the button."""
    here, db, row = prover(request), desk(request).db, row_of(opened, model.name)
    live = here.live  # before the rows: a proof that ends in between is seen as ended
    mine = [r for r in proofs.runs(db, opened.id) if r.model_row == row and r.store == model.store]
    done = next((r for r in mine if r.state == "done"), None)
    configured = here.configured(model.store)
    return Panel(
        opened=opened, model=model, mine=mine, live=live, configured=configured,
        proved=proofs.load_run(db, opened.id, done.id) if done else None,
        lacking=here.lacking(model.store) if configured else "", pressed=pressed,
    )  # fmt: skip


def wanted(opened: Opened, model: Candidate, scale: float) -> Wanted:
    """The proof of a model as it is now."""
    return Wanted(
        project_id=opened.id, model_row=row_of(opened, model.name), model=model.name, store=model.store,
        change=opened.change_number, basis=basis(opened.project, model.name), scale=scale,
    )  # fmt: skip


__all__ = [
    "MOST_RECORDS", "CancelButton", "Panel", "Progress", "Size", "name_of", "panel", "progress_of", "prover", "records",
    "refresh_of", "wanted",
]  # fmt: skip
