"""The checks a request passes before the application sees it.

In this order: the host allow-list (no page on the internet reaches a loopback server under a name
of its own), the cross-origin rule (no other site makes a browser write here), the access token,
the body limit.

The cross-origin rule is that of Go's CrossOriginProtection: browsers say where a request comes
from, so forms need no secret. Plain-http names other than localhost get no `Sec-Fetch-Site`, hence
its second half with `Origin`.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from markupsafe import escape
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import AppError, BadRequest, Refused, TooLarge, Unauthorised
from app.security.access import SAFE, SIGN_IN, Access, Page, bare_page, bearer_of, own_path
from app.security.body import BODY_LIMIT, read_body, replay
from app.settings import Settings


class Guard:
    """The four checks. What fails one never reaches the application."""

    def __init__(self, app: ASGIApp, settings: Settings, sign_in_page: Page) -> None:
        self.app = app
        self.hosts = settings.hosts
        self.sign_in_page = sign_in_page
        self.access = Access(settings.token.get_secret_value(), sign_in_page)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(scope["path"], headers)
            self._check_origin(scope, headers)
            answer = await self.access.check(scope, headers, receive)
            if answer is None and scope["method"] not in SAFE:
                receive = replay(await read_body(receive, headers, BODY_LIMIT), receive)
        except AppError as error:
            answer = self._answer(error, scope, headers)
        await (answer or self.app)(scope, receive, send)

    def _check_host(self, path: str, headers: Headers) -> None:
        host = headers.get("host", "").lower()
        if not host:
            raise BadRequest("The request names no host.")
        name = re.sub(r":\d*$", "", host)
        if path == "/healthz" or name in self.hosts or "*" in self.hosts:
            return
        raise BadRequest(
            f"This studio does not answer to the name {name}.",
            fix=f"If it should, start it with KEYWRIGHT_ALLOWED_HOSTS={name}.",
        )

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        # No other site can set an Authorization header without being asked first (preflight).
        if scope["method"] in SAFE or bearer_of(headers):
            return
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        if site is not None:
            allowed = site in {"same-origin", "none"}
        else:
            own = f"{scope['scheme']}://{headers['host']}"
            allowed = origin is not None and origin.lower() == own.lower()
        if not allowed:
            raise Refused(
                "The request comes from another site."
                if site or origin
                else "The request does not say which site it comes from.",
                fix="Programs send an Authorization header: Bearer, and the access token if any.",
            )

    def _answer(self, error: AppError, scope: Scope, headers: Headers) -> Response:
        if scope["path"].startswith("/api/") or "text/html" not in headers.get("accept", "*"):
            answer: Response = JSONResponse(error.as_problem(), error.status, media_type="application/problem+json")
        elif isinstance(error, Unauthorised):
            here = own_path(quote(scope["path"])) if scope["method"] == "GET" else "/"
            answer = HTMLResponse(self.sign_in_page(error, here), error.status)
            if headers.get("hx-request"):
                # Otherwise the sign-in page would be swapped into a panel of the page.
                answer.headers["HX-Redirect"] = SIGN_IN
        else:
            answer = HTMLResponse(bare_page(error.title, f"<p>{escape(str(error))}</p>"), error.status)
        if isinstance(error, Unauthorised):
            answer.headers["WWW-Authenticate"] = "Bearer"
        if isinstance(error, TooLarge):
            answer.headers["Connection"] = "close"
        return answer
