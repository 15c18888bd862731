"""Cases of whole models: a file has one workload, a case the structures, the pattern and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.analysis import ModelReport, Report, analyse
from app.model.project import Project
from app.model.text import project_from_plain
from app.plan.types import Plan

CASES = Path(__file__).parent / "cases"
OPERATION = "The pattern"
Figures = Mapping[str, Mapping[str, float]]
"""Structure → documents written, index entries added and removed."""


@dataclass(frozen=True)
class ModelCase:
    """`given`: values of the parameters; `last`: the last record of the page before; `expect`: of a write, figures by
    structure, of a read the level and figures of all its steps."""

    name: str
    project: Project
    given: Mapping[str, Any]
    expect: Mapping[str, Any]
    last: Mapping[str, Any]

    def report(self) -> tuple[Report, ModelReport]:
        report = analyse(self.project)
        return report, report.models[0]

    def plan(self) -> Plan:
        return self.report()[1].plans[OPERATION]

    def costs(self) -> Mapping[str, Any]:
        """What the plan says of a read: its level, keys and records of all steps, whether it sorts or scans."""
        plan = self.plan()
        steps = plan.every_step
        return {
            "level": plan.level.words,
            "keys": sum(s.keys for s in plan.steps if s.path != s.structure),
            "documents": sum(s.records.avg for s in plan.steps),
            "sorts": any(s.order == "sorted" for s in steps),
            "scans": any(s.path == s.structure for s in steps),
        }

    def changes(self) -> Figures:
        """What the plan says of a write, by structure."""
        found: dict[str, dict[str, float]] = {}
        for touch in self.plan().touches:
            sums = found.setdefault(touch.structure, {"documents": 0.0, "added": 0.0, "removed": 0.0})
            n = touch.count.avg
            sums["documents"] += n
            sums["added"] += n * (touch.added + touch.rewritten)
            sums["removed"] += n * touch.removed
        return found


@cache
def model_cases(store: str, kind: str) -> tuple[ModelCase, ...]:
    """`kind`: `writes`, or `models` for reads."""
    return tuple(case for file in sorted((CASES / store / kind).glob("*.yaml")) for case in _of(file, store))


def _of(file: Path, store: str) -> Iterator[ModelCase]:
    text = file.read_text(encoding="utf-8")
    plain = yaml.load(text, Loader=yaml.BaseLoader)  # as project files are: every scalar is text
    typed = yaml.safe_load(text)["cases"]
    for name, body in plain["cases"].items():
        model = {"name": "M", "store": store, "structures": body["structures"]}
        pattern = {"operation": OPERATION, "rate": "1/s", **body["pattern"]}
        project = {**plain["workload"], "patterns": [pattern], "models": [model]}
        said = typed[name]
        yield ModelCase(name, project_from_plain(project), said["given"], said["expect"], said.get("last", {}))
