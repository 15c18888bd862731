"""Cases of writes: one workload for all of a file, and for each case the structures, the write and what it changes."""

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

CASES = Path(__file__).parent / "cases"
OPERATION = "The write"
Figures = Mapping[str, Mapping[str, float]]
"""Structure → documents written, index entries added and removed."""


@dataclass(frozen=True)
class WriteCase:
    """`given`: values of the parameters; `expect`: figures by structure."""

    name: str
    project: Project
    given: Mapping[str, Any]
    expect: Figures

    def report(self) -> tuple[Report, ModelReport]:
        report = analyse(self.project)
        return report, report.models[0]

    def planned(self) -> Figures:
        """What the plan says of each structure."""
        found: dict[str, dict[str, float]] = {}
        _, model = self.report()
        for touch in model.plans[OPERATION].touches:
            sums = found.setdefault(touch.structure, {"documents": 0.0, "added": 0.0, "removed": 0.0})
            n = touch.count.avg
            sums["documents"] += n
            sums["added"] += n * (touch.added + touch.rewritten)
            sums["removed"] += n * touch.removed
        return found


@cache
def write_cases(store: str) -> tuple[WriteCase, ...]:
    return tuple(case for file in sorted((CASES / store / "writes").glob("*.yaml")) for case in _of(file, store))


def _of(file: Path, store: str) -> Iterator[WriteCase]:
    text = file.read_text(encoding="utf-8")
    plain = yaml.load(text, Loader=yaml.BaseLoader)  # as project files are: every scalar is text
    typed = yaml.safe_load(text)["cases"]
    for name, body in plain["cases"].items():
        model = {"name": "M", "store": store, "structures": body["structures"]}
        pattern = {"operation": OPERATION, "rate": "1/s", **body["pattern"]}
        project = {**plain["workload"], "patterns": [pattern], "models": [model]}
        said = typed[name]
        yield WriteCase(name, project_from_plain(project), said["given"], said["expect"])
