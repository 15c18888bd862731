"""What leaves the studio: documents, catalogs, scripts, queries, the project itself. One file per format.

Every module beside this one that defines `FORMAT` is a format; adding a file is enough. A format reads a report and
gives text; it knows no web framework and no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.exporters.format import Exported, Exporter, NoSuchModel, Proofs, export


def _find() -> Mapping[str, Exporter]:
    found: dict[str, Exporter] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        made = getattr(import_module(f"{__name__}.{module.name}"), "FORMAT", None)
        if isinstance(made, Exporter):
            found[made.name] = made
    return MappingProxyType(found)


EXPORTERS: Mapping[str, Exporter] = _find()
"""Every format by name, in alphabetical order."""

__all__ = ["EXPORTERS", "Exported", "Exporter", "NoSuchModel", "Proofs", "export"]
