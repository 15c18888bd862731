"""Answers that need not be sent again."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response


def answered(request: Request, tag: str, make: Callable[[], Response]) -> Response:
    """The answer with its ETag, or 304 where the client has it already (weak comparison, RFC 9110)."""
    etag = f'W/"{tag}"'
    sent = [t.strip().removeprefix("W/") for t in request.headers.get("if-none-match", "").split(",")]
    response = Response(status_code=304) if f'"{tag}"' in sent or "*" in sent else make()
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
