"""Why a proof could not be made: what was wrong, where, and what to do. Addresses are shown without their passwords."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import unquote, urlsplit, urlunsplit

from app.errors import AppError


class ProofError(AppError):
    """The proof could not be made; nothing it made is left behind unless `detail` says so."""

    status: ClassVar[int] = 422
    title = "The model could not be proved"


class Cancelled(AppError):
    """Somebody stopped the proof; what it had made is dropped."""

    status: ClassVar[int] = 409
    title = "The proof was cancelled"

    def __init__(self, detail: str = "The proof was cancelled; what it had made is dropped.") -> None:
        super().__init__(detail)


def shown(url: str) -> str:
    """An address without user, password and parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the address given"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", "")) if host else "the address given"


def told(error: BaseException, url: str) -> str:
    """What a driver says, on one line, without anything of the address that could hold a password."""
    text = " ".join(str(error).split()) or type(error).__name__
    return without_secrets(text, url)[:400]


def without_secrets(text: str, url: str) -> str:
    """A text in which nothing of the address is left that could hold a password."""
    for secret in _secrets(url):
        text = text.replace(secret, "…")
    return text


def _secrets(url: str) -> tuple[str, ...]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return (url,)
    found = (url, parts.netloc.rpartition("@")[0], parts.password or "", unquote(parts.password or ""), parts.query)
    return tuple(sorted((s for s in found if len(s) > 1), key=len, reverse=True))


__all__ = ["Cancelled", "ProofError", "shown", "told", "without_secrets"]
