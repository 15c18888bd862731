"""The store's scripts: collections with validators and indexes, CreateTable requests, CQL, key settings."""

from __future__ import annotations

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.stores import STORES


def files(report: Report, made: ModelReport) -> dict[str, str]:
    """File name → text, of every store a model uses."""
    stores = dict.fromkeys([made.model.store, *(made.model.store_of(s) for s in made.model.structures)])
    out: dict[str, str] = {}
    for name in stores:
        if name in STORES:
            out |= STORES[name].script(made.model, report.project, report.world)
    return out


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    """All files one after the other; a single file stands alone, so that it can be run as it is."""
    found = [(made, name, text) for made in models for name, text in files(report, made).items()]
    if len(found) == 1:
        return found[0][2]
    parts = [f"===== {made.model.name}: {name} =====\n{text.rstrip()}\n" for made, name, text in found]
    return "\n".join(parts) or "No model has a script yet.\n"


FORMAT = Exporter(
    "script", "Store scripts", "What creates the structures and indexes in the store.", "text/plain", "txt", write
)
