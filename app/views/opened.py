"""A project as a page sees it: the value, its report and what can be undone, at one change number."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

from fastapi import Path
from starlette.requests import Request

from app.analysis import Report, analyse
from app.model.project import Project
from app.rules.rule import Finding
from app.storage import history
from app.storage.engine import Database
from app.storage.parts import Loaded, load

ProjectId = Annotated[int, Path(ge=1, le=2**53)]
"""The number of a project in an address."""
AUTHOR = "Editor"
"""Who makes changes while the studio has no accounts."""
KEPT = 32


@dataclass(frozen=True, eq=False)
class Opened:
    """One project at one change number. `versions` and `rows` go by place, see `app.storage.parts.Loaded`."""

    id: int
    project: Project
    report: Report
    change_number: int
    undo_label: str = ""
    redo_label: str = ""
    versions: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def beside(self) -> Mapping[str, tuple[Finding, ...]]:
        """The findings of each operation, in the order of the report."""
        out: dict[str, list[Finding]] = {p.operation: [] for p in self.project.patterns}
        for finding in self.report.findings:
            for name in finding.patterns:
                if name in out:
                    out[name].append(finding)
        return {name: tuple(found) for name, found in out.items()}

    @cached_property
    def numbers(self) -> Mapping[str, tuple[int, str]]:
        """Number and element id of each operation's line in the table."""
        rows = self.rows
        return {
            p.operation: (i, f"r-{rows[f'patterns/{p.operation}']}") for i, p in enumerate(self.project.patterns, 1)
        }

    @cached_property
    def made_from(self) -> tuple[tuple[object, ...], ...]:
        """For each line of the table the objects it shows: the same objects show the same line."""
        plans = [m.plans for m in self.report.models]
        return tuple((p, *(of[p.operation] for of in plans), *self.beside[p.operation]) for p in self.project.patterns)


class Desk:
    """What pages need of the running studio: the database, and the reports made last."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._kept: OrderedDict[tuple[int, int], Opened] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, project_id: int) -> Opened:
        """The project as it is now. Raises NotFound."""
        return self.opened(load(self.db, project_id))

    def opened(self, loaded: Loaded) -> Opened:
        """A loaded project with its report; remembered by change number."""
        key = (loaded.id, loaded.change)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.project is loaded.project:
                self._kept.move_to_end(key)
                return kept
        made = self._make(loaded)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made

    def earlier(self, project_id: int, change: int) -> Opened | None:
        """What a page that is still at `change` shows, if that is remembered."""
        with self._lock:
            return self._kept.get((project_id, change))

    def _make(self, loaded: Loaded) -> Opened:
        undo, redo = history.undoable(self.db, loaded.id), history.redoable(self.db, loaded.id)
        return Opened(
            id=loaded.id,
            project=loaded.project,
            report=analyse(loaded.project),
            change_number=loaded.change,
            undo_label=undo.label if undo else "",
            redo_label=redo.label if redo else "",
            versions=loaded.versions,
            rows=loaded.rows,
        )


def desk(request: Request) -> Desk:
    """The desk of the running studio."""
    found: Desk = request.app.state.desk
    return found


def open_project(request: Request, project_id: int) -> Opened:
    """The project of an address. Raises NotFound."""
    return desk(request).open(project_id)


__all__ = ["AUTHOR", "Desk", "Opened", "ProjectId", "desk", "open_project"]
