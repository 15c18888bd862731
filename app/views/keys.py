"""The key catalog: every key family of every model, as a person looks it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.exporters.keys import Family, families
from app.model.candidate import Structure
from app.rules.rule import SEVERITIES
from app.stores import STORES
from app.stores.store import CatalogEntry, Store
from app.templating import render
from app.views.editing.fields import text_of
from app.views.opened import open_project
from app.views.page import ProjectPage

router = APIRouter()
FORMATS = (("keys-markdown", "Markdown"), ("keys-csv", "CSV"), ("keys-json", "JSON"))


@dataclass(frozen=True, slots=True)
class Line:
    """One family. `memory`: bytes of all its keys (0: not known); `pct` of the largest family."""

    number: int
    family: Family
    structure: Structure
    place: str
    ttl: str
    owner: str
    note: str
    serves: tuple[int, ...]
    memory: float
    pct: float

    @property
    def entry(self) -> CatalogEntry:
        return self.family.entry


@dataclass(frozen=True, kw_only=True)
class Show(ProjectPage):
    """The catalog; `model` narrows it to one model."""

    template: ClassVar[str] = "keys/show.html"
    here: ClassVar[str] = "keys"
    title: ClassVar[str] = "Key catalog"
    model: str = ""
    formats: tuple[tuple[str, str], ...] = FORMATS

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        models = tuple(m for m in self.report.models if self.model in {"", m.model.name})
        found = list(families(self.report, models))
        largest = max((f.entry.keys * f.entry.bytes for f in found), default=0.0) or 1.0
        return tuple(self._line(i, f, largest) for i, f in enumerate(found, 1))

    def _line(self, number: int, family: Family, largest: float) -> Line:
        made = self.report.model(family.model)
        structure = made.model.structure(family.entry.structure) if made else None
        assert made is not None  # noqa: S101 - families come from models of the report
        assert structure is not None  # noqa: S101
        place = f"models/{family.model}/{structure.name}"
        memory = family.entry.keys * family.entry.bytes
        serves = [
            i for i, p in enumerate(self.project.patterns, 1)
            if any(s.structure == structure.name for s in made.plans[p.operation].steps)
            or any(t.structure == structure.name for t in made.plans[p.operation].touches)
        ]  # fmt: skip
        ttl, owner, note = (text_of(self.project, place, word) for word in ("ttl", "owner", "note"))
        return Line(number, family, structure, place, ttl, owner, note, tuple(serves), memory, 100 * memory / largest)

    @property
    def models(self) -> Sequence[str]:
        """Models that have key families."""
        return list(dict.fromkeys(f.model for f in families(self.report, self.report.models)))

    @property
    def counts(self) -> Sequence[tuple[str, int]]:
        found = [f.severity for line in self.lines for f in line.family.findings if not f.accepted]
        return [(s, found.count(s)) for s in SEVERITIES if s in found]

    @property
    def memory(self) -> float:
        return sum(line.memory for line in self.lines)

    @property
    def parts(self) -> Sequence[tuple[Line, float, float]]:
        """Families by memory as stretches of a bar 1,000 wide: line, start, width."""
        x, out = 0.0, []
        for line in sorted(self.lines, key=lambda one: -one.memory):
            width = 1000 * line.memory / self.memory if self.memory else 0.0
            if width >= 2:
                out.append((line, round(x, 1), round(width, 1)))
            x += width
        return out

    @property
    def unknown(self) -> int:
        return sum(not line.memory for line in self.lines)

    @property
    def stores(self) -> Sequence[Store]:
        """Stores that have key families, for who has none yet."""
        return [s for s in STORES.values() if s.catalog is not None]


@router.get("/p/{project_id}/keys", name="keys:show")
def show(request: Request, project_id: int, model: str = "") -> Response:
    """The key catalog of a project."""
    return render(Show(opened=open_project(request, project_id), model=model))


__all__ = ["Line", "Show", "router"]
