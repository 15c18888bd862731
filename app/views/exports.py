"""Every document, catalog, script and file of a project, as a download.

Always an attachment: the HTML document brings its own style sheet, which the policy of the studio would refuse.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis import Report
from app.errors import NotFound
from app.exporters import EXPORTERS, NoSuchModel, export
from app.templating import ENVIRONMENT
from app.views.opened import open_project

router = APIRouter()
ENVIRONMENT.globals["exporters"] = EXPORTERS  # the menu in the header of every page of a project


@router.get("/p/{project_id}/export/{name}", name="exports:file")
def file(request: Request, project_id: int, name: str, model: str = "") -> Response:
    """A project in one format; `model` for formats about one candidate model."""
    return download(open_project(request, project_id).report, name, model)


def download(report: Report, name: str, model: str = "") -> Response:
    """The file of a report. Raises NotFound for a format or a model that does not exist."""
    exporter = EXPORTERS.get(name)
    if exporter is None:
        raise NotFound(f"There is no format called {name}.", fix=f"Formats are {', '.join(EXPORTERS)}.")
    try:
        made = export(report, exporter, model if exporter.per_model else "")
    except NoSuchModel as wrong:
        raise NotFound(str(wrong), place=f"models/{model}") from wrong
    headers = {"Content-Disposition": f'attachment; filename="{made.filename}"'}
    return Response(made.text, media_type=f"{made.media_type}; charset=utf-8", headers=headers)


__all__ = ["download", "router"]
