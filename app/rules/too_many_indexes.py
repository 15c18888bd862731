"""A structure has more indexes than its writes should carry."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.ground import finding
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.weigh import fact_evidence
from app.rules.words import count, rate

NEAR = 0.8
"""Share of the store's limit from which it is said."""


@rule(severity="advice", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A structure has more indexes than its writes should carry.

    ## What it flags

    More indexes than the store's vendor advises, or eight tenths of the number it allows.

    ## Why it hurts

    Each insert writes an entry in every one of them, and all of them want memory.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Things
    entities:
      - name: thing
        count: 1M
        fields: [id objectid key, a int32, b int32, c int32, d int32, e int32, f int32, g bool, h bool, i bool, j date]
    models:
      - name: A
        store: mongodb
        structures:
          - collection: things
            of: thing
            _id: thing.id
            indexes:
              - {keys: [thing.a]}
              - {keys: [thing.b]}
              - {keys: [thing.c]}
              - {keys: [thing.d]}
              - {keys: [thing.e]}
              - {keys: [thing.f]}
              - {keys: [thing.g]}
              - {keys: [thing.h]}
              - {keys: [thing.i]}
              - {keys: [thing.j]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Things
    entities:
      - {name: thing, count: 1M, fields: [id objectid key, a int32, b int32]}
    models:
      - name: A
        store: mongodb
        structures: [{collection: things, of: thing, _id: thing.id, indexes: [{keys: [thing.a, thing.b]}]}]
    ```

    ## When to allow it

    Where records are written seldom and read in many ways.

    ## Sources

    `many_indexes` and `max_indexes` of the store.
    """
    own = case.structure
    many = len(own.indexes) + len(own.gsi) + len(own.lsi)
    if not many:
        return
    facts = case.store.facts
    slug = "many_indexes" if "many_indexes" in facts else "max_indexes"
    if slug not in facts:
        return
    limit = facts[slug].value
    # the key is an index too where the limit says so
    total = many + 1 if own.indexes else many
    if total <= (limit if slug == "many_indexes" else NEAR * limit):
        return
    entries = sum(
        (avg or peak or 0.0) * t.added * t.count.avg for _, plan, avg, peak in case.users for t in plan.touches
    )
    yield finding(
        case,
        "too-many-indexes",
        "advice",
        f"{own.name} has {total} indexes, against {count(limit)}: each insert writes all of them",
        Evidence("indexes", count(total), total),
        Evidence("entries added", rate(entries), entries),
        fact_evidence(case.store, slug, "advised" if slug == "many_indexes" else "allowed", count(limit)),
    )
