"""A list inside a record that nothing bounds."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.forecast.structure import horizon_of
from app.model.quantity import parse_count
from app.model.spread import Spread
from app.plan.types import Held, Record, Rel
from app.rules.apart import move_out
from app.rules.ground import change, each_thing, embed_called, finding, size_evidence, when, with_embed
from app.rules.rule import Ask, Evidence, Finding, Fix, Severity, StructureCase, rule
from app.rules.unsaid import cannot_judge, children_ask
from app.rules.weigh import fact_evidence
from app.rules.words import count, rate, size

MANY = 100.0
"""Children up to which a list that grows is let pass."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A list inside a record that nothing bounds.

    ## What it flags

    Embedded children or ids without a `max`, where a parent may have any number of them, gains more every day, or
    gets them one by one and may have more than a hundred. An error if the largest or the p99 record passes the
    store's limit within the horizon, else a warning.

    ## Why it hurts

    The record grows until the store refuses the next child, for ever, and long before that every small change moves
    megabytes. It fails for the most active parents first.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Blog
    horizon: 2 years
    entities:
      - {name: post, count: 1k, fields: [id objectid key, title string]}
      - {name: comment, size: 2 KB, fields: [id objectid key, post_id objectid]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: none, growth: 20/day}}
    patterns:
      - {operation: Add comment, insert: comment, rate: 1/s}
    models:
      - name: Embedded
        store: mongodb
        structures:
          - {collection: posts, of: post, _id: post.id, embed: [{what: comment, as: comments}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Blog
    horizon: 2 years
    entities:
      - {name: post, count: 1k, fields: [id objectid key, title string]}
      - {name: comment, size: 2 KB, fields: [id objectid key, post_id objectid]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: none, growth: 20/day}}
    patterns:
      - {operation: Add comment, insert: comment, rate: 1/s}
    models:
      - name: Apart
        store: mongodb
        structures:
          - {collection: posts, of: post, _id: post.id}
          - {collection: comments, of: comment, _id: comment.id, indexes: [{keys: [comment.post_id, comment.id]}]}
    ```

    ## When to allow it

    Where the application stops at a number: write it as `max`, with what happens then under `beyond`.

    ## Sources

    The stores' `max_record_bytes`; field reports of documents that could take no more.
    """
    for record in case.records:
        if record.purpose in ("cache", "queue"):
            continue
        for held in record.shape:
            if _open(held, case):
                found = _judge(case, record, held)
                if found is not None:
                    yield found


def _open(held: Held, case: StructureCase) -> bool:
    edge = held.edge
    if edge is None or not edge.down or held.how not in ("embed", "reference") or held.limit or held.first:
        return False
    grows = case.world.child_growth.get((edge.rel.role, edge.rel.child))
    lasts = case.world.keeps.get(held.entity)
    if edge.rel.children.max == inf or (grows is not None and grows.avg > 0 and not lasts):
        return True
    return edge.rel.children.max > MANY and bool(_added(case, held)) and not lasts


def _added(case: StructureCase, held: Held) -> list[str]:
    """Patterns that add a child to a parent that is there already."""
    writes = (p for p, *_ in case.users if p.is_write)
    return [
        p.operation
        for p in writes
        if (p.entity == held.entity and p.action in ("insert", "upsert"))
        or any(held.entity in (also.insert, also.upsert) for also in p.also)
    ]


def _judge(case: StructureCase, record: Record, held: Held) -> Finding | None:
    edge = held.edge
    p99, most = case.load.record_crosses.get(record.name, (None, None))
    if edge is None or p99 == 0:
        return None  # too large already: `record-over-limit` says so
    name = held.name or held.entity
    if edge.rel.invented:
        what = f"how long {name} in {case.structure.name} grow"
        ask = (children_ask(edge.rel),)
        return cannot_judge(case, "unbounded-array", what, ask, part=name, patterns=_added(case, held))
    horizon = horizon_of(case.project)
    usual = "at p99" if edge.rel.children.p99 else "on average"
    due = [(t, word) for t, word in ((most, "at the maximum"), (p99, usual)) if t is not None and t <= horizon]
    severity: Severity = "error" if due else "warning"
    place = f"relationships/{edge.rel.link or f'{edge.rel.role}-{edge.rel.child}'}/children"
    asks = () if edge.rel.children.max < inf else (Ask(place, f"{held.entity} per {edge.rel.role}", "{max: 500}"),)
    return finding(
        case,
        "unbounded-array",
        severity,
        _message(case, held, edge.rel.children, due),
        *_evidence(case, record, held, edge.rel),
        part=name,
        fixes=_fixes(case, record, held),
        asks=asks,
        patterns=_added(case, held),
    )


def _message(case: StructureCase, held: Held, children: Spread, due: list[tuple[float, str]]) -> str:
    """`due`: when the record passes its limit, and for which figure."""
    name, limit = held.name or held.entity, case.store.facts.get("max_record_bytes")
    if due:
        against = f" {size(limit.value)}" if limit else " its limit"
        days = " and ".join(f"is over{against} {w}" if t == 0 else f"passes{against} {when(t)} {w}" for t, w in due)
        return f"{case.structure.name} {days}: {name} has no bound"
    many = f"{count(children.high)} now at p99" if children.p99 else f"{count(children.avg)} on average"
    return f"{name} in {case.structure.name} has no bound ({many}): every {held.entity} makes the record larger"


def _evidence(case: StructureCase, record: Record, held: Held, rel: Rel) -> Iterator[Evidence]:
    yield size_evidence("record, average", record.size.avg)
    if record.size.high > record.size.avg:
        yield size_evidence("record, p99", record.size.high)
    if record.size.avg < record.size.max < inf:
        yield size_evidence("record, maximum", record.size.max)
    grows = case.world.child_growth.get((rel.role, rel.child))
    if grows is not None:
        yield Evidence(f"{held.entity} added to each {rel.role}", rate(grows.avg), grows.avg)
    limit = case.store.facts.get("max_record_bytes")
    if limit:
        yield fact_evidence(case.store, "max_record_bytes", "limit of a record", size(limit.value))


def _fixes(case: StructureCase, record: Record, held: Held) -> tuple[Fix, ...]:
    name = held.name or held.entity
    embed = embed_called(case.structure, name)
    if embed is None:
        return ()
    bound = _bound(case, record, held)
    met = held.edge.rel.children.high if held.edge is not None else 0.0

    def limited(embed_max: float) -> Fix:
        amount = parse_count(f"{embed_max:.0f}")
        return change(
            case,
            f"Keep at most {embed_max:,.0f} inside and refuse more",
            lambda s: each_thing(
                s,
                lambda t: with_embed(t, name, lambda e: e.model_copy(update={"max": amount, "beyond": "refuse"})),
            ),
        )

    return (*move_out(case, record, held, embed), *((limited(bound),) if bound > met else ()))


def _bound(case: StructureCase, record: Record, held: Held) -> float:
    """Children that fill a quarter of the largest record, rounded; 0 where it is not known."""
    limit = case.store.facts.get("max_record_bytes")
    children = held.edge.rel.children.avg if held.edge else 0.0
    if limit is None or children <= 0 or record.size.avg <= 0:
        return 0.0
    room = limit.value / 4 / (record.size.avg / children)
    return float(f"{min(room, 100_000):.1g}") if room >= 1 else 0.0
