"""Embed or reference: what both move at every number of children, and the number at which the advice flips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, floor, inf, log10

from app.analysis import ModelReport, Report
from app.forecast.breakeven import EmbedOrReference
from app.model.spread import Spread
from app.plan.types import Record
from app.rules.embed_or_reference import sides
from app.templating import number, size
from app.views.models.structures import limit_of, places, records_of, store_of

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 288, 74, 16, 18, 36
POINTS = 60


@dataclass(frozen=True, slots=True)
class Sides:
    """One embed with both its costs. `most`: children at which the record passes its limit."""

    parent: str
    child: str
    name: str
    both: EmbedOrReference
    children: Spread
    most: float

    @property
    def flips(self) -> float | None:
        return self.both.flips_at

    @property
    def said(self) -> str:
        average = f"The average {self.parent} has {number(self.children.avg)}."
        if self.flips is None:
            return f"Embedding moves fewer bytes at any number of {self.name}. {average}"
        if self.flips < 1:
            return f"Referencing moves fewer bytes at any number of {self.name}. {average}"
        return f"Embedding moves fewer bytes below {number(self.flips)} {self.name} per {self.parent}. {average}"

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        """What the curves are made of."""
        b = self.both
        rates = (
            (f"reads of a {self.parent} with all {self.name}", b.together),
            (f"reads of one page of {number(b.page_size)}", b.page),
            (f"reads of a {self.parent} without them", b.alone), (f"writes of one {self.child}", b.changes),
        )  # fmt: skip
        return (
            *((label, f"{number(rate)}/s") for label, rate in rates if rate),
            (f"bytes of a {self.parent} without them", size(b.parent)), (f"bytes of one {self.child}", size(b.child)),
            ("price of one more request, assumed", size(b.request)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chart:
    """The curves as an SVG needs them; texts are (x, y, words, anchor)."""

    sides: Sides
    embed: str
    reference: str
    rows: tuple[tuple[float, str], ...]
    columns: tuple[tuple[float, str], ...]
    marks: tuple[tuple[float, int, str], ...]
    flip: tuple[float, float, str] | None
    over: float | None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def charts(report: Report, made: ModelReport, structure: str) -> tuple[Chart, ...]:
    """One chart per embedded list of a structure, where the numbers for it are known."""
    return tuple(_chart(sides) for record in records_of(made, structure) for sides in _sides(report, made, record))


def _sides(report: Report, made: ModelReport, record: Record) -> Iterator[Sides]:
    """Every embedded list with its costs: the same figures that the rule about them rests on."""
    users = [
        (pattern, made.plans[pattern.operation], *report.rates[pattern.operation])
        for pattern in report.project.patterns
        if record.structure in places(made.plans[pattern.operation])
    ]
    structure = made.model.structure(record.structure)
    limit = limit_of(store_of(made, structure)) if structure else inf
    for held in record.shape:
        if held.how != "embed" or held.up != 0 or held.edge is None or not held.edge.down:
            continue
        rel = held.edge.rel
        if rel.assumed or rel.children.avg <= 0 or rel.children.max <= 1:
            continue  # one child, or how many there are is a question and not a number
        both = sides(users, record, held, report.world)
        if not both.together + both.page + both.alone + both.changes:
            continue
        most = (limit - both.parent) / both.child if limit < inf else inf
        yield Sides(record.of, held.entity, held.name or held.entity, both, rel.children, most)


# ---------------------------------------------------------------- geometry


def _chart(sides: Sides) -> Chart:
    most = max(sides.children.avg * 10, sides.children.high, sides.flips or 0.0, 10.0)
    most = max(most, min(sides.children.max, most * 1000)) if sides.children.max < inf else most
    right = float(ceil(log10(most)))
    counts = [10 ** (right * i / POINTS) for i in range(POINTS + 1)]
    values = [f(n) for f in (sides.both.embed, sides.both.reference) for n in counts if f(n) > 0]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    high = high if high > low else low + 1

    def x(n: float) -> float:
        return round(LEFT + max(0.0, log10(max(n, 1.0))) / right * (WIDTH - LEFT - RIGHT), 1)

    def y(b: float) -> float:
        return round(TOP + (high - log10(max(b, 10.0**low))) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    def path(cost: Callable[[float], float]) -> str:
        return "M" + "L".join(f"{x(n)} {y(cost(n))}" for n in counts)

    ticks = [m * 1024.0**k for k in range(5) for m in (1, 10, 100) if 10**low <= m * 1024.0**k <= 10**high]
    rows = tuple((y(b), f"{size(b)}/s") for b in ticks[:: 1 if len(ticks) <= 7 else 2])
    columns = tuple((x(10.0**e), number(10.0**e)) for e in range(int(right) + 1))
    c = sides.children
    known = (("average", c.avg), ("p99", c.p99), ("max", c.max))
    marks = tuple(
        (x(n), i * 14, f"{word} {number(n)}") for i, (word, n) in enumerate(known) if 0 < n < inf and n <= 10**right
    )
    at = sides.flips
    flip = (x(at), y(sides.both.reference(at)), f"flips at {number(at)}") if at and 1 <= at <= 10**right else None
    over = x(sides.most) if 1 <= sides.most < 10**right else None
    return Chart(sides, path(sides.both.embed), path(sides.both.reference), rows, columns, marks, flip, over)


__all__ = ["Chart", "Sides", "charts"]
