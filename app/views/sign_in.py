"""The page that asks for the access token; `app.security` decides who sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.errors import AppError
from app.templating import Page
from app.views.page import Link, Toast


@dataclass(frozen=True, kw_only=True)
class SignIn(Page):
    """A form that posts `token` and `next` to `/sign-in`."""

    template: ClassVar[str] = "sign_in.html"
    here: ClassVar[str] = ""
    title: ClassVar[str] = "Sign in"
    nav: ClassVar[tuple[Link, ...]] = ()
    toast: ClassVar[Toast | None] = None
    error: AppError
    target: str


__all__ = ["SignIn"]
