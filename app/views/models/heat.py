"""The hottest partition of every access path at peak, against what the store does for one partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.analysis import ModelReport
from app.forecast.load import PathLoad
from app.stores.store import Fact, Store
from app.templating import number
from app.views.models.structures import store_of

HOT = 80.0
"""Percent of a ceiling that is an error to come; half of it is a warning."""
LISTED = 14


@dataclass(frozen=True, slots=True)
class Hot:
    """Load of one path's hottest partition. `ceiling` None: the store publishes none and none is assumed."""

    path: str
    kind: str
    load: float
    unit: str
    ceiling: float | None
    assumed: bool
    why: str
    source: str
    unknown: tuple[str, ...]
    fact: str = ""

    @property
    def pct(self) -> float | None:
        return 100 * self.load / self.ceiling if self.ceiling else None

    @property
    def mark(self) -> str:
        if self.pct is None:
            return ""
        return "error" if self.pct >= HOT else "warning" if self.pct >= HOT / 2 else ""


def hot_lines(made: ModelReport) -> tuple[Hot, ...]:
    """The hottest first."""
    found = [
        line
        for s in made.model.structures
        if s.name in made.loads
        for path in made.loads[s.name].paths
        for line in _lines(path, store_of(made, s) or made.store)
    ]
    return tuple(sorted(found, key=lambda h: (-(h.pct or 0.0), -h.load)))[:LISTED]


def _lines(path: PathLoad, store: Store) -> Iterator[Hot]:
    for kind, load in (("writes", path.writes), ("reads", path.reads)):
        heats = [h for h in path.heats if h.write == (kind == "writes")]
        if not heats:
            continue
        slug = f"partition_{kind}_per_second"
        fact: Fact | None = store.facts.get(slug)
        worst = max(heats, key=lambda h: h.load)
        unit = fact.unit if fact else f"{kind}/s"
        assumed = any(h.assumed for h in heats)
        unknown = tuple(a for a in path.share_unknown if a)
        ceiling = fact.value if fact else None
        source = fact.source if fact else ""
        why = f"{worst.pattern}: {worst.why}"
        yield Hot(path.path, kind, load, unit, ceiling, assumed or bool(fact and fact.assumed), why, source, unknown,
                  f"{store.name}.{slug}" if fact else "")  # fmt: skip


def said(lines: tuple[Hot, ...]) -> str:
    """What the table says, in one sentence."""
    over = [h for h in lines if h.pct is not None and h.pct >= 100]
    if over:
        top = over[0]
        return f"{top.path} is asked for {number(top.load)} {top.unit} on one partition, against {number(top.ceiling)}."
    near = [h for h in lines if h.mark]
    if near:
        return f"{near[0].path} reaches {number(near[0].pct)} % of its ceiling."
    judged = [h for h in lines if h.pct is not None]
    if lines and not judged:
        return "The store publishes no ceiling for one partition: measure your own."
    return "No partition is near its ceiling." if lines else "Nothing is partitioned, or no rate is known."


__all__ = ["Hot", "hot_lines", "said"]
