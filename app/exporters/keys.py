"""The key catalog of a report: one entry per key family, in the order of models and structures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.analysis import ModelReport, Report
from app.rules.rule import Finding
from app.stores import STORES
from app.stores.store import CatalogEntry


@dataclass(frozen=True, slots=True)
class Family:
    """One key family of one model, with what was found about it."""

    model: str
    entry: CatalogEntry
    findings: tuple[Finding, ...]


def families(report: Report, models: tuple[ModelReport, ...]) -> Iterator[Family]:
    """The key families of these models; stores without key families have none."""
    for made in models:
        for structure in made.model.structures:
            store = STORES.get(made.model.store_of(structure))
            if store is None or store.catalog is None:
                continue
            entry = store.catalog(structure, made.model, report.project, report.world)
            place = f"models/{made.model.name}/{structure.name}"
            found = tuple(f for f in report.findings if f.at == place or f.at.startswith(f"{place}/"))
            yield Family(made.model.name, entry, found)
