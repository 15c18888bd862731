"""What a person sees when something cannot be done: a page, a message in the corner, or problem+json for a script."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.errors import AppError, BadInput, BadRequest, NotFound
from app.model.problem import BadProject
from app.templating import Page, render
from app.views.page import StudioPage, Toast

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ErrorPage(StudioPage):
    """An error as a page of its own."""

    template: ClassVar[str] = "error.html"
    here: ClassVar[str] = ""
    error: AppError

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.error.title


@dataclass(frozen=True, kw_only=True)
class ErrorToast(Page):
    """An error as a message in the corner."""

    template: ClassVar[str] = "_error_toast.html"
    toast: Toast


def answer(request: Request, error: AppError) -> Response:
    """The error in the shape the client asked for."""
    accept = request.headers.get("accept", "")
    if "problem+json" in accept or request.url.path.startswith("/api/"):
        return JSONResponse(error.as_problem(), error.status, media_type="application/problem+json")
    if request.headers.get("hx-request"):
        text = " ".join(part for part in (error.detail, error.fix) if part)
        return render(ErrorToast(toast=Toast(text, "error")), status=error.status)
    return render(ErrorPage(error=error), status=error.status)


def install(app: FastAPI) -> None:
    """Answer every error of the application here."""

    @app.exception_handler(AppError)
    def _app_error(request: Request, error: AppError) -> Response:
        return answer(request, error)

    @app.exception_handler(BadProject)
    def _bad_project(request: Request, error: BadProject) -> Response:
        first = error.problems[0]
        more = f" And {len(error.problems) - 1} more." if len(error.problems) > 1 else ""
        where = f"Line {first.line}: " if first.line else ""
        return answer(request, BadInput(f"{where}{first.what}.{more}", place=first.place, fix=first.fix))

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return answer(request, NotFound("There is no such page.", fix="Look in the list of projects."))
        kind = type("HttpError", (BadRequest,), {"status": error.status_code})
        return answer(request, kind(str(error.detail)))

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["loc"][0] == "path":
            return answer(request, NotFound("There is no such page.", fix="Look in the list of projects."))
        name = str(first["loc"][-1])
        return answer(request, BadInput(f"{name}: {first['msg'].lower()}.", place=name))

    @app.exception_handler(Exception)
    def _crash(request: Request, error: Exception) -> Response:
        log.error("unhandled error at %s", request.url.path, exc_info=error)
        broken = AppError("The studio made a mistake; nothing was written.", fix="Try again, or undo the last change.")
        return answer(request, broken)


__all__ = ["ErrorPage", "ErrorToast", "answer", "install"]
