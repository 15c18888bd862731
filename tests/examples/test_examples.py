"""The example gallery: each project opens finished and teaches what it promises; decisions accept something real."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.analysis import ModelReport, Report, analyse
from app.examples import EXAMPLES
from app.memory import Memory
from app.model.text import read_yaml, write_yaml
from app.rules.rule import SEVERITIES, Finding
from app.stores import STORES

EXPECTED: dict[str, Any] = yaml.load(
    (Path(__file__).parent / "expected.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader
)
NAMES = sorted(EXAMPLES)
MODELS = [(name, model) for name, case in sorted(EXPECTED.items()) for model in case["models"]]


@lru_cache(maxsize=8)
def report(name: str) -> Report:
    return analyse(EXAMPLES[name].project(), Memory())


def model_of(name: str, model: str) -> ModelReport:
    return next(m for m in report(name).models if m.model.name == model)


def findings_of(name: str, model: str) -> list[Finding]:
    return [f for f in report(name).findings if f.at.startswith(f"models/{model}/") or f.at == f"models/{model}"]


def test_every_example_is_expected() -> None:
    assert sorted(EXPECTED) == NAMES
    assert sorted(MODELS) == sorted((n, m.name) for n in NAMES for m in EXAMPLES[n].project().models)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_finished_project(name: str) -> None:
    example = EXAMPLES[name]
    project = example.project()
    assert len(example.summary) > 100
    assert example.title
    assert read_yaml(write_yaml(project)) == project
    assert len([m for m in project.models if m.chosen]) == 1
    known = {store for m in project.models for store in (m.store, *(s.store for s in m.structures))}
    assert known - {""} <= set(STORES)
    assert all(p.rate and p.rate.avg for p in project.patterns)


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_breaks_and_no_question_is_left(name: str) -> None:
    found = report(name).findings
    assert not [f for f in found if f.rule == "rule-failed"]
    questions = [f"{f.rule} {f.at}: {f.message}" for f in found if f.severity == "question"]
    assert len(questions) <= int(EXPECTED[name]["questions"]), questions


@pytest.mark.parametrize("name", NAMES)
def test_no_structure_is_wrong_in_itself(name: str) -> None:
    accepted = {f.at for f in report(name).findings if f.accepted}
    for model in report(name).models:
        for structure in model.model.structures:
            if any(at.startswith(f"models/{model.model.name}/{structure.name}") for at in accepted):
                continue
            store = STORES[model.model.store_of(structure)]
            assert not store.problems(structure, model.model, report(name).world), structure.name


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_a_model_shows_what_it_is_there_for(name: str, model: str) -> None:
    expected = EXPECTED[name]["models"][model]
    real = model_of(name, model)
    unserved = [f"{o}: {p.level.words}" for o, p in real.plans.items() if not p.served]
    assert real.served >= int(expected["served"]), unserved
    found = findings_of(name, model)
    for wanted in expected.get("findings", ()):
        hits = [f for f in found if f.rule == wanted["rule"] and f.at.endswith(wanted["at"])]
        assert any(wanted["says"] in f.message for f in hits), [f.message for f in hits] or wanted
    worst = expected.get("clean", "")
    bad = SEVERITIES[: SEVERITIES.index(worst) + 1] if worst else ()
    assert not [f"{f.rule}: {f.message}" for f in found if f.severity in bad and not f.accepted]
    assert set(expected.get("purposes", ())) <= {s.purpose for s in real.model.structures}


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_accepts_a_finding_that_is_there(name: str) -> None:
    found = report(name).findings
    for decision in EXAMPLES[name].project().decisions:
        covered = [f for f in found if f.rule == decision.finding and f.at.startswith(decision.at)]
        assert covered, f"{decision.finding} at {decision.at}"
        assert all(f.accepted for f in covered)
        assert decision.reason
        assert decision.by
