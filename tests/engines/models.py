"""Every model that statements are tried for: those of the examples and the starter of each example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from app.analysis import ModelReport, Report, analyse
from app.examples import EXAMPLES
from app.exporters import queries, scripts
from app.model.project import Project
from app.model.text import read_yaml
from app.starters import starter
from tests.conftest import SHARED


@dataclass(frozen=True)
class Statements:
    """What one model hands over: `scripts` by file name, `queries` by operation."""

    name: str
    project: Project
    scripts: dict[str, str]
    queries: dict[str, str]


def names(store: str) -> list[str]:
    return [s.name for s in statements(store)]


def projects() -> Iterator[tuple[str, Project]]:
    """The examples, and the worked projects where they lie beside this one."""
    yield from ((name, example.project()) for name, example in EXAMPLES.items())
    for file in sorted((SHARED / "projects").glob("*.yaml")):
        yield f"shared {file.stem}", read_yaml(file.read_text(encoding="utf-8"))


@cache
def statements(store: str) -> tuple[Statements, ...]:
    """The scripts and queries of every model of a store, by the exporters."""
    out = []
    for key, project in projects():
        made = starter(project, store).model_copy(update={"name": f"Starter for {store}"})
        models = (*(m for m in project.models if m.store == store), made)
        report = analyse(project.model_copy(update={"models": models}))
        out += [_statements(f"{key}: {m.model.name}", report, m) for m in report.models]
    return tuple(out)


def _statements(name: str, report: Report, made: ModelReport) -> Statements:
    texts = {p.operation: queries.query(report, made, p.operation) for p in report.project.patterns}
    return Statements(name, report.project, scripts.files(report, made), {k: v for k, v in texts.items() if v})
