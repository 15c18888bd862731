"""The report as JSON: plans, loads and findings, for programs and CI."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter, Proofs
from app.exporters.words import findings_of
from app.forecast.load import StructureLoad
from app.model.spread import Spread
from app.plan.types import Plan
from app.proof.standing import Standing
from app.rules.rule import SEVERITIES, Finding


def report_plain(
    report: Report, models: tuple[ModelReport, ...] | None = None, proofs: Proofs | None = None
) -> dict[str, Any]:
    """A report as plain data. Infinite numbers (no bound) are null."""
    shown = report.models if models is None else models
    findings = findings_of(report, shown)
    counts = {severity: sum(f.severity == severity and not f.accepted for f in findings) for severity in SEVERITIES}
    return {
        "project": report.project.name,
        "counts": {**counts, "accepted": sum(f.accepted for f in findings)},
        "patterns": [
            {
                "operation": p.operation,
                "action": p.action,
                "entity": p.entity,
                "rate": report.rates[p.operation][0],
                "peak": report.rates[p.operation][1],
            }
            for p in report.project.patterns
        ],
        "models": [_model(m, (proofs or {}).get(m.model.name, ())) for m in shown],
        "findings": [finding_plain(f) for f in findings],
    }


def _model(made: ModelReport, proofs: Sequence[Standing]) -> dict[str, Any]:
    return {
        "name": made.model.name,
        "store": made.store.name,
        "evidence": made.store.evidence,
        "proofs": [proof_plain(standing) for standing in proofs],
        "served": made.served,
        "patterns": len(made.plans),
        "plans": {name: _plan(plan) for name, plan in made.plans.items()},
        "structures": {name: _load(load) for name, load in made.loads.items()},
    }


def proof_plain(standing: Standing) -> dict[str, Any]:
    """A proof as plain data, with what has changed since."""
    return {
        **standing.proof.model_dump(mode="json"),
        "changed since": list(standing.moved),
        "patterns changed since": sorted(standing.outdated),
    }


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "level": plan.level.words,
        "served": plan.served,
        "where": plan.where,
        "requests": _spread(plan.requests),
        "records": _spread(plan.records),
        "bytes": _spread(plan.bytes),
        "units": plan.units,
        "rounds": plan.rounds,
        "partitions": _number(plan.partitions),
        "scope": plan.scope,
        "retry": plan.retry,
        "missing": list(plan.missing),
        "misses": [{"code": m.code, "what": m.what, "path": m.path, "fix": m.fix} for m in plan.misses],
        "touches": [
            {
                "structure": t.structure,
                "record": t.record,
                "operation": t.op,
                "why": t.why,
                "found by": t.find,
                "count": _spread(t.count),
                "when": t.when,
                "index entries": {"added": t.added, "removed": t.removed, "rewritten": t.rewritten},
            }
            for t in plan.touches
        ],
        "notes": list(plan.notes),
        "questions": list(plan.questions),
    }


def _load(load: StructureLoad) -> dict[str, Any]:
    return {
        "storage": _number(load.storage),
        "storage at horizon": _number(load.storage_at_horizon),
        "record": {name: _spread(size) for name, size in load.record_now.items()},
        "hottest partition": [
            {
                "path": p.path,
                "writes": _number(p.writes),
                "reads": _number(p.reads),
                "unknown shares": list(p.share_unknown),
            }
            for p in load.paths
        ],
        "partition size": [
            {"path": p.path, "rows": _spread(p.rows), "bytes": _spread(p.bytes), "unbounded": p.unbounded}
            for p in load.partitions
        ],
    }


def finding_plain(finding: Finding) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "at": finding.at,
        "message": finding.message,
        "model": finding.model,
        "patterns": list(finding.patterns),
        "accepted": finding.accepted,
        "evidence": [
            {
                "label": e.label,
                "value": e.value,
                "number": _number(e.number) if e.number is not None else None,
                "fact": e.fact,
                "assumed": e.assumed,
            }
            for e in finding.evidence
        ],
        "asks": [{"at": a.at, "label": a.label, "hint": a.hint} for a in finding.asks],
        "fixes": [f.label for f in finding.fixes],
    }


def _spread(s: Spread) -> dict[str, float | None]:
    return {"avg": _number(s.avg), "p99": _number(s.high), "max": _number(s.max)}


def _number(x: float) -> float | None:
    return round(x, 6) if isfinite(x) else None


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    return with_proofs(report, models, {})


def with_proofs(report: Report, models: tuple[ModelReport, ...], proofs: Proofs) -> str:
    return json.dumps(report_plain(report, models, proofs), ensure_ascii=False, indent=2) + "\n"


FORMAT = Exporter(
    "report", "Report (JSON)", "Plans, loads and findings as data.", "application/json", "json", write,
    with_proofs=with_proofs,
)  # fmt: skip
