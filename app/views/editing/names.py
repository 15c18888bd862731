"""A new name is carried to every mention of the old one."""

from __future__ import annotations

from app.model.candidate import Candidate
from app.model.part import Frozen, Part
from app.model.project import Project
from app.model.rename import (
    rename_entity,
    rename_field,
    rename_model,
    rename_pattern,
    rename_role,
    rename_structure,
)
from app.model.short import read_field
from app.model.workload import Entity, Pattern, Relationship
from app.views.editing.texts import read_flow

Way = tuple[str, ...]


def renamed(project: Project, part: Part, way: Way, text: str) -> Project | None:
    """The project with a name changed everywhere; None where the way leads to no name, or to the same one.

    Raises Unreadable: the name is taken, or cannot be one.
    """
    if not text:
        return None
    if isinstance(part, Pattern) and way == ("operation",) and " ".join(text.split()) != part.operation:
        return rename_pattern(project, part.operation, text)
    if isinstance(part, Entity):
        return _of_entity(project, part, way, text)
    if isinstance(part, Relationship) and way == ("name",) and text != part.name:
        return rename_role(project, part.key, text)
    if isinstance(part, Candidate):
        return _of_model(project, part, way, text)
    return None


def _of_entity(project: Project, entity: Entity, way: Way, text: str) -> Project | None:
    if way == ("name",):
        return _looked_at(rename_entity(project, entity.name, text), text, "name") if text != entity.name else None
    if way[0] != "fields" or len(way) < 2 or (len(way) > 2 and way[2:] != ("name",)):
        return None
    at = way[1]
    held = entity.fields[int(at)] if at.isdigit() and int(at) < len(entity.fields) else entity.field(at)
    if held is None:
        return None
    name = text if len(way) > 2 else field_name(text)
    if name == held.name:
        return None
    return _looked_at(rename_field(project, entity.name, held.name, name), entity.name, f"fields.{name}")


def field_name(text: str) -> str:
    """The name in a field typed as a whole, in its short form or in braces."""
    found = read_flow(text) if text.startswith("{") else read_field(text)
    return str(found.get("name", "")) if isinstance(found, dict) else ""


def _looked_at(project: Project, entity: str, place: str) -> Project:
    """Without the mark that this name was inferred: a person has typed it now."""
    entities = tuple(
        e.model_copy(update={"inferred": Frozen({k: v for k, v in e.inferred.items() if k != place})})
        if e.name == entity and place in e.inferred
        else e
        for e in project.entities
    )
    return project.model_copy(update={"entities": entities})


def _of_model(project: Project, model: Candidate, way: Way, text: str) -> Project | None:
    tidy = " ".join(text.split())
    if way == ("name",):
        return rename_model(project, model.name, text) if tidy != model.name else None
    if len(way) == 3 and way[0] == "structures" and way[2] == "name" and way[1].isdigit():
        structure = model.structures[int(way[1])]
        return rename_structure(project, model.name, structure.name, text) if tidy != structure.name else None
    return None


__all__ = ["field_name", "renamed"]
