"""The project as JSON: the same data as the YAML."""

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.model.text import write_json


def write(report: Report, _: tuple[ModelReport, ...]) -> str:
    return write_json(report.project)


FORMAT = Exporter(
    "json",
    "Project (JSON)",
    "The whole project as JSON, with a published schema.",
    "application/json",
    "json",
    write,
    per_model=False,
)
