"""The web application: checks, compression, static files, pages and the API, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from app import security
from app.api import router as api
from app.errors import AppError
from app.settings import Settings
from app.storage.engine import match_threads_to_pool
from app.storage.migrate import open_database
from app.templating import STATIC, html_of
from app.views import errors
from app.views.opened import Desk
from app.views.proofs.runs import Door, Prover
from app.views.routes import router as pages
from app.views.sign_in import SignIn

FOR_EVER = "public, max-age=31536000, immutable"


class Compressed(GZipMiddleware):
    """Gzip at a level that costs less time than it saves on a local network; untouched for those who do not ask."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = dict(scope.get("headers", ())).get(b"accept-encoding", b"")
        if b"gzip" in accepted:
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class Static(StaticFiles):
    """Static files; those asked for with the mark of their content may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        marked = scope.get("query_string", b"").startswith(b"v=") and response.status_code == 200
        response.headers["Cache-Control"] = FOR_EVER if marked else "no-cache"
        return response


def create_app(settings: Settings, door: Door | None = None) -> FastAPI:
    """The studio for these settings. The database is opened when it starts and closed when it stops.

    `door`: what proves models, for tests that have no engine.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        settings.check()
        match_threads_to_pool()
        db = open_database(settings.url)
        app.state.db = db
        app.state.desk = Desk(db)
        prover = Prover(db, settings.prove, door)
        app.state.prover = prover
        yield
        await run_sync(prover.close)
        db.close()

    app = FastAPI(title="Keywright", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    errors.install(app)
    app.add_middleware(Compressed, compresslevel=2)
    security.install(app, settings, sign_in_page)
    app.mount("/static", Static(directory=STATIC), name="static")
    app.add_api_route("/healthz", healthy, methods=["GET"], include_in_schema=False)
    app.include_router(api)
    app.include_router(pages, include_in_schema=False)
    return app


def healthy() -> PlainTextResponse:
    """Whether the studio answers at all."""
    return PlainTextResponse("ok")


def sign_in_page(error: AppError, target: str) -> str:
    """The page that asks for the access token."""
    return str(html_of(SignIn(error=error, target=target)))


__all__ = ["Compressed", "Static", "create_app", "sign_in_page"]
