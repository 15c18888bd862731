"""What was found, worst first, with its numbers; and what the team decided about it."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import ModelReport, Report
from app.exporters.markdown_text import code, plain, table
from app.exporters.words import SEVERAL, findings_of
from app.model.project import Decision
from app.rules.rule import SEVERITIES, Finding


def findings(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    """Open findings of the workload and of these models."""
    shown = [f for f in findings_of(report, models) if not f.accepted]
    yield "## Findings\n"
    if not shown:
        yield "None open.\n"
    for severity in SEVERITIES:
        mine = [f for f in shown if f.severity == severity]
        if mine:
            yield f"### {SEVERAL[severity].capitalize()}\n"
            yield "\n".join(line for finding in mine for line in _finding(finding)) + "\n"


def _finding(finding: Finding) -> Iterator[str]:
    where = f"**{plain(finding.model)}**: " if finding.model else ""
    yield f"- {where}{plain(finding.message)} ({code(finding.rule)})"
    if finding.evidence:
        yield "    - " + "; ".join(
            f"{plain(e.label)}: {'≈' if e.assumed else ''}{plain(e.value)}" for e in finding.evidence
        )
    yield from (f"    - Possible fix: {plain(f.label)}" for f in finding.fixes)
    asks = [f"{a.label}{f', such as {a.hint}' if a.hint else ''}" for a in finding.asks]
    if asks:
        yield f"    - Needed: {plain('; '.join(asks))}"


def decisions(report: Report) -> Iterator[str]:
    """Findings the team accepted, and whether each still says something."""
    if not report.project.decisions:
        return
    yield "## Decisions\n"
    head = ("Accepted", "Where", "Because", "By", "Date", "Review by", "Still found")
    yield table(head, [_decision(report, d) for d in report.project.decisions])


def _decision(report: Report, decision: Decision) -> tuple[str, ...]:
    at = decision.at
    still = any(
        f.accepted and f.rule == decision.finding and (f.at == at or f.at.startswith(f"{at}/")) for f in report.findings
    )
    texts = (decision.reason, decision.by, decision.date, decision.review_by)
    return code(decision.finding), plain(at), *(plain(t) for t in texts), "yes" if still else "no longer"
