"""What time and traffic do to a model: sizes of records and partitions, when limits are crossed, hot partitions."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.analysis import ModelReport
from app.exporters.markdown_text import code, plain, table
from app.exporters.words import spread_text
from app.forecast.load import PartitionSize, PathLoad, StructureLoad
from app.forecast.structure import fact
from app.model.spread import Spread
from app.rules.words import count, duration, percent, rate, size
from app.stores import STORES
from app.stores.store import Store

WORTH_SAYING = 0.001
"""Share of a partition's ceiling below which its load is no news."""


def forecast(made: ModelReport) -> Iterator[str]:
    """Tables of one model; a table with nothing to say is left out."""
    loads = list(made.loads.items())
    records = [row for name, load in loads for row in _records(_store(made, name), name, load)]
    if records:
        yield "### Record sizes\n"
        head: tuple[str, ...] = (
            "Structure",
            "Record",
            "Now",
            "At the horizon",
            "Limit",
            "p99 crosses",
            "Maximum crosses",
        )
        yield table(head, records)
    partitions = [row for name, load in loads for row in _partitions(name, load)]
    if partitions:
        yield "### Partition sizes at the horizon\n"
        head = (
            "Structure",
            "Of",
            "Records",
            "Bytes",
            "Limit",
            "Growth of the largest",
            "p99 crosses",
            "Maximum crosses",
        )
        yield table(head, partitions)
    hot = [row for name, load in loads for path in load.paths for row in _heat(_store(made, name), path)]
    if hot:
        yield "### Hottest partitions\n"
        yield (
            "Units per second that reach the busiest partition at peak, and what one partition takes; "
            f"less than {percent(WORTH_SAYING)} of it is left out.\n"
        )
        yield table(
            ("Key or index", "Kind", "Load", "One takes", "Used", "Most of it from", "Why"), hot, right=(2, 3, 4)
        )
    storage = [(code(n), size(x.storage), size(x.storage_at_horizon)) for n, x in loads if x.storage]
    if storage:
        yield "### Storage\n"
        yield table(("Structure", "Now", "At the horizon"), storage, right=(1, 2))


def _store(made: ModelReport, structure: str) -> Store:
    found = made.model.structure(structure)
    return STORES.get(made.model.store_of(found), made.store) if found is not None else made.store


def _records(store: Store, name: str, load: StructureLoad) -> Iterator[tuple[str, ...]]:
    limit = fact(store, "max_record_bytes")
    for record, now in load.record_now.items():
        p99, most = load.record_crosses.get(record, (None, None))
        later = load.record_at_horizon.get(record, now)
        yield code(name), _other(record, name), _bytes(now), _bytes(later), _limit(limit), _when(p99), _when(most)


def _partitions(name: str, load: StructureLoad) -> Iterator[tuple[str, ...]]:
    for part in load.partitions:
        if part.rows.max <= 1 and not part.unbounded:
            continue  # a partition of one record is its record
        yield (
            code(part.path),
            plain(", ".join(_kind(record, name) for record in part.of)),
            spread_text(part.rows, count),
            _bytes(part.bytes),
            _limit(part.limit),
            _growth(part),
            _when(part.crosses_p99),
            _when(part.crosses_max),
        )


def _growth(part: PartitionSize) -> str:
    if not part.unbounded:
        return "bounded"
    return f"{size(part.grows * 86_400)}/day, no bound" if part.grows else "no bound"


def _heat(store: Store, path: PathLoad) -> Iterator[tuple[str, ...]]:
    for kind, write, load, slug in (
        ("writes", True, path.writes, "partition_writes_per_second"),
        ("reads", False, path.reads, "partition_reads_per_second"),
    ):
        heats = sorted((h for h in path.heats if h.write == write), key=lambda h: -h.load)
        ceiling = fact(store, slug)
        if not heats or not load or load < WORTH_SAYING * ceiling < inf:
            continue
        most = heats[0]
        used = percent(load / ceiling) if ceiling < inf else "–"
        mark = "≈" if most.assumed else ""
        unknown = f" (share of the busiest {', '.join(path.share_unknown)} unknown)" if path.share_unknown else ""
        takes = rate(ceiling) if ceiling < inf else "not said"
        yield code(path.path), kind, mark + rate(load), takes, used, plain(most.pattern), plain(most.why + unknown)


def _other(record: str, structure: str) -> str:
    """The kind of record, where a structure holds several."""
    return plain(_kind(record, structure)) if record != structure else ""


def _kind(record: str, structure: str) -> str:
    return record.removeprefix(f"{structure}/")


def _bytes(spread: Spread) -> str:
    return spread_text(spread, size)


def _limit(limit: float) -> str:
    return size(limit) if limit < inf else "none"


def _when(seconds: float | None) -> str:
    return "–" if seconds is None else "already" if seconds == 0 else f"in {duration(seconds)}"
