"""What a cache holds changes, and nothing refreshes the cache."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.model.growth import consistency_of
from app.model.workload import Pattern
from app.plan.types import Plan, Record
from app.rules.ground import change, finding
from app.rules.rule import Evidence, Finding, ModelCase, rule
from app.rules.words import duration


@rule(severity="warning", scope="model")
def check(case: ModelCase) -> Iterator[Finding]:
    """What a cache holds changes, and nothing refreshes the cache.

    ## What it flags

    A cache without `on change`, where patterns change what it holds and its keys live longer than a reader accepts.

    ## Why it hurts

    After a change readers see the old value until the key expires, which is later than they agreed to.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id string key avg 6, body json avg 2 KB]}
    patterns:
      - {operation: Page, get: product, where: "product.id = :p", needs: product, consistency: eventual 1 min}
      - {operation: Change, update: product, where: "product.id = :p", set: {product.body: ":b"}, rate: 1/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - store: redis
            keys: "cache:product:{product.id}"
            type: string
            of: product
            ttl: 1 h
            purpose: cache
            truth: products
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id string key avg 6, body json avg 2 KB]}
    patterns:
      - {operation: Page, get: product, where: "product.id = :p", needs: product, consistency: eventual 1 min}
      - {operation: Change, update: product, where: "product.id = :p", set: {product.body: ":b"}, rate: 1/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - store: redis
            keys: "cache:product:{product.id}"
            type: string
            of: product
            ttl: 1 h
            purpose: cache
            truth: products
            on change: delete key
    ```

    ## When to allow it

    Where the old value does no harm for as long as a key lives: then let the reads accept that age.

    ## Sources

    The project format: `on change`, consistency. A deleted key is read from the truth by the next reader.
    """
    for record in case.records:
        if record.purpose != "cache" or record.on_change or record.static:
            continue
        held = _held(record, case)
        writers = [p for p, plan in case.plans if p.is_write and _changes(p, held, record, case)]
        if not writers:
            continue
        lives = record.ttl or inf
        asked = [(p, _age(p, record)) for p, _ in case.plans if p.is_read and p.entity == record.of]
        strict = [(p, age) for p, age in asked if age is not None and 0 < age < lives]
        unsaid = any(p.is_read and not p.consistency and _reads(plan, record) for p, plan in case.plans)
        if not strict and not (lives == inf and unsaid):
            continue
        names = ", ".join(p.operation for p in writers[:2])
        life = f"for {duration(lives)}" if lives < inf else "for ever"
        least = min((a for _, a in strict), default=0.0)
        accepts = f"; {strict[0][0].operation} accepts {duration(least)}" if strict and least else ""
        yield finding(
            case,
            "cache-without-invalidation",
            "warning",
            f"{names} changes what {record.structure} holds, and the old value stays {life}{accepts}",
            Evidence("time to live", duration(lives), lives if lives < inf else None),
            *((Evidence("greatest age a reader accepts", duration(least), least),) if strict else ()),
            structure=record.structure,
            fixes=(
                change(
                    case,
                    "Delete the key on change",
                    lambda s: s.model_copy(update={"on_change": "delete key"}),
                    record.structure,
                ),
            ),
            patterns=[p.operation for p in writers] + [p.operation for p, _ in strict],
        )


def _held(record: Record, case: ModelCase) -> frozenset[str]:
    """Attributes the cached value repeats, without its key."""
    found: set[str] = set()
    for node in record.shape:
        found |= set(case.world.fields.get(node.entity, ())) if node.attrs is None else node.attrs
    return frozenset(found) - record.key_attrs


def _changes(pattern: Pattern, held: frozenset[str], record: Record, case: ModelCase) -> bool:
    """Does the pattern set something held, or remove the record? A new record is in no cache yet."""
    if pattern.action == "delete" and pattern.entity == record.of:
        return True
    if pattern.action not in ("update", "upsert"):
        return any(
            {n if "." in n else f"{also.entity}.{n}" for n in also.set} & held for also in pattern.also if also.update
        )
    names = {n if "." in n else f"{pattern.entity}.{n}" for n in pattern.set}
    return bool({case.world.own(pattern.entity, n) for n in names} & held)


def _reads(plan: Plan, record: Record) -> bool:
    paths = {p.name for p in record.paths}
    return any(s.path in paths for s in plan.every_step)


def _age(pattern: Pattern, record: Record) -> float | None:
    ages = [consistency_of(pattern, node.entity).age for node in record.shape]
    known = [a for a in ages if a is not None]
    return min(known) if known else None
