"""A partition key has too few values to spread."""

from __future__ import annotations

from collections.abc import Iterator

from app.forecast.heat import placing
from app.plan.joint import of_entity
from app.plan.types import AccessPath, Record
from app.rules.ground import finding, size_evidence
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.spread_key import spread
from app.rules.weigh import fact_evidence
from app.rules.words import count, percent, rate, size

PER_NODE = 10.0
"""Values per node below which records cannot be spread evenly."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A partition key has too few values to spread.

    ## What it flags

    A partition key with fewer than ten values for each node, where the records of one value are more than the store
    can move at once (an error) or where there are fewer values than nodes (a warning).

    ## Why it hurts

    One value cannot be split, so its records stay on one node however large they get, and nodes without a value stay
    empty.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - name: order
        count: 100M
        size: 1 KB
        fields: [id int64 key, {name: country, type: string, values: {NO: 60%, SE: 25%, DK: 15%}}]
    patterns:
      - {operation: New order, insert: order, rate: {peak: 4k/s}}
    models:
      - name: Country
        store: mongodb
        nodes: 6
        structures: [{collection: orders, of: order, _id: order.id, shard key: [order.country]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - name: order
        count: 100M
        size: 1 KB
        fields: [id int64 key, {name: country, type: string, values: {NO: 60%, SE: 25%, DK: 15%}}]
    patterns:
      - {operation: New order, insert: order, rate: {peak: 4k/s}}
    models:
      - name: Country and id
        store: mongodb
        nodes: 6
        structures: [{collection: orders, of: order, _id: order.id, shard key: [order.country, order.id]}]
    ```

    ## When to allow it

    Where each value has its own region and stays small.

    ## Sources

    The stores' `partition_bytes`: what is above it and has one key value cannot be moved. Ten values for each node is a
    rule of thumb.
    """
    for record in case.records:
        path = record.primary
        parts = placing(path, case.store.can.range_sharded)
        nodes = case.model.nodes.value if case.model.nodes is not None else None
        if not parts or not nodes or nodes <= 1 or case.store.can.by_key_only or case.store.can.single_table:
            continue
        if any(p.kept.fan or p.kept.bucket or not p.attr for p in parts):
            continue
        stats = [case.world.stats.get(p.attr) for p in parts]
        if any(s is None or s.assumed for s in stats):
            continue
        values = of_entity((p.attr for p in parts), case.world)
        if values < PER_NODE * nodes:
            found = _judge(case, record, path, values, nodes)
            if found is not None:
                yield found


def _judge(case: StructureCase, record: Record, path: AccessPath, values: float, nodes: float) -> Finding | None:
    held = next((p for p in case.load.partitions if p.path == path.name), None)
    limit = case.store.facts.get("partition_bytes")
    largest = held.bytes.max if held is not None else 0.0
    over = limit is not None and largest > limit.value
    if not over and values >= nodes:
        return None
    load = next((p for p in case.load.paths if p.path == path.name), None)
    key = ", ".join(p.attr for p in placing(path, case.store.can.range_sharded))
    evidence = [Evidence("values of the key", count(values), values), Evidence("nodes", count(nodes), nodes)]
    message = f"{key} has {count(values)} values for {count(nodes)} nodes"
    if over and limit is not None:
        message += f"; the largest has {size(largest)}, and one value above {size(limit.value)} cannot be split"
        evidence.append(size_evidence("records of the largest value", largest))
        evidence.append(fact_evidence(case.store, "partition_bytes", "largest part that moves", size(limit.value)))
    if load is not None and load.writes >= 1:
        top = max((h for h in load.heats if h.write), key=lambda h: h.load)
        evidence.append(Evidence("writes on its node", f"{rate(load.writes)} ({percent(top.share)})", load.writes))
    more = [a for a in case.world.keys.get(record.of, ()) if a not in {p.attr for p in path.placed_by}]
    label = f"Add {', '.join(more)} to the key"
    return finding(
        case,
        "low-cardinality-key",
        "error" if over else "warning",
        message,
        *evidence,
        fixes=spread(case, path, label, tuple(more)) if more else (),
        patterns=[h.pattern for h in load.heats] if load is not None else (),
    )
