"""How the application really runs a pattern, where the model says so (`serves`): places it reads, replica it asks.

What is named limits what the planner may use; it never makes a place serve what it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.model.candidate import Serves
from app.plan.read import plan_read
from app.plan.types import Level, Plan, Query, Record, World

REPLICA_LAG = 1.0
"""Seconds a secondary is assumed to lag behind in normal running."""


def as_run(records: Sequence[Record], serves: Serves | None) -> tuple[Record, ...]:
    """The kinds of record a pattern may be planned over. All of them where nothing, or nothing known, is named."""
    if serves is None:
        return tuple(records)
    named = [n for n in (serves.path, serves.else_) if n]
    kept = tuple(r for r in records if any(_named(r, n) for n in named)) or tuple(records)
    if serves.read_preference and serves.read_preference not in ("primary", "primaryPreferred"):
        return tuple(_lagging(r) for r in kept)
    return kept


def _named(record: Record, name: str) -> bool:
    """A structure, a kind of record or one of its paths; a key family also by how its template begins."""
    whole = (record.structure, record.name, *(p.name for p in record.paths))
    return name in whole or record.structure.startswith((f"{name}:", f"{name}{{"))


def _lagging(record: Record) -> Record:
    paths = tuple(replace(p, strong=False, lag=max(p.lag, REPLICA_LAG)) for p in record.paths)
    return replace(record, paths=paths)


def plan_as_run(query: Query, records: Sequence[Record], serves: Serves | None, world: World) -> Plan:
    """The read as the application runs it; where what is named cannot serve it, the best plan and a note."""
    allowed = as_run(records, serves)
    plan = plan_read(query, allowed, world)
    if serves is None or plan.level is not Level.IMPOSSIBLE:
        return plan
    whole = plan_read(query, records, world)
    if whole.level is Level.IMPOSSIBLE:
        return plan
    return replace(whole, notes=(*whole.notes, f"The model says {serves.path or 'a replica'} serves this; it cannot."))
