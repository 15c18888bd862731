"""Older files and stored parts, brought to the current schema version before they are read.

A step holds, for each kind of part whose form changed, a function from the old plain form to the new one.
Files and stored rows go through the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.model.problem import Unreadable
from app.model.project import SCHEMA_VERSION

Step = Mapping[str, Callable[[Any], Any]]
"""Kind of part → function from the plain form of one version to that of the next."""

STEPS: Mapping[int, Step] = {}
"""Version → the step that leads to the next one. Version 1 is the first published."""

KIND_OF = {
    "entities": "entity",
    "relationships": "relationship",
    "patterns": "access_pattern",
    "models": "candidate_model",
    "decisions": "decision",
}


def version_of(raw: Any) -> int:
    """The schema version as typed. Raises `Unreadable` where there is none or it is newer than this program."""
    text = str(raw).strip()
    if not text.isascii() or not text.isdigit():
        raise Unreadable(f"{raw!r} is not a version of the format", f"Write keywright: {SCHEMA_VERSION}")
    version = int(text[:9])
    if version > SCHEMA_VERSION:
        raise Unreadable(
            f"this was written by a newer Keywright (format {version}; this one reads up to {SCHEMA_VERSION})",
            "Open it with that version, or update this one",
        )
    return version


def upgrade_part(
    kind: str, data: Any, version: int, steps: Mapping[int, Step] = STEPS, to: int = SCHEMA_VERSION
) -> Any:
    """The current plain form of a part that was stored under an older version."""
    for number in range(version, to):
        step = steps.get(number)
        if step is None:
            raise Unreadable(f"format {number} is older than any this program reads", f"Write keywright: {to}")
        change = step.get(kind)
        data = change(data) if change else data
    return data


def upgrade(
    data: Mapping[str, Any], version: int, steps: Mapping[int, Step] = STEPS, to: int = SCHEMA_VERSION
) -> dict[str, Any]:
    """The current plain form of a whole project."""
    header = {k: v for k, v in data.items() if k not in KIND_OF}
    new: dict[str, Any] = dict(upgrade_part("project", header, version, steps, to))
    new["keywright"] = str(to)
    for name, kind in KIND_OF.items():
        items = data.get(name)
        if isinstance(items, list):
            new[name] = [upgrade_part(kind, item, version, steps, to) for item in items]
        elif items is not None:
            new[name] = items
    return new
