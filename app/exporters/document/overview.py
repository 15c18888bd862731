"""What the document is about, how the candidate models compare, and how to read the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import ModelReport, Report
from app.exporters.markdown_text import plain, table
from app.exporters.words import findings_of, plural, tally
from app.forecast.structure import horizon_of
from app.rules.words import duration, size


def overview(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    """Title, note, comparison of all candidate models, service level of every pattern on each."""
    project = report.project
    yield f"# {plain(project.name)}\n"
    if project.note:
        yield plain(project.note) + "\n"
    yield _scope(report, models)
    if report.models:
        yield "## Models compared\n"
        yield _comparison(report)
    if len(report.models) > 1 and project.patterns:
        yield "How each model serves each pattern; **bold**: not by one key or index.\n"
        yield _matrix(report)
    yield (
        "How to read this: numbers marked ≈ rest on an assumption, because the project does not give them. "
        "Sizes stand as average / 99th percentile / maximum, bytes 1,024-based. "
        "*Modelled* verdicts follow from the stores' documented rules and were not measured.\n"
    )


def _scope(report: Report, models: tuple[ModelReport, ...]) -> str:
    project = report.project
    counts = [
        plural(len(project.patterns), "access pattern"),
        plural(len(project.entities), "entity", "entities"),
        plural(len(report.models), "candidate model"),
    ]
    horizon = project.horizon.text if project.horizon is not None else f"≈{duration(horizon_of(project))}"
    text = f"{', '.join(counts)}. Forecasts look {horizon} ahead."
    if models and len(models) < len(report.models):
        names = " and ".join(plain(m.model.name) for m in models)
        text += f" This document describes **{names}** in full; the others appear in the comparison."
    return text + "\n"


def _comparison(report: Report) -> str:
    head = ("Model", "Store", "Chosen", "Served by one key or index", "Findings", "Stored now", "At the horizon")
    rows = [
        (
            plain(m.model.name),
            f"{m.store.title} {plain(m.model.version)}".strip(),
            "yes" if m.model.chosen else "",
            f"{m.served} of {len(m.plans)}",
            tally(f for f in findings_of(report, (m,)) if f.model == m.model.name),
            size(sum(x.storage for x in m.loads.values())),
            size(sum(x.storage_at_horizon for x in m.loads.values())),
        )
        for m in report.models
    ]
    return table(head, rows, right=(3, 5, 6))


def _matrix(report: Report) -> str:
    rows = []
    for n, pattern in enumerate(report.project.patterns, 1):
        plans = [m.plans[pattern.operation] for m in report.models]
        levels = [p.level.words if p.served else f"**{p.level.words}**" for p in plans]
        rows.append((str(n), plain(pattern.operation), *levels))
    return table(("#", "Operation", *(plain(m.model.name) for m in report.models)), rows, right=(0,))
