"""What an engineer pastes: the query of every pattern, and the scripts of the store."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import ModelReport, Report
from app.exporters.markdown_text import block, code, plain
from app.exporters.queries import query
from app.exporters.scripts import files, language


def queries(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    for made in models:
        found = [(n, p.operation, query(report, made, p.operation)) for n, p in enumerate(report.project.patterns, 1)]
        if any(text for _, _, text in found):
            yield f"## Queries: {plain(made.model.name)}\n"
        for n, operation, text in found:
            if text:
                yield f"### {n}. {plain(operation)}\n\n{block(text, made.store.script_language)}"


def scripts(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    for made in models:
        found = files(report, made)
        if found:
            yield f"## Scripts: {plain(made.model.name)}\n"
        for name, text in found.items():
            yield f"### {code(name)}\n\n{block(text, language(name))}"
