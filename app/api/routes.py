"""Routes under `/api/v1`. Names and shapes here are public: change them only by adding."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from app.analysis import Report, analyse
from app.api.etag import answered
from app.errors import NotFound
from app.exporters import EXPORTERS, NoSuchModel, export
from app.exporters.report_json import report_plain
from app.model.text import write_json
from app.rules import RULES
from app.storage.engine import Database
from app.storage.parts import Loaded, load
from app.storage.projects import list_projects
from app.stores import STORES

VERSION = "1"
PREFIX = f"/api/v{VERSION}"
PROBLEM: Mapping[str, Any] = {
    "description": "What went wrong and what to do.",
    "content": {"application/problem+json": {}},
}
UNCHANGED: Mapping[str, Any] = {"description": "Nothing changed since the ETag that was sent."}
READ: dict[int | str, dict[str, Any]] = {304: dict(UNCHANGED), 404: dict(PROBLEM)}

router = APIRouter(prefix=PREFIX, tags=["projects"])
ProjectId = Annotated[int, Path(description="The number in the address of the project's pages.", ge=1, le=2**53)]


class ProjectLine(BaseModel):
    """One project of the list."""

    id: int
    name: str
    change: int = Field(description="Rises with every change.")
    changed_at: datetime
    patterns: int
    models: int


class FormatLine(BaseModel):
    """One export format."""

    name: str
    title: str
    about: str
    media_type: str
    per_model: bool = Field(description="Takes the query parameter `model`.")


def _database(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


def _tag(loaded: Loaded) -> str:
    """A report follows from the project and this program: the change number says all that can differ while it runs."""
    return f"p{loaded.id}-c{loaded.change}"


@router.get("/projects", summary="List projects")
def projects(request: Request) -> list[ProjectLine]:
    """All projects, the ones changed last first."""
    return [
        ProjectLine(
            id=p.id, name=p.name, change=p.change, changed_at=p.changed_at, patterns=p.patterns, models=p.models
        )
        for p in list_projects(_database(request))
    ]


@router.get("/projects/{project_id}", summary="A project as JSON", responses=READ, response_model=dict[str, Any])
def project(request: Request, project_id: ProjectId) -> Response:
    """The project in the form of the project file; its schema is at `/static/schema/keywright-1.json`."""
    loaded = load(_database(request), project_id)
    return answered(request, _tag(loaded), lambda: Response(write_json(loaded.project), media_type="application/json"))


@router.get(
    "/projects/{project_id}/report", summary="Plans, loads and findings", responses=READ, response_model=dict[str, Any]
)
def report(request: Request, project_id: ProjectId) -> Response:
    """How every model serves every pattern, and every finding with its numbers."""
    loaded = load(_database(request), project_id)
    return answered(request, _tag(loaded), lambda: JSONResponse(report_plain(analyse(loaded.project))))


@router.get("/projects/{project_id}/export/{format_name}", summary="Export in a format", responses=READ)
def exported(
    request: Request,
    project_id: ProjectId,
    format_name: Annotated[str, Path(description="A name from `/formats`.", max_length=40)],
    model: Annotated[
        str, Query(description="A candidate model by name; without it the chosen one, else all.", max_length=200)
    ] = "",
) -> Response:
    """The model document, key catalog, scripts, queries or the project itself."""
    if format_name not in EXPORTERS:
        raise NotFound(f"There is no format {format_name!r}.", fix=f"Formats: {', '.join(EXPORTERS)}.")
    loaded = load(_database(request), project_id)
    return answered(
        request, f"{_tag(loaded)}-{format_name}", lambda: _file(analyse(loaded.project), format_name, model)
    )


def _file(made: Report, format_name: str, model: str) -> Response:
    try:
        out = export(made, EXPORTERS[format_name], model)
    except NoSuchModel as missing:
        raise NotFound(str(missing)) from None
    headers = {"Content-Disposition": f'attachment; filename="{out.filename}"'}
    return Response(out.text, media_type=f"{out.media_type}; charset=utf-8", headers=headers)


@router.get("/formats", summary="List export formats", tags=["reference"])
def formats() -> list[FormatLine]:
    """Every format that `/projects/{id}/export/{format}` knows."""
    return [
        FormatLine(name=e.name, title=e.title, about=e.about, media_type=e.media_type, per_model=e.per_model)
        for e in EXPORTERS.values()
    ]


@router.get("/rules", summary="List rules", tags=["reference"])
def rules() -> list[dict[str, str]]:
    """Every rule with its severity."""
    return [
        {"id": r.id, "severity": r.severity, "scope": r.scope, "title": r.title, "since": r.since}
        for r in RULES.values()
    ]


@router.get("/stores", summary="List stores and their facts", tags=["reference"])
def stores() -> list[dict[str, Any]]:
    """Every store with its limits, their unit, source and the date they were read."""
    return [
        {
            "name": s.name,
            "title": s.title,
            "family": s.family,
            "evidence": s.evidence,
            "facts": {
                slug: {
                    "value": f.value,
                    "unit": f.unit,
                    "source": f.source,
                    "read": f.read,
                    "assumed": f.assumed,
                    "kind": f.kind,
                }
                for slug, f in s.facts.items()
            },
        }
        for s in STORES.values()
    ]


@router.get("/openapi.json", include_in_schema=False)
def openapi() -> Response:
    """The description of this API."""
    described = get_openapi(
        title="Keywright", version=VERSION, summary="Projects, reports and exports of the studio.", routes=router.routes
    )
    return Response(json.dumps(described), media_type="application/json")
