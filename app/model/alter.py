"""Small pure changes of a project: what fixes and starters are built from.

Each takes a project and gives a new one; parts that are not touched stay the same objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.workload import Entity, Relationship


def change_model(project: Project, name: str, change: Callable[[Candidate], Candidate]) -> Project:
    models = tuple(change(m) if m.name == name else m for m in project.models)
    return project.model_copy(update={"models": models})


def change_structure(
    project: Project, model: str, structure: str, change: Callable[[Structure], Structure | tuple[Structure, ...]]
) -> Project:
    """Replace one structure by another, or by several (an embed moved out), or by none."""

    def inside(candidate: Candidate) -> Candidate:
        kept: list[Structure] = []
        for old in candidate.structures:
            new = change(old) if old.name == structure else old
            kept.extend(new if isinstance(new, tuple) else (new,))
        return candidate.model_copy(update={"structures": tuple(kept)})

    return change_model(project, model, inside)


def add_structure(project: Project, model: str, structure: Structure) -> Project:
    return change_model(project, model, lambda m: m.model_copy(update={"structures": (*m.structures, structure)}))


def change_pattern(project: Project, operation: str, **fields: Any) -> Project:
    patterns = tuple(p.model_copy(update=fields) if p.operation == operation else p for p in project.patterns)
    return project.model_copy(update={"patterns": patterns})


def change_entity(project: Project, name: str, change: Callable[[Entity], Entity]) -> Project:
    return project.model_copy(update={"entities": tuple(change(e) if e.name == name else e for e in project.entities)})


def change_relationship(project: Project, place: str, change: Callable[[Relationship], Relationship]) -> Project:
    """`place` is `ROLE-CHILD`, or the name of a many-to-many relationship."""
    new = tuple(change(r) if relationship_place(r) == place else r for r in project.relationships)
    return project.model_copy(update={"relationships": new})


def relationship_place(relationship: Relationship) -> str:
    """The name a relationship is addressed by: `seller-order`, or the name of a many-to-many one."""
    return relationship.name if relationship.many_to_many else f"{relationship.role}-{relationship.child}"


__all__ = [
    "add_structure",
    "change_entity",
    "change_model",
    "change_pattern",
    "change_relationship",
    "change_structure",
    "relationship_place",
]
