"""Two people changed one part: which of it can stand side by side, and which cannot.

Works on plain forms (mappings, lists and texts as the project file has them). A cell is a leaf of
that form: `rate.avg`, `where`, `fields.status`, `structures.orders.ttl`. Lists whose items have
names (fields, structures, indexes, needs…) are merged item by item; any other list is one cell,
because the order of a key or the words of a path mean something only as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

SETS_OF_NAMES = frozenset({"fields", "stores"})
"""Lists of texts whose items stand for themselves; a field's short form begins with its name."""
NAMING = (
    "name", "operation", "collection", "table", "keys", "nodes", "edges", "materialized view",
    "what", "role", "of",
)  # fmt: skip
"""Keys whose text tells one item of a list from another, best first."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Not there, which is something else than empty."""


@dataclass(frozen=True, slots=True)
class CellClash:
    """A cell with two new values. `path` is empty when the whole part is meant; None: not there."""

    path: str
    base: Any
    mine: Any
    theirs: Any


def merge(base: Any, mine: Any, theirs: Any) -> tuple[Any, tuple[CellClash, ...]]:
    """Both changes of `base` in one value, and the cells where they contradict each other.

    In a clash the merged value holds `theirs`, which is what stands already. None for a whole part
    means that there is none.
    """
    clashes: list[CellClash] = []
    sides = (ABSENT if side is None else side for side in (base, mine, theirs))
    merged = _merge(*sides, path=(), clashes=clashes)
    return (None if merged is ABSENT else merged), tuple(clashes)


def _merge(base: Any, mine: Any, theirs: Any, *, path: tuple[str, ...], clashes: list[CellClash]) -> Any:
    if mine in (base, theirs):
        return theirs
    if base == theirs:
        return mine
    if any(isinstance(side, Mapping) and "avg" in side for side in (base, mine, theirs)):
        base, mine, theirs = _spelt_out(base), _spelt_out(mine), _spelt_out(theirs)
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        old = base if isinstance(base, Mapping) else {}
        if path or isinstance(base, Mapping):
            return _merge_named(old, mine, theirs, path=path, clashes=clashes)
    if any(isinstance(side, list) for side in (base, mine, theirs)):
        # A list of one item may be written as the item.
        base, mine, theirs = _listed(base), _listed(mine), _listed(theirs)
    named = [_by_name(side, path) for side in (base, mine, theirs)]
    if named[0] is not None and named[1] is not None and named[2] is not None:
        merged = _merge_named(named[0], named[1], named[2], path=path, clashes=clashes)
        return list(merged.values())
    clashes.append(CellClash(".".join(path), *(_shown(s) for s in (base, mine, theirs))))
    return theirs


def _merge_named(
    base: Mapping[str, Any],
    mine: Mapping[str, Any],
    theirs: Mapping[str, Any],
    *,
    path: tuple[str, ...],
    clashes: list[CellClash],
) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key in _order(list(base), list(mine), list(theirs)):
        sides = (side.get(key, ABSENT) for side in (base, mine, theirs))
        value = _merge(*sides, path=(*path, key), clashes=clashes)
        if value is not ABSENT:
            merged[key] = value
    return merged


def _order(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """All names: in the order of the side that moved things, the other side's new ones put in."""
    moved = [name for name in theirs if name in base] != [name for name in base if name in theirs]
    first, second = (theirs, mine) if moved else (mine, theirs)
    order = list(first)
    for i, name in enumerate(second):
        if name not in order:
            before = next((n for n in reversed(second[:i]) if n in order), None)
            order.insert(order.index(before) + 1 if before is not None else 0, name)
    return order


def _by_name(side: Any, path: tuple[str, ...]) -> dict[str, Any] | None:
    """The items of a list by their names; None if it is no list or names do not tell them apart."""
    if side is ABSENT:
        return {}
    if not isinstance(side, list):
        return None
    texts_count = bool(path) and path[-1] in SETS_OF_NAMES
    named: dict[str, Any] = {}
    for item in side:
        name = _name_of(item, texts_count)
        if not name or name in named:
            return None
        named[name] = item
    return named


def _name_of(item: Any, texts_count: bool) -> str:
    if isinstance(item, str) and texts_count:
        return item.split(" ", 1)[0]
    if isinstance(item, Mapping):
        return next((item[k] for k in NAMING if isinstance(item.get(k), str) and item[k]), "")
    return ""


def _spelt_out(side: Any) -> Any:
    """A rate or spread of one number is its average: average and peak are two cells."""
    return {"avg": side} if isinstance(side, str) else side


def _listed(side: Any) -> Any:
    return [side] if isinstance(side, str | Mapping) else side


def _shown(side: Any) -> Any:
    return None if side is ABSENT else side


__all__ = ["CellClash", "merge"]
