"""Two kinds of record claim to hold the same entity."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.candidate import RecordShape, Structure
from app.rules.ground import Thing, change, finding, of_thing, things
from app.rules.rule import Finding, ModelCase, rule

OWN = frozenset({"", "second copy", "truth"})
"""Purposes under which a record could be taken for the truth."""


@rule(severity="warning", scope="design")
def check(case: ModelCase) -> Iterator[Finding]:
    """Two kinds of record claim to hold the same entity.

    ## What it flags

    An entity kept by two kinds of record of which the later names neither its truth nor how it is refreshed. Stores
    that want a structure for each list are let pass: there the first one is the truth.

    ## Why it hurts

    One of them is forgotten in some write. From then on both are believed, by different readers.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 5M, fields: [id string key avg 6, user_id string avg 6, total decimal]}
    models:
      - name: Twice
        store: dynamodb
        structures:
          - table: shop
            records:
              - {of: order, pk: "USER#{order.user_id}", sk: "ORDER#{order.id}"}
              - {of: order, pk: "ORDER#{order.id}", sk: DETAIL, purpose: second copy}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 5M, fields: [id string key avg 6, user_id string avg 6, total decimal]}
    models:
      - name: Twice
        store: dynamodb
        structures:
          - table: shop
            records:
              - {of: order, pk: "USER#{order.user_id}", sk: "ORDER#{order.id}"}
              - {of: order, pk: "ORDER#{order.id}", sk: DETAIL, purpose: second copy, refresh: same transaction}
    ```

    ## When to allow it

    Where the two hold different records of the entity: say which with `where`.

    ## Sources

    The project format: truth, refresh, purpose.
    """
    seen: dict[str, tuple[str, Thing]] = {}
    for structure in case.model.structures:
        store = case.stores.get(case.model.store_of(structure))
        if store is None or structure.kind == "materialized view" or structure.type in ("bitmap", "hyperloglog"):
            continue
        for thing in things(structure):
            of = of_thing(thing, structure)
            if not of or not _own(thing, structure) or of not in case.world.fields:
                continue
            if of not in seen:
                seen[of] = (structure.name, thing)
            elif not store.can.table_per_query or thing.purpose == "second copy":
                yield _finding(case, structure, thing, of, seen[of][0])


def _own(thing: Thing, structure: Structure) -> bool:
    """Could it be the truth, for all that it says?"""
    purpose = thing.purpose or structure.purpose
    said = thing.truth or structure.truth or thing.refresh or structure.refresh
    return purpose in OWN and not said and not thing.for_each and not thing.where and not structure.where


def _finding(case: ModelCase, structure: Structure, thing: Thing, of: str, first: str) -> Finding:
    where = "twice" if first == structure.name else f"beside {first}"
    which = f" ({thing.pk.text})" if isinstance(thing, RecordShape) and thing.pk is not None else ""

    def how(s: Structure) -> Structure:
        if isinstance(thing, Structure):
            return s.model_copy(update={"truth": first, "refresh": "same write"})
        kinds = tuple(r.model_copy(update={"refresh": "same transaction"}) if r == thing else r for r in s.records)
        return s.model_copy(update={"records": kinds})

    return finding(
        case,
        "single-copy-of-truth",
        "warning",
        f"{structure.name} keeps {of} {where}{which}, and neither says which is the truth",
        structure=structure.name,
        part=thing.pk.text if isinstance(thing, RecordShape) and thing.pk is not None else "",
        fixes=(change(case, f"The first is the truth: refresh this {of} with every write", how, structure.name),),
    )
