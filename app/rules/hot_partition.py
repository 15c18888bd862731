"""One partition takes more than the store gives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

from app.forecast.heat import placing, skeleton
from app.forecast.load import Heat, PathLoad
from app.forecast.share import Seen, busiest
from app.plan.types import AccessPath, Record
from app.rules.ground import finding
from app.rules.rule import Ask, Evidence, Finding, Severity, StructureCase, rule
from app.rules.spread_key import spread
from app.rules.unsaid import at_most_advice, cannot_judge, count_ask
from app.rules.weigh import fact_evidence
from app.rules.words import count, percent, rate
from app.stores.store import Fact

NEAR = 0.5
"""Share of the ceiling from which it is said."""
LIKELY = 0.25
"""Shares of the busiest value up to which an unknown one is asked for."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """One partition takes more than the store gives it.

    ## What it flags

    The load of the busiest partition of a structure or index, over all patterns: an error above the store's ceiling,
    a warning above half of it or where the ceiling is an assumption. Where the share of the busiest value is not known
    and would decide, a question says at which share the ceiling is passed.

    ## Why it hurts

    Capacity is split over partitions. One busy value is throttled while the rest of the table is idle, and an index
    that is throttled holds back the writes of its table.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Requests
    entities:
      - name: request
        count: 5M
        size: 1 KB
        fields: [id uuid key, {name: status, type: enum, values: {pending: 2%, done: 98%}}]
    patterns:
      - {operation: New, insert: request, set: {request.status: pending}, rate: {peak: 1500/s}}
    models:
      - name: By status
        store: dynamodb
        structures:
          - table: requests
            records: [{of: request, pk: "{request.id}"}]
            gsi: [{name: by_status, pk: "{request.status}", of: [request], projection: all}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Requests
    entities:
      - name: request
        count: 5M
        size: 1 KB
        fields: [id uuid key, {name: status, type: enum, values: {pending: 2%, done: 98%}}]
    patterns:
      - {operation: New, insert: request, set: {request.status: pending}, rate: {peak: 1500/s}}
    models:
      - name: By status and shard
        store: dynamodb
        structures:
          - table: requests
            records: [{of: request, pk: "{request.id}"}]
            gsi: [{name: by_status, pk: "{request.status}#{shard 4}", of: [request], projection: all}]
    ```

    ## When to allow it

    Where the peak is short and the writers wait and try again. Burst capacity is not promised.

    ## Sources

    The stores' `partition_writes_per_second` and `partition_reads_per_second`; field reports of indexes by status.
    """
    for load in case.load.paths:
        for write in (True, False):
            fact = case.store.facts.get(f"partition_{'writes' if write else 'reads'}_per_second")
            if fact is not None:
                yield from _side(case, load, fact, write)


def constant(path: AccessPath, case: StructureCase) -> bool:
    """Is the partition key the same for all records? In a store of keys and values that is a key like others."""
    parts = path.partition
    return bool(parts) and not case.store.can.by_key_only and not any(p.attr or p.kept.fan for p in parts)


def _side(case: StructureCase, load: PathLoad, fact: Fact, write: bool) -> Iterator[Finding]:
    units = load.writes if write else load.reads
    heats = _together([h for h in load.heats if h.write is write])
    where = _where(case, heats[0]) if heats else None
    if where is None or constant(where[1], case):
        return  # `constant-partition-key` says it
    counts = _uncounted(case, heats[0]) if heats else ()
    if counts and units > fact.value * (1.0 if fact.assumed else NEAR):
        kind = "writes" if write else "reads"
        rows = [h.pattern for h in heats]
        part = "/".join(x for x in ("" if load.path == case.structure.name else load.path, kind) if x)
        what = f"the busiest partition of {load.path}"
        yield cannot_judge(case, "hot-partition", what, counts, part=part, patterns=rows)
    elif heats and units > fact.value * (1.0 if fact.assumed else NEAR):
        severity: Severity = "error" if units > fact.value and not fact.assumed else "warning"
        if _rough(case, heats[0]):
            severity = at_most_advice(severity)
        yield _hot(case, where, fact, heats, severity, units)
    elif heats:
        yield from _question(case, load, fact, heats)


def _uncounted(case: StructureCase, heat: Heat) -> tuple[Ask, ...]:
    """Numbers of records that nobody gave and that the busiest value's share is worked out from."""
    unknown, out = case.world.unknown_counts, []
    for attr in heat.unknown:
        rels = [r for r in case.world.rels if r.via == (attr,)]
        out += [count_ask(r.parent) for r in rels if r.parent in unknown] if rels else []
        if not rels and attr.partition(".")[0] in unknown and (s := case.world.stats.get(attr)) and s.unique:
            out.append(count_ask(attr.partition(".")[0]))
    return tuple(dict.fromkeys(out))


def _rough(case: StructureCase, heat: Heat) -> bool:
    """Does the share rest on values that nobody counted?"""
    stats = case.world.stats
    return any(stats[a].assumed for a in heat.unknown if a in stats)


def _together(heats: list[Heat]) -> list[Heat]:
    """The heaviest contribution and those that meet it in the same partition."""
    if not heats:
        return []
    worst = max(heats, key=lambda h: h.load)
    return [h for h in heats if h.group == worst.group and h.value in ("", worst.value)]


def _where(case: StructureCase, heat: Heat) -> tuple[Record, AccessPath] | None:
    """The kind of record and the path whose partition is meant."""
    by_range = case.store.can.range_sharded
    for record in case.records:
        for path in record.paths:
            if path.name == heat.path and not path.scan and skeleton(placing(path, by_range)) == heat.group:
                return record, path
    return None


def _hot(
    case: StructureCase,
    at: tuple[Record, AccessPath],
    fact: Fact,
    heats: list[Heat],
    severity: Severity,
    units: float,
) -> Finding:
    record, path = at
    worst, kind = heats[0], "writes" if heats[0].write else "reads"
    shards = ceil(units / (NEAR * fact.value))
    over = "against" if units > fact.value else "near the ceiling of"
    where = f"one partition of {path.name}"
    rough = "≈" if _rough(case, worst) else ""
    message = f"{rough}{count(units)} {_unit(fact)} on {where}, {over} {count(fact.value)}: {worst.why}"
    slug = f"partition_{kind}_per_second"
    evidence = [
        fact_evidence(case.store, slug, f"ceiling of a partition, {kind}", f"{count(fact.value)} {fact.unit}"),
        *(_line(h) for h in heats[:4]),
    ]
    more = _spreading(case, record, path, shards) if heats[0].write else ""
    if more:
        evidence.append(Evidence("parts that bring it to half of the ceiling", count(shards), shards))
    label = f"Add {more} to the key of {path.name}"
    fixes = spread(case, path, label, (more,)) if more and not rough else ()
    kind = record.of if len(case.records) > 1 else ""
    part = kind if path.primary else path.name.removeprefix(f"{case.structure.name}.")
    return finding(
        case,
        "hot-partition",
        severity,
        message,
        *evidence,
        part="/".join(x for x in (part, "" if heats[0].write else "reads") if x),
        fixes=fixes,
        patterns=[h.pattern for h in sorted(heats, key=lambda h: -h.load)],
    )


def _unit(fact: Fact) -> str:
    return fact.unit if fact.unit.endswith("/s") else f"{fact.unit}/s"


def _line(heat: Heat) -> Evidence:
    each = "" if heat.units == 1 else f" × {count(heat.units)} units"
    return Evidence(
        heat.pattern,
        f"{rate(heat.rate)}{each} × {percent(heat.share)} = {count(heat.load)}/s",
        heat.load,
        assumed=heat.assumed,
    )


def _spreading(case: StructureCase, record: Record, path: AccessPath, parts: int) -> str:
    """What to add to the key: in an index a shard; in a key by which records are found, a part worked out from the
    rest of it. Empty where the record itself is hot."""
    if not path.primary:
        return f"shard {parts}"
    inside = {p.attr for p in path.partition}
    rest = [p.attr for p in path.order if p.attr and p.kept.exact and p.attr not in inside]
    seen = [Seen(p, record.of) for p, *_ in case.users if p.is_write]
    known = [a for a in reversed(rest) if a in case.world.stats and not a.startswith("=")]
    wide = next((a for a in known if all(busiest(a, s, case.world).share <= 1 / parts for s in seen)), "")
    if wide:
        return f"{wide}|hash {parts}"
    return f"shard {parts}" if path.order and not rest and record.group == 1 else ""


def _question(case: StructureCase, load: PathLoad, fact: Fact, heats: Iterable[Heat]) -> Iterator[Finding]:
    for heat in heats:
        most = heat.rate * heat.units * heat.bound
        if not heat.unknown or most <= fact.value:
            continue
        needed = fact.value / most
        few = any(a in case.world.stats and case.world.stats[a].distinct <= 100 for a in heat.unknown)
        if needed > (LIKELY if not few else 1.0) or (fact.assumed and needed > LIKELY / 5):
            continue
        attr = heat.unknown[0]
        kind = "writes" if heat.write else "reads"
        yield finding(
            case,
            "hot-partition",
            "question",
            f"cannot judge the busiest partition of {load.path}: needs the share of the busiest {attr} in"
            f" {heat.pattern}; it passes {count(fact.value)} {_unit(fact)} at a share of {percent(needed)}",
            fact_evidence(
                case.store, f"partition_{kind}_per_second", "ceiling of a partition", f"{count(fact.value)} {fact.unit}"
            ),
            Evidence(heat.pattern, rate(heat.rate), heat.rate),
            Evidence("share if even", percent(heat.share), heat.share, assumed=True),
            part="/".join(x for x in ("" if load.path == case.structure.name else load.path, kind) if x),
            asks=(Ask(f"patterns/{heat.pattern}/skew", f"Busiest {attr}", f"{{{attr}: top value 5%}}"),),
            patterns=[heat.pattern],
        )
        return
