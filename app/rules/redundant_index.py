"""An index that another index contains."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import AccessPath
from app.rules.ground import change, finding, index_of, short, size_evidence, without_index
from app.rules.rule import Finding, StructureCase, rule


@rule(severity="advice", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """An index that another index contains.

    ## What it flags

    An index whose attributes are the first attributes of another one, in the same directions, on the same records. An
    index that is unique stays: it guards its values.

    ## Why it hurts

    Every write keeps both, both take memory, and the longer one answers everything the shorter one does.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 1M, fields: [id objectid key, user_id uuid distinct 100k, created_at datetime]}
    models:
      - name: A
        store: mongodb
        structures:
          - collection: orders
            of: order
            _id: order.id
            indexes: [{keys: [order.user_id]}, {keys: [order.user_id, order.created_at desc]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Orders
    entities:
      - {name: order, count: 1M, fields: [id objectid key, user_id uuid distinct 100k, created_at datetime]}
    models:
      - name: A
        store: mongodb
        structures:
          - collection: orders
            of: order
            _id: order.id
            indexes: [{keys: [order.user_id, order.created_at desc]}]
    ```

    ## When to allow it

    Where the longer index is many times larger and the shorter one has to stay in memory.

    ## Sources

    The stores' manuals: an index serves every query on its first attributes.
    """
    for record in case.records:
        paths = [p for p in record.paths if not p.primary and not p.scan]
        if len(paths) < 2:
            continue
        for path in paths:
            larger = next((p for p in paths if p is not path and _contains(p, path, paths)), None)
            found = index_of(case.structure, path, case.world) if larger is not None else None
            if larger is None or found is None or found[1].unique or len(found[1].of) > 1 or found[1].records:
                continue
            word, index = found
            name, other = short(path, case.structure), short(larger, case.structure)
            bytes_ = record.count * record.dialect.encoding.entry(_width(path, case))
            yield finding(
                case,
                "redundant-index",
                "advice",
                f"{name} is the beginning of {other}, which answers the same",
                size_evidence("bytes it takes", bytes_),
                part=name,
                fixes=(change(case, f"Drop {name}", without_index(word, index)),),
            )


def _contains(larger: AccessPath, path: AccessPath, paths: list[AccessPath]) -> bool:
    """Does `larger` begin as `path` does, on the same records, with all that it holds?"""
    own, other = _order(path), _order(larger)
    if larger.kind != path.kind or path.hashed or larger.hashed or path.only != larger.only:
        return False
    if path.partition != larger.partition or other[: len(own)] != own or not (own or path.partition):
        return False
    if larger.holds is not None and (path.holds is None or not path.holds <= larger.holds):
        return False
    same = other == own and (larger.holds is None) == (path.holds is None) and larger.holds == path.holds
    return not same or paths.index(larger) < paths.index(path)


def _order(path: AccessPath) -> list[tuple[str, int, object]]:
    """Attributes and directions; the record's own key that a store appends is no part of it."""
    return [(p.attr, p.dir, p.kept) for p in path.order if p.attr]


def _width(path: AccessPath, case: StructureCase) -> float:
    parts = (*path.partition, *path.order)
    return sum(case.world.stats[p.attr].bytes.avg for p in parts if p.attr in case.world.stats)
