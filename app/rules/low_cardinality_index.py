"""A node-local index on few values makes one huge list for each."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.candidate import Structure
from app.model.keys import parse_key_part
from app.plan.types import AccessPath, Record
from app.rules.ground import change, finding, index_of, short, size_evidence, without_index
from app.rules.rule import Evidence, Finding, Fix, StructureCase, rule
from app.rules.spread_key import clock
from app.rules.weigh import fact_evidence
from app.rules.words import count

MANY = 10_000.0
"""Rows of one value from which it is said."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A node-local index on few values makes one huge list for each.

    ## What it flags

    An index that every node keeps for its own rows, on an attribute of which one value has more than ten thousand
    rows. An error above the store's rows for one partition.

    ## Why it hurts

    Each value is one list on each node. Asking for it asks all nodes, and each reads its whole list; repairs and
    removed rows make it worse.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Push
    entities:
      - name: push
        count: 1.2M
        size: 150
        fields: [id uuid key, day date, at datetime monotonic, {name: status, values: {done: 95%, open: 5%}}]
    models:
      - name: A
        store: cassandra
        structures:
          - table: pushes
            of: push
            partition key: [push.day]
            clustering key: [push.at, push.id]
            indexes: [{keys: [push.status], type: 2i}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Push
    entities:
      - name: push
        count: 1.2M
        size: 150
        fields: [id uuid key, day date, at datetime monotonic, {name: status, values: {done: 95%, open: 5%}}]
    models:
      - name: A
        store: cassandra
        structures:
          - {table: pushes, of: push, partition key: [push.day], clustering key: [push.at, push.id]}
          - table: pushes_by_status
            of: push
            partition key: [push.status, day = push.at|day]
            clustering key: [push.at, push.id]
    ```

    ## When to allow it

    Where it is only asked together with the whole partition key: then one node reads one partition.

    ## Sources

    The stores' manuals on when not to use such an index; a field report of a count by status that stopped a node.
    """
    for record in case.records:
        for path in record.paths:
            if path.primary or path.scan or not path.placed_by or len(path.partition) != 1:
                continue
            found = index_of(case.structure, path, case.world)
            stat = case.world.stats.get(path.partition[0].attr)
            if found is None or stat is None or stat.unique:
                continue
            even = record.count / max(1.0, stat.distinct)
            largest = record.count * (stat.top if stat.top is not None else 1 / max(1.0, stat.distinct))
            if largest >= MANY and not stat.assumed:
                yield _finding(case, record, path, even, largest)


def _finding(case: StructureCase, record: Record, path: AccessPath, even: float, largest: float) -> Finding:
    attr, name = path.partition[0].attr, short(path, case.structure)
    stat = case.world.stats[attr]
    fact = case.store.facts.get("partition_rows")
    over = fact is not None and largest > fact.value
    limit = [fact_evidence(case.store, "partition_rows", "rows of one partition", count(fact.value))] if fact else []
    shown = f"{count(largest)} rows" if largest <= 1.01 * even else f"{count(largest)} rows, {count(even)} if even"
    return finding(
        case,
        "low-cardinality-index",
        "error" if over else "warning",
        f"{name} has {count(stat.distinct)} values for {count(record.count)} rows: the largest has {shown}",
        Evidence("rows of a value, even", count(even), even),
        Evidence("rows of the largest value", count(largest), largest, assumed=stat.top is None),
        size_evidence("entries of the largest value", largest * record.dialect.encoding.entry(stat.bytes.avg)),
        *limit,
        part=name,
        fixes=_fixes(case, record, path),
        patterns=[p.operation for p, plan, *_ in case.users if any(s.path == path.name for s in plan.every_step)],
    )


def _fixes(case: StructureCase, record: Record, path: AccessPath) -> tuple[Fix, ...]:
    found = index_of(case.structure, path, case.world)
    if found is None:
        return ()
    word, index = found
    drop = without_index(word, index)
    name = short(path, case.structure)
    attr, time = path.partition[0].attr, clock(path, record.of, case.world)
    table = f"{case.structure.name}_by_{attr.rpartition('.')[2]}"
    if not time or case.model.structure(table) is not None:
        return (change(case, f"Drop {name}", drop),)
    order = [time, *(k for k in case.world.keys.get(record.of, ()) if k != time)]
    new = Structure(
        kind=case.structure.kind,
        name=table,
        of=record.of,
        partition_key=tuple(parse_key_part(k) for k in (attr, f"day = {time}|day")),
        clustering_key=tuple(parse_key_part(k) for k in order),
    )
    return (change(case, f"Keep a table {table} by {attr} and day instead of {name}", lambda s: (drop(s), new)),)
