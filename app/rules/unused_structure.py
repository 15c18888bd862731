"""A structure that no pattern reads or writes."""

from __future__ import annotations

from collections.abc import Iterator

from app.model import alter
from app.rules.ground import finding
from app.rules.rule import Evidence, Finding, Fix, ModelCase, rule
from app.rules.words import count


@rule(severity="advice", scope="model")
def check(case: ModelCase) -> Iterator[Finding]:
    """A structure that no pattern reads or writes.

    ## What it flags

    A structure that stands in no plan, or that repeats records kept elsewhere and is written but never read.

    ## Why it hurts

    It is created, kept and secured for nothing. Where a pattern was meant to use it, the plan says why it does not.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 1M, fields: [id objectid key]}
      - {name: coupon, count: 500, fields: [id string key]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 50/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: orders, of: order, _id: order.id}
          - {collection: coupons, of: coupon, _id: coupon.id}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 1M, fields: [id objectid key]}
      - {name: coupon, count: 500, fields: [id string key]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", rate: 50/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: orders, of: order, _id: order.id}
    ```

    ## When to allow it

    While the patterns are still being collected.

    ## Sources

    The plans of all patterns on this model.
    """
    if case.impossible == len(case.plans):
        return
    read, written = case.reads, case.finds
    repeats = {r.structure for r in case.records} - {
        r.structure for r in case.records if r.truth or r.purpose != "second copy"
    }
    lost = case.impossible > 0
    unused = []
    for structure in case.model.structures:
        name = structure.name
        used = name in read or (name in written and (name not in repeats or lost))
        if not used and structure.purpose not in ("index", "lookup") and not _named(case, name):
            unused.append(name)
    if len(unused) > max(2, len(case.model.structures) / 2):
        yield _most(case, unused)
        return
    for name in unused:
        wrote = name in written
        message = f"{name} is written, and no pattern reads it" if wrote else f"no pattern reads or writes {name}"
        stored = sum(r.count for r in case.records if r.structure == name)
        yield finding(
            case,
            "unused-structure",
            "advice",
            message,
            Evidence("records", count(stored), stored),
            structure=name,
            fixes=(_drop(case, name),),
        )


def _most(case: ModelCase, unused: list[str]) -> Finding:
    """Where most of a model stands in no plan, it is the patterns that are missing."""
    total = len(case.model.structures)
    shown = ", ".join(unused[:4]) + (" …" if len(unused) > 4 else "")
    message = f"{len(unused)} of {total} structures stand in no pattern's plan: {shown}"
    return finding(case, "unused-structure", "advice", message, Evidence("structures", count(total), total))


def _named(case: ModelCase, name: str) -> bool:
    """Is it the truth of something else?"""
    return any(name in (s.truth, *(r.truth for r in s.records)) for s in case.model.structures)


def _drop(case: ModelCase, name: str) -> Fix:
    model = case.model.name
    return Fix(f"Drop {name}", lambda project: alter.change_structure(project, model, name, lambda _: ()))
