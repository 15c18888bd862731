"""The query of each pattern in the store's own language, paging written out."""

from __future__ import annotations

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.exporters.markdown_text import block, plain
from app.stores import STORES


def query(report: Report, made: ModelReport, operation: str) -> str:
    """The text an engineer pastes for one pattern on one model; empty where the model cannot serve it."""
    pattern = report.project.pattern(operation)
    plan = made.plans.get(operation)
    if pattern is None or plan is None:
        return ""
    return STORES[made.model.store].query(pattern, plan, made.model, report.world)


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    out = [f"# {plain(report.project.name)}: queries\n"]
    for made in models:
        out.append(f"## {plain(made.model.name)} ({made.store.title})\n")
        for n, pattern in enumerate(report.project.patterns, 1):
            plan = made.plans[pattern.operation]
            out.append(
                f"### {n}. {plain(pattern.operation)}\n\n{plan.level.words}; {plain(plan.where) or 'no way in'}\n"
            )
            text = query(report, made, pattern.operation)
            if text:
                out.append(block(text, made.store.script_language))
    return "\n".join(out)


FORMAT = Exporter(
    "queries",
    "Queries",
    "The query or commands of every pattern, with cursor paging written out.",
    "text/markdown",
    "md",
    write,
)
