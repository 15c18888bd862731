"""Set one field of one part from the text a person typed, and the text that stands for it.

The classes of `app.model` say what a field is: a text form is read by the validator of that very field, so that an edit
on a page means what the same words mean in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_args, get_origin

from pydantic import ValidationError

from app.errors import BadInput, NotFound
from app.model.edit import HEADER, LIST_OF, key_of
from app.model.explain import bad_project
from app.model.part import Frozen, Named, Part
from app.model.plain import to_plain
from app.model.problem import BadProject, Unreadable
from app.model.project import Project
from app.model.spreads import GivenSpread
from app.model.text import header_plain, part_from_plain
from app.model.workload import Pattern
from app.views.editing import texts
from app.views.editing.names import field_name, renamed
from app.views.editing.places import Target, find, relative

Way = tuple[str, ...]
ITEM_NAMES = ("name", "operation", "what", "of", "as_")


def set_field(project: Project, place: str, field: str, text: str) -> Project:
    """The project with one field set from its text form; an empty text takes the field away.

    Raises:
        BadInput: the text means nothing there; says what to write. NotFound: the place is gone.
    """
    target = find(project, place)
    part = part_at(project, target)
    way = relative(target.path, field)
    if not way:
        raise BadInput("Nothing is said about what to change.", place=place)
    text = text.strip()
    try:
        other = renamed(project, part, way, text)
        if other is not None:
            if way[0] != "fields" or len(way) > 2:
                return other
            # A field typed as a whole: its name is carried on first, then the rest of it is set.
            way, project = ("fields", field_name(text)), other
            part = part_at(project, target)
        new = _set(part, way, text)
        # The whole part once more: some checks look at several fields together.
        part_from_plain(target.kind, header_plain(new) if isinstance(new, Project) else to_plain(new))
    except Unreadable as wrong:
        raise BadInput(_sentence(wrong.what), place=place, fix=_sentence(wrong.fix)) from wrong
    except ValidationError as wrong:
        first = bad_project(wrong, {}, {}, type(part)).problems[0]
        raise BadInput(_sentence(first.what), place=place, fix=_sentence(first.fix)) from wrong
    except BadProject as wrong:
        first = wrong.problems[0]
        raise BadInput(_sentence(first.what), place=place, fix=_sentence(first.fix)) from wrong
    if new == part:
        return project
    return replace_part(project, target, _settled(new, way))


def text_of(project: Project, place: str, field: str) -> str:
    """The text the editor starts with; it reads back as the same value."""
    target = find(project, place)
    value: Any = part_at(project, target)
    free = False
    for i, word in enumerate(relative(target.path, field)):
        way = relative(target.path, field)[i:]
        if isinstance(value, Mapping):
            value = value.get(".".join(way))
            break
        if isinstance(value, GivenSpread):
            value = getattr(value, word, None)
        elif isinstance(value, Pattern) and word == "kind":
            return f"{value.action} {value.entity}".strip()
        elif isinstance(value, tuple):
            value = value[_position(value, word)]
        elif isinstance(value, Part):
            owner, name = type(value), _attribute(type(value), word)
            value, free = getattr(value, name), _kind(owner, name) == "free"
        if value is None:
            return ""
    return shown(value, free=free)


def shown(value: Any, *, free: bool = False) -> str:
    """The one-line text form of a value. `free`: of a field that may hold anything."""
    if value is None:
        return ""
    plain = to_plain(value)
    if isinstance(plain, Mapping):
        if set(plain) == {"*"}:
            return str(plain["*"])
        nested = any(not isinstance(inner, str) for inner in plain.values())
        if free or not isinstance(value, (Mapping, GivenSpread)) or (isinstance(value, GivenSpread) and nested):
            return texts.flow(plain)
    return texts.write(plain)


def part_at(project: Project, target: Target) -> Part:
    """The part a target names; the project itself for its header."""
    if target.kind == HEADER:
        return project
    parts: tuple[Part, ...] = getattr(project, LIST_OF[target.kind])
    return next(part for part in parts if key_of(target.kind, part) == target.key)


def replace_part(project: Project, target: Target, new: Part) -> Project:
    """The project with one part replaced."""
    if isinstance(new, Project):
        return new
    listed, old = LIST_OF[target.kind], part_at(project, target)
    parts = tuple(new if part is old else part for part in getattr(project, listed))
    return project.model_copy(update={listed: parts})


# ---------------------------------------------------------------- inside a part


def _set(part: Part, way: Way, text: str) -> Any:
    word, rest = way[0], way[1:]
    if isinstance(part, Pattern) and word == "kind":
        action, _, entity = text.partition(" ")
        return _with(part, {"action": action, "entity": entity.strip()})
    name = _attribute(type(part), word)
    value = getattr(part, name)
    if not rest:
        return _with(part, {name: _read(type(part), name, text)})
    return _with(part, {name: _inside(type(part), name, value, rest, text)})


def _inside(owner: type[Part], name: str, value: Any, rest: Way, text: str) -> Any:
    kind = _kind(owner, name)
    if kind == "mapping":
        key = ".".join(rest)
        out = {k: v for k, v in (value or {}).items() if k != key}
        return {**out, key: texts.read_flow(text) if text[:1] in {"{", "["} else text} if text else out
    if isinstance(value, tuple):
        at = _position(value, rest[0])
        if len(rest) > 1:
            return (*value[:at], _set(value[at], rest[1:], text), *value[at + 1 :])
        return (*value[:at], *(texts.read_list(text)[:1] if text else ()), *value[at + 1 :])
    if isinstance(value, Part):
        return _set(value, rest, text)
    inner = _part_class(owner, name)
    if value is None and inner is not None:
        return {rest[0]: text} if text else None
    # A spread: one figure of it.
    plain = to_plain(value) if value is not None else {}
    figures = dict(plain) if isinstance(plain, Mapping) else _figures(value)
    figures.pop(rest[0], None)
    figures.update({rest[0]: text} if text else {})
    return figures or None


def _figures(value: GivenSpread) -> dict[str, str]:
    return {n: a.text for n in ("avg", "p99", "max") if (a := getattr(value, n, None)) is not None}


def _with(part: Part, changed: Mapping[str, Any]) -> Part:
    # What was never said stays unsaid: a default need not be a value a person may write.
    values = {name: getattr(part, name) for name in part.model_fields_set}
    values.update(changed)
    said = {name: value for name, value in values.items() if value is not None}
    made: Part = type(part).model_validate(said, by_name=True, by_alias=True)
    return made


def _read(owner: type[Part], name: str, text: str) -> Any:
    if not text:
        return None
    kind = _kind(owner, name)
    if kind == "list":
        packed = "{" in text and not text.startswith("[") and "Template" in repr(owner.model_fields[name].annotation)
        return text if packed else texts.read_list(text)
    if kind == "mapping":
        # `strong` for all of them, where a place takes one text for a mapping
        return text if name == "consistency" and ":" not in text else texts.read_mapping(text)
    flow = kind == "free" or (text[0] == "{" and "Template" not in repr(owner.model_fields[name].annotation))
    return texts.read_flow(text) if text[0] in "{[" and flow else text


def _settled(new: Any, way: Way) -> Any:
    """Without the mark that this place was inferred: a person has looked at it now."""
    if not isinstance(new, Named) or not new.inferred:
        return new
    word = ".".join(way)
    words = {"action", "entity"} if word == "kind" else {word, way[0].replace("_", " ")}

    def about(key: str) -> bool:
        return any(key == w or key.startswith(f"{w}.") or word.startswith(f"{key}.") for w in words)

    return new.model_copy(update={"inferred": Frozen({k: v for k, v in new.inferred.items() if not about(k)})})


def _position(items: tuple[Any, ...], word: str) -> int:
    if word.isdigit() and int(word) < len(items):
        return int(word)
    for i, item in enumerate(items):
        if item == word or any(getattr(item, name, None) == word for name in ITEM_NAMES):
            return i
    raise NotFound(f"There is no {word} any more.", fix="Somebody may have renamed it.")


@lru_cache(maxsize=2048)
def _attribute(owner: type[Part], word: str) -> str:
    for name, field in owner.model_fields.items():
        if word in {name, field.alias, name.replace("_", " ")}:
            return name
    raise NotFound(f"There is nothing called {word} here.")


@lru_cache(maxsize=2048)
def _kind(owner: type[Part], name: str) -> str:
    """`list`, `mapping`, `free` (anything) or `text`, by what the class says of the field."""
    origins = list(_origins(owner.model_fields[name].annotation))
    if any(origin is tuple for origin in origins):
        return "list"
    if any(isinstance(origin, type) and issubclass(origin, Mapping) for origin in origins):
        return "mapping"
    return "free" if Any in origins else "text"


def _origins(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if origin is None or origin is tuple or (isinstance(origin, type) and issubclass(origin, Mapping)):
        yield origin or annotation
        return
    for inner in get_args(annotation):
        yield from _origins(inner)


@lru_cache(maxsize=2048)
def _part_class(owner: type[Part], name: str) -> type[Part] | None:
    found = [o for o in _origins(owner.model_fields[name].annotation) if isinstance(o, type) and issubclass(o, Part)]
    return found[0] if found else None


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!" else f"{text}."


__all__ = ["part_at", "replace_part", "set_field", "shown", "text_of"]
