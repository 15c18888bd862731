"""What can go wrong in a way that a person can act on, with the HTTP status each kind answers.

Raised where something fails, shown by the outermost layer as a page, as problem+json or as a line
on the terminal. An error says what happened (`detail`), where (`place`, in the words of the
project: `patterns/Load order page`) and what to do about it (`fix`).
"""

# The names say what happened to the request; `NotFoundError` would only repeat the base class.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


class AppError(Exception):
    """The root of the family; raise one of its children."""

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str, *, place: str = "", fix: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.place = place
        self.fix = fix

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        todo = f" {self.fix}" if self.fix else ""
        return f"{where}{self.detail}{todo}"

    def as_problem(self) -> dict[str, Any]:
        """The members of an RFC 9457 problem document; empty ones are left out."""
        problem = {
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "place": self.place,
            "fix": self.fix,
        }
        return {key: value for key, value in problem.items() if value != ""}


class BadRequest(AppError):
    """The request itself cannot be read: a broken address, a header that makes no sense."""

    status = 400
    title = "The request cannot be read"


class BadInput(AppError):
    """What was typed, pasted or sent does not mean anything here."""

    status = 422
    title = "This cannot be used as it is"


class NotFound(AppError):
    """No such project, part, version or link."""

    status = 404
    title = "Not found"


class Unauthorised(AppError):
    """No proof of identity, or a wrong one."""

    status = 401
    title = "Sign in first"


class Refused(AppError):
    """Understood and not allowed."""

    status = 403
    title = "Not allowed"


class TooLarge(AppError):
    """More than the studio reads in one go."""

    status = 413
    title = "Too large"


class Busy(AppError):
    """The database did not become free in time; nothing was written."""

    status = 503
    title = "Busy"


@dataclass(frozen=True, slots=True)
class Clash:
    """One cell that two people changed, and what both started from (`base`; None: nothing)."""

    place: str
    """`patterns/Load order page`"""
    field: str
    """`rate.avg`, or empty when the whole part is meant."""
    base: Any
    yours: Any
    theirs: Any
    by: str = ""
    """Who wrote `theirs`."""


class Conflict(AppError):
    """The same cell was changed, or what an undo restores has moved on. Nothing was written."""

    status = 409
    title = "Changed by somebody else in the meantime"

    def __init__(self, detail: str, *, clashes: tuple[Clash, ...] = (), place: str = "", fix: str = "") -> None:
        super().__init__(detail, place=place or (clashes[0].place if clashes else ""), fix=fix)
        self.clashes = clashes

    @property
    def yours(self) -> Any:
        """The value of the first clash that was not written."""
        return self.clashes[0].yours if self.clashes else None

    @property
    def theirs(self) -> Any:
        """The value of the first clash that stands."""
        return self.clashes[0].theirs if self.clashes else None

    def as_problem(self) -> dict[str, Any]:
        return {**super().as_problem(), "clashes": [_clash(c) for c in self.clashes]}


def _clash(clash: Clash) -> Mapping[str, Any]:
    return {
        "place": clash.place,
        "field": clash.field,
        "yours": clash.yours,
        "theirs": clash.theirs,
        "by": clash.by,
    }


__all__ = [
    "AppError",
    "BadInput",
    "BadRequest",
    "Busy",
    "Clash",
    "Conflict",
    "NotFound",
    "Refused",
    "TooLarge",
    "Unauthorised",
]
