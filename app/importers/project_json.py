"""The project file as JSON."""

from __future__ import annotations

import re

from app.errors import BadInput
from app.importers.format import Imported, Importer
from app.model.project import Project
from app.model.text import read_json


def _detect(text: str, filename: str) -> float:
    if text.lstrip("\ufeff \t\r\n")[:1] != "{":
        return 0.0
    if re.search(r'"keywright"\s*:', text[:20_000]):
        return 0.95
    return 0.2 if filename.lower().endswith(".json") else 0.0


def _read(text: str, into: Project | None) -> Imported:
    if into is not None:
        raise BadInput(
            "A project file is a project of its own and cannot be added to another.",
            fix="Open it as a new project.",
        )
    return Imported(read_json(text))


FORMAT = Importer("project-json", "Keywright project (JSON)", _detect, _read)
