"""What a touch of one record amounts to: bytes written, and what goes wrong when it is done twice."""

from __future__ import annotations

from app.model.spread import Spread, exactly
from app.plan.types import Change, Record, World


def written_bytes(op: str, attrs: frozenset[str], change: Change, record: Record, world: World) -> Spread:
    """The whole record where it is stored or removed, else the fields that change."""
    if op in ("put", "move", "remove"):
        return record.size
    encoding = record.dialect.encoding
    total = 0.0
    for attr in attrs or frozenset(world.fields.get(change.entity, ())):
        stat = world.stats.get(attr)
        kind, size = (stat.type.removesuffix("[]"), stat.bytes.avg) if stat else ("int64", 8.0)
        total += encoding.field(attr.rpartition(".")[2], kind, size)
    return exactly(total)


def unsafe(op: str, change: Change, *, keyed: bool) -> str:
    """Why doing it twice is wrong; empty: it is not. `keyed`: what is written has a key that a repeat has too."""
    if op in ("set", "add") and "add" in change.sets.values():
        return "adds again"
    if op == "add":
        return "adds again"
    if op == "push":
        return "pushes again"
    return "a new key each time" if op == "put" and not keyed else ""
