"""What all patterns together do to one structure: heat of the hottest partition, partition size, growth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from app.model.spread import ZERO, Spread


@dataclass(frozen=True, slots=True)
class Heat:
    """Load of the hottest partition by one pattern on one access path.

    `rate`: peak operations/s (average where no peak is given, then `assumed`), × the records a write meets.
    `units`: per operation. `share`: of the hottest partition. `why`: where the share comes from in words. `key`: the
    attribute that concentrates it most.
    """

    pattern: str
    path: str
    write: bool
    rate: float
    units: float
    share: float
    why: str
    assumed: bool = False
    key: str = ""
    value: str = ""
    """The one value this lands on, where it is known: a literal, `now`, `end`."""
    group: str = ""
    """Texts of the key: partitions whose keys begin with different texts are never the same."""
    unknown: tuple[str, ...] = ()
    """Attributes whose busiest value is not known."""
    bound: float = 1.0
    """Share if every unknown attribute had one value only."""

    @property
    def load(self) -> float:
        return self.rate * self.units * self.share


@dataclass(frozen=True, slots=True)
class PathLoad:
    """One access path: hottest-partition load by writes and by reads (units/s), and where it comes from."""

    path: str
    writes: float = 0.0
    reads: float = 0.0
    heats: tuple[Heat, ...] = ()
    share_unknown: tuple[str, ...] = ()
    """Attributes whose share of the busiest value is not known."""


@dataclass(frozen=True, slots=True)
class PartitionSize:
    """Size of the partitions of one path at the horizon: average, p99 and maximum.

    `rows` and `bytes` of live data, index entries kept beside the records included; `purged_bytes` of the largest until
    expired records are purged. `now`: bytes today. `grows`: bytes/s of the largest (0: bounded). `crosses_p99`,
    `crosses_max`: seconds from now until the limit is passed (None: never before the horizon, or no limit). `limit`:
    bytes it was held against (inf: none). `of`: names of the kinds of record that share the partition.
    """

    path: str
    rows: Spread = ZERO
    bytes: Spread = ZERO
    purged_bytes: float = 0.0
    unbounded: bool = False
    grows: float = 0.0
    crosses_p99: float | None = None
    crosses_max: float | None = None
    now: Spread = ZERO
    purged_rows: float = 0.0
    limit: float = inf
    of: tuple[str, ...] = ()
    local: bool = False
    """Index entries lie beside the records, in the same partition."""


@dataclass(frozen=True, slots=True)
class StructureLoad:
    """Everything known of one structure at the current numbers."""

    structure: str
    paths: tuple[PathLoad, ...] = ()
    partitions: tuple[PartitionSize, ...] = ()
    record_now: Mapping[str, Spread] = field(default_factory=dict)
    """Bytes of each kind of record now."""
    record_at_horizon: Mapping[str, Spread] = field(default_factory=dict)
    record_crosses: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    """Seconds from now at which p99 and maximum of each kind pass the hard record limit (0: already)."""
    storage: float = 0.0
    """Bytes stored now, index entries included."""
    storage_at_horizon: float = 0.0
