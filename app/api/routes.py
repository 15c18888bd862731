"""Routes under `/api/v1`. Names and shapes here are public: change them only by adding."""

from __future__ import annotations

import json
from functools import lru_cache
from secrets import token_hex
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.openapi.utils import get_openapi
from pydantic import RootModel
from starlette.responses import JSONResponse, Response

from app.analysis import analyse
from app.api.etag import answered, tag_of
from app.api.head import Readable
from app.api.shapes import PROBLEM_SCHEMA, FormatLine, ProjectLine, ProofLine, RuleLine, StoreLine, problem
from app.errors import NotFound
from app.exporters import EXPORTERS, NoSuchModel, Proofs, export
from app.exporters.report_json import report_plain
from app.model.text import write_json
from app.rules import RULES
from app.storage import proofs
from app.storage.engine import Database
from app.storage.parts import Loaded, load
from app.storage.projects import list_projects
from app.stores import STORES

VERSION = "1"
PREFIX = f"/api/v{VERSION}"
STARTED = token_hex(6)
"""Another program may judge the same project differently, so no tag outlives a start."""
UNCHANGED: dict[str, Any] = {"description": "Nothing changed since the ETag sent as If-None-Match."}
SIGNED_OUT = problem("The studio asks for its access token and none, or a wrong one, was sent.")
LISTED: dict[int | str, dict[str, Any]] = {304: UNCHANGED, 401: SIGNED_OUT}
READ: dict[int | str, dict[str, Any]] = {**LISTED, 404: problem("There is no such project.")}
EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The text, named by Content-Disposition.",
        "content": {e.media_type: {"schema": {"type": "string"}} for e in EXPORTERS.values()},
    },
    **LISTED,
    404: problem("There is no such project, format or model."),
    422: problem("The query cannot be used: a model for a format about the whole project, or a name too long."),
}

router = APIRouter(prefix=PREFIX, tags=["projects"], route_class=Readable)
ProjectId = Annotated[int, Path(description="The number in the address of the project's pages.", ge=1, le=2**53)]
FormatName = Annotated[str, Path(description="A name from `/formats`.", max_length=40)]
ModelName = Annotated[
    str, Query(description="A candidate model by name; without it the chosen one, else all.", max_length=200)
]


def _database(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


def _tag(loaded: Loaded, *parts: object) -> str:
    return tag_of(STARTED, loaded.id, loaded.change, *parts)


def _listed(request: Request, lines: Any) -> Response:
    """A list, tagged by what it says."""
    text = RootModel[Any](lines).model_dump_json()
    return answered(request, tag_of(text), lambda: Response(text, media_type="application/json"))


@router.get("/projects", summary="List projects", responses=LISTED, response_model=list[ProjectLine])
def projects(request: Request) -> Response:
    """All projects, the ones changed last first."""
    return _listed(request, [ProjectLine.of(p) for p in list_projects(_database(request))])


@router.get("/projects/{project_id}", summary="A project as JSON", responses=READ, response_model=dict[str, Any])
def project(request: Request, project_id: ProjectId) -> Response:
    """The project in the form of the project file; its schema is at `/static/schema/keywright-1.json`."""
    loaded = load(_database(request), project_id)
    tag = _tag(loaded, "project")
    return answered(request, tag, lambda: Response(write_json(loaded.project), media_type="application/json"))


@router.get(
    "/projects/{project_id}/report", summary="Plans, loads and findings", responses=READ, response_model=dict[str, Any]
)
def report(request: Request, project_id: ProjectId) -> Response:
    """How every model serves every pattern, every finding with its numbers, and what engines said of a model."""
    loaded = load(_database(request), project_id)
    found = _standings(request, loaded)

    def make() -> Response:
        return JSONResponse(report_plain(analyse(loaded.project), proofs=found))

    return answered(request, _tag(loaded, "report", *_marks(found)), make)


@router.get(
    "/projects/{project_id}/proofs",
    summary="What real engines said of each model",
    responses=READ,
    response_model=list[ProofLine],
)
def proved(request: Request, project_id: ProjectId) -> Response:
    """Every run that is kept, the newest first; those that are done with a card of evidence for each pattern."""
    db = _database(request)
    loaded = load(db, project_id)
    names = {row: place.removeprefix("models/") for place, row in loaded.rows.items() if place.startswith("models/")}
    done = {run.id: run for run in proofs.current(db, project_id)}
    lines = [
        ProofLine.of(done.get(run.id, run), loaded.project, names.get(run.model_row, ""), current=run.id in done)
        for run in proofs.runs(db, project_id)
    ]
    return _listed(request, lines)


@router.get(
    "/projects/{project_id}/export/{format_name}",
    summary="Export in a format",
    responses=EXPORTED,
    response_class=Response,
)
def exported(request: Request, project_id: ProjectId, format_name: FormatName, model: ModelName = "") -> Response:
    """The model document, key catalog, scripts, queries or the project itself."""
    if format_name not in EXPORTERS:
        raise NotFound(f"There is no format {format_name!r}.", fix=f"Formats: {', '.join(EXPORTERS)}.")
    loaded = load(_database(request), project_id)
    if model and loaded.project.model(model) is None:  # even where the client claims to have the answer already
        names = ", ".join(m.name for m in loaded.project.models)
        raise NoSuchModel(f"There is no model {model!r}.", fix=f"Models: {names or 'none yet'}.")
    found = _standings(request, loaded)
    tag = _tag(loaded, "export", format_name, model, *_marks(found))
    return answered(request, tag, lambda: _file(loaded, format_name, model, found))


def _standings(request: Request, loaded: Loaded) -> Proofs:
    return proofs.standings(_database(request), loaded.id, loaded.project, loaded.rows)


def _marks(found: Proofs) -> list[str]:
    """What tells these proofs from others: a proof is no change of its project."""
    return [f"{name}: {standing.proof.model_dump_json()}" for name, held in found.items() for standing in held]


def _file(loaded: Loaded, format_name: str, model: str, found: Proofs) -> Response:
    out = export(analyse(loaded.project), EXPORTERS[format_name], model, found)
    headers = {"Content-Disposition": f'attachment; filename="{out.filename}"'}
    return Response(out.text, media_type=f"{out.media_type}; charset=utf-8", headers=headers)


@router.get(
    "/formats", summary="List export formats", tags=["reference"], responses=LISTED, response_model=list[FormatLine]
)
def formats(request: Request) -> Response:
    """Every format that `/projects/{id}/export/{format}` knows."""
    return _listed(request, [FormatLine.of(e) for e in EXPORTERS.values()])


@router.get("/rules", summary="List rules", tags=["reference"], responses=LISTED, response_model=list[RuleLine])
def rules(request: Request) -> Response:
    """Every rule with its severity."""
    return _listed(request, [RuleLine.of(r) for r in RULES.values()])


@router.get(
    "/stores",
    summary="List stores and their facts",
    tags=["reference"],
    responses=LISTED,
    response_model=list[StoreLine],
)
def stores(request: Request) -> Response:
    """Every store with its limits, their unit, source and the date they were read."""
    return _listed(request, [StoreLine.of(s) for s in STORES.values()])


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> Response:
    """The description of this API."""
    text = described()
    return answered(request, tag_of(text), lambda: Response(text, media_type="application/json"))


@lru_cache(maxsize=1)
def described() -> str:
    """The OpenAPI document."""
    found = get_openapi(
        title="Keywright",
        version=VERSION,
        summary="Projects, reports and exports of the studio.",
        description="Read-only. Where the studio has an access token, send it as `Authorization: Bearer TOKEN`.",
        routes=router.routes,
    )
    for operation in (o for path in found["paths"].values() for o in path.values()):
        # The framework's own description of a bad value: here an address that is none is 404.
        if "application/json" in operation["responses"].get("422", {}).get("content", {}):
            del operation["responses"]["422"]
    parts = found["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(name, None)
    parts["schemas"]["Problem"] = dict(PROBLEM_SCHEMA)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    found["security"] = [{}, {"token": []}]
    return json.dumps(found, ensure_ascii=False)
