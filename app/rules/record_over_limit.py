"""A record is, or will be, larger than the store takes."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.forecast.structure import horizon_of
from app.plan.types import Held, Record
from app.rules.apart import move_out
from app.rules.ground import embed_called, finding, size_evidence, when
from app.rules.rule import Ask, Finding, Severity, StructureCase, rule
from app.rules.unsaid import cannot_judge, of_record
from app.rules.weigh import fact_evidence
from app.rules.words import duration, size


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A record is, or will be, larger than the store takes.

    ## What it flags

    A kind of record that passes the store's limit at p99 (an error), or at the maximum within the horizon (a warning).
    Where the p99 fits and the maximum is not known, it asks for it.

    ## Why it hurts

    The average never fails. The write for the most active parent is refused, and every later one too.

    ## Example

    ```yaml flagged
    keywright: 1
    name: People
    entities:
      - {name: person, count: 50k, size: 0.5 KB, fields: [id string key avg 8]}
      - {name: article, size: 0.6 KB, fields: [person_id string, pmid int32]}
    relationships:
      - {parent: person, child: article, via: person_id, children: {avg: 40, p99: 900, max: 1k}}
    patterns:
      - {operation: Analysis, get: person, where: "person.id = :p", needs: [person, article], rate: 5/s}
    models:
      - name: One item
        store: dynamodb
        structures:
          - table: analysis
            records: [{of: person, pk: "P#{person.id}", embed: [{what: article, as: articles}]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: People
    entities:
      - {name: person, count: 50k, size: 0.5 KB, fields: [id string key avg 8]}
      - {name: article, size: 0.6 KB, fields: [person_id string, pmid int32]}
    relationships:
      - {parent: person, child: article, via: person_id, children: {avg: 40, p99: 900, max: 1k}}
    patterns:
      - {operation: Analysis, get: person, where: "person.id = :p", needs: [person, article], rate: 5/s}
    models:
      - name: An item for each
        store: dynamodb
        structures:
          - table: analysis
            records:
              - {of: person, pk: "P#{person.id}", sk: PERSON}
              - {of: article, pk: "P#{article.person_id}", sk: "A#{article.pmid}"}
    ```

    ## When to allow it

    Where the application cuts or compresses the value before it is stored; then give the stored size.

    ## Sources

    The stores' `max_record_bytes`. Sizes are counted as each store encodes its records.
    """
    limit = case.store.facts.get("max_record_bytes")
    if limit is None:
        return
    horizon = horizon_of(case.project)
    for record in case.records:
        p99, most = case.load.record_crosses.get(record.name, (None, None))
        asks = of_record(record)
        if asks:
            if _matters(record, p99, most, limit.value):
                what = f"the size of {_what(case, record)}"
                yield cannot_judge(case, "record-over-limit", what, asks, part=_part(case, record))
            continue
        largest = max(record.shape, key=_bytes, default=None)
        if p99 is not None and p99 <= horizon and (p99 == 0 or not _listed(record, case)):
            yield _finding(case, record, largest, "error", record.size.high, p99, "at p99")
        elif most is not None and most <= horizon and not _listed(record, case):
            yield _finding(case, record, largest, "warning", record.size.max, most, "at the maximum")
        if record.size.max == inf and record.size.high > limit.value / 4:
            yield from _question(case, record, limit.value)


def _matters(record: Record, p99: float | None, most: float | None, limit: float) -> bool:
    """Would another number of children decide? The record passes the limit, or comes near it, with the default."""
    return p99 is not None or most is not None or record.size.high > limit / 4


def _what(case: StructureCase, record: Record) -> str:
    return record.of if record.of == case.structure.of else f"{record.of} in {case.structure.name}"


def _part(case: StructureCase, record: Record) -> str:
    return record.name.removeprefix(f"{case.structure.name}/").removeprefix(case.structure.name)


def _bytes(held: Held) -> float:
    return held.edge.rel.children.high if held.edge is not None and held.edge.down else 0.0


def _listed(record: Record, case: StructureCase) -> bool:
    """Does `unbounded-array` say it already?"""
    for held in record.shape:
        edge = held.edge
        if edge is not None and edge.down and held.how == "embed" and not held.limit and not held.first:
            grows = case.world.child_growth.get((edge.rel.role, edge.rel.child))
            if grows is not None and grows.avg > 0:
                return True
    return False


def _finding(
    case: StructureCase, record: Record, held: Held | None, severity: Severity, now: float, at: float, word: str
) -> Finding:
    limit = case.store.facts["max_record_bytes"].value
    what = _what(case, record)
    if at <= 0:
        message = f"{what} has {size(now)} {word}, against {size(limit)}; the average is {size(record.size.avg)}"
    else:
        message = f"{what} passes {size(limit)} in {duration(at)} {word}; it has {size(now)} now"
    evidence = [
        size_evidence("record, average", record.size.avg),
        size_evidence(f"record, {word.removeprefix('at ').removeprefix('the ')}", now),
        fact_evidence(case.store, "max_record_bytes", "limit of a record", size(limit)),
    ]
    if at > 0:
        evidence.append(size_evidence(f"record {when(at)}", limit))
    embed = embed_called(case.structure, held.name or held.entity) if held is not None and held.edge else None
    fixes = move_out(case, record, held, embed) if held is not None and embed is not None else ()
    rows = [p.operation for p, *_ in case.users if p.is_write] or [p.operation for p, *_ in case.users]
    part = _part(case, record)
    return finding(case, "record-over-limit", severity, message, *evidence, part=part, fixes=fixes, patterns=rows)


def _question(case: StructureCase, record: Record, limit: float) -> Iterator[Finding]:
    """The maximum is not known, and the p99 is near enough to the limit for it to matter."""
    for held in record.shape:
        edge = held.edge
        if edge is None or not edge.down or held.how != "embed" or held.limit or edge.rel.children.max < inf:
            continue
        place = f"relationships/{edge.rel.link or f'{edge.rel.role}-{edge.rel.child}'}/children"
        yield finding(
            case,
            "record-over-limit",
            "question",
            f"cannot judge the largest {record.of} in {case.structure.name}: needs the largest number of"
            f" {held.entity} per {edge.rel.role}",
            size_evidence("record, p99", record.size.high),
            fact_evidence(case.store, "max_record_bytes", "limit of a record", size(limit)),
            part=held.name or held.entity,
            asks=(Ask(place, f"{held.entity} per {edge.rel.role}", "{max: 5k}"),),
        )
