"""How long records are kept, as a project file writes it."""

from __future__ import annotations

from app.starters.design import Design
from app.starters.words import span

RECENT = 30 * 86_400.0
"""Seconds for which copies made for each reader are kept: a timeline shows what is new."""


def clock_of(design: Design, entity: str) -> str:
    """The field that says when a record came to be: the first rising time that no update sets, else any time."""
    stats = design.world.stats
    times = [a for a in design.world.fields.get(entity, ()) if stats[a].type in ("datetime", "date", "timeuuid")]
    times.sort(key=lambda a: stats[a].type == "timeuuid")
    still = [a for a in times if a in design.world.monotonic and not design.set_later(a)]
    rising = [a for a in times if a in design.world.monotonic]
    return next(iter([*still, *rising, *times]), "")


def keep_of(design: Design, entity: str) -> float:
    """Seconds a record is kept; 0: for ever."""
    return design.world.keeps.get(entity, 0.0)


def expires(design: Design, entity: str) -> str:
    """`30 days after cart.updated_at`; empty where records stay or no field tells their age."""
    keep, clock = keep_of(design, entity), clock_of(design, entity)
    dated = bool(clock) and design.world.stats[clock].type in ("datetime", "date")
    return f"{span(keep)} after {clock}" if keep and dated and design.expires else ""


def life(design: Design, entity: str) -> str:
    """`30 days`, where the store itself lets records expire; empty where they stay."""
    keep = keep_of(design, entity)
    return span(keep) if keep and design.expires else ""
