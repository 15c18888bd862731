"""What MongoDB's explain says, in short: stages, index, documents and keys examined, whether it scanned or sorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Explained:
    """`examined`: documents, or keys where no document was read."""

    text: str
    examined: float
    returned: float
    scan: bool
    sort: bool
    path: str


def explained(said: Mapping[str, Any]) -> Explained:
    """An explain with `executionStats`, of a find or of an aggregation."""
    stages = said.get("stages") or []
    first = next((s["$cursor"] for s in stages if "$cursor" in s), said)
    stats = first.get("executionStats") or {}
    docs, keys = float(stats.get("totalDocsExamined", 0)), float(stats.get("totalKeysExamined", 0))
    steps = list(_steps(stats.get("executionStages") or {}))
    names = [f"{s['stage']} {s['indexName']}" if "indexName" in s else s["stage"] for s in steps]
    behind = [next(iter(k for k in s if k.startswith("$"))) for s in stages if "$cursor" not in s]
    for stage in stages:
        docs += float(stage.get("totalDocsExamined", 0))
    returned = float(stats.get("nReturned", 0))
    if stages:
        returned = float(stages[-1].get("nReturned", returned))
    kinds = {s["stage"] for s in steps}
    text = " ← ".join([*reversed(behind), *names]) + f" · keys {keys:g}, documents {docs:g}, returned {returned:g}"
    return Explained(
        text=text,
        examined=docs or keys,
        returned=returned,
        scan="COLLSCAN" in kinds,
        # what lies in lists has no order that an index could give: sorting it after $unwind is no fault of the path
        sort="SORT" in kinds or ("$sort" in behind and "$unwind" not in behind),
        path=next((s["indexName"] for s in steps if "indexName" in s), "_id_" if "IDHACK" in kinds else ""),
    )


def _steps(stage: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Stages from the last to the first."""
    if "stage" in stage:
        yield stage
    for name in ("inputStage", "queryPlan", "outerStage", "innerStage"):
        if isinstance(stage.get(name), Mapping):
            yield from _steps(stage[name])
    for inner in stage.get("inputStages") or ():
        yield from _steps(inner)
