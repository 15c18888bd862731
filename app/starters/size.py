"""About how large records are and how fast they come, before any store encodes them."""

from __future__ import annotations

from app.model.growth import rate_of
from app.plan.types import World
from app.starters.design import Design


def bytes_of(entity: str, world: World) -> float:
    """About how large one record of an entity is."""
    if entity in world.sizes:
        return world.sizes[entity].avg
    stats = [world.stats[a] for a in world.fields.get(entity, ()) if a in world.stats]
    return sum(s.bytes.avg * s.present * max(1.0, s.elements) for s in stats)


def writes_per_second(design: Design, entity: str) -> float | None:
    """Records of an entity written per second at the peak; None where some rate is not known."""
    total = 0.0
    others = {p.operation: p for p in design.project.patterns}
    for intent in design.writes:
        counts = [c.count.avg for c in intent.changes if c.entity == entity]
        if not counts:
            continue
        pattern = others[intent.name]
        average, peak, _ = rate_of(pattern, design.project.traffic, others)
        rate = peak or average
        if rate is None:
            return None
        batch = pattern.batch.value if pattern.batch is not None and pattern.batch.value else 1.0
        total += rate * batch * sum(counts)
    return total
