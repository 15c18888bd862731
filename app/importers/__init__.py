"""The formats that can be read, one file each, found by name: adding a file with a `FORMAT` is enough.

`import_text` picks the format that is surest of a text. Whatever the text, only `BadInput` and `BadProject` are raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.errors import BadInput
from app.importers.format import MAX_BYTES, Imported, Importer, Question, RowReading, Unread
from app.importers.table import Table, read_patterns, read_table
from app.model.project import Project

NOT_FORMATS = {"format"}


def _find() -> Mapping[str, Importer]:
    found: dict[str, Importer] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        if module.ispkg or module.name in NOT_FORMATS:
            continue
        loaded = getattr(import_module(f"{__name__}.{module.name}"), "FORMAT", None)
        if not isinstance(loaded, Importer):
            raise RuntimeError(f"app/importers/{module.name}.py defines no importer called `FORMAT`")
        found[loaded.name] = loaded
    return MappingProxyType(found)


IMPORTERS: Mapping[str, Importer] = _find()
"""Every importer by name."""


def import_text(text: str, filename: str = "", into: Project | None = None) -> Imported:
    """A project out of a text in any known format, or `into` with what the text adds."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise BadInput("This text is larger than 5 MB.", fix="Paste only the part that matters.")
    if not text.strip():
        raise BadInput("There is nothing here.", fix="Paste a table, a list of operations, or a project file.")
    sure = {name: importer.detect(text, filename) for name, importer in IMPORTERS.items()}
    best = max(sure, key=lambda name: sure[name])
    return IMPORTERS[best].read(text, into)


__all__ = [
    "IMPORTERS",
    "Imported",
    "Importer",
    "Question",
    "RowReading",
    "Table",
    "Unread",
    "import_text",
    "read_patterns",
    "read_table",
]
