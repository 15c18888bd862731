"""Pages: a frozen dataclass in, HTML out. Also how numbers look and where static files are.

A page is a class derived from `Page` that names its template; `render` turns one into a response. The template sees
it as `page`, and nothing else: a missing name is an error, not an empty place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send

from app.model.spread import Spread
from app.plan.types import Level

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "static"

LEVELS: Mapping[Level, tuple[str, str, str, float, str]] = {
    Level.KEY_LOOKUP: ("key-lookup", "key", "lookup", 12, ""),
    Level.PARTITION_RANGE: ("partition-range", "partition", "range", 11, ""),
    Level.INDEX_LOOKUP: ("index-lookup", "index", "lookup", 9, ""),
    Level.INDEX_RANGE: ("index-range", "index range", "", 8, ""),
    Level.FAN_OUT: ("fan-out", "fan-out", "", 5, "warning"),
    Level.SCATTER: ("scatter", "scatter", "", 4, "warning"),
    Level.JOIN: ("join", "join", "", 4, "warning"),
    Level.TRAVERSAL: ("traversal", "traversal", "", 4, "warning"),
    Level.SCAN: ("scan", "scan", "", 1.5, "error"),
    Level.IMPOSSIBLE: ("impossible", "impossible", "", 0, "error"),
}
"""Icon, short words, the word that compact rows drop, height of the tooth in a meter (0: a notch), meaning."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a template shows. Subclasses are frozen, add fields, and set `template` (and `status` if not 200)."""

    template: ClassVar[str]
    status: ClassVar[int] = 200


class PageResponse(HTMLResponse):
    """HTML that remembers what it was made from; tests read `template` and `context`."""

    def __init__(self, page: Page, html: str, status: int, headers: Mapping[str, str] | None) -> None:
        super().__init__(html, status, headers)
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "http.response.debug" in scope.get("extensions", {}):
            info = {"template": self.page.template, "context": self.page}
            await send({"type": "http.response.debug", "info": info})
        await super().__call__(scope, receive, send)


def render(page: Page, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> PageResponse:
    """The response that shows `page`."""
    return PageResponse(page, html_of(page), page.status if status is None else status, headers)


def html_of(page: Page) -> Markup:
    """The HTML of a page or a part, without a response around it."""
    return Markup(ENVIRONMENT.get_template(page.template).render(page=page))  # noqa: S704 - escaped by the engine


# ---------------------------------------------------------------- static files


@lru_cache
def static(path: str) -> str:
    """The address of a file under `static/`, with a mark of its content: it may be kept for ever."""
    mark = sha256((STATIC / path).read_bytes()).hexdigest()[:10]
    return f"/static/{path}?v={mark}"


# ---------------------------------------------------------------- how numbers look


def number(value: float | None, digits: int = 3) -> str:
    """`1,234`, `0.52`, `1.5 M`; `?` for an unknown one, `no bound` for infinity."""
    if value is None:
        return "?"
    if value != value:  # noqa: PLR0124 - NaN
        return "?"
    if value == float("inf"):
        return "no bound"
    for limit, word in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= limit:
            return f"{value / limit:.{digits}g} {word}" if abs(value) < 1e15 else f"{value:.2e}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def size(value: float | None) -> str:
    """Bytes as people read them, 1,024-based: `1.2 KB`."""
    if value is None:
        return "?"
    if value == float("inf"):
        return "no bound"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if abs(value) < 1024 or unit == "TB":
            break
        value /= 1024
    if unit == "B" or value >= 100:
        return f"{value:,.0f} {unit}"
    return f"{value:.2g} {unit}" if value < 10 else f"{value:.3g} {unit}"


def plural(count: float, word: str, words: str = "") -> str:
    """`1 warning`, `2 warnings`, `3 entities` (with `words="entities"`); advice has no plural."""
    many = words or (word if word == "advice" else f"{word}s")
    return f"{number(count)} {word if count == 1 else many}"


def spread(value: Spread, kind: str = "number") -> str:
    """Average, p99 and maximum in one line: `12 · 80 · 5,000`; one number where they are equal."""
    show = size if kind == "size" else number
    if value.avg == value.p99 == value.max:
        return show(value.avg)
    return f"{show(value.avg)} · {show(value.p99) if value.p99 else '?'} · {show(value.max)}"


_FIGURE = re.compile(r"([-+~≈]?[\d.,]+(?:–[\d.,]+)?) (\S.*)")


def split_unit(text: str) -> Markup:
    """`1.2 KB` with its unit set apart."""
    found = _FIGURE.fullmatch(text)
    return Markup("{}<i class=u>{}</i>").format(found[1], found[2]) if found else escape(text)


_PLACEHOLDER = re.compile(r"(\{\{|\}\}|\{[^{}]*\})")


def key_template(text: object) -> Markup:
    """A key template with its placeholders and filters set apart."""
    out = []
    for piece in _PLACEHOLDER.split(str(text)):
        if piece.startswith("{") and piece.endswith("}") and len(piece) > 2:
            path, bar, rest = piece[1:-1].partition("|")
            kept = Markup("<i>|{}</i>").format(rest) if bar else ""
            out.append(Markup("<b>{{{}{}}}</b>").format(path, kept))
        else:
            out.append(escape(piece))
    return Markup("").join(out)


def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(ROOT / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False, cache_size=-1,
    )  # fmt: skip
    env.globals.update(static=static, levels=LEVELS, Level=Level, plural=plural)
    env.filters.update(number=number, size=size, spread=spread, unit=split_unit, key=key_template, plural=plural)
    return env


ENVIRONMENT = _environment()

__all__ = [
    "ENVIRONMENT", "LEVELS", "STATIC", "Page", "PageResponse", "html_of", "key_template", "number", "plural", "render",
    "size", "split_unit", "spread", "static",
]  # fmt: skip
