"""What a page on screen is told after a change: the parts that differ, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import is_
from typing import ClassVar
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from app.rules.rule import Finding
from app.templating import Page, html_of, plural, render
from app.views.editing.commit import Changed
from app.views.opened import Desk, Opened
from app.views.page import ProjectPage, Toast, version_of
from app.views.workbench.details import details
from app.views.workbench.page import Parts, Status, Table, rows
from app.views.workbench.panel import Panel, read_show
from app.views.workbench.rows import row_html

MOST_ROWS = 120
"""Changed lines sent one by one; beyond that the whole list is shorter."""
Part = tuple[str, str, Markup]


@dataclass(frozen=True, slots=True)
class View:
    """What the page on screen is: which one, at which change, which lines are open, which findings it lists."""

    page: str = ""
    seen: int = 0
    open: frozenset[str] = frozenset()
    show: str = ""

    @classmethod
    def of(cls, page: str, seen: str, open_rows: str, show: str) -> View:
        return cls(
            page,
            int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 16 else 0,
            frozenset(open_rows.split()),
            show,
        )


@dataclass(frozen=True, kw_only=True)
class Header(ProjectPage):
    """A part of the header that every page has."""

    here: ClassVar[str] = ""
    title: ClassVar[str] = ""


@dataclass(frozen=True, kw_only=True)
class Saved(Header):
    template: ClassVar[str] = "_saved.html"


@dataclass(frozen=True, kw_only=True)
class Undo(Header):
    template: ClassVar[str] = "_undo.html"


@dataclass(frozen=True, kw_only=True)
class Meters(Header):
    template: ClassVar[str] = "_meters.html"


@dataclass(frozen=True, kw_only=True)
class Nav(Header):
    template: ClassVar[str] = "_nav.html"
    marked: str

    @property
    def here(self) -> str:  # type: ignore[override]
        return self.marked


@dataclass(frozen=True, kw_only=True)
class Title(Header):
    template: ClassVar[str] = "_title.html"


@dataclass(frozen=True, kw_only=True)
class ToastPart(Page):
    template: ClassVar[str] = "_toast.html"
    toast: Toast


def answer(desk: Desk, changed: Changed, view: View, toast: Toast | None = None) -> Response:
    """Everything on screen that the change touched."""
    shown = desk.earlier(changed.after.id, view.seen)
    if shown is None and view.seen == changed.before.change_number:
        shown = changed.before
    parts = list(_header(changed.after, shown, view.page))
    if view.page == "workbench":
        parts += _workbench(changed.after, shown, view)
    if toast:
        parts.append(("#toasts", "innerHTML", html_of(ToastPart(toast=toast))))
    headers = {"Keywright-Change": str(changed.after.change_number), "Keywright-Say": quote(said(changed))}
    version = version_of(changed.after, changed.place)
    if version:
        headers["Keywright-Version"] = str(version)
    return render(Parts(parts=tuple(parts)), headers=headers)


def said(changed: Changed) -> str:
    """One sentence for those who listen: `Saved. 2 warnings on row 3.`"""
    if changed.before.change_number == changed.after.change_number:
        return "Nothing changed."
    project, name = changed.after.project, changed.place.removeprefix("patterns/")
    at = next((i for i, p in enumerate(project.patterns) if p.operation == name), None)
    if at is None:
        return f"Saved. {changed.label}."
    found = [f for f in changed.after.beside[name] if not f.accepted]
    counts = [plural(n, s) for s in ("error", "warning", "question") if (n := sum(f.severity == s for f in found))]
    return f"Saved. {', '.join(counts) or 'Nothing to report'} on row {at + 1}."


def _header(after: Opened, shown: Opened | None, page: str) -> Iterable[Part]:
    yield "#saved", "outerMorph", html_of(Saved(opened=after))
    yield "#undo", "outerMorph", html_of(Undo(opened=after))
    meters, nav = Meters(opened=after), Nav(opened=after, marked=page)
    if shown is None or meters.meters != Meters(opened=shown).meters:
        yield "#meters", "outerMorph", html_of(meters)
    if shown is None or nav.nav != Nav(opened=shown, marked=page).nav:
        yield "#nav", "outerMorph", html_of(nav)
    if shown is None or shown.project.name != after.project.name:
        yield "#title", "outerMorph", html_of(Title(opened=after))


def _workbench(after: Opened, shown: Opened | None, view: View) -> Iterable[Part]:
    if shown is None or _columns(shown) != _columns(after):
        yield "#patterns", "outerMorph", html_of(Table(opened=after, open=view.open))
    else:
        yield from _rows(after, shown, view)
    panel = Panel(opened=after, show=read_show(view.show))
    if shown is None or not panel.looks_like(Panel(opened=shown, show=panel.show)):
        yield "#panel", "outerMorph", html_of(panel)
    yield "#status", "outerMorph", html_of(Status(opened=after))


def _columns(opened: Opened) -> tuple[tuple[str, str], ...]:
    return tuple((m.model.name, m.store.name) for m in opened.report.models)


def _rows(after: Opened, shown: Opened, view: View) -> Iterable[Part]:
    lines = [row for _, row in after.numbers.values()]
    moved = lines != [row for _, row in shown.numbers.values()]
    patterns, was = after.project.patterns, shown.project.patterns
    changed = list(range(len(lines)))
    if not moved:
        rates, before = after.report.rates, shown.report.rates
        changed = [
            i for i in changed
            if not same(after.made_from[i], shown.made_from[i])
            or rates[patterns[i].operation] != before[was[i].operation]
        ]  # fmt: skip
    if len(changed) > MOST_ROWS or moved:
        yield "#rows", "innerMorph", Markup("").join(rows(after, view.open))
        return
    for i in changed:
        line = lines[i]
        yield f"#{line}", "outerMorph", row_html(after, i, line in view.open)
        if line in view.open and (part := details(after, line)):
            yield f"#m-{line}", "outerMorph", html_of(part)


def same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether both hold the very same objects; findings may be equal ones, a rule makes them anew."""
    if len(one) != len(other):
        return False
    if all(map(is_, one, other)):
        return True
    return all(a is b or (isinstance(a, Finding) and a == b) for a, b in zip(one, other, strict=True))


__all__ = ["View", "answer", "said"]
