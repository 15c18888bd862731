"""Running the rules: by scope, in order, each fault of a rule kept to itself."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from app.analysis.report import Findings
from app.model.project import Decision
from app.rules import RULES
from app.rules.rule import SEVERITIES, Case, Finding, Rule, Scope, Severity

log = logging.getLogger("app.analysis")
BY_SCOPE: Mapping[Scope, tuple[Rule, ...]] = {
    scope: tuple(rule for rule in RULES.values() if rule.scope == scope)
    for scope in ("project", "entity", "relationship", "pattern", "plan", "structure", "design", "model")
}


def run(scope: Scope, case: Case) -> Iterator[Finding]:
    """All findings of one scope for one case. A rule that breaks says so and leaves the rest standing."""
    for rule in BY_SCOPE[scope]:
        try:
            yield from rule.check(case)
        except Exception:  # one faulty rule must not take the page down; tests fail on this finding
            log.exception("rule %s failed", rule.id)
            text = f"The rule {rule.id} could not judge this place. The other findings stand."
            yield Finding("rule-failed", "question", f"rules/{rule.id}", text)


def by_severity(findings: Iterable[Finding]) -> Findings:
    heaps: dict[Severity, list[Finding]] = {severity: [] for severity in SEVERITIES}
    for finding in findings:
        heaps[finding.severity].append(finding)
    return tuple(chain.from_iterable(heaps.values()))


def accepted(findings: Findings, decisions: tuple[Decision, ...]) -> Findings:
    """Mark what a decision covers: same rule, at its place or below it."""
    if not decisions:
        return findings
    by_rule: dict[str, list[str]] = {}
    for decision in decisions:
        by_rule.setdefault(decision.finding, []).append(decision.at)

    def covered(finding: Finding) -> bool:
        return any(finding.at == at or finding.at.startswith(f"{at}/") for at in by_rule.get(finding.rule, ()))

    return tuple(replace(f, accepted=True) if covered(f) else f for f in findings)
