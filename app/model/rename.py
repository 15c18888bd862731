"""Renames that take every mention along: conditions, keys, needs, formulas, places of decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.model.edit import LIST_OF
from app.model.mentions import rewrite
from app.model.part import Frozen, Part
from app.model.problem import Unreadable
from app.model.project import Project, check_names
from app.model.roles import Resolved, resolve
from app.model.words import check_entity, check_field, check_title
from app.model.workload import Entity, Relationship


@dataclass(frozen=True)
class _Names:
    """A renaming that changes nothing; the renames below override what they change."""

    project: Project

    def path(self, path: str, anchor: str) -> str:  # noqa: ARG002
        return path

    def field(self, name: str, entity: str) -> str:  # noqa: ARG002
        return name

    def target(self, path: str, anchor: str) -> str:
        found = resolve(self.project, anchor, path)
        return found.entity if isinstance(found, Resolved) else anchor

    def structure(self, name: str) -> str:
        return name

    def pattern(self, name: str) -> str:
        return name

    def place(self, place: str) -> str:
        return place


@dataclass(frozen=True)
class _EntityNames(_Names):
    old: str
    new: str

    def path(self, path: str, anchor: str) -> str:
        """The entity in front of a dot, and the roles that are called after it further on."""
        pieces = path.split(".")
        last = len(pieces) - 1
        return ".".join(
            self.new if p == self.old and (i == 0 or (0 < i < last and not self._field(anchor, p))) else p
            for i, p in enumerate(pieces)
        )

    def _field(self, anchor: str, name: str) -> bool:
        entity = self.project.entity(anchor)
        return entity is not None and any(f.name.split(".")[0] == name for f in entity.fields)


@dataclass(frozen=True)
class _FieldNames(_Names):
    entity: str
    old: str
    new: str

    def path(self, path: str, anchor: str) -> str:
        if path != self.old and not path.endswith(f".{self.old}"):
            return path
        found = resolve(self.project, anchor, path) if anchor else None
        if isinstance(found, Resolved):
            means = found.field == self.old and self._holds(found.entity)
        else:
            means = self._only(path)
        return path.removesuffix(self.old) + self.new if means else path

    def _holds(self, entity: str) -> bool:
        """The field stands in the entity itself or comes from what it is a kind of."""
        seen: set[str] = set()
        while entity and entity not in seen:
            if entity == self.entity:
                return True
            seen.add(entity)
            held = self.project.entity(entity)
            if held is None or held.field(self.old) is not None:
                return False
            entity = held.is_a
        return False

    def _only(self, path: str) -> bool:
        """Without an anchor, or where several ways lead: all that the head could mean is the entity."""
        head = path.removesuffix(self.old).rstrip(".").rpartition(".")[2]
        ends = {r.parent for r in self.project.relationships if r.role == head}
        ends |= {r.child for r in self.project.relationships if head and r.children_as == head}
        if self.project.entity(head) is not None:
            ends.add(head)
        return ends == {self.entity}

    def field(self, name: str, entity: str) -> str:
        return self.new if name == self.old and self._holds(entity) else name


@dataclass(frozen=True)
class _RoleNames(_Names):
    relationship: Relationship
    old: str
    new: str

    def path(self, path: str, anchor: str) -> str:
        pieces = path.split(".")
        if self.old not in pieces:
            return path
        found = resolve(self.project, anchor, path) if anchor else None
        if isinstance(found, Resolved):
            means = any(step.relationship is self.relationship for step in found.edges)
            means = means or (not found.edges and found.entity == self.old and self.relationship.many_to_many)
        else:
            same = [r for r in self.project.relationships if self.old in (r.role, r.children_as)]
            means = same == [self.relationship]
        if not means or (self.project.entity(self.old) is not None and pieces[0] == anchor == self.old):
            return path
        return ".".join(self.new if p == self.old else p for p in pieces)


@dataclass(frozen=True)
class _PatternNames(_Names):
    old: str
    new: str

    def pattern(self, name: str) -> str:
        return self.new if name == self.old else name


@dataclass(frozen=True)
class _StructureNames(_Names):
    old: str
    new: str

    def structure(self, name: str) -> str:
        head, dot, rest = name.partition(".")
        return self.new if name == self.old else f"{self.new}{dot}{rest}" if head == self.old else name


def rename_entity(project: Project, old: str, new: str) -> Project:
    """Also the roles that are called after the entity."""
    check_entity(new)
    _there(project.entity(old), "entity", old)
    _free(project.entity(new) is None, new)
    names = _EntityNames(project, old, new)

    def own(part: Part) -> Part:
        if isinstance(part, Entity) and part.name == old:
            return part.model_copy(update={"name": new})
        if isinstance(part, Relationship):
            roles = {n: new for n in ("name", "children_as") if getattr(part, n) == old}
            return part.model_copy(update=roles) if roles else part
        return part

    return _renamed(project, names, own, {f"entities/{old}": f"entities/{new}"})


def rename_field(project: Project, entity: str, old: str, new: str) -> Project:
    check_field(new)
    held = _there(project.entity(entity), "entity", entity)
    _there(held.field(old), f"field of {entity}", old)
    _free(held.field(new) is None, new)

    def own(part: Part) -> Part:
        if not isinstance(part, Entity) or part.name != entity:
            return part
        fields = tuple(f.model_copy(update={"name": new}) if f.name == old else f for f in part.fields)
        inferred = _rekeyed(part.inferred, f"fields.{old}", f"fields.{new}")
        return part.model_copy(update={"fields": fields, "inferred": inferred})

    places = {f"entities/{entity}/{old}": f"entities/{entity}/{new}"}
    return _renamed(project, _FieldNames(project, entity, old, new), own, places)


def rename_role(project: Project, key: str, new: str) -> Project:
    """Another name for the parent's end of a relationship, or for a many-to-many one. `key` as in its place."""
    check_entity(new)
    held = _there(next((r for r in project.relationships if r.key == key), None), "relationship", key)

    def own(part: Part) -> Part:
        return part.model_copy(update={"name": new}) if isinstance(part, Relationship) and part.key == key else part

    return _renamed(project, _RoleNames(project, held, held.role, new), own, {})


def rename_pattern(project: Project, old: str, new: str) -> Project:
    new = check_title(new)
    _there(project.pattern(old), "pattern", old)
    _free(project.pattern(new) is None, new)
    places = {f"patterns/{old}": f"patterns/{new}"}
    for model in project.models:
        places[f"models/{model.name}/patterns/{old}"] = f"models/{model.name}/patterns/{new}"
    return _renamed(project, _PatternNames(project, old, new), _titled("operation", old, new), places)


def rename_model(project: Project, old: str, new: str) -> Project:
    new = check_title(new)
    _there(project.model(old), "model", old)
    _free(project.model(new) is None, new)

    def own(part: Part) -> Part:
        return part.model_copy(update={"name": new}) if part is project.model(old) else part

    return _renamed(project, _Names(project), own, {f"models/{old}": f"models/{new}"})


def rename_structure(project: Project, model: str, old: str, new: str) -> Project:
    """Within one model: structures of the same name elsewhere are others."""
    new = check_title(new)
    held = _there(project.model(model), "model", model)
    _there(held.structure(old), f"structure of {model}", old)
    _free(held.structure(new) is None, new)
    names = _StructureNames(project, old, new)
    changed = rewrite(held, names)
    structures = tuple(s.model_copy(update={"name": new}) if s.name == old else s for s in changed.structures)
    models = tuple(changed.model_copy(update={"structures": structures}) if m is held else m for m in project.models)
    return _placed(project.model_copy(update={"models": models}), {f"models/{model}/{old}": f"models/{model}/{new}"})


# ---------------------------------------------------------------- how


def _there(part: Any, kind: str, name: str) -> Any:
    if part is None:
        raise Unreadable(f"there is no {kind} {name!r}")
    return part


def _free(free: bool, name: str) -> None:
    if not free:
        raise Unreadable(f"{name!r} is there already", "Choose another name")


def _titled(field: str, old: str, new: str) -> Callable[[Part], Part]:
    def own(part: Part) -> Part:
        return part.model_copy(update={field: new}) if getattr(part, field, None) == old else part

    return own


def _rekeyed(held: Any, old: str, new: str) -> Any:
    return Frozen({(new if k == old else k): v for k, v in held.items()}) if old in held else held


def _renamed(project: Project, names: _Names, own: Callable[[Part], Part], places: dict[str, str]) -> Project:
    changed: dict[str, Any] = {"tenant": names.path(project.tenant, "")} if project.tenant else {}
    for name in LIST_OF.values():
        held = getattr(project, name)
        new = tuple(own(rewrite(part, names)) for part in held)
        if any(a is not b for a, b in zip(new, held, strict=True)):
            changed[name] = new
    result = project.model_copy(update=changed)
    for before, after in zip(project.relationships, result.relationships, strict=True):
        if before.key != after.key:
            places[f"relationships/{before.key}"] = f"relationships/{after.key}"
    result = _placed(result, places)
    check_names(result)
    return result


def _placed(project: Project, places: dict[str, str]) -> Project:
    """Decisions follow the places they were made at."""

    def moved(at: str) -> str:
        for old, new in places.items():
            if at == old or at.startswith(f"{old}/"):
                return new + at[len(old) :]
        return at

    decisions = tuple(d.model_copy(update={"at": moved(d.at)}) if moved(d.at) != d.at else d for d in project.decisions)
    if all(a is b for a, b in zip(decisions, project.decisions, strict=True)):
        return project
    return project.model_copy(update={"decisions": decisions})


__all__ = [
    "rename_entity", "rename_field", "rename_model", "rename_pattern", "rename_role", "rename_structure",
]  # fmt: skip
