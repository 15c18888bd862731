"""The model document: workload, models, plans, forecasts, findings, decisions, queries and scripts on one page."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import ModelReport, Report
from app.exporters.document.appendix import queries, scripts
from app.exporters.document.forecast import forecast
from app.exporters.document.judgement import decisions, findings
from app.exporters.document.model import model
from app.exporters.document.overview import overview
from app.exporters.document.workload import workload
from app.exporters.format import Exporter, Proofs


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    """The document of these models. What is needed to agree on a design comes first, what is pasted last."""
    return with_proofs(report, models, {})


def with_proofs(report: Report, models: tuple[ModelReport, ...], proofs: Proofs) -> str:
    """The same, with what engines said of each model."""
    return "\n".join(_sections(report, models, proofs))


def _sections(report: Report, models: tuple[ModelReport, ...], proofs: Proofs) -> Iterator[str]:
    yield from overview(report, models)
    yield from workload(report)
    for made in models:
        yield from model(report, made, proofs.get(made.model.name, ()))
        yield from forecast(made)
    yield from findings(report, models)
    yield from decisions(report)
    yield from queries(report, models)
    yield from scripts(report, models)


FORMAT = Exporter(
    "markdown",
    "Model document (Markdown)",
    "Workload, models, plans, forecasts, findings, decisions, queries and scripts.",
    "text/markdown",
    "md",
    write,
    with_proofs=with_proofs,
)
