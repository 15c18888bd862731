"""Each change writes the whole record again."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from app.model.workload import Pattern
from app.plan.types import Record
from app.rules.ground import change, finding, size_evidence
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.words import rate, size

TIMES = 10.0
"""Bytes rewritten for each byte changed, from which it is said."""
SMALL = 10 * 1024.0
"""Bytes rewritten per change, or per second, up to which it does not matter."""


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Each change writes the whole record again.

    ## What it flags

    A structure with `writes: whole document` where a change moves ten times the bytes it changes, or more.

    ## Why it hurts

    Two writers at once overwrite each other, the log and the replicas carry the whole record, and the cost of the same
    small change rises with the age of the record.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Editor
    entities:
      - {name: draft, count: 2k, fields: [id objectid key]}
      - {name: edit, size: 2 KB, fields: [draft_id objectid, seq int32]}
    relationships:
      - {parent: draft, child: edit, via: draft_id, children: {avg: 200, max: 500}}
    patterns:
      - {operation: Add edit, insert: edit, rate: 6k/day}
    models:
      - name: A
        store: mongodb
        structures:
          - collection: drafts
            of: draft
            _id: draft.id
            embed: [{what: edit, as: edits, max: 500, beyond: refuse}]
            writes: whole document
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Editor
    entities:
      - {name: draft, count: 2k, fields: [id objectid key]}
      - {name: edit, size: 2 KB, fields: [draft_id objectid, seq int32]}
    relationships:
      - {parent: draft, child: edit, via: draft_id, children: {avg: 200, max: 500}}
    patterns:
      - {operation: Add edit, insert: edit, rate: 6k/day}
    models:
      - name: A
        store: mongodb
        structures:
          - collection: drafts
            of: draft
            _id: draft.id
            embed: [{what: edit, as: edits, max: 500, beyond: refuse}]
    ```

    ## When to allow it

    Where one writer owns the record and it stays small.

    ## Sources

    Field reports of object mappers that replace documents. Bytes are counted as the store encodes them.
    """
    if case.structure.writes.strip().lower() != "whole document" or not case.records:
        return
    record = case.records[0]
    worst: tuple[float, Pattern, float, float | None] | None = None
    for pattern, plan, avg, peak in case.users:
        writes = [t for t in plan.touches if t.record == record.name and t.op not in ("put", "remove")]
        if not writes:
            continue
        changed = max(1.0, _changed(case, pattern, record))
        often = avg if avg is not None else peak
        if record.size.avg >= TIMES * changed and max(record.size.avg, (often or 0.0) * record.size.avg) >= SMALL:
            found = (record.size.avg / changed, pattern, changed, often)
            worst = found if worst is None or found[0] > worst[0] else worst
    if worst is None:
        return
    _, pattern, changed, often = worst
    most = f", up to {size(record.size.max)}" if record.size.avg < record.size.max < inf else ""
    at = f" at {rate(often)}" if often is not None else ""
    yield finding(
        case,
        "whole-document-rewrite",
        "warning",
        f"{pattern.operation} changes {size(changed)} and rewrites {size(record.size.avg)}{most}{at}",
        size_evidence("bytes changed", changed),
        size_evidence("bytes rewritten, average", record.size.avg),
        *((Evidence("rate", rate(often), often),) if often is not None else ()),
        fixes=(change(case, "Write only what changes", lambda s: s.model_copy(update={"writes": ""})),),
        patterns=[pattern.operation],
    )


def _changed(case: StructureCase, pattern: Pattern, record: Record) -> float:
    """Bytes that a pattern means to change: one child, or the fields it sets."""
    world = case.world
    if pattern.entity != record.of and pattern.entity in world.sizes:
        return world.sizes[pattern.entity].avg
    names = [n if "." in n else f"{pattern.entity}.{n}" for n in pattern.set]
    fields = names if pattern.action == "update" else world.fields.get(pattern.entity, ())
    return sum(world.stats[a].bytes.avg for a in fields if a in world.stats) or 8.0
