"""Records and their local index entries outgrow what one partition key may hold."""

from __future__ import annotations

from collections.abc import Iterator

from app.forecast.structure import horizon_of
from app.model.candidate import Index, Structure
from app.plan.types import Record
from app.rules.ground import change, finding, size_evidence, when
from app.rules.rule import Evidence, Finding, Fix, Severity, StructureCase, rule
from app.rules.weigh import fact_evidence
from app.rules.words import count, size


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Records and their local index entries outgrow what one partition key may hold.

    ## What it flags

    A structure with local indexes where all records of one partition key, with their index entries, pass the store's
    limit: an error now or at p99, a warning at the maximum before the horizon.

    ## Why it hurts

    With a local index the records of one key cannot be split. At the limit every insert with that key is refused, and a
    local index can neither be dropped nor added later.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Tasks
    entities:
      - {name: team, count: 100, fields: [id string key]}
      - {name: task, count: 30M, size: 2 KB, fields: [id uuid key, team_id string, created_at datetime]}
    relationships:
      - {parent: team, child: task, via: team_id, children: {avg: 300k, p99: 4M, max: 6M}}
    models:
      - name: LSI
        store: dynamodb
        structures:
          - table: tasks
            records: [{of: task, pk: "{task.team_id}", sk: "{task.id}"}]
            lsi: [{name: by_time, sk: "{task.created_at}", of: [task], projection: all}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Tasks
    entities:
      - {name: team, count: 100, fields: [id string key]}
      - {name: task, count: 30M, size: 2 KB, fields: [id uuid key, team_id string, created_at datetime]}
    relationships:
      - {parent: team, child: task, via: team_id, children: {avg: 300k, p99: 4M, max: 6M}}
    models:
      - name: GSI
        store: dynamodb
        structures:
          - table: tasks
            records: [{of: task, pk: "{task.team_id}", sk: "{task.id}"}]
            gsi: [{name: by_time, pk: "{task.team_id}", sk: "{task.created_at}", of: [task], projection: all}]
    ```

    ## When to allow it

    Never by choice: the limit is hard. Give the true maximum if the assumed one is too high.

    ## Sources

    `lsi_collection_bytes`: records and entries of all local indexes count.
    """
    fact = case.store.facts.get("lsi_collection_bytes")
    if fact is None:
        return
    for held in case.load.partitions:
        p99, most = held.crosses_p99, held.crosses_max
        if not held.local or (p99 is None and most is None):
            continue
        record = next(r for r in case.records if r.name in held.of)
        soon = p99 if p99 is not None else most or 0.0
        severity: Severity = "error" if p99 is not None or most == 0 else "warning"
        word = "at p99" if p99 is not None else "at the maximum"
        if soon > horizon_of(case.project):
            continue
        bytes_ = held.bytes.high if p99 is not None else held.bytes.max
        message = f"one key of {held.path} holds {size(bytes_)} with its local index {word}, against {size(fact.value)}"
        if soon > 0:
            message = f"one key of {held.path} with its local index passes {size(fact.value)} {when(soon)} {word}"
        yield finding(
            case,
            "collection-limit",
            severity,
            message,
            Evidence("records of the largest key", count(held.rows.max), held.rows.max),
            size_evidence("records alone", held.rows.max * record.size.avg),
            size_evidence("with index entries", held.bytes.max),
            fact_evidence(case.store, "lsi_collection_bytes", "limit of one key", size(fact.value)),
            fixes=_fix(case, record),
            patterns=[p.operation for p, *_ in case.users if p.is_write],
        )


def _fix(case: StructureCase, record: Record) -> tuple[Fix, ...]:
    """Local indexes made global: the same key, without the limit, a little behind the record."""
    shape = next((r for r in case.structure.records if r.of == record.of), None)
    key = shape.pk if shape is not None else case.structure.pk
    if key is None or len({r.pk for r in case.structure.records}) > 1:
        return ()

    def how(s: Structure) -> Structure:
        moved: tuple[Index, ...] = tuple(i.model_copy(update={"pk": key}) for i in s.lsi)
        return s.model_copy(update={"lsi": (), "gsi": (*s.gsi, *moved)})

    names = ", ".join(i.name for i in case.structure.lsi)
    return (change(case, f"Make {names} global: no limit, but behind the record by up to a second", how),)
