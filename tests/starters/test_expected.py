"""Starters against what a practitioner would write down first, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.analysis import Report, analyse
from app.importers import import_text
from app.memory import Memory
from app.model.project import Project
from app.model.text import read_yaml, to_plain
from app.starters import starter

CASES: list[dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "expected.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader
)


def _pairs() -> Iterator[Any]:
    for case in CASES:
        for store, expected in case["stores"].items():
            yield pytest.param(case, store, expected, id=f"{case['name']}-{store}")


def _project(case: Mapping[str, Any]) -> Project:
    return import_text(case["paste"]).project if "paste" in case else read_yaml(case["project"])


def _report(project: Project, store: str) -> Report:
    model = starter(project, store)
    return analyse(project.model_copy(update={"models": (model,)}), Memory())


def found_in(real: Any, expected: Any) -> bool:
    """Whether everything expected is in the real thing, at any place of its lists."""
    if isinstance(expected, Mapping):
        return isinstance(real, Mapping) and all(k in real and found_in(real[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        items = real if isinstance(real, list) else [real]
        return all(any(found_in(r, e) for r in items) for e in expected)
    items = real if isinstance(real, list) else [real]
    return expected in [str(i) for i in items]


@pytest.mark.parametrize(("case", "store", "expected"), list(_pairs()))
def test_a_starter_is_what_a_practitioner_would_begin_with(
    case: dict[str, Any], store: str, expected: dict[str, Any]
) -> None:
    report = _report(_project(case), store).models[0]
    plain = to_plain(report.model)
    structures = plain.get("structures", [])
    for wanted in expected.get("structures", []):
        assert any(found_in(s, wanted) for s in structures), f"{wanted}\nis not in\n{yaml.safe_dump(structures)}"
    for unwanted in expected.get("lacks", []):
        assert not any(found_in(s, unwanted) for s in structures), f"{unwanted}\nis in\n{yaml.safe_dump(structures)}"
    names = {s.name for s in report.model.structures}
    assert not names & set(expected.get("without", ()))
    assert expected.get("note", "") in report.model.note
    unserved = [f"{o}: {p.level.words} {p.where}" for o, p in report.plans.items() if not p.served]
    assert report.served >= int(expected["served"]), unserved


@pytest.mark.parametrize(("case", "store", "expected"), list(_pairs()))
def test_a_starter_has_nothing_that_its_own_rules_would_drop(
    case: dict[str, Any], store: str, expected: dict[str, Any]
) -> None:
    report = _report(_project(case), store)
    records = report.models[0].records
    copied = {h.entity for r in records for h in r.shape if h.entity != r.of}  # by copies, and whom copies are for
    truths = {r.structure for r in records if r.of in copied}
    needless = [f for f in report.findings if f.rule in ("unused-index", "unused-structure", "redundant-index")]
    assert not [f"{f.at}: {f.message}" for f in needless if f.at.partition("/")[2].partition("/")[2] not in truths]
