"""How much of a request is read."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from app.errors import BadRequest, TooLarge

BODY_LIMIT = 6 * 1024 * 1024


async def read_body(receive: Receive, headers: Headers, limit: int) -> bytes:
    """The whole body.

    Raises:
        TooLarge: more than `limit` bytes, announced or sent.
    """
    error = TooLarge(f"More than {limit / 1024 / 1024:.3g} MB in one request.")
    announced = headers.get("content-length", "0")
    if not announced.isdigit():
        raise BadRequest("Content-Length is no number.")
    if int(announced) > limit:
        raise error
    chunks, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise error
        chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks)


def replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read once more, then what comes after it."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
