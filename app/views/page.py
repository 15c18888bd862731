"""What all pages share: the menu, the header of a project, the message in the corner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar
from urllib.parse import quote

from app.analysis import Report
from app.model.project import Project
from app.plan.types import Level
from app.stores import STORES
from app.templating import Page
from app.views.opened import Opened


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the menu. `count` None: nothing to count."""

    id: str
    label: str
    href: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Toast:
    """A message in the corner; with `action` a button that posts `values` there."""

    text: str
    kind: str = "ok"
    action: str = ""
    label: str = "Undo"
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Meter:
    """How well one candidate model serves the patterns, in the order of the table."""

    name: str
    store: str
    href: str
    levels: tuple[Level, ...]
    served: int

    @property
    def label(self) -> str:
        return f"{self.served} of {len(self.levels)} patterns served by {self.name}"


@dataclass(frozen=True, kw_only=True)
class StudioPage(Page):
    """A page outside of projects."""

    here: ClassVar[str]
    title: ClassVar[str]
    toast: Toast | None = None

    @property
    def nav(self) -> tuple[Link, ...]:
        return (
            Link("projects", "Projects", "/"),
            Link("new", "New project", "/new"),
            Link("rules", "Rules", "/rules"),
            Link("stores", "Stores", "/stores"),
        )


@dataclass(frozen=True, kw_only=True)
class ProjectPage(Page):
    """A page inside a project."""

    opened: Opened
    here: ClassVar[str]
    title: ClassVar[str]
    toast: Toast | None = None

    @property
    def id(self) -> int:
        return self.opened.id

    @property
    def project(self) -> Project:
        return self.opened.project

    @property
    def report(self) -> Report:
        return self.opened.report

    @property
    def change_number(self) -> int:
        return self.opened.change_number

    @property
    def undo_label(self) -> str:
        return self.opened.undo_label

    @property
    def redo_label(self) -> str:
        return self.opened.redo_label

    def version(self, place: str) -> int:
        """The version of the row that holds `place`: what an edit of it is based on."""
        return version_of(self.opened, place)

    def row_id(self, operation: str) -> str:
        """The id of a pattern's row on the workbench: `/p/1#r-12` leads there."""
        return row_id(self.opened, operation)

    @property
    def meters(self) -> tuple[Meter, ...]:
        return meters(self.opened)

    @property
    def nav(self) -> tuple[Link, ...]:
        project, base = self.project, f"/p/{self.id}"
        links = [
            Link("workbench", "Workbench", base),
            Link("entities", "Entities", f"{base}/entities", len(project.entities)),
            Link("models", "Models", f"{base}/models", len(project.models)),
        ]
        families = key_families(self.report)
        if families:
            links.append(Link("keys", "Keys", f"{base}/keys", families))
        links.append(Link("decisions", "Decisions", f"{base}/decisions", len(project.decisions) or None))
        links.append(Link("history", "History", f"{base}/history"))
        links.append(Link("share", "Share", f"{base}/share"))
        return tuple(links)


def version_of(opened: Opened, place: str) -> int:
    """The version of the stored row a place lies in; 0 for what is not stored."""
    while place:
        if place in opened.versions:
            return opened.versions[place]
        place = place.rpartition("/")[0]
    return 0


def row_id(opened: Opened, operation: str) -> str:
    """The id of a pattern's row; it stays when the pattern is renamed."""
    return opened.numbers.get(operation, (0, "r-0"))[1]


def model_page(project_id: int, name: str) -> str:
    """Where a model has its page."""
    return f"/p/{project_id}/models/{quote(name, safe='')}"


def key_families(report: Report) -> int:
    """How many structures of all models a key catalog would list."""
    stores = [STORES.get(m.model.store_of(s)) for m in report.models for s in m.model.structures]
    return sum(store is not None and store.catalog is not None for store in stores)


@lru_cache(maxsize=64)
def meters(opened: Opened) -> tuple[Meter, ...]:
    """One meter per model."""
    order = [p.operation for p in opened.project.patterns]
    return tuple(
        Meter(
            m.model.name, m.store.title, model_page(opened.id, m.model.name),
            tuple(m.plans[name].level for name in order), m.served,
        )
        for m in opened.report.models
    )  # fmt: skip


__all__ = [
    "Link", "Meter", "ProjectPage", "StudioPage", "Toast", "key_families", "meters", "model_page", "row_id",
    "version_of",
]  # fmt: skip
