"""Published failures: each case file gives the finding that would have warned, with its number.

The cases stand beside the project, one file each; what a case expects is in its comments.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from app.analysis import Report, analyse
from app.memory import Memory
from app.model.text import read_yaml, write_yaml
from app.rules import RULES
from app.rules.rule import Finding
from app.stores import STORES


@dataclass(frozen=True)
class Case:
    """One expected finding. `shows`: texts that its message, evidence and fixes hold together."""

    file: str
    rule: str
    severity: str
    shows: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}-{self.rule}-{self.severity}"


CASES = (
    Case("C05", "reads-more-than-it-returns", "warning", ("200", "to return 10", "12.5", "several pages", "GSI")),
    Case("C14", "pattern-not-served", "error", ("Cannot execute this query", "user_info_by_email")),
    Case("C21", "sort-in-memory", "warning", ("2,400", "32.8 MB", "created_at desc")),
    Case("C21", "offset-paging", "warning", ("page 80", "2,370", "cursor")),
    Case("C21", "unstable-paging", "warning", ("keyword.id desc",)),
    Case("C24", "unstable-paging", "warning", ("50/s", "5 %", "post.id < :last_id", "or (")),
    Case("C28", "not-atomic", "error", ("CROSSSLOT", "500/s")),
    Case("C12", "missing-children", "question", ("maximum",)),
    Case("C05", "missing-children", "question", ("p99", "1,000")),
    Case("C27", "missing-count", "question", ("query",)),
    Case(
        "C01", "hot-partition", "error", ("3,000 write units/s", "New request", "1,500/s", "against 1,000", "shard 6")
    ),
    Case("C03", "hot-partition", "error", ("1,600 write units/s", "takes 20 %", "against 1,000", "rate_bucket.name")),
    Case("C07", "uniqueness-not-enforced", "error", ("user.email", "accepts it twice", "item per email")),
    Case("C07", "uniqueness-not-enforced", "error", ("user.username", "item per username")),
    Case("C10", "constant-partition-key", "error", ("2,400 write units", "1,000", "task.created_at|day", "shard 5")),
    Case("C10", "collection-limit", "error", ("10 GB", "57.2 GB", "by_time global")),
    Case("C12", "record-over-limit", "error", ("541 KB", "400 KB", "24.5 KB", "item of its own")),
    Case("C12", "record-over-limit", "question", ("largest number of article per person",)),
    Case("C15", "low-cardinality-index", "error", ("240,000",)),
    Case("C17", "large-partition", "error", ("24M rows", "3.35 GB until purged", "4M rows", "100 MB", "metric.host")),
    Case("C17", "compaction-mismatch", "warning", ("LeveledCompactionStrategy", "10 min")),
    Case("C17", "hot-partition", "warning", ("6,667 rows/s", "assumed")),
    Case("C20", "unbounded-array", "error", ("16 MB", "in 99 days", "3/day", "user_edit_id, seq")),
    Case("C20", "whole-document-rewrite", "warning", ("33 KB", "up to 16.1 MB")),
    Case("C23", "structure-refused", "error", ("game.tags", "game.players", "2 indexes")),
    Case("C25", "rising-key", "error", ("4,000/s", "667/s", "Hash order.id", "Orders by id range")),
    Case("C25", "low-cardinality-key", "error", ("3 values", "57.5 GB", "128 MB", "2,400/s")),
    Case("C27", "cache-without-ttl", "error", ("a day", "2 GB", "3.8 years", "volatile-lru cannot evict")),
    Case("C28", "cross-slot", "error", ("CROSSSLOT", "{job.queue}")),
    Case("C28", "single-slot", "warning", ("1 node of 6",)),
    Case("C28", "queue-without-durable-store", "warning", ("sched",)),
    Case("C30", "hot-partition", "error", ("40",)),
)


def read(folder: Path, file: str) -> Report:
    project = read_yaml((folder / "cases" / f"{file}.yaml").read_text(encoding="utf-8"))
    unknown = sorted({m.store for m in project.models} - STORES.keys())
    if unknown:
        pytest.skip(f"no store called {', '.join(unknown)} yet")
    return analyse(project, Memory())


def told(finding: Finding) -> str:
    """Everything a reader sees of a finding."""
    evidence = (f"{e.label} {'assumed ' if e.assumed else ''}{e.value}" for e in finding.evidence)
    return " · ".join((finding.message, *evidence, *(f.label for f in finding.fixes)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_gives_its_finding(case: Case, shared: Path) -> None:
    assert case.rule in RULES, "the rule was renamed or removed"
    report = read(shared, case.file)
    found = [told(f) for f in report.findings if f.rule == case.rule and f.severity == case.severity]
    assert any(all(text in line for text in case.shows) for line in found), found


def files(shared: Path) -> list[Path]:
    return sorted([*(shared / "cases").glob("C*.yaml"), *(shared / "projects").glob("*.yaml")])


def test_no_rule_breaks_on_any_project(shared: Path) -> None:
    for path in files(shared):
        report = analyse(read_yaml(path.read_text(encoding="utf-8")), Memory())
        broken = [f.message for f in report.findings if f.rule == "rule-failed"]
        assert not broken, (path.name, broken)


def test_findings_stand_at_their_places(shared: Path) -> None:
    """Each finding names a place of a known kind, the rows it concerns."""
    for path in files(shared):
        project = read_yaml(path.read_text(encoding="utf-8"))
        report = analyse(project, Memory())
        rows = {p.operation for p in project.patterns}
        for finding in report.findings:
            kind = finding.at.split("/")[0]
            assert kind in {"project", "patterns", "entities", "relationships", "models"}, finding
            assert set(finding.patterns) <= rows, finding


def test_every_fix_removes_its_finding(shared: Path) -> None:
    for path in files(shared):
        project = read_yaml(path.read_text(encoding="utf-8"))
        for finding in analyse(project, Memory()).findings:
            for fix in finding.fixes:
                changed = read_yaml(write_yaml(fix.apply(project)))
                after = {(f.key, f.severity) for f in analyse(changed, Memory()).findings}
                assert (finding.key, finding.severity) not in after, (path.name, finding.key, fix.label)
