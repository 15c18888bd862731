"""An index that no pattern uses."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import Level
from app.rules.ground import change, finding, index_of, short, without_index
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.words import count, rate


@rule(severity="advice", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """An index that no pattern uses.

    ## What it flags

    An index by which no read is served and no write finds its records, in a structure that patterns use. One that is
    unique is kept: it guards its values.

    ## Why it hurts

    It is written with every record, and its memory is missing elsewhere.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 1M, fields: [id objectid key, user_id uuid distinct 100k, coupon string distinct 500]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 50/s}
      - {operation: New order, insert: order, rate: 20/s}
    models:
      - name: A
        store: mongodb
        structures: [{collection: orders, of: order, _id: order.id, indexes: [{keys: [order.coupon]}]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 1M, fields: [id objectid key, user_id uuid distinct 100k, coupon string distinct 500]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 50/s}
      - {operation: New order, insert: order, rate: 20/s}
    models:
      - name: A
        store: mongodb
        structures: [{collection: orders, of: order, _id: order.id}]
    ```

    ## When to allow it

    Where people ask by hand, or a pattern is still to be written down.

    ## Sources

    The plans of the patterns on this model.
    """
    reads = [plan for pattern, plan, *_ in case.users if pattern.is_read]
    if not reads or any(plan.level is Level.IMPOSSIBLE for plan in reads):
        return  # what no way serves might still be meant for the index
    used = case.reads | case.finds
    names: set[str] = set()
    for record in case.records:
        for path in record.paths:
            found = index_of(case.structure, path, case.world)
            if path.name in used or path.name in names or found is None or path.unique or found[1].unique:
                continue
            names.add(path.name)
            word, index = found
            writes = sum(
                (avg or peak or 0.0) * t.entries.get(path.name, 0.0) * t.count.avg
                for _, plan, avg, peak in case.users
                for t in plan.touches
                if t.record == record.name
            )
            name = short(path, case.structure)
            yield finding(
                case,
                "unused-index",
                "advice",
                f"no pattern uses {name}; it is written {rate(writes)}" if writes else f"no pattern uses {name}",
                Evidence("entries", count(record.count), record.count),
                Evidence("entries written", rate(writes), writes),
                part=name,
                fixes=(change(case, f"Drop {name}", without_index(word, index)),),
            )
