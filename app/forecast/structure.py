"""All that is known of one structure at the current numbers: the one function the analysis calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from app.forecast.calendar import crossings, size_at
from app.forecast.heat import User, path_loads
from app.forecast.load import StructureLoad
from app.forecast.partition import partition_size
from app.model.candidate import Structure
from app.model.project import Project
from app.model.spread import Spread
from app.plan.size import entry_size
from app.plan.types import AccessPath, Record, World
from app.stores.store import Store

YEAR = 31_536_000.0
DEFAULT_HORIZON = 2 * YEAR
"""Used where the project names none; shown as an assumption."""


def load_of(structure: Structure, records: Sequence[Record], users: Sequence[User], world: World, store: Store, head: Project) -> StructureLoad:
    """Heat, partition sizes, record sizes and storage of one structure. `head`: the project's header (horizon)."""
    horizon = horizon_of(head)
    sizes = {(r.name, p.name): entry_size(r, p, world) for r in records for p in r.paths if not p.scan}

    def entry_bytes(record: Record, path: AccessPath) -> float:
        return sizes[record.name, path.name].avg

    paths = path_loads(records, users, world, store.can.range_sharded, entry_bytes)
    soft = fact(store, "partition_bytes")
    rows = fact(store, "partition_rows")
    partitions = tuple(
        partition_size(r, p, world, sizes[r.name, p.name], soft, rows, horizon)
        for r in records for p in r.paths if (p.partition or p.placed_by) and not p.scan
    )
    later = {r.name: size_at(r, world, horizon) for r in records}
    limit = fact(store, "max_record_bytes")
    return StructureLoad(
        structure.name, paths, partitions,
        record_now={r.name: r.size for r in records},
        record_at_horizon=later,
        record_crosses={r.name: crossings(r, world, limit) for r in records},
        storage=sum(_stored(r, sizes, r.count) for r in records),
        storage_at_horizon=sum(_stored(r, sizes, _later(r, world, horizon)) for r in records),
    )


def horizon_of(project: Project) -> float:
    """Seconds the project looks ahead."""
    return project.horizon.value if project.horizon is not None and project.horizon.value else DEFAULT_HORIZON


def fact(store: Store, slug: str) -> float:
    """A limit of the store; inf where it has none."""
    return store.facts[slug].value if slug in store.facts else inf


def _stored(record: Record, sizes: dict[tuple[str, str], Spread], count: float) -> float:
    return sum(sizes[record.name, p.name].avg * count * _fraction(p) for p in record.paths if not p.scan)


def _fraction(path: AccessPath) -> float:
    """Share of the records that have an entry here."""
    kept = 1.0
    for cond in path.only:
        kept *= cond.share if cond.share is not None else 1.0
    return kept


def _later(record: Record, world: World, horizon: float) -> float:
    now = world.counts.get(record.of, 0.0)
    growth = world.inflow.get(record.of, 0.0) * horizon
    keep = record.ttl or world.keeps.get(record.of, 0.0)
    later = min(now + growth, max(now, world.inflow.get(record.of, 0.0) * keep)) if keep else now + growth
    return record.count * later / now if now else record.count
