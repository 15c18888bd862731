"""The project file as YAML."""

from __future__ import annotations

import re

from app.errors import BadInput
from app.importers.format import Imported, Importer
from app.model.project import Project
from app.model.text import read_yaml


def _detect(text: str, filename: str) -> float:
    marked = bool(re.search(r"(?m)^[\"']?keywright[\"']?\s*:", text[:20_000]))
    if text.lstrip()[:1] == "{":
        return 0.0
    if marked:
        return 0.95
    return 0.3 if filename.lower().endswith((".yaml", ".yml")) else 0.0


def _read(text: str, into: Project | None) -> Imported:
    if into is not None:
        raise BadInput(
            "A project file is a project of its own and cannot be added to another.",
            fix="Open it as a new project.",
        )
    return Imported(read_yaml(text))


FORMAT = Importer("project-yaml", "Keywright project (YAML)", _detect, _read)
