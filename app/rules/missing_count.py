"""An entity does not say how many records there are."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.rule import Ask, EntityCase, Evidence, Finding, rule
from app.rules.words import count


@rule(severity="question", scope="entity")
def check(case: EntityCase) -> Iterator[Finding]:
    """An entity does not say how many records there are.

    ## What it flags

    An entity with a key of its own whose count is not given and does not follow from a relationship, or from a rate
    of inserts and the time records are kept.

    ## Why it hurts

    Sizes, scans, selectivity and the share of the busiest key all depend on the number of records. Until it is given,
    a default is used, and everything that rests on it is marked as assumed.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, fields: [id uuid key, total int64]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, growth: 20k/day, fields: [id uuid key, total int64]}
    ```

    ## When to allow it

    While the entity is only sketched. A rough count (`~10M`) is enough to see what matters.

    ## Sources

    The project format: entities, counts, growth.
    """
    entity, world = case.entity, case.world
    name = entity.name
    if name not in world.unknown_counts or not world.keys.get(name):
        return
    used = world.counts.get(name, 0.0)
    place = f"entities/{name}"
    yield Finding(
        "missing-count",
        "question",
        place,
        f"cannot judge sizes and scans of {name}: needs the number of records",
        (Evidence("records used until then", count(used), used, assumed=True),),
        asks=(Ask(f"{place}/count", f"Number of {name} records", "10M"),),
    )
