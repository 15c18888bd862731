"""Who may ask for what: host names, other sites, the access token, body size, response headers.

Pure ASGI, so that streams stay streams. `guard` holds the checks, `access` the token and its
cookie, `body` the size limit, `headers` what browsers are told on every answer.
"""

from __future__ import annotations

import logging

from starlette.applications import Starlette
from starlette.types import ASGIApp

from app.security.access import Page, own_path, plain_sign_in_page
from app.security.body import BODY_LIMIT
from app.security.guard import Guard
from app.security.headers import CSP, HideSecrets, SecurityHeaders
from app.settings import Settings


def install(app: Starlette, settings: Settings, sign_in_page: Page | None = None) -> None:
    """Put every check in front of `app`, and the headers on every answer, also on a crash.

    `sign_in_page` writes the HTML of the sign-in page: a form that posts `token` and `next` to
    `/sign-in`.
    """
    app.add_middleware(Guard, settings=settings, sign_in_page=sign_in_page or plain_sign_in_page)
    inner = app.build_middleware_stack

    def outermost() -> ASGIApp:
        # Added the usual way it would stand inside the handler of crashes and miss their answers.
        return SecurityHeaders(inner())

    app.build_middleware_stack = outermost  # type: ignore[method-assign]
    access = logging.getLogger("uvicorn.access")
    if not any(isinstance(f, HideSecrets) for f in access.filters):
        access.addFilter(HideSecrets())


__all__ = [
    "BODY_LIMIT",
    "CSP",
    "Guard",
    "HideSecrets",
    "SecurityHeaders",
    "install",
    "own_path",
    "plain_sign_in_page",
]
