"""What a typed key would change, before it is kept: the key as it will look, the hottest partition, each pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis import ModelReport, Report, analyse
from app.errors import AppError
from app.model.candidate import RecordShape
from app.templating import Page, number, plural, render, size
from app.views.editing.fields import set_field, text_of
from app.views.editing.places import Target, find
from app.views.models import heat
from app.views.models.keys import example
from app.views.opened import open_project

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Difference:
    """One line: what it is, as kept, as typed, and whether that is better (`ok`), worse (`warning`) or just other."""

    label: str
    kept: str
    typed: str
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class Preview(Page):
    """The lines, or why the text cannot be read."""

    template: ClassVar[str] = "models/_preview.html"
    label: str
    lines: tuple[Difference, ...] = ()
    problem: str = ""


def preview(project_report: Report, place: str, field: str, text: str) -> Preview:
    """Judge the project with this text in this field against the project as it is."""
    project = project_report.project
    try:
        after = analyse(set_field(project, place, field, text))
        target = find(project, place)
    except AppError as wrong:
        return Preview(label=field, problem=" ".join(x for x in (wrong.detail, wrong.fix) if x))
    name = target.key
    old, new = project_report.model(name), after.model(name)
    if old is None or new is None or text == text_of(project, place, field):
        return Preview(label=field)
    lines = [*_keys(project_report, after, target, field), *_figures(old, new), *_patterns(old, new)]
    lines += _findings(project_report, after, name)
    return Preview(label=field, lines=tuple(lines))


def _keys(before: Report, after: Report, target: Target, field: str) -> Iterator[Difference]:
    kept, typed = (_example(r, target, field) for r in (before, after))
    if kept != typed:
        yield Difference("a real key", kept or "none", typed or "none")


def _example(report: Report, target: Target, field: str) -> str:
    """The key that a target and a field name, as it will look; empty where they name no key."""
    model = report.project.model(target.key)
    if model is None or len(target.path) < 2:
        return ""
    structure = model.structures[int(target.path[1])]
    way = (*target.path, *field.split("."))
    holder = _walk(model, way[:-1])
    of = holder.of if isinstance(holder, RecordShape) else structure.of
    return example(_walk(model, way), of, report)


def _walk(value: object, way: tuple[str, ...]) -> object:
    for word in way:
        if isinstance(value, tuple):
            if not word.isdigit() or int(word) >= len(value):
                return None
            value = value[int(word)]
        else:
            value = getattr(value, {"_id": "id_"}.get(word, word.replace(" ", "_")), None)
    return value


def _figures(old: ModelReport, new: ModelReport) -> Iterator[Difference]:
    kept, typed = (heat.hot_lines(m)[:1] for m in (old, new))
    if kept and typed and kept[0].load != typed[0].load:
        was, now = (f"{number(h.load)} {h.unit} on {h.path}" for h in (kept[0], typed[0]))
        yield Difference("hottest partition", was, now, "ok" if typed[0].load < kept[0].load else "warning")
    before, after = (sum(load.storage for load in m.loads.values()) for m in (old, new))
    if abs(before - after) > 0.005 * max(before, after):
        yield Difference("stored in all", size(before), size(after), "ok" if after < before else "warning")


def _patterns(old: ModelReport, new: ModelReport) -> Iterator[Difference]:
    for n, (name, plan) in enumerate(old.plans.items(), 1):
        now = new.plans.get(name)
        if now is None or (now.level == plan.level and now.requests.avg == plan.requests.avg):
            continue
        kept, typed = (f"{p.level.words}, {plural(p.requests.avg, 'request')}" for p in (plan, now))
        was, new_cost = ((not p.served, p.requests.avg) for p in (plan, now))
        mark = "" if was == new_cost else "ok" if new_cost < was else "warning"
        yield Difference(f"#{n} {name}", kept, typed, mark)


def _findings(before: Report, after: Report, model: str) -> Iterator[Difference]:
    kept, typed = ({f.key: f for f in r.findings if f.model == model and not f.accepted} for r in (before, after))
    for key, found in typed.items():
        if key not in kept:
            yield Difference(f"new {found.severity}", "", found.message, "warning")
    for key, found in kept.items():
        if key not in typed:
            yield Difference("cleared", found.message, "", "ok")


@router.get("/p/{project_id}/preview", name="models:preview")
def show(request: Request, project_id: int, place: str, field: str, text: str = "") -> Response:
    """The differences as a fragment; nothing is written."""
    return render(preview(open_project(request, project_id).report, place, field, text))


__all__ = ["Difference", "Preview", "preview", "router"]
