"""Changes as part edits: found between two projects, applied, turned round.

A part is the project's header, an entity, a relationship, an access pattern, a candidate model or a
decision. An edit holds the plain form before and after, so that it can be stored, shown and undone.
Parts an edit does not touch stay the same objects.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.model.part import Part
from app.model.plain import to_plain
from app.model.problem import BadProject, Problem, Unreadable
from app.model.project import Decision, Project, check_names
from app.model.text import header_plain, part_from_plain
from app.model.workload import Relationship

HEADER = "project"
LIST_OF = {
    "entity": "entities",
    "relationship": "relationships",
    "access_pattern": "patterns",
    "candidate_model": "models",
    "decision": "decisions",
}
"""Kind of part → the project's list it stands in."""


@dataclass(frozen=True, slots=True)
class PartEdit:
    """One part before and after. `before` None: it is new; `after` None: it goes.

    `key` is the name of the part before (of a new one: after); both are different in a rename. `at` is its
    place in the list after, `was` before; both None where it stays where it is.
    """

    kind: str
    key: str
    before: Any
    after: Any
    at: int | None = None
    was: int | None = None

    @property
    def place(self) -> str:
        return place_of(self.kind, self.key)


class EditClash(Exception):
    """An edit does not fit the project: the part is gone, is there already, or is not what it was."""

    def __init__(self, edit: PartEdit, what: str) -> None:
        super().__init__(f"{edit.place}: {what}")
        self.edit = edit
        self.what = what


def key_of(kind: str, part: Part) -> str:
    """The name that tells a part from others of its kind (the header has none)."""
    if kind == HEADER:
        return ""
    if isinstance(part, (Relationship, Decision)):
        return part.key
    key: str = getattr(part, "operation" if kind == "access_pattern" else "name")
    return key


def key_of_plain(kind: str, plain: Any) -> str:
    """The same from a plain form."""
    if kind == HEADER or not isinstance(plain, dict):
        return ""
    if kind == "relationship":
        name = str(plain.get("name", ""))
        return name if "from" in plain else f"{name or plain.get('parent', '')}-{plain.get('child', '')}"
    if kind == "decision":
        return f"{plain.get('finding', '')}@{plain.get('at', '')}"
    return str(plain.get("operation" if kind == "access_pattern" else "name", ""))


def place_of(kind: str, key: str) -> str:
    """The path people see: `patterns/Load order page`."""
    return HEADER if kind == HEADER else f"{LIST_OF[kind]}/{key}"


# ---------------------------------------------------------------- difference


def diff(before: Project, after: Project) -> tuple[PartEdit, ...]:
    """The edits that lead from one project to the other; parts that are the same object are not looked at."""
    edits: list[PartEdit] = []
    if any(
        getattr(before, name) != getattr(after, name) for name in Project.model_fields if name not in LIST_OF.values()
    ):
        edits.append(PartEdit(HEADER, "", header_plain(before), header_plain(after)))
    for kind, name in LIST_OF.items():
        old, new = getattr(before, name), getattr(after, name)
        if old is not new:
            edits.extend(_diff_list(kind, old, new))
    return tuple(edits)


def _diff_list(kind: str, old: Sequence[Part], new: Sequence[Part]) -> list[PartEdit]:
    keys = [key_of(kind, p) for p in old]
    wanted = [key_of(kind, p) for p in new]
    index = {key: i for i, key in enumerate(keys)}
    gone = {key for key in keys if key not in set(wanted)}
    source: list[int | None] = []
    for at, key in enumerate(wanted):
        if key in index:
            source.append(index[key])
        elif at < len(old) and keys[at] in gone:  # another name in the same place: a rename
            source.append(at)
            gone.discard(keys[at])
        else:
            source.append(None)
    edits = [PartEdit(kind, key, to_plain(old[index[key]]), None, was=index[key]) for key in keys if key in gone]
    stays = _longest_rise([s for s in source if s is not None])
    for at, (part, was) in enumerate(zip(new, source, strict=True)):
        if was is None:
            edits.append(PartEdit(kind, wanted[at], None, to_plain(part), at=at))
            continue
        moved = was not in stays
        if moved or (old[was] is not part and old[was] != part):
            edit = PartEdit(kind, keys[was], to_plain(old[was]), to_plain(part))
            edits.append(replace(edit, at=at, was=was) if moved else edit)
    return edits


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """A longest rising run of different numbers: the parts that need not move."""
    ends: list[int] = []  # smallest last number of a run of each length
    holders: list[int] = []  # and where it stands
    before: list[int] = []
    for i, n in enumerate(numbers):
        length = bisect_left(ends, n)
        before.append(holders[length - 1] if length else -1)
        if length == len(ends):
            ends.append(n)
            holders.append(i)
        else:
            ends[length], holders[length] = n, i
    run: set[int] = set()
    at = holders[-1] if holders else -1
    while at >= 0:
        run.add(numbers[at])
        at = before[at]
    return run


# ---------------------------------------------------------------- applying


def apply(project: Project, edits: Iterable[PartEdit], force: bool = False) -> Project:
    """The project after the edits. Untouched parts, and lists without any, stay the same objects.

    Raises:
        EditClash: a part is not what the edit says it was (`force` overwrites it instead).
        BadProject: the result is no valid part or project.
    """
    edits = tuple(edits)
    changed: dict[str, Any] = {}
    for kind, name in LIST_OF.items():
        mine = [e for e in edits if e.kind == kind]
        if mine:
            changed[name] = _apply_list(kind, getattr(project, name), mine, force)
    for edit in edits:
        if edit.kind == HEADER:
            if not force and edit.before != header_plain(project):
                raise EditClash(edit, "the project is not what it was")
            header = part_from_plain(HEADER, edit.after)
            changed.update({n: getattr(header, n) for n in Project.model_fields if n not in LIST_OF.values()})
    result = project.model_copy(update=changed)
    try:
        check_names(result)
    except Unreadable as wrong:
        place = "/".join(str(x) for x in wrong.loc)
        raise BadProject([Problem(0, 0, place, wrong.what, wrong.fix)]) from None
    return result


def _apply_list(kind: str, parts: tuple[Part, ...], edits: Sequence[PartEdit], force: bool) -> tuple[Part, ...]:
    held: dict[str, Part] = {key_of(kind, p): p for p in parts}
    order = list(held)
    slots: dict[str, Part | None] = dict(held)  # by the key before
    placed: list[tuple[int, Part]] = []
    for edit in edits:
        after: Part | None = None if edit.after is None else part_from_plain(kind, edit.after)
        if edit.before is None and after is not None:
            if edit.key in held and not force:
                raise EditClash(edit, "is there already")
            placed.append((len(order) + len(edits) if edit.at is None else edit.at, after))
            continue
        if edit.key not in held:
            raise EditClash(edit, "is not there any more")
        if not force and to_plain(held[edit.key]) != edit.before:
            raise EditClash(edit, "is not what it was")
        if edit.at is not None and after is not None:
            placed.append((edit.at, after))
            after = None
        slots[edit.key] = after
    result = [part for key in order if (part := slots[key]) is not None]
    for at, part in sorted(placed, key=lambda p: p[0]):
        result.insert(at, part)
    return tuple(result)


def invert(edits: Iterable[PartEdit]) -> tuple[PartEdit, ...]:
    """The edits that undo these."""
    return tuple(
        PartEdit(
            e.kind,
            e.key if e.after is None else key_of_plain(e.kind, e.after),
            e.after,
            e.before,
            at=e.was,
            was=e.at,
        )
        for e in reversed(tuple(edits))
    )
