"""Results remembered by the identity of what they were made from.

Parts of a project are frozen, so the same object always means the same content: a result made from it can be kept
under its identity. Entries hold on to their sources, so an identity is never reused while it is a key. Two generations
bound the size: what was not asked for since the last turn is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")
P = TypeVar("P")


class Memory:
    """One table of remembered results. `limit`: entries of the younger generation before it becomes the older one."""

    def __init__(self, limit: int = 60_000) -> None:
        self.limit = limit
        self.lock = RLock()
        """Held by whoever changes what is remembered over several steps."""
        self.made = 0
        """Results computed so far: tests and benchmarks read how much an edit recomputed."""
        self._young: dict[Hashable, tuple[tuple[object, ...], Any]] = {}
        self._old: dict[Hashable, tuple[tuple[object, ...], Any]] = {}
        self._settled: dict[Hashable, Any] = {}

    def of(self, stage: str, sources: tuple[object, ...], make: Callable[[], T], extra: Hashable = None) -> T:
        """The result of `make()` for these very objects and the value `extra`."""
        key = (stage, extra, *map(id, sources))
        kept = self._young.get(key)
        if kept is None:
            kept = self._old.get(key)
            if kept is None:
                self.made += 1
                kept = (sources, make())
            self._young[key] = kept
            if len(self._young) > self.limit:
                self._old, self._young = self._young, {}
        result: T = kept[1]
        return result

    def settled(self, key: Hashable, value: T) -> T:
        """The object last given under this key, where the new one is equal to it: what was made from it stays valid."""
        old = self._settled.get(key)
        if old is not None and old == value:
            result: T = old
            return result
        if len(self._settled) >= self.limit:
            self._settled.clear()
        self._settled[key] = value
        return value

    def carried(self, stage: str, sources: tuple[object, ...], inflow: Mapping[str, float]) -> Carried:
        """The table of a stage for these sources. Where only the inflow is another one, entries of entities whose
        inflow changed are dropped and the rest stays."""
        table = self.of(f"{stage} table", sources, lambda: Carried(inflow))
        table.now(inflow)
        return table


class Carried:
    """Results by the identity of their sources, each with the entities on whose inflow it depends."""

    def __init__(self, inflow: Mapping[str, float], limit: int = 20_000) -> None:
        self._inflow = inflow
        self._limit = limit
        self._kept: dict[Hashable, tuple[tuple[object, ...], frozenset[str], Any]] = {}

    def now(self, inflow: Mapping[str, float]) -> None:
        """Drop what depends on entities whose inflow is another one by now."""
        if inflow is self._inflow:
            return
        changed = {e for e in {*inflow, *self._inflow} if inflow.get(e) != self._inflow.get(e)}
        self._inflow = inflow
        if changed:
            self._kept = {k: v for k, v in self._kept.items() if changed.isdisjoint(v[1])}

    @property
    def known(self) -> Mapping[int, tuple[tuple[object, ...], frozenset[str], Any]]:
        """What `put_one` keeps, by the identity of the source; the result comes third. For loops over many parts."""
        return self._kept  # type: ignore[return-value]  # keys of `put` are tuples and cannot be asked for by number

    def put_one(self, result: Any, entities: frozenset[str], source: object) -> None:
        """As `put`, for a single source, to be found in `known`."""
        self._room()
        self._kept[id(source)] = ((source,), entities, result)

    def get(self, *sources: object, setting: Hashable = None) -> Any:
        """The result for these very objects, or None."""
        kept = self._kept.get((setting, *map(id, sources)))
        return None if kept is None else kept[2]

    def put(self, result: Any, entities: frozenset[str], *sources: object, setting: Hashable = None) -> None:
        """Remember a result that depends on the inflow of these entities."""
        self._room()
        self._kept[setting, *map(id, sources)] = (sources, entities, result)

    def _room(self) -> None:
        if len(self._kept) >= self._limit:
            self._kept = dict(list(self._kept.items())[self._limit // 2 :])


class PerPart:
    """Results per part, for lists of parts of which an edit replaces one."""

    def __init__(self, limit: int = 20_000) -> None:
        self._limit = limit
        self._kept: dict[int, tuple[object, Any]] = {}

    def each(self, parts: Iterable[P], make: Callable[[P], T]) -> list[T]:
        """`make` of every part, in order; remembered by identity."""
        known, out = self._kept, []
        for part in parts:
            kept = known.get(id(part))
            if kept is None:
                kept = (part, make(part))
                if len(known) >= self._limit:
                    known.clear()
                known[id(part)] = kept
            out.append(kept[1])
        return out
