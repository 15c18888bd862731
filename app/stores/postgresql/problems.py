"""What PostgreSQL refuses, or will quietly do otherwise, in one table as it is written down."""

from __future__ import annotations

from app.model.candidate import Candidate, Structure
from app.plan.types import World
from app.stores.common_problems import unknown
from app.stores.store import Fault


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:
    """Faults, in the order of the structure's own parts."""
    return tuple(dict.fromkeys(unknown(structure, world)))
