"""The page of one candidate model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import ClassVar
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis import ModelReport
from app.errors import NotFound
from app.exporters.queries import query
from app.exporters.scripts import files
from app.model.candidate import Candidate, Structure
from app.plan.types import Level, Plan, Record
from app.rules.rule import Finding
from app.stores import STORES
from app.stores.store import Store
from app.templating import render
from app.views.editing.fields import text_of
from app.views.models import breakeven, calendar, heat, structures, words
from app.views.models.holds import Byte, Held, held_lines, sample_lines
from app.views.models.keys import IndexLine, KeyLine, index_lines, key_lines
from app.views.models.structures import Line, counts, findings_of, lines, records_of, store_of
from app.views.opened import open_project
from app.views.page import ProjectPage, model_page
from app.views.proofs.panel import Panel, panel
from app.views.workbench.rows import per_second

router = APIRouter()
FIELDS = ("version", "nodes", "options", "note")


@dataclass(frozen=True, slots=True)
class Served:
    """How one pattern is served: its number, plan, query text and peak rate."""

    number: int
    operation: str
    plan: Plan
    query: str
    peak: float | None

    @property
    def rate(self) -> str:
        return "?" if self.peak is None else per_second(self.peak)

    @property
    def first(self) -> str:
        """The query on one line, without comments and parameters."""
        said = (line.strip() for line in self.query.splitlines())
        return " ".join(line for line in said if line and not line.startswith(("//", "--", "#", "const p ")))


@dataclass(frozen=True, kw_only=True)
class Show(ProjectPage):
    """One model. `chosen`: the structure whose keys are shown; `kind`: the kind of record that is shown as a sample."""

    template: ClassVar[str] = "models/show.html"
    here: ClassVar[str] = "models"
    model: Candidate
    proof: Panel
    chosen: str = ""
    kind: str = ""

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.model.name

    @property
    def place(self) -> str:
        return f"models/{self.model.name}"

    @property
    def row(self) -> int:
        """Tells the model from others also after it was renamed."""
        return self.opened.rows.get(self.place, 0)

    @property
    def models(self) -> Sequence[tuple[str, str, str]]:
        """Name, store and address of every model."""
        return [(m.name, title_of(m.store), model_page(self.id, m.name)) for m in self.project.models]

    @property
    def stores(self) -> Sequence[Store]:
        return tuple(STORES.values())

    @cached_property
    def made(self) -> ModelReport | None:
        """None for a model on a store that nobody knows."""
        return self.report.model(self.model.name)

    @property
    def said(self) -> tuple[tuple[str, str, str, str], ...]:
        """Field, label, text and example of what is said of the whole model, or could be on its store."""
        store = STORES.get(self.model.store)
        hints = {**(store.hints if store else {}), "note": "note"}
        fields = ((f, f.capitalize(), text_of(self.project, self.place, f)) for f in FIELDS)
        return tuple((f, label, text, hints.get(f, "")) for f, label, text in fields if text or f in hints)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.report.findings if f.model == self.model.name and not f.accepted)

    @property
    def accepted(self) -> int:
        return sum(f.model == self.model.name and f.accepted for f in self.report.findings)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        return counts(self.findings)

    # ------------------------------------------------------------ structures

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return lines(self.report, self.made) if self.made else ()

    @property
    def lines_said(self) -> str:
        word = self.made.store.word.get("record", "record") if self.made else "record"
        return structures.said(self.lines, word)

    @cached_property
    def structure(self) -> Structure | None:
        """The structure that is shown in full: the one asked for, or the first with findings, or the first."""
        held = self.model.structures
        asked = self.model.structure(self.chosen) if self.chosen else None
        worst = next((self.model.structure(line.name) for line in self.lines if line.counts), None)
        return asked or worst or (held[0] if held else None)

    @property
    def at(self) -> str:
        return f"{self.place}/{self.structure.name}" if self.structure else self.place

    @cached_property
    def keys(self) -> tuple[KeyLine, ...]:
        return key_lines(self.report, self.made, self.structure) if self.made and self.structure else ()

    @cached_property
    def indexes(self) -> tuple[IndexLine, ...]:
        return index_lines(self.report, self.made, self.structure) if self.made and self.structure else ()

    @cached_property
    def holds(self) -> tuple[Held, ...]:
        return held_lines(self.report, self.made, self.structure) if self.made and self.structure else ()

    def record_text(self, at: int) -> str:
        """One kind of record of the structure as one line."""
        return text_of(self.project, self.at, f"records.{at}")

    @property
    def undated(self) -> int:
        """Copies and figures without a maximum age."""
        return sum(h.refreshes and not h.age for h in self.holds)

    @property
    def structure_findings(self) -> tuple[Finding, ...]:
        if not self.made or not self.structure:
            return ()
        return tuple(f for f in findings_of(self.report, self.made, self.structure.name) if not f.accepted)

    @property
    def words(self) -> Sequence[tuple[str, str]]:
        """Field and text of what else is said of the structure."""
        return words.said(self.project, self.at) if self.structure else ()

    @property
    def more_words(self) -> Sequence[str]:
        """Fields of the structure that are not said yet and that its store knows."""
        return words.unsaid(self.project, self.at, self._store) if self._store else ()

    @property
    def lists(self) -> Sequence[tuple[str, str, str]]:
        """Lists of ways in that an entry can be added to: field, button, example."""
        of = self.structure.of if self.structure else ""
        return words.ways(of or "order", self._store) if self._store else ()

    @property
    def _store(self) -> Store | None:
        """The store of the structure that is shown."""
        return (store_of(self.made, self.structure) or self.made.store) if self.made and self.structure else None

    @property
    def add_hint(self) -> str:
        """An example of a structure in the words of the store."""
        of = self.project.entities[0].name if self.project.entities else "order"
        return words.example(STORES.get(self.model.store), of)

    @property
    def hints(self) -> Mapping[str, str]:
        """Examples of keys in the words of the store of the structure that is shown."""
        return self._store.hints if self._store else {}

    # ------------------------------------------------------------ sample record

    @property
    def kinds(self) -> tuple[Record, ...]:
        return records_of(self.made, self.structure.name) if self.made and self.structure else ()

    @cached_property
    def record(self) -> Record | None:
        return next((r for r in self.kinds if r.name == self.kind), self.kinds[0] if self.kinds else None)

    @cached_property
    def sample(self) -> tuple[Byte, ...]:
        return sample_lines(self.report, self.record) if self.record else ()

    # ------------------------------------------------------------ forecasts, script, queries

    @cached_property
    def hot(self) -> tuple[heat.Hot, ...]:
        return heat.hot_lines(self.made) if self.made else ()

    @property
    def hot_said(self) -> str:
        return heat.said(self.hot)

    @cached_property
    def calendar(self) -> calendar.Calendar | None:
        return calendar.calendar(self.made, self.project, datetime.now(UTC).date()) if self.made else None

    @cached_property
    def breakeven(self) -> tuple[breakeven.Chart, ...]:
        found = breakeven.charts(self.report, self.made, self.structure.name) if self.made and self.structure else ()
        return found[:3]

    @cached_property
    def scripts(self) -> Sequence[tuple[str, str]]:
        return tuple(files(self.report, self.made).items()) if self.made else ()

    @cached_property
    def served(self) -> tuple[Served, ...]:
        return tuple(self._served(i, p.operation) for i, p in enumerate(self.project.patterns, 1))

    def _served(self, number: int, operation: str) -> Served:
        plan = self.made.plans[operation] if self.made else Plan(operation, Level.IMPOSSIBLE)
        text = query(self.report, self.made, operation) if self.made and (plan.steps or plan.touches) else ""
        return Served(number, operation, plan, text.strip(), self.report.rates[operation][1])

    def at_structure(self, name: str) -> str:
        """The address of this page with another structure in full."""
        return f"{model_page(self.id, self.model.name)}?structure={quote(name, safe='')}#keys"

    @property
    def refresh(self) -> str:
        picked = self.structure.name if self.structure else ""
        kind = self.record.name if self.record else ""
        query = f"row={self.row}&structure={quote(picked, safe='')}&kind={quote(kind, safe='')}"
        return f"/p/{self.id}/models?{query}"


@dataclass(frozen=True, kw_only=True)
class Empty(ProjectPage):
    """A project without models."""

    template: ClassVar[str] = "models/empty.html"
    here: ClassVar[str] = "models"
    title: ClassVar[str] = "Models"

    @property
    def stores(self) -> Sequence[Store]:
        return tuple(STORES.values())


def title_of(store: str) -> str:
    return STORES[store].title if store in STORES else store


@router.get("/p/{project_id}/models", name="models:list")
def first(request: Request, project_id: int, row: int = 0, structure: str = "", kind: str = "") -> Response:
    """The model with the row number `row`, or the chosen one, or the first."""
    opened = open_project(request, project_id)
    models = opened.project.models
    if not models:
        return render(Empty(opened=opened))
    asked = next((m for m in models if row and opened.rows.get(f"models/{m.name}") == row), None)
    model = asked or next((m for m in models if m.chosen), models[0])
    proof = panel(request, opened, model)
    return render(Show(opened=opened, model=model, proof=proof, chosen=structure, kind=kind))


@router.get("/p/{project_id}/models/{name:path}", name="models:show")
def show(request: Request, project_id: int, name: str, structure: str = "", kind: str = "") -> Response:
    """One candidate model."""
    opened = open_project(request, project_id)
    model = opened.project.model(name)
    if model is None:
        raise NotFound(f"There is no model called {name}.", place=f"models/{name}", fix="It may have been renamed.")
    proof = panel(request, opened, model)
    return render(Show(opened=opened, model=model, proof=proof, chosen=structure, kind=kind))


__all__ = ["Empty", "Served", "Show", "router", "title_of"]
