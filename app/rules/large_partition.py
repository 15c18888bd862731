"""A partition grows larger than the store handles well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from app.forecast.heat import placing
from app.forecast.load import PartitionSize
from app.forecast.structure import horizon_of
from app.plan.types import AccessPath, Level, Record
from app.rules.cut_partition import cut
from app.rules.ground import finding, size_evidence
from app.rules.hot_partition import constant
from app.rules.rule import Ask, Evidence, Finding, Severity, StructureCase, rule
from app.rules.unsaid import at_most_advice, cannot_judge, guessed_partition, of_partition, of_record
from app.rules.weigh import fact_evidence
from app.rules.words import count, duration, size

FAR = 10.0
"""Times the soft limit from which it is an error."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A partition grows larger than the store handles well.

    ## What it flags

    A partition whose bytes or rows pass the store's limit at p99 or at the maximum, now or before the horizon. An
    error from ten times the limit on at p99, else a warning; advice where the limit is an assumption. Rows that have
    expired count until they are purged.

    ## Why it hurts

    A partition lives on one node as one piece: it is repaired, moved and compacted as a whole, and reads in it get
    slower with every row.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Metrics
    entities:
      - {name: host, count: 200, fields: [id string key avg 12]}
      - name: metric
        size: 150
        keep: 30 days
        fields: [host_id string, name string key avg 30, at datetime key monotonic]
    relationships:
      - {parent: host, child: metric, via: host_id, children: {avg: 86M, p99: 86M, max: 90M}}
    patterns:
      - {operation: Record, insert: metric, batch: 2000, rate: 200 per 60 s}
    models:
      - name: By host
        store: cassandra
        structures:
          - {table: metrics, of: metric, partition key: [metric.host_id], clustering key: [metric.at, metric.name]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Metrics
    entities:
      - {name: host, count: 200, fields: [id string key avg 12]}
      - name: metric
        size: 150
        keep: 30 days
        fields: [host_id string, name string key avg 30, at datetime key monotonic]
    relationships:
      - {parent: host, child: metric, via: host_id, children: {avg: 86M, p99: 86M, max: 90M}}
    patterns:
      - {operation: Record, insert: metric, batch: 2000, rate: 200 per 60 s}
    models:
      - name: By host and minute
        store: cassandra
        structures:
          - table: metrics
            of: metric
            partition key: [metric.host_id, minute = metric.at|minute]
            clustering key: [metric.at, metric.name]
    ```

    ## When to allow it

    Where the largest partitions are few, are read by their full key only, and stop growing.

    ## Sources

    The stores' `partition_bytes` and `partition_rows`, soft limits by their vendors' word.
    """
    for record in case.records:
        if record.static or record.purpose in ("queue", "cache"):
            continue
        for path in record.paths:
            parts = placing(path, case.store.can.range_sharded)
            held = next((p for p in case.load.partitions if p.path == path.name and record.name in p.of), None)
            if held is None or path.scan or held.local or constant(path, case) or not parts or _few(case, path):
                continue
            found = _judge(case, record, path, held)
            if found is not None:
                yield found


def _few(case: StructureCase, path: AccessPath) -> bool:
    """Fewer values than nodes need: `low-cardinality-key` says it."""
    nodes = case.model.nodes.value if case.model.nodes is not None and case.model.nodes.value else 0.0
    stats = [case.world.stats.get(p.attr) for p in placing(path, case.store.can.range_sharded)]
    return case.store.can.range_sharded and len(stats) == 1 and stats[0] is not None and stats[0].distinct < 10 * nodes


@dataclass(frozen=True, slots=True)
class _Limit:
    slug: str
    limit: float
    p99: float
    most: float
    shown: str


def _judge(case: StructureCase, record: Record, path: AccessPath, held: PartitionSize) -> Finding | None:
    limits = list(_limits(case, held))
    if not limits or (held.crosses_p99 is None and held.crosses_max is None and held.purged_bytes <= held.limit):
        return None
    parts = placing(path, case.store.can.range_sharded)
    part = "" if path.primary else path.name.removeprefix(f"{case.structure.name}.")
    asks = _lacking(case, record, path, held)
    writers = [p.operation for p, *_ in case.users if p.is_write]
    if asks:
        what = f"the largest partition of {path.name}"
        return cannot_judge(case, "large-partition", what, asks, part=part, patterns=writers)
    rough = guessed_partition(record, parts, case.world)
    worst = max(limits, key=lambda x: max(x.p99, x.most) / x.limit)
    fact = case.store.facts[worst.slug]
    severity: Severity = "error" if worst.p99 > FAR * worst.limit else "warning"
    if fact.assumed or rough:
        severity = at_most_advice(severity)
    against = " and ".join(x.shown for x in limits)
    many, bytes_ = (held.purged_rows, held.purged_bytes) if _expires(held) else (held.rows.max, held.bytes.max)
    until = f" until purged ({count(held.rows.max)} rows, {size(held.bytes.max)} live)" if _expires(held) else ""
    day, mark = _day(held), "≈" if rough else ""
    then = f" in {duration(horizon_of(case.project))}"
    now = f"; {mark}{size(held.now.max)} today" if held.now.max < inf else ""
    grown = f"{mark}{count(many)} rows, {mark}{size(bytes_)}{until}"
    message = f"{grown} in the largest partition of {path.name}{then}{now}{day}, against {against}"
    evidence = [
        Evidence(f"rows, average{then}", count(held.rows.avg), held.rows.avg, assumed=rough),
        Evidence(f"rows, largest{then}", count(held.rows.max), held.rows.max, assumed=rough),
        size_evidence("bytes, largest today", held.now.max, assumed=rough),
        size_evidence(f"bytes, average{then}", held.bytes.avg, assumed=rough),
        size_evidence(f"bytes, largest{then}", held.bytes.max, assumed=rough),
    ]
    if _expires(held):
        evidence += [
            Evidence("rows until purged", count(held.purged_rows), held.purged_rows),
            size_evidence("bytes until purged", held.purged_bytes),
        ]
    evidence += [fact_evidence(case.store, x.slug, "limit", x.shown) for x in limits]
    return finding(
        case,
        "large-partition",
        severity,
        message,
        *evidence,
        part=part,
        fixes=() if rough else cut(case, record, path, held, FAR if severity == "error" else 1.0),
        patterns=writers,
    )


def _lacking(case: StructureCase, record: Record, path: AccessPath, held: PartitionSize) -> tuple[Ask, ...]:
    """What nobody gave and the size rests on: rows of each kind that lies there, children inside of them."""
    by_range = case.store.can.range_sharded
    asks = list(of_partition(record, placing(path, by_range), case.world))
    for other in case.records:
        if other.name in held.of:
            asks += of_record(other)
            if other is not record:
                asks += of_partition(other, placing(other.primary, by_range), case.world)
    return tuple(dict.fromkeys(asks))


def _expires(held: PartitionSize) -> bool:
    return held.purged_rows > 1.01 * held.rows.max


def _limits(case: StructureCase, held: PartitionSize) -> Iterator[_Limit]:
    """The limits that are passed within the horizon."""
    purged = _expires(held)
    facts = case.store.facts
    if (fact := facts.get("partition_bytes")) is not None:
        p99 = held.purged_bytes if purged else held.bytes.high
        most = max(held.purged_bytes if purged else 0.0, held.bytes.max if held.bytes.max < inf else 0.0)
        if max(p99, most) > fact.value:
            yield _Limit("partition_bytes", fact.value, p99, most, size(fact.value))
    if (fact := facts.get("partition_rows")) is not None and not _by_rank(case):
        p99 = held.purged_rows if purged else held.rows.high
        most = max(held.purged_rows if purged else 0.0, held.rows.max if held.rows.max < inf else 0.0)
        if max(p99, most) > fact.value:
            yield _Limit("partition_rows", fact.value, p99, most, f"{count(fact.value)} {fact.unit}")


def _by_rank(case: StructureCase) -> bool:
    """Is it a sorted set of which every read takes a page? Its length costs nothing then."""
    reads = [s for p, plan, *_ in case.users if p.is_read for s in plan.steps if s.structure == case.structure.name]
    return case.structure.type.startswith("sorted set") and all(s.limit or s.level is Level.KEY_LOOKUP for s in reads)


def _day(held: PartitionSize) -> str:
    """When the limit is passed, where it is not yet."""
    if held.crosses_max == 0 or held.crosses_p99 == 0:
        return ""
    soonest = min((t for t in (held.crosses_p99, held.crosses_max) if t is not None), default=None)
    return f"; it passes the limit in {duration(soonest)}" if soonest else ""
