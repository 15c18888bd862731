"""Rows that all expire are compacted as if they stayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.model.candidate import Structure
from app.model.part import Frozen
from app.plan import lay
from app.rules.cache_without_ttl import span
from app.rules.ground import change, finding
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.words import duration

WINDOWS = 30.0
"""Windows in a lifetime: enough for old ones to be dropped whole, few enough to read."""
BY_TIME = "TimeWindowCompactionStrategy"


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Rows that all expire are compacted as if they stayed.

    ## What it flags

    A time series with a time to live and a compaction that is not by time windows.

    ## Why it hurts

    Every row is rewritten several times on its way out, and expired rows stay on disk until the files they lie in are
    merged. By time windows a file whose rows have all expired is dropped whole.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Metrics
    entities:
      - {name: metric, size: 150, keep: 7 days, fields: [host string key distinct 200, at datetime key monotonic]}
    models:
      - name: A
        store: cassandra
        structures:
          - table: metrics
            of: metric
            partition key: [metric.host, day = metric.at|day]
            clustering key: [metric.at]
            ttl: 7 days
            options: {compaction: {class: LeveledCompactionStrategy}}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Metrics
    entities:
      - {name: metric, size: 150, keep: 7 days, fields: [host string key distinct 200, at datetime key monotonic]}
    models:
      - name: A
        store: cassandra
        structures:
          - table: metrics
            of: metric
            partition key: [metric.host, day = metric.at|day]
            clustering key: [metric.at]
            ttl: 7 days
            options: {compaction: {class: TimeWindowCompactionStrategy, window: 6 h}}
    ```

    ## When to allow it

    Where rows are changed or deleted long after they were written: windows do not like that.

    ## Sources

    The store's manual on compaction by time windows; a field report of a metrics table.
    """
    said = case.structure.options.get("compaction")
    kind = str(said.get("class", "")) if isinstance(said, Mapping) else ""
    life = lay.ttl_seconds(case.structure.ttl)
    if not kind or not life or BY_TIME in kind or "Unified" in kind or not _series(case):
        return
    window = next((w for w in (60.0, 600.0, 3600.0, 21_600.0, 86_400.0, 604_800.0) if life / w <= WINDOWS), 2_592_000.0)
    options = Frozen({"class": BY_TIME, "window": span(window)})

    def how(s: Structure) -> Structure:
        return s.model_copy(update={"options": Frozen({**s.options, "compaction": options})})

    yield finding(
        case,
        "compaction-mismatch",
        "warning",
        f"every row of {case.structure.name} expires after {duration(life)}, and {kind} rewrites it until then",
        Evidence("time to live", duration(life), life),
        part="compaction",
        fixes=(change(case, f"Compact by windows of {span(window)}", how),),
        patterns=[p.operation for p, *_ in case.users if p.is_write],
    )


def _series(case: StructureCase) -> bool:
    """Are rows kept in the order of a time, or cut by one?"""
    for record in case.records:
        parts = (*record.primary.partition, *record.primary.order)
        if any(p.kept.bucket or p.attr in case.world.monotonic for p in parts):
            return True
    return False
