"""How long records are kept, as a project file writes it."""

from __future__ import annotations

from app.starters.held import span
from app.starters.plan import Design


def clock_of(design: Design, entity: str) -> str:
    """The field that says when a record came to be: the first rising time, else any time."""
    own = [
        a for a in design.world.fields.get(entity, ()) if design.world.stats[a].type in ("datetime", "date", "timeuuid")
    ]
    return next((a for a in own if a in design.world.monotonic), own[0] if own else "")


def keep_of(design: Design, entity: str) -> float:
    """Seconds a record is kept; 0: for ever."""
    return design.world.keeps.get(entity, 0.0)


def expires(design: Design, entity: str) -> str:
    """`30 days after cart.updated_at`; empty where records stay or no field tells their age."""
    keep, clock = keep_of(design, entity), clock_of(design, entity)
    return f"{span(keep)} after {clock}" if keep and clock and design.can.expires else ""
