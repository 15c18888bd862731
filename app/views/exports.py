"""Every document, catalog, script and file of a project, as a download.

Always an attachment: the HTML document brings its own style sheet, which the policy of the studio would refuse.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis import Report
from app.errors import NotFound
from app.exporters import EXPORTERS, NoSuchModel, Proofs, export
from app.storage.proofs import standings
from app.templating import ENVIRONMENT
from app.views.opened import desk, open_project

router = APIRouter()
ENVIRONMENT.globals["exporters"] = EXPORTERS  # the menu in the header of every page of a project


@router.get("/p/{project_id}/export/{name}", name="exports:file")
def file(request: Request, project_id: int, name: str, model: str = "") -> Response:
    """A project in one format; `model` for formats about one candidate model."""
    opened = open_project(request, project_id)
    proofs = standings(desk(request).db, project_id, opened.project, opened.rows)
    return download(opened.report, name, model, proofs)


def download(report: Report, name: str, model: str = "", proofs: Proofs | None = None) -> Response:
    """The file of a report, with its proofs. Raises NotFound for a format or a model that does not exist."""
    exporter = EXPORTERS.get(name)
    if exporter is None:
        raise NotFound(f"There is no format called {name}.", fix=f"Formats are {', '.join(EXPORTERS)}.")
    try:
        made = export(report, exporter, model if exporter.per_model else "", proofs)
    except NoSuchModel as wrong:
        raise NotFound(str(wrong), place=f"models/{model}") from wrong
    headers = {"Content-Disposition": f'attachment; filename="{made.filename}"'}
    return Response(made.text, media_type=f"{made.media_type}; charset=utf-8", headers=headers)


__all__ = ["download", "router"]
