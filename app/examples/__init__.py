"""The example gallery: finished projects to open, read and change. One YAML file each, found by name.

A file's `note` is the sentence the gallery shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from app.model.project import Project
from app.model.text import read_yaml


@dataclass(frozen=True, slots=True)
class Example:
    """One project of the gallery. `name` is the file's."""

    name: str
    text: str

    def project(self) -> Project:
        """The project, read anew or from memory."""
        return _read(self.text)

    @property
    def title(self) -> str:
        return self.project().name

    @property
    def summary(self) -> str:
        return self.project().note


@lru_cache(maxsize=32)
def _read(text: str) -> Project:
    return read_yaml(text)


def _find() -> Mapping[str, Example]:
    found = sorted(f.name for f in files(__name__).iterdir() if f.name.endswith(".yaml"))
    texts = {name.removesuffix(".yaml"): files(__name__).joinpath(name).read_text(encoding="utf-8") for name in found}
    return MappingProxyType({name: Example(name, text) for name, text in texts.items()})


EXAMPLES: Mapping[str, Example] = _find()
"""Every example by name, in alphabetical order."""
