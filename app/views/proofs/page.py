"""Start a proof, watch it, stop it, read what it says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from app.errors import BadInput, NotFound
from app.model.candidate import Candidate
from app.storage import proofs
from app.storage.proofs import Run
from app.templating import html_of, render
from app.views.answer import ToastPart
from app.views.opened import AUTHOR, Opened, ProjectId, desk, open_project
from app.views.page import ProjectPage, Toast, model_page
from app.views.proofs.evidence import Evidence, evidence
from app.views.proofs.panel import (
    MOST_RECORDS,
    CancelButton,
    Progress,
    name_of,
    panel,
    progress_of,
    prover,
    records,
    refresh_of,
    wanted,
)
from app.views.proofs.runs import Live, Occupied, clock
from app.views.workbench.page import Parts

router = APIRouter()


@dataclass(frozen=True, kw_only=True)
class Show(ProjectPage):
    """One proof with all its cards, or how it goes."""

    template: ClassVar[str] = "proofs/show.html"
    here: ClassVar[str] = "models"
    run: Run
    live: Live | None

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"Proof of {self.run.model}"

    @property
    def model(self) -> str:
        """What its model is called now; empty if it is gone."""
        return name_of(self.opened, self.run.model_row)

    @property
    def address(self) -> str:
        """The page of its model, or of all."""
        return model_page(self.id, self.model) if self.model else f"/p/{self.id}/models"

    @cached_property
    def evidence(self) -> Evidence | None:
        return evidence(self.run, self.project, self.model)

    @property
    def took(self) -> str:
        return clock(self.run.seconds)

    @property
    def running(self) -> Progress | None:
        return progress_of(self.opened, self.run, self.live, "run") if self.run.state == "running" else None


@router.post("/p/{project_id}/proofs", name="proofs:start")
def start(
    request: Request, project_id: ProjectId, model: Annotated[str, Form()], share: Annotated[str, Form()] = ""
) -> Response:
    """Begin the proof of a model on the engine that the operator configured for its store."""
    opened = open_project(request, project_id)
    found = opened.project.model(model)
    if found is None:
        raise NotFound(f"There is no model called {model}.", place=f"models/{model}", fix="It may have been renamed.")
    here, toast = prover(request), None
    try:
        here.start(wanted(opened, found, scale_of(opened, share)), opened.report, AUTHOR)
    except Occupied:
        live = here.live
        if live is None or live.run.project_id != opened.id or name_of(opened, live.run.model_row) != found.name:
            raise
        toast = Toast("Somebody else started this proof a moment before; here it runs.")
    return _panel(request, opened, found, toast)


@router.post("/p/{project_id}/proofs/{run_id}/cancel", name="proofs:cancel")
def cancel(request: Request, project_id: ProjectId, run_id: int, at: Annotated[str, Form()] = "run") -> Response:
    """Stop a proof; it drops what it made. One that has ended stays as it is."""
    here = prover(request)
    run = proofs.load_run(desk(request).db, project_id, run_id)
    stopped = here.cancel(project_id, run_id)
    if not request.headers.get("hx-request"):
        return RedirectResponse(f"/p/{project_id}/proofs/{run_id}", 303)
    if not stopped:
        return render(
            Parts(parts=(("#toasts", "innerHTML", html_of(ToastPart(toast=Toast("It had ended already.")))),))
        )
    button = CancelButton(run=run, live=here.running(run_id), to="", at=at)
    return render(Parts(parts=(("#proof-cancel", "outerHTML", html_of(button)),)))


@router.get("/p/{project_id}/proofs/{run_id}/progress", name="proofs:progress")
def progress(request: Request, project_id: ProjectId, run_id: int, at: str = "model") -> Response:
    """How a running proof stands. When it has ended, what shows it is fetched anew."""
    opened, live = open_project(request, project_id), prover(request).running(run_id)
    run = proofs.load_run(desk(request).db, project_id, run_id)
    if run.state == "running":
        return render(progress_of(opened, run, live, at))
    return render(Ended(run=run, live=None, to=refresh_of(opened, run, at), at=at))


@dataclass(frozen=True, kw_only=True)
class Ended(Progress):
    """Takes the place of the progress and has the page fetched anew."""

    template: ClassVar[str] = "proofs/_ended.html"

    @property
    def said(self) -> str:
        """One sentence for those who listen."""
        return self.run.said or f"Proved on {self.run.engine}: {self.run.count('agrees')} of {self.run.cards} agree."


@router.get("/p/{project_id}/proofs/{run_id}", name="proofs:show")
def show(request: Request, project_id: ProjectId, run_id: int) -> Response:
    """One proof."""
    opened, live = open_project(request, project_id), prover(request).running(run_id)
    return render(Show(opened=opened, run=proofs.load_run(desk(request).db, project_id, run_id), live=live))


def scale_of(opened: Opened, share: str) -> float:
    """The share of the counts that a form names; 0: the proof chooses. Raises BadInput."""
    if not share:
        return 0
    try:
        scale = float(share)
    except ValueError:
        scale = -1
    if not 0 < scale <= 1:
        raise BadInput("A proof loads a share of the counts: above 0, at most 1.", place="proofs")
    if records(opened) * scale > MOST_RECORDS:
        raise BadInput(
            f"That would load more than {MOST_RECORDS:,} records.",
            place="proofs", fix="Choose a smaller share, or prove it from the command line.",
        )  # fmt: skip
    return scale


def _panel(request: Request, opened: Opened, model: Candidate, toast: Toast | None) -> Response:
    """The part on the page of a model, for a script; the page itself for a form."""
    if not request.headers.get("hx-request"):
        return RedirectResponse(f"{model_page(opened.id, model.name)}#proof", 303)
    shown = panel(request, opened, model, pressed=True)
    parts: list[tuple[str, str, Markup]] = [("#proof", "outerHTML", html_of(shown))]
    parts.append(("#live", "innerHTML", Markup("The proof has started.")))
    if toast:
        parts.append(("#toasts", "innerHTML", html_of(ToastPart(toast=toast))))
    return render(Parts(parts=tuple(parts)))


__all__ = ["Show", "router"]
