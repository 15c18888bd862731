"""What a format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unicodedata import normalize

from app.analysis import ModelReport, Report
from app.errors import BadInput, NotFound
from app.proof.standing import Standing


@dataclass(frozen=True, slots=True)
class Exported:
    """A text to hand over, with the name a browser saves it under."""

    text: str
    filename: str
    media_type: str


Proofs = Mapping[str, tuple[Standing, ...]]
"""By the name of a model: its current proofs. A project file carries none, so a command line has none to show."""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format. `write(report, models)` gives the text; `models` are those asked for.

    `extension` without the dot; `per_model`: about candidate models, so a model may be named; else it is about the
    whole project and names none. `filename`: names the file by what is in it, instead of project, model and format.
    `with_proofs`: as `write`, with what engines said of the models, in a format that has a place for it.
    """

    name: str
    title: str
    about: str
    media_type: str
    extension: str
    write: Callable[[Report, tuple[ModelReport, ...]], str]
    per_model: bool = True
    filename: Callable[[Report, tuple[ModelReport, ...]], str] | None = None
    with_proofs: Callable[[Report, tuple[ModelReport, ...], Proofs], str] | None = None


class NoSuchModel(NotFound):
    """A model was named that the project does not have, or has on a store nobody knows."""


def export(report: Report, exporter: Exporter, model: str = "", proofs: Proofs | None = None) -> Exported:
    """Write a report in a format: of one model, or of the chosen one, or of all.

    `proofs`: what engines said of its models; formats without a place for it leave it out.

    Raises:
        NoSuchModel: the project has no such model.
        BadInput: a model was named and the format is about the whole project.
    """
    if model and not exporter.per_model:
        raise BadInput(f"The format {exporter.name} is about the whole project.", fix="Leave the model out.")
    models = chosen(report, model) if exporter.per_model else report.models
    text = (
        exporter.with_proofs(report, models, proofs or {}) if exporter.with_proofs else exporter.write(report, models)
    )
    if exporter.filename is not None:
        return Exported(text, exporter.filename(report, models), exporter.media_type)
    parts = [report.project.name, *([models[0].model.name] if model else []), exporter.name]
    name = "-".join(slug(p) for p in parts if p)
    return Exported(text, f"{name}.{exporter.extension}", exporter.media_type)


def chosen(report: Report, model: str) -> tuple[ModelReport, ...]:
    """The named model; without a name the chosen one; without that all."""
    if model:
        found = report.model(model)
        if found is None:
            names = ", ".join(m.model.name for m in report.models)
            raise NoSuchModel(f"There is no model {model!r}.", fix=f"Models: {names or 'none yet'}.")
        return (found,)
    return tuple(m for m in report.models if m.model.chosen) or report.models


def slug(text: str) -> str:
    """A name as part of a file name: ASCII letters, digits and dashes."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(w for w in "".join(c if c.isalnum() else " " for c in plain).split()) or "project"
