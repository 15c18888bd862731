"""The project as canonical YAML: what the studio reads back."""

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.model.text import write_yaml


def write(report: Report, _: tuple[ModelReport, ...]) -> str:
    return write_yaml(report.project)


FORMAT = Exporter(
    "yaml",
    "Project (YAML)",
    "The whole project in the form the studio reads back.",
    "application/yaml",
    "yaml",
    write,
    per_model=False,
)
