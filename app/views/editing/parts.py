"""Add, remove, move and copy whole parts of a project, and structures of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.errors import BadInput, NotFound
from app.model.candidate import Candidate
from app.model.edit import LIST_OF, key_of
from app.model.part import Part
from app.model.problem import BadProject, Unreadable
from app.model.project import Project
from app.model.text import part_from_plain
from app.views.editing.fields import part_at, replace_part
from app.views.editing.places import KIND_OF, Target, find
from app.views.editing.texts import read_flow

FIRST_WORD = {"patterns": "operation", "entities": "name", "models": "name"}


def add(project: Project, listed: str, text: str, after: str = "") -> tuple[Project, str]:
    """A new part in the list `listed` (or a structure, in `models/NAME`), behind the place `after`; with its place.

    `text` is a name, or the part in the words of the project file.
    """
    if listed in KIND_OF:
        kind = KIND_OF[listed]
        part = _read(kind, _plain(text, FIRST_WORD.get(listed, "name"), listed))
        return _insert(project, listed, part, after), f"{listed}/{key_of(kind, part)}"
    target = find(project, listed)
    model = part_at(project, target)
    if not isinstance(model, Candidate):
        raise NotFound(f"Nothing can be added to {listed}.", place=listed)
    plain = _plain(text, "structure", listed)
    word = next(iter(plain))
    if word == "structure":
        raise BadInput("Say what it is.", place=listed, fix="Write {collection: orders, of: order, _id: order.id}.")
    whole = _read("candidate_model", {"name": model.name, "store": model.store, "structures": [plain]})
    new = model.model_copy(update={"structures": (*model.structures, *whole.structures)})
    return replace_part(project, target, new), f"{listed}/{whole.structures[0].name}"


def delete(project: Project, place: str) -> Project:
    """Without what a place names: a part, a structure, or an entry of a list inside one."""
    target = find(project, place)
    if not target.path:
        listed, gone = LIST_OF[target.kind], part_at(project, target)
        return _with(project, listed, [p for p in getattr(project, listed) if p is not gone])
    new = _inside(part_at(project, target), target.path, lambda items, i: [*items[:i], *items[i + 1 :]])
    return replace_part(project, target, new)


def move(project: Project, place: str, by: int) -> Project:
    """What a place names, so many places further down (negative: up)."""
    target = find(project, place)
    if not target.path:
        listed, part = LIST_OF[target.kind], part_at(project, target)
        return _with(project, listed, _moved(list(getattr(project, listed)), part, by))
    new = _inside(part_at(project, target), target.path, lambda items, i: _moved(items, items[i], by))
    return replace_part(project, target, new)


def duplicate(project: Project, place: str) -> tuple[Project, str]:
    """A copy right behind the original, under a free name; with its place."""
    target = find(project, place)
    part = part_at(project, target)
    if target.path:
        raise BadInput("Only whole rows, entities and models can be duplicated.", place=place)
    listed = LIST_OF[target.kind]
    named = "operation" if target.kind == "access_pattern" else "name"
    taken = {key_of(target.kind, p) for p in getattr(project, listed)}
    name = free_name(str(getattr(part, named)), taken, spaced=target.kind in {"access_pattern", "candidate_model"})
    update: dict[str, Any] = {named: name}
    if isinstance(part, Candidate):
        update["chosen"] = False
    return _insert(project, listed, part.model_copy(update=update), place), f"{listed}/{name}"


def free_name(name: str, taken: Iterable[str], *, spaced: bool = True) -> str:
    """`name`, or the first of `name 2`, `name 3` … (`name_2` where spaces are not allowed) that is not taken."""
    taken, gap, n = set(taken), " " if spaced else "_", 2
    if name not in taken:
        return name
    while f"{name}{gap}{n}" in taken:
        n += 1
    return f"{name}{gap}{n}"


def _plain(text: str, word: str, place: str) -> dict[str, Any]:
    text = text.strip()
    if not text:
        raise BadInput("Type a name.", place=place)
    if text.startswith("{") or "\n" in text:
        try:
            found = read_flow(text)
        except Unreadable as wrong:
            raise BadInput(f"{wrong.what}.", place=place, fix=wrong.fix) from wrong
        if isinstance(found, dict):
            return found
    return {word: text}


def _read(kind: str, plain: dict[str, Any]) -> Any:
    try:
        return part_from_plain(kind, plain)
    except BadProject as wrong:
        first = wrong.problems[0]
        raise BadInput(f"{first.what}.", place=first.place, fix=first.fix) from wrong


def _insert(project: Project, listed: str, part: Part, after: str) -> Project:
    items = list(getattr(project, listed))
    if any(key_of(KIND_OF[listed], p) == key_of(KIND_OF[listed], part) for p in items):
        name = key_of(KIND_OF[listed], part)
        raise BadInput(f"There is a {name} already.", place=f"{listed}/{name}", fix="Choose another name.")
    at = len(items)
    if after:
        behind = part_at(project, find(project, after))
        at = next(i for i, p in enumerate(items) if p is behind) + 1
    items.insert(at, part)
    return _with(project, listed, items)


def _with(project: Project, listed: str, items: Iterable[Part]) -> Project:
    return project.model_copy(update={listed: tuple(items)})


def _moved(items: list[Any], item: Any, by: int) -> list[Any]:
    at = next(i for i, other in enumerate(items) if other is item)
    rest = [*items[:at], *items[at + 1 :]]
    rest.insert(max(0, min(at + by, len(rest))), item)
    return rest


def _inside(part: Any, path: tuple[str, ...], change: Any) -> Any:
    """A part with one list inside it changed; `path` ends in the position of an entry."""
    if isinstance(part, tuple):
        at = int(path[0]) if path[0].isdigit() else next(
            i for i, p in enumerate(part) if path[0] in {getattr(p, "name", None), getattr(p, "what", None)}
        )  # fmt: skip
        if len(path) == 1:
            return tuple(change(list(part), at))
        return (*part[:at], _inside(part[at], path[1:], change), *part[at + 1 :])
    name = next(n for n, f in type(part).model_fields.items() if path[0] in {n, f.alias})
    return part.model_copy(update={name: _inside(getattr(part, name), path[1:], change)})


__all__ = ["Target", "add", "delete", "duplicate", "free_name", "move"]
