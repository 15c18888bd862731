"""Something that lives its own life is embedded in others."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.workload import Pattern
from app.plan.types import Held, Record
from app.rules.apart import move_out
from app.rules.ground import change, each_thing, embed_called, finding, with_embed
from app.rules.rule import Evidence, Finding, Fix, StructureCase, rule
from app.rules.unsaid import cannot_judge, children_ask, of_record
from app.rules.words import count, rate

TIMES = 10.0
"""Changes of a child for each read together, from which it is said."""
LARGE = 4096.0
"""Bytes of a record up to which rewriting it for a child does not matter."""
BUSY = 1.0
"""Changes per second below which it does not matter."""


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Something that lives its own life is embedded in others.

    ## What it flags

    An embedded entity that several records share, and that a pattern changes; and embedded children of a large record
    that are changed ten times as often as they are read with their parent.

    ## Why it hurts

    Each change has to find every record that holds it, or rewrites a large record for a small child. What is forgotten
    stays old.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 1k, fields: [id objectid key, name string avg 30]}
      - {name: offer, count: 20k, fields: [id objectid key, product_id objectid, price decimal]}
    relationships:
      - {parent: product, child: offer, via: product_id, children: {avg: 20, p99: 400, max: 9k}}
    patterns:
      - {operation: Rename product, update: product, where: "product.id = :p", set: {product.name: ":n"}, rate: 5/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - {collection: offers, of: offer, _id: offer.id, embed: [product]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 1k, fields: [id objectid key, name string avg 30]}
      - {name: offer, count: 20k, fields: [id objectid key, product_id objectid, price decimal]}
    relationships:
      - {parent: product, child: offer, via: product_id, children: {avg: 20, p99: 400, max: 9k}}
    patterns:
      - {operation: Rename product, update: product, where: "product.id = :p", set: {product.name: ":n"}, rate: 5/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - collection: offers
            of: offer
            _id: offer.id
            copy: [{what: product.name, as: product_name, refresh: async within 10 min}]
    ```

    ## When to allow it

    Where the embedded part is what was true at that time and never changes: then it is a copy with `refresh: never`.

    ## Sources

    Public guides on documents: embed what belongs to one parent and changes with it.
    """
    for record in case.records:
        if record.purpose == "cache":
            continue
        for held in record.shape:
            edge = held.edge
            if edge is None or held.how != "embed" or held.attrs == frozenset():
                continue
            changes = [(p, r) for p, _, avg, peak in case.users if (r := avg or peak or 0.0) and _changes(p, held)]
            if not edge.down and edge.rel.children.avg > 1:
                if changes:
                    yield _shared(case, record, held, changes)
            elif edge.down and record.truth:
                yield from _busy(case, record, held, changes)


def _changes(pattern: Pattern, held: Held) -> bool:
    """Does the pattern change what is there already?"""
    if pattern.entity == held.entity and pattern.action in ("update", "upsert"):
        return True
    return any(held.entity in (also.update, also.upsert) for also in pattern.also)


def _shared(case: StructureCase, record: Record, held: Held, changes: list[tuple[Pattern, float]]) -> Finding:
    edge, often = held.edge, sum(r for _, r in changes)
    each = edge.rel.children if edge is not None else None
    many = each.avg if each is not None else 1.0
    name = held.name or held.entity
    if edge is not None and edge.rel.invented:
        what, ask = f"how many {record.of} hold one {name}, which changes", (children_ask(edge.rel),)
        rows = [p.operation for p, _ in changes]
        return cannot_judge(case, "shared-child-embedded", what, ask, part=name, patterns=rows)
    return finding(
        case,
        "shared-child-embedded",
        "warning",
        f"{name} is embedded in {count(many)} {record.of} on average, and changes at {rate(often)}: each change"
        " rewrites all of them",
        Evidence(f"{record.of} that hold one {held.entity}, average", count(many), many),
        Evidence(f"changes of {held.entity}", rate(often), often),
        Evidence("records rewritten", rate(often * many), often * many),
        part=name,
        fixes=(
            change(
                case,
                f"Keep only what {record.of} has of it: its key",
                lambda s: each_thing(s, lambda t: with_embed(t, name, lambda _: None)),
            ),
        ),
        patterns=[p.operation for p, _ in changes],
    )


def _busy(case: StructureCase, record: Record, held: Held, changes: list[tuple[Pattern, float]]) -> Iterator[Finding]:
    often = sum(r for _, r in changes)
    together = sum(
        (avg or peak or 0.0) for p, _, avg, peak in case.users if p.is_read and wants(p, held.entity, held.name)
    )
    read = any(p.is_read and any(record.name in s.records_of for s in plan.steps) for p, plan, *_ in case.users)
    if often < BUSY or often < TIMES * together or not read or record.size.avg < LARGE or of_record(record):
        return
    name = held.name or held.entity
    embed = embed_called(case.structure, name)
    fixes: tuple[Fix, ...] = move_out(case, record, held, embed) if embed is not None else ()
    yield finding(
        case,
        "shared-child-embedded",
        "warning",
        f"{name} in {case.structure.name} changes at {rate(often)} and is read with {record.of} at {rate(together)}",
        Evidence(f"changes of {held.entity}", rate(often), often),
        Evidence("reads of both together", rate(together), together),
        part=name,
        fixes=fixes,
        patterns=[p.operation for p, _ in changes],
    )


def wants(pattern: Pattern, entity: str, role: str) -> bool:
    """Does a read want these children, or look for their parent by them?"""
    named = {n.what.partition(".")[0] for n in pattern.needs} | {pattern.entity, *pattern.more}
    if pattern.where is not None:
        named |= {path.partition(".")[0] for path in pattern.where.paths}
    return bool({entity, role} & named)
