"""All that is known of one structure at the current numbers: the one function the analysis calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from app.forecast.calendar import count_at, crossings, size_at
from app.forecast.heat import User, home, path_loads, placing, skeleton
from app.forecast.load import PartitionSize, StructureLoad
from app.forecast.partition import Member, partition_size
from app.memory import Memory
from app.model.candidate import Structure
from app.model.project import Project
from app.model.spread import Spread
from app.plan.types import AccessPath, Record, World
from app.stores.store import Store

YEAR = 31_557_600.0
DEFAULT_HORIZON = 2 * YEAR
"""Used where the project names none; shown as an assumption."""


def load_of(
    structure: Structure,
    records: Sequence[Record],
    users: Sequence[User],
    world: World,
    store: Store,
    head: Project,
    memory: Memory | None = None,
    flow: tuple[float | None, ...] = (),
) -> StructureLoad:
    """Heat, partition sizes, record sizes and storage of one structure. `head`: the project's header (horizon).

    Sizes do not depend on patterns and are remembered by records; only the heat is summed anew. `flow`: what of the
    world's inflow concerns the structure, as a key of what is remembered.
    """
    memory = memory or Memory()
    still = memory.of(
        "sizes",
        (structure, world.base, head, *records),
        lambda: _still(structure, records, world, store, head),
        (store.name, flow),
    )

    def entry_bytes(record: Record, path: AccessPath) -> float:
        return memory.of("entry", (record, path, world.base), lambda: entry_size(record, path, world)).avg

    return replace(still, paths=path_loads(records, users, world, store.can.range_sharded, entry_bytes, memory))


def concerned(records: Sequence[Record], world: World) -> tuple[str, ...]:
    """Entities whose inflow decides sizes and heat of these records: what they hold, and the parents of it."""
    held = dict.fromkeys(h.entity for r in records for h in r.shape)
    parents = dict.fromkeys(rel.parent for rel in world.rels if rel.child in held)
    return tuple(held | parents)


def _still(structure: Structure, records: Sequence[Record], world: World, store: Store, head: Project) -> StructureLoad:
    horizon = horizon_of(head)
    sizes = {(r.name, p.name): entry_size(r, p, world) for r in records for p in r.paths if not p.scan}
    return StructureLoad(
        structure.name,
        partitions=tuple(_partitions(structure, records, sizes, world, store, horizon)),
        record_now={r.name: r.size for r in records},
        record_at_horizon={r.name: size_at(r, world, horizon) for r in records},
        record_crosses={r.name: crossings(r, world, fact(store, "max_record_bytes")) for r in records},
        storage=sum(_stored(r, sizes, r.count) for r in records),
        storage_at_horizon=sum(_stored(r, sizes, _later(r, world, horizon)) for r in records),
    )


def _partitions(
    structure: Structure,
    records: Sequence[Record],
    sizes: dict[tuple[str, str], Spread],
    world: World,
    store: Store,
    horizon: float,
) -> Iterator[PartitionSize]:
    """One size for what lies together: kinds of record with the same key texts, and index entries beside them."""
    together: dict[tuple[str, str], list[Member]] = {}
    for record in records:
        for path in record.paths:
            place = None if path.scan else home(record, path)
            parts = placing(place, store.can.range_sharded) if place is not None else ()
            beside = place is not path
            if place is None or not parts or (beside and not record.dialect.writing.unit):
                continue
            member = Member(record, parts, sizes[record.name, path.name], beside)
            together.setdefault((place.name, skeleton(parts)), []).append(member)
    most = structure.max.value if structure.max is not None and structure.max.value else inf
    soft, local = fact(store, "partition_bytes"), fact(store, "lsi_collection_bytes")
    for (path_name, _), members in together.items():
        limit = min(soft, local) if any(m.beside for m in members) else soft
        yield partition_size(path_name, members, world, limit, fact(store, "partition_rows"), horizon, most)


def horizon_of(project: Project) -> float:
    """Seconds the project looks ahead."""
    return project.horizon.value if project.horizon is not None and project.horizon.value else DEFAULT_HORIZON


def fact(store: Store, slug: str) -> float:
    """A limit of the store; inf where it has none."""
    return store.facts[slug].value if slug in store.facts else inf


def entry_size(record: Record, path: AccessPath, world: World) -> Spread:
    """Bytes of one entry of a path: the record for a primary path or a full projection, else keys and what it holds."""
    if path.primary:
        return record.size
    encoding = record.dialect.encoding
    keys = {p.attr for p in (*path.partition, *path.order) if p.attr} | record.key_attrs
    if path.holds is None:
        inside = record.size.avg
    else:
        inside = sum(_field(record, attr, world) for attr in sorted(keys | path.holds))
    size = encoding.entry(inside)
    return Spread(size, size, size)


def _field(record: Record, attr: str, world: World) -> float:
    stat = world.stats.get(attr)
    return record.dialect.encoding.field(attr, stat.type, stat.bytes.avg) if stat is not None else 0.0


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
    return record.count * count_at(record.of, world, horizon) / now if now else record.count
