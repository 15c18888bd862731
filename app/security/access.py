"""The access token: given once on a page or in an address, then kept as a cookie; or as Bearer."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from markupsafe import escape
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope

from app.errors import AppError, Unauthorised
from app.security.body import read_body

SAFE = {"GET", "HEAD", "OPTIONS"}
SIGN_IN = "/sign-in"
SIGN_OUT = "/sign-out"
COOKIE = "keywright"
SESSION_SECONDS = 30 * 86400

Page = Callable[[AppError, str], str]
"""Writes the sign-in page: what went wrong, and where to go afterwards."""


class Access:
    """Lets in who knows the token; everybody where none is set."""

    def __init__(self, token: str, sign_in_page: Page) -> None:
        self.token = token
        self.sign_in_page = sign_in_page

    async def check(self, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        """None lets the request pass; a response answers it here."""
        path, method = scope["path"], scope["method"]
        if not self.token or _is_open(path, method):
            return None
        if path == SIGN_IN:
            return await self._sign_in(scope, headers, receive)
        if path == SIGN_OUT and method == "POST":
            answer = RedirectResponse(SIGN_IN, 303)
            answer.delete_cookie(COOKIE)
            return answer
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), None)
        if given is not None and method in SAFE:
            self._compare(given)
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            return self._signed_in(scope, quote(path) + (f"?{rest}" if rest else ""))
        bearer = bearer_of(headers)
        if bearer:
            self._compare(bearer)
        elif not self._is_session(_cookie(headers)):
            raise Unauthorised("This studio asks for its access token.")
        return None

    async def _sign_in(self, scope: Scope, headers: Headers, receive: Receive) -> Response:
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if scope["method"] != "POST":
            page = self.sign_in_page(Unauthorised(""), own_path(query.get("next", "/")))
            return HTMLResponse(page)
        body = await read_body(receive, headers, 8 * 1024)
        form = dict(parse_qsl(body.decode("utf-8", "replace")))
        target = own_path(form.get("next", "/"))
        try:
            self._compare(form.get("token", "").strip())
        except Unauthorised as error:
            return HTMLResponse(self.sign_in_page(error, target), error.status)
        return self._signed_in(scope, target)

    def _signed_in(self, scope: Scope, target: str) -> Response:
        answer = RedirectResponse(own_path(target), 303)
        answer.set_cookie(
            COOKIE,
            self._session(int(time.time())),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="lax",
            secure=scope["scheme"] == "https",
        )
        return answer

    def _compare(self, given: str) -> None:
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise Unauthorised("This is not the access token of this studio.")

    def _session(self, issued: int) -> str:
        """What the cookie holds: made from the token, and of no use for finding it."""
        text = f"session {issued}".encode()
        return f"{issued}.{hmac.new(self.token.encode(), text, sha256).hexdigest()}"

    def _is_session(self, cookie: str) -> bool:
        issued = cookie.partition(".")[0]
        if not (issued.isascii() and issued.isdigit() and len(issued) < 15):
            return False
        fresh = 0 <= time.time() - int(issued) < SESSION_SECONDS
        return fresh and hmac.compare_digest(cookie.encode(), self._session(int(issued)).encode())


def _is_open(path: str, method: str) -> bool:
    """Whether strangers may ask: for being alive, for looks, and along a review link."""
    return path == "/healthz" or (method in SAFE and path.startswith(("/static/", "/r/")))


def bearer_of(headers: Headers) -> str:
    """The credentials of `Authorization: Bearer …`, or empty."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def own_path(target: str) -> str:
    """`target` if it is a path of this studio, else the start page: no way to other sites."""
    inside = target.startswith("/") and not target.startswith("//") and "\\" not in target
    return target if inside and target.isprintable() and not target.startswith(SIGN_IN) else "/"


def plain_sign_in_page(error: AppError, target: str) -> str:
    """The sign-in page without the looks of the studio."""
    return bare_page(
        "Sign in to Keywright",
        f"<p role=alert>{escape(error.detail)}</p>"
        f'<form method=post action="{SIGN_IN}">'
        f'<input type=hidden name=next value="{escape(target)}">'
        "<p><label for=token>Access token</label> "
        "<input id=token name=token type=password autocomplete=current-password required autofocus>"
        "<p><button>Sign in</button></form>",
    )


def bare_page(title: str, body: str) -> str:
    """A page that needs nothing else; `body` is HTML."""
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>"
        '<meta name=viewport content="width=device-width">'
        f"<main><h1>{escape(title)}</h1>{body}</main></html>"
    )
