"""Answers that need not be sent again."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response


def tag_of(*parts: object) -> str:
    """A tag that differs wherever any of these differs: everything an answer depends on."""
    return sha256("\0".join(str(part) for part in parts).encode()).hexdigest()[:24]


def answered(request: Request, tag: str, make: Callable[[], Response]) -> Response:
    """The answer with its ETag, or 304 where the client has it already (weak comparison, RFC 9110 §8.8.3.2)."""
    sent = [t.strip().removeprefix("W/") for t in request.headers.get("if-none-match", "").split(",")]
    response = Response(status_code=304) if f'"{tag}"' in sent or "*" in sent else make()
    # weak: compression changes the bytes and not what they say
    response.headers["ETag"] = f'W/"{tag}"'
    response.headers["Cache-Control"] = "private, no-cache"
    return response


__all__ = ["answered", "tag_of"]
