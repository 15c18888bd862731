"""A new name typed into a cell: every mention of the old one follows, in the same change."""

from __future__ import annotations

from app.errors import BadInput
from app.model import rename
from app.model.part import Frozen
from app.model.problem import Unreadable
from app.model.project import Project
from app.views.editing.places import find


def renamed(project: Project, place: str, field: str, text: str) -> Project | None:
    """The project with another name for what `place` and `field` name; None where they name no name.

    Raises:
        BadInput: the name is taken, or no name. NotFound: the place is gone.
    """
    target, new = find(project, place), text.strip()
    way = (*target.path, *(field.split(".") if field else ()))
    try:
        if not new or new in {target.key, way[-2] if len(way) > 1 else ""}:
            return None
        match target.kind, way:
            case "entity", ("name",):
                return _looked_at(rename.rename_entity(project, target.key, new), new, "name")
            case "entity", ("fields", old, "name"):
                return _looked_at(rename.rename_field(project, target.key, old, new), target.key, f"fields.{new}")
            case "access_pattern", ("operation",):
                return rename.rename_pattern(project, target.key, new)
            case "relationship", ("name",):
                return rename.rename_role(project, target.key, new)
            case "candidate_model", ("name",):
                return rename.rename_model(project, target.key, new)
            case "candidate_model", ("structures", at, "name"):
                return _structure(project, target.key, int(at), new)
    except Unreadable as wrong:
        raise BadInput(f"{wrong.what[:1].upper()}{wrong.what[1:]}.", place=place, fix=wrong.fix) from wrong
    return None


def _looked_at(project: Project, entity: str, place: str) -> Project:
    """Without the mark that this name was inferred."""
    kept = [
        e.model_copy(update={"inferred": Frozen({k: v for k, v in e.inferred.items() if k != place})})
        if e.name == entity and place in e.inferred
        else e
        for e in project.entities
    ]
    return project.model_copy(update={"entities": tuple(kept)})


def _structure(project: Project, model: str, at: int, new: str) -> Project:
    held = project.model(model)
    old = held.structures[at].name if held else ""
    return rename.rename_structure(project, model, old, new) if new != old else project


__all__ = ["renamed"]
