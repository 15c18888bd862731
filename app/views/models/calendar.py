"""The growth calendar: on which day a record or a partition outgrows its limit. Geometry of an SVG; the forecast gives
seconds, this page adds the date.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from math import inf

from app.analysis import ModelReport
from app.forecast.structure import horizon_of
from app.model.project import Project
from app.model.spread import Spread
from app.templating import size
from app.views.models.structures import limit_of, store_of

WIDTH, LEFT, RIGHT, TOP, LANE = 1376, 300, 20, 26, 40
BAR, INSET = 16, 12
YEAR = 365.25
SHOWN = 10
WORDS = 230
"""Width that a sentence takes."""
FAR = 100 * YEAR


@dataclass(frozen=True, slots=True)
class Lane:
    """One record or partition. `worst`, `usual`: days until the maximum and p99 pass the limit (None: never seen)."""

    name: str
    about: str
    now: Spread
    limit: float
    worst: float | None
    usual: float | None

    @property
    def unbounded(self) -> bool:
        return self.now.max == inf

    @property
    def pct(self) -> str:
        if self.unbounded:
            return "no bound"
        share = 100 * self.now.max / self.limit
        return f"{share:,.0f} %" if share >= 10 else f"{share:.2g} %" if share >= 0.1 else "< 0.1 %"


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of a lane: `kind` fits, largest, common, unknown."""

    kind: str
    x: float
    w: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lane with its bars and words."""

    lane: Lane
    y: int
    bars: tuple[Bar, ...]
    marks: tuple[float, ...]
    words: tuple[tuple[float, str, bool], ...]
    """x, text, whether it stands on a filled bar."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The whole picture; `said` its result, `more` lanes left out because nothing happens in them."""

    today: date
    height: int
    years: tuple[tuple[float, int], ...]
    quarters: tuple[float, ...]
    lanes: tuple[Drawn, ...]
    said: str
    more: int
    width: int = WIDTH
    left: int = LEFT
    right: int = WIDTH - RIGHT


def calendar(made: ModelReport, project: Project, today: date) -> Calendar | None:
    """The calendar of a model; None where no limit is known to hold against."""
    every = sorted(_lanes(made), key=_urgency)
    if not every:
        return None
    lanes = every[:SHOWN]
    days = min(10 * YEAR, max(5 * YEAR, horizon_of(project) / 86_400))
    end = today + timedelta(days=days)

    def x(day: float) -> float:
        return round(LEFT + min(1.0, day / days) * (WIDTH - LEFT - RIGHT), 1)

    years = tuple((x((date(y, 1, 1) - today).days), y) for y in range(today.year + 1, end.year + 1))
    months = [date(y, m, 1) for y in range(today.year, end.year + 1) for m in (4, 7, 10)]
    quarters = tuple(x((d - today).days) for d in months if today < d < end)
    drawn = tuple(_draw(lane, i, x, days, today) for i, lane in enumerate(lanes))
    height = TOP + LANE * len(lanes) + 8
    return Calendar(today, height, years, quarters, drawn, _said(every, today, end), len(every) - len(lanes))


def _lanes(made: ModelReport) -> Iterator[Lane]:
    for s in made.model.structures:
        load, limit = made.loads.get(s.name), limit_of(store_of(made, s))
        if load is None:
            continue
        for name, now in load.record_now.items():
            worst, usual = load.record_crosses.get(name, (None, None))[::-1]
            if limit < inf:
                yield Lane(name, f"largest record {size(now.max)}", now, limit, _days(worst), _days(usual))
        seen: set[tuple[str, float]] = set()
        for p in load.partitions:
            if p.limit == inf or (p.path, p.now.max) in seen:
                continue
            seen.add((p.path, p.now.max))
            about = f"largest partition {size(p.now.max)}"
            yield Lane(f"{p.path} partition", about, p.now, p.limit, _days(p.crosses_max), _days(p.crosses_p99))


def _days(seconds: float | None) -> float | None:
    return None if seconds is None or seconds / 86_400 > FAR else seconds / 86_400


def _urgency(lane: Lane) -> tuple[float, float, str]:
    first = min((d for d in (lane.worst, lane.usual) if d is not None), default=FAR + (0 if lane.unbounded else 1))
    return first, -lane.now.max / lane.limit if not lane.unbounded else -1.0, lane.name


def when(day: float, today: date) -> str:
    """The date so many days from now; `today` for what is past already."""
    return "today" if day <= 0 else (today + timedelta(days=day)).isoformat()


def _draw(lane: Lane, at: int, x: object, days: float, today: date) -> Drawn:
    place = x if callable(x) else float
    y, end = TOP + at * LANE, float(WIDTH - RIGHT)
    worst = lane.worst if lane.worst is not None and lane.worst < days else None
    usual = lane.usual if lane.usual is not None and lane.usual < days else None
    a = place(worst) if worst is not None else end
    b = max(a, place(usual)) if usual is not None else end
    bars = [Bar("unknown" if lane.unbounded and worst is None else "fits", LEFT, a - LEFT)]
    bars += [Bar("largest", a, b - a), Bar("common", b, end - b)]
    words: list[tuple[float, str, bool]] = []
    limit = size(lane.limit)
    if worst is not None and b - a >= WORDS:
        words.append((a + 7, f"max passes {limit} {_on(worst, today)}", False))
    if usual is not None and end - b >= WORDS:
        first = f"max passes {limit} {_on(worst, today)}, " if worst is not None and b - a < WORDS else ""
        words.append((b + 7, f"{first}p99 {'passes ' if not first else ''}{_on(usual, today)}", True))
    if not words and a - LEFT >= WORDS and worst is not None:
        words.append((LEFT + 7.0, f"max passes {limit} {_on(worst, today)}", False))
    if not words:
        words.append((LEFT + 7.0, _fits(lane, today), False))
    marks = tuple(m for m, d in ((a, worst), (b, usual)) if d is not None)
    return Drawn(lane, y, tuple(bar for bar in bars if bar.w > 0), marks, tuple(words))


def _on(day: float, today: date) -> str:
    return "already" if day <= 0 else f"on {when(day, today)}"


def _fits(lane: Lane, today: date) -> str:
    if lane.unbounded:
        return "the largest has no bound: give a maximum to get a date"
    later = min((d for d in (lane.worst, lane.usual) if d is not None), default=None)
    if later is not None:
        return f"passes {size(lane.limit)} in {(today + timedelta(days=later)).year}"
    return f"{lane.about}: fits"


def _said(lanes: list[Lane], today: date, end: date) -> str:
    first = next((lane for lane in lanes if lane.worst is not None or lane.usual is not None), None)
    if first is None:
        return f"Nothing passes a limit before {end.year}."
    words = [
        f"{_on(day, today)} at {what}"
        for day, what in ((first.worst, "the maximum"), (first.usual, "p99"))
        if day is not None
    ]
    return f"{first.name} passes {size(first.limit)} {' and '.join(words)}."


__all__ = ["Bar", "Calendar", "Drawn", "Lane", "calendar", "when"]
