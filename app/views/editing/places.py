"""What a place names: the part of the project, and the way inside it.

Names may hold anything, also slashes, so a place is read by the names that are there: the longest that fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.errors import NotFound
from app.model.candidate import Candidate, Structure
from app.model.edit import HEADER, LIST_OF, key_of
from app.model.part import Part
from app.model.project import Project

KIND_OF = {listed: kind for kind, listed in LIST_OF.items()}
INDEXES = ("indexes", "gsi", "lsi")


@dataclass(frozen=True, slots=True)
class Target:
    """A part of the project and the way to something inside it, in attribute names and positions."""

    kind: str
    key: str
    path: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The place of the part itself, as storage knows it."""
        return HEADER if self.kind == HEADER else f"{LIST_OF[self.kind]}/{self.key}"


def find(project: Project, place: str) -> Target:
    """Read a place. Raises NotFound where nothing is there (any more)."""
    if place == HEADER:
        return Target(HEADER, "")
    listed, _, rest = place.partition("/")
    kind = KIND_OF.get(listed)
    if kind is None:
        raise NotFound(f"There is nothing called {place}.", place=place)
    parts: dict[str, Part] = {key_of(kind, part): part for part in getattr(project, listed)}
    key, rest = _longest(parts, rest, place)
    part = parts[key]
    path = _inside_model(part, rest, place) if isinstance(part, Candidate) else _words(rest)
    return Target(kind, key, path)


def _longest(names: Iterable[str], rest: str, place: str) -> tuple[str, str]:
    fits = [name for name in names if rest == name or rest.startswith(f"{name}/")]
    if not fits:
        raise NotFound(f"There is nothing called {place} any more.", place=place, fix="Somebody may have renamed it.")
    name = max(fits, key=len)
    return name, rest[len(name) + 1 :]


def _words(rest: str) -> tuple[str, ...]:
    return tuple(rest.split("/")) if rest else ()


def _inside_model(model: Candidate, rest: str, place: str) -> tuple[str, ...]:
    if not rest:
        return ()
    if rest.startswith("patterns/"):
        return ("serves", rest.removeprefix("patterns/"))
    name, rest = _longest((s.name for s in model.structures), rest, place)
    at = next(i for i, s in enumerate(model.structures) if s.name == name)
    return ("structures", str(at), *_inside_structure(model.structures[at], rest))


def _inside_structure(structure: Structure, rest: str) -> tuple[str, ...]:
    if not rest:
        return ()
    for listed in INDEXES:
        for i, index in enumerate(getattr(structure, listed)):
            if index.name == rest:
                return (listed, str(i))
    return tuple(rest.replace("/", ".").split("."))


def relative(path: tuple[str, ...], field: str) -> tuple[str, ...]:
    """The way to a field of what `path` leads to."""
    return (*path, *(field.split(".") if field else ()))


__all__ = ["KIND_OF", "Target", "find", "relative"]
