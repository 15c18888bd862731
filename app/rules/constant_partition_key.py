"""All records of a kind share one partition."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from app.plan.types import AccessPath, Record
from app.rules.ground import finding, size_evidence
from app.rules.hot_partition import NEAR, constant
from app.rules.rule import Evidence, Finding, Severity, StructureCase, rule
from app.rules.spread_key import clock, spread
from app.rules.weigh import fact_evidence
from app.rules.words import count, size

FEW = 10_000.0
"""Records that one partition holds without harm."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """All records of a kind share one partition.

    ## What it flags

    A partition key that is the same text for every record. An error if the load passes half of the store's ceiling for
    one partition or the size its limit, a warning from ten thousand records on.

    ## Why it hurts

    The whole table then has the capacity of one partition, whatever is paid for, and it only grows.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Tasks
    entities:
      - {name: task, count: 30M, size: 2 KB, fields: [id uuid key, created_at datetime monotonic]}
    patterns:
      - {operation: New task, insert: task, set: {task.created_at: now}, rate: {peak: 1200/s}}
    models:
      - name: One list
        store: dynamodb
        structures:
          - table: tasks
            records: [{of: task, pk: "{task.id}"}]
            gsi: [{name: by_time, pk: ALL, sk: "{task.created_at}", of: [task], projection: all}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Tasks
    entities:
      - {name: task, count: 30M, size: 2 KB, fields: [id uuid key, created_at datetime monotonic]}
    patterns:
      - {operation: New task, insert: task, set: {task.created_at: now}, rate: {peak: 1200/s}}
    models:
      - name: A list for each day and shard
        store: dynamodb
        structures:
          - table: tasks
            records: [{of: task, pk: "{task.id}"}]
            gsi:
              - {name: by_day, pk: "{task.created_at|day}#{shard 5}", sk: "{task.created_at}", of: [task]}
    ```

    ## When to allow it

    A short list that changes seldom: settings, a menu, the countries.

    ## Sources

    The stores' `partition_writes_per_second` and `partition_reads_per_second`; field reports of lists under one key.
    """
    for record in case.records:
        for path in record.paths:
            if not path.scan and not path.fetches and constant(path, case):
                found = _judge(case, record, path)
                if found is not None:
                    yield found


def _judge(case: StructureCase, record: Record, path: AccessPath) -> Finding | None:
    load = next((p for p in case.load.paths if p.path == path.name), None)
    held = next((p for p in case.load.partitions if p.path == path.name and record.name in p.of), None)
    facts = case.store.facts
    evidence: list[Evidence] = []
    severity: Severity | None = None
    said, shards = "", 1.0
    for kind, units in (("writes", load.writes), ("reads", load.reads)) if load is not None else ():
        fact = facts.get(f"partition_{kind}_per_second")
        if fact is None or units <= fact.value * NEAR:
            continue
        severity = "error"
        word = f"{count(units)} {fact.unit}"
        evidence += [
            Evidence(f"{kind} of this partition", word, units),
            fact_evidence(case.store, f"partition_{kind}_per_second", "ceiling", f"{count(fact.value)} {fact.unit}"),
        ]
        said = said or f"{word} against {count(fact.value)}"
        if kind == "writes":
            shards = max(shards, ceil(units / (NEAR * fact.value)))
    if held is not None:
        evidence.append(size_evidence("size of the partition", held.bytes.max))
        if held.crosses_p99 is not None:
            severity = "error"
            said = said or f"{size(held.bytes.max)} against {size(held.limit)}"
    stored = record.count * record.entries.avg
    if severity is None and stored < FEW:
        return None
    message = f"every {record.of} lies in one partition of {path.name} ({count(stored)} records)"
    return finding(
        case,
        "constant-partition-key",
        severity or "warning",
        f"{message}: {said}" if said else message,
        Evidence("records", count(stored), stored),
        *evidence,
        part="" if path.primary else path.name.removeprefix(f"{case.structure.name}."),
        fixes=spread(case, path, *_cut(case, record, path, shards)),
        patterns=[h.pattern for h in load.heats] if load is not None else (),
    )


def _cut(case: StructureCase, record: Record, path: AccessPath, shards: float) -> tuple[str, tuple[str, ...]]:
    """A time bucket where the path has a time, and as many shards as the writes need."""
    time = clock(path, record.of, case.world)
    key = next(iter(record.key_attrs - {p.attr for p in path.partition}), "")
    if path.primary and key:
        return f"Add {key}|hash {max(16, shards):.0f} to the key of {path.name}", (f"{key}|hash {max(16, shards):.0f}",)
    parts = [f"{time}|day"] if time and case.world.stats[time].type in ("datetime", "date") else []
    if shards > 1 or not parts:
        parts.append(f"shard {max(shards, 4 if not parts else 1):.0f}")
    return f"Add {' and '.join(parts)} to the key of {path.name}", tuple(parts)
