"""Results remembered by the identity of what they were made from.

Parts of a project are frozen, so the same object always means the same content: a result made from it can be kept
under its identity. Entries hold on to their sources, so an identity is never reused while it is a key. Two generations
bound the size: what was not asked for since the last turn is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

T = TypeVar("T")


class Memory:
    """One table of remembered results. `limit`: entries of the younger generation before it becomes the older one."""

    def __init__(self, limit: int = 60_000) -> None:
        self.limit = limit
        self._young: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._old: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self.made = 0
        """Results computed so far: tests and benchmarks read how much an edit recomputed."""

    def of(self, stage: str, sources: tuple[object, ...], make: Callable[[], T], extra: Hashable = None) -> T:
        """The result of `make()` for these very objects and the value `extra`."""
        key = (stage, extra, *map(id, sources))
        kept = self._young.get(key)
        if kept is not None:
            return kept[1]  # type: ignore[return-value]  # a stage always stores one type
        kept = self._old.get(key)
        if kept is None:
            self.made += 1
            kept = (sources, make())
        self._young[key] = kept
        if len(self._young) > self.limit:
            self._old, self._young = self._young, {}
        return kept[1]  # type: ignore[return-value]  # as above

    def forget(self) -> None:
        self._young, self._old = {}, {}
