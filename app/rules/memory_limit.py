"""What a store in memory is set to: how much it may hold and what it throws away when it is full."""

from __future__ import annotations

from app.model.candidate import Candidate, Structure
from app.model.quantity import parse_size


def memory_limit(model: Candidate, structure: Structure) -> float:
    """Bytes the store may hold; 0 where it is not said."""
    for options in (structure.options, model.options):
        said = options.get("maxmemory")
        if said is None:
            continue
        try:
            amount = parse_size(str(said))
        except ValueError:
            return 0.0
        return amount.value or 0.0 if amount.bounded else 0.0
    return 0.0


def eviction(model: Candidate, structure: Structure) -> str:
    """`volatile-lru`, `allkeys-lfu`, `noeviction`; empty where it is not said."""
    said = structure.options.get("maxmemory-policy", model.options.get("maxmemory-policy", ""))
    return str(said).strip().lower()
