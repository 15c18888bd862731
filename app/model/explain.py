"""Validation errors in words people can act on: what was wrong, where, what to do."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from app.model.candidate import STRUCTURE_WORDS, Structure
from app.model.part import Part
from app.model.problem import BadProject, Problem, Unreadable, did_you_mean
from app.model.tree import Mark, Path
from app.model.workload import ACTIONS, Pattern

_SPELLED: dict[str, tuple[str, ...]] = {
    "action": ACTIONS,
    "entity": ACTIONS,
    "kind": STRUCTURE_WORDS,
    "name": STRUCTURE_WORDS,
}
"""Fields whose value stands under one of several words in the file."""
_NAMES = ("name", "operation", "what", "of", "finding", *STRUCTURE_WORDS)
_NOTHING = Mark(-1, -1, -1, -1)
_MISSING = {
    "name": "Write name: followed by what it is called",
    "operation": "Write operation: followed by what the application does",
    "store": "Write store: mongodb, dynamodb, cassandra, redis …",
    "keywright": "Write keywright: 1 as the first line",
    "what": "Write what: followed by an entity or a field",
    "of": "Write of: followed by the entity whose records it holds",
    "finding": "Write finding: followed by the rule that was accepted",
    "at": "Write at: followed by the place the finding was at",
}


def bad_project(
    error: ValidationError, data: Any, marks: dict[Path, Mark], root: type[Part], place: str = ""
) -> BadProject:
    """Everything a validation found, in the order of the file. `root`: the class that was validated."""
    found = [_problem(dict(e), data, marks, root, place) for e in error.errors(include_url=False)]
    return BadProject(sorted(dict.fromkeys(found)))


def _problem(error: dict[str, Any], data: Any, marks: dict[Path, Mark], root: type[Part], place: str) -> Problem:
    loc: Path = tuple(x for x in error["loc"] if x != "[key]")
    cause = error.get("ctx", {}).get("error")
    what, fix = _words(error, loc, root)
    if isinstance(cause, Unreadable):
        loc, what, fix = (*loc, *cause.loc), cause.what, cause.fix
    path = _path(data, loc)
    mark = marks.get(path, _NOTHING)
    line, column = mark.line, mark.column
    if error["type"] == "extra_forbidden" or (isinstance(cause, Unreadable) and cause.on_key):
        line, column = mark.key_line, mark.key_column
    elif isinstance(cause, Unreadable) and cause.at is not None and mark.exact:
        column += cause.at + mark.quoted
    where = "/".join(x for x in (place, place_of(data, path)) if x)
    return Problem(line + 1, column + 1, where, what, fix)


def _words(error: dict[str, Any], loc: Path, root: type[Part]) -> tuple[str, str]:
    kind, given = error["type"], error.get("input")
    last = str(loc[-1]) if loc else ""
    if kind == "extra_forbidden":
        holder = class_at(root, loc[:-1])
        return f"{last!r} is not known here", did_you_mean(last, known_words(holder)) if holder else ""
    if kind == "missing":
        return f"{last} is missing", _MISSING.get(last, f"Write {last}: with its value")
    if kind == "string_type":
        return f"expected text, found {_kind(given)}", "Write one text; quote it where it holds { or ["
    if kind in ("tuple_type", "list_type"):
        return f"expected a list, found {_kind(given)}", "Write [first, second], or one item a line behind -"
    if kind in ("model_type", "model_attributes_type", "dict_type", "mapping_type"):
        return f"expected a mapping, found {_kind(given)}", "Write {key: value}, or one entry a line"
    if kind == "literal_error":
        return f"{given!r} is not known here", f"Write {error.get('ctx', {}).get('expected', '')}"
    return str(error["msg"]), ""


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, (list, tuple)) else f"{value!r}"


def _path(data: Any, loc: Path) -> Path:
    """The place in the file that a place in the value comes from, as far as it can be followed."""
    path: Path = ()
    here = data
    for step in loc:
        if isinstance(here, dict):
            key = step if step in here else next((w for w in _SPELLED.get(str(step), ()) if w in here), None)
            if key is None:
                break
            here = here[key]
            path = (*path, key)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
            path = (*path, step)
        elif not isinstance(step, int):  # a number: one item written without its list
            break
    return path


def place_of(data: Any, path: Path) -> str:
    """A path with names instead of numbers: `models/Embedded/orders/embed/line_item`."""
    words: list[str] = []
    here = data
    for step in path:
        holder, here = here, here[step]
        if isinstance(step, int):
            words.append(_name(here) or str(step + 1))
        elif not (step == "structures" and isinstance(holder, dict)):
            words.append(step)
    return "/".join(words)


def _name(item: Any) -> str:
    if isinstance(item, str):
        return item.split()[0] if item.split() else ""
    if not isinstance(item, dict):
        return ""
    if "from" not in item and "child" in item:
        return f"{item.get('name') or item.get('parent', '?')}-{item['child']}"
    found = (item[k] for k in _NAMES if k in item)
    return next((f for f in found if isinstance(f, str)), "")


def class_at(root: type[Part], loc: Path) -> type[Part] | None:
    """The class of the part at a place."""
    here: type[Part] | None = root
    for step in loc:
        if here is None or isinstance(step, int):
            continue
        fields = here.model_fields.values()
        field = next((f for n, f in here.model_fields.items() if step in (f.alias, n)), None)
        if field is None or not fields:
            continue  # a key of a mapping of parts
        here = part_class(field.annotation)
    return here


def part_class(annotation: Any) -> type[Part] | None:
    """The part inside an annotation such as `tuple[Embed, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation if issubclass(annotation, Part) else None
    for inner in get_args(annotation):
        if found := part_class(inner):
            return found
    return None


def known_words(kind: type[Part]) -> tuple[str, ...]:
    """The keys a part may have in a file."""
    words = tuple(f.alias or n for n, f in kind.model_fields.items())
    if kind is Pattern:
        return tuple(w for w in words if w not in ("action", "more")) + ACTIONS
    if kind is Structure:
        return STRUCTURE_WORDS + tuple(w for w in words if w not in ("kind", "name"))
    return words
