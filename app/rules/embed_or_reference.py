"""Embedding moves more bytes than keeping the children apart would."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.forecast.breakeven import REQUEST_BYTES, EmbedOrReference
from app.model.spread import ZERO
from app.model.workload import Pattern
from app.plan.size import size_of
from app.plan.types import Held, Plan, Record, Rel, World
from app.rules.apart import move_out
from app.rules.ground import embed_called, finding
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.shared_child_embedded import wants
from app.rules.unsaid import cannot_judge, children_ask
from app.rules.words import count, rate, size

Users = Iterable[tuple[Pattern, Plan, float | None, float | None]]
TIMES = 2.0
"""Embedding must cost this much more before it is worth a word."""
MUCH = 64 * 1024.0
"""Bytes per second up to which it does not matter."""


@rule(severity="advice", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Embedding moves more bytes than keeping the children apart would.

    ## What it flags

    Embedded children where the patterns of this structure move at least twice the bytes they would if the children
    stood by themselves. It says at how many children the advice turns; where nobody gave their number, it asks.

    ## Why it hurts

    A read that does not want the children pays for all of them, and each change of one rewrites the record around it.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id objectid key, name string avg 40]}
      - {name: review, fields: [product_id objectid, stars int32, body text avg 600]}
    relationships:
      - {parent: product, child: review, via: product_id, children: {avg: 40, p99: 60, max: 100}}
    patterns:
      - {operation: Price tag, get: product, where: "product.id = :p", needs: [product.name], rate: 900/s}
      - {operation: Reviews, get: product, where: "product.id = :p", needs: [product, review], rate: 5/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id, embed: [{what: review, as: reviews, max: 100}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id objectid key, name string avg 40]}
      - {name: review, fields: [product_id objectid, stars int32, body text avg 600]}
    relationships:
      - {parent: product, child: review, via: product_id, children: {avg: 40, p99: 60, max: 100}}
    patterns:
      - {operation: Price tag, get: product, where: "product.id = :p", needs: [product.name], rate: 900/s}
      - {operation: Reviews, get: product, where: "product.id = :p", needs: [product, review], rate: 5/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - {collection: reviews, of: review, indexes: [{keys: [review.product_id]}]}
    ```

    ## When to allow it

    Where parent and children must change as one, and the store does that for one record only.

    ## Sources

    The bytes both ways move, from the patterns' rates and the sizes as the store encodes them. A further request is
    priced at 4 KB, an assumption.
    """
    for record in case.records:
        if not record.truth or record.group > 1:
            continue
        for held in record.shape:
            edge = held.edge
            if edge is None or not edge.down or held.how != "embed" or held.first or held.up:
                continue
            found = _judge(case, record, held)
            if found is not None:
                yield found


def _judge(case: StructureCase, record: Record, held: Held) -> Finding | None:
    edge = held.edge
    children = edge.rel.children if edge is not None else ZERO
    if edge is None or children.avg <= 0:
        return None
    both = sides(case.users, record, held, case.world)
    met = min(children.met_by_size, children.max)
    embedded, apart = both.embed(children.avg, met), both.reference(children.avg)
    if embedded < TIMES * apart or embedded - apart < MUCH or children.avg < 1:
        return None
    flips = both.flips_at
    if edge.rel.invented:
        return _question(case, held, edge.rel, flips)
    turns = f"; up to {count(flips)} {held.entity} embedding would be right" if flips is not None and flips >= 1 else ""
    name = held.name or held.entity
    embed = embed_called(case.structure, name)
    rough = "≈" if edge.rel.assumed else ""
    fixes = move_out(case, record, held, embed) if embed is not None and not rough else ()
    return finding(
        case,
        "embed-or-reference",
        "advice",
        f"{name} in {case.structure.name} costs {rough}{size(embedded)}/s embedded and {rough}{size(apart)}/s"
        f" apart{turns}",
        Evidence("embedded", f"{size(embedded)}/s", embedded, assumed=bool(rough)),
        Evidence("apart", f"{size(apart)}/s", apart, assumed=bool(rough)),
        Evidence(f"{held.entity} at which it turns", count(flips) if flips is not None else "never", flips),
        Evidence(f"{held.entity} per {edge.rel.role}, average", count(children.avg), children.avg, assumed=bool(rough)),
        Evidence("reads with children", rate(both.together + both.page), both.together + both.page),
        Evidence("reads without", rate(both.alone), both.alone),
        Evidence("changes of a child", rate(both.changes), both.changes),
        Evidence("price of a further request", size(REQUEST_BYTES), REQUEST_BYTES, assumed=True),
        part=name,
        fixes=fixes,
        patterns=[p.operation for p, *_ in case.users if p.is_read and not wants(p, held.entity, held.name)],
    )


def _question(case: StructureCase, held: Held, rel: Rel, flips: float | None) -> Finding:
    """Whether embedding is right depends on a number of children that nobody gave."""
    name = held.name or held.entity
    at = () if flips is None or flips < 1 else (Evidence(f"{held.entity} at which it turns", count(flips), flips),)
    what = f"whether {name} belong inside {case.structure.name}"
    asks = (children_ask(rel),)
    return cannot_judge(
        case, "embed-or-reference", what, asks, *at, part=name, patterns=[p.operation for p, *_ in case.users]
    )


def sides(users: Users, record: Record, held: Held, world: World) -> EmbedOrReference:
    """How often parent and children are read together, in pages and apart, and how often a child changes.

    `users`: patterns on the record's structure with their plan, average and peak. The children must have an average.
    """
    children = held.edge.rel.children if held.edge is not None else ZERO
    parent = size_of(record, world, {held.edge.rel: ZERO}).avg if held.edge is not None else record.size.avg
    child = max(1.0, (record.size.avg - parent) / children.avg)
    together = page = alone = changes = first = 0.0
    for pattern, plan, avg, peak in users:
        often = avg if avg is not None else peak or 0.0
        if pattern.is_write:
            touches = [t for t in plan.touches if t.record == record.name and "embed" in t.why]
            changes += often * sum(t.count.avg for t in touches if t.op != "put")
            continue
        reads = [s for s in plan.steps if record.name in s.records_of and not s.covered]
        each = often * sum(s.records.avg for s in reads)
        if not wants(pattern, held.entity, held.name):
            alone += each
            continue
        limits = [n.limit.value for n in pattern.needs if n.what == held.entity and n.limit and n.limit.value]
        if limits:
            page, first = page + each, max(first, limits[0])
        else:
            together += each
    return EmbedOrReference(parent, child, together, page, first, alone, changes)
