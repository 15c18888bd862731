"""A shard key that only rises sends every new record to one shard."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.ground import finding
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.spread_key import hashed
from app.rules.words import count, rate

MUCH = 1000.0
"""Inserts per second on one shard from which it is an error: about what one server is known to take. An assumption."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A shard key that only rises sends every new record to one shard.

    ## What it flags

    A key whose first part only rises (a sequence, a time, an id made of time) in a store that keeps neighbouring values
    together, unless it is hashed. An error from a thousand inserts per second on.

    ## Why it hurts

    All inserts hit the shard with the highest range. More shards add no write capacity, and the store moves records
    away from it all day.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 100M, size: 1 KB, fields: [id int64 key monotonic, customer_id uuid distinct 2M]}
    patterns:
      - {operation: New order, insert: order, rate: {peak: 4k/s}}
    models:
      - name: Ranged
        store: mongodb
        nodes: 6
        structures: [{collection: orders, of: order, _id: order.id, shard key: [order.id]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 100M, size: 1 KB, fields: [id int64 key monotonic, customer_id uuid distinct 2M]}
    patterns:
      - {operation: New order, insert: order, rate: {peak: 4k/s}}
    models:
      - name: Hashed
        store: mongodb
        nodes: 6
        structures: [{collection: orders, of: order, _id: order.id, shard key: [order.id hashed]}]
    ```

    ## When to allow it

    Where inserts are few and ranges of the key are read all the time: hashing turns each of them into a question to all
    shards.

    ## Sources

    The stores' manuals on choosing a shard key. A thousand inserts per second on one shard is an assumption.
    """
    for load in case.load.paths:
        rising = [h for h in load.heats if h.write and h.value.split("|")[0] == "end"]
        if not rising:
            continue
        inserts = sum(h.rate * h.share for h in rising)
        nodes = case.model.nodes.value if case.model.nodes is not None and case.model.nodes.value else 1.0
        ranged = [
            p.operation
            for p, plan, *_ in case.users
            if p.is_read and any(c.attr == rising[0].key and c.op != "=" for s in plan.steps for c in s.conds)
        ]
        scattered = f"; {', '.join(ranged[:3])} would then ask all shards" if ranged else ""
        fair = f", against {rate(inserts / nodes)} on each of {count(nodes)} nodes if spread" if nodes > 1 else ""
        yield finding(
            case,
            "rising-key",
            "error" if inserts >= MUCH else "warning",
            f"{rising[0].key} only rises: all of {rate(inserts)} inserts go to one shard{fair}",
            Evidence("inserts on the last shard", rate(inserts), inserts),
            Evidence("even share of a node", rate(inserts / nodes), inserts / nodes),
            fixes=hashed(case, f"Hash {rising[0].key}: inserts spread over all shards{scattered}"),
            patterns=[h.pattern for h in rising] + ranged,
        )
