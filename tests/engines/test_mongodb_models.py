"""Reads over whole models, run as their exported statements: the server's profiler counts what the plan says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.exporters import queries, scripts
from tests.engines.finds import near
from tests.engines.mongosh import said
from tests.engines.shop import loading, rows
from tests.engines.test_mongodb_statements import PARAMETERS, executed
from tests.plan.model_cases import OPERATION, ModelCase, model_cases

SPACE = "keywright_test_models"
CASES = model_cases("mongodb", "models")
ROWS = rows(500)
HEAD = """
const seen = () => db.system.profile.find({ op: { $in: ["query", "command", "getmore"] }, ns: /^(?!.*system)/ })
  .toArray().filter(o => o.command.find ?? o.command.aggregate ?? o.command.getMore).map(o => ({
    keys: o.keysExamined ?? 0, documents: o.docsExamined ?? 0, sorts: o.hasSortStage ?? false,
    scans: (o.planSummary ?? "").includes("COLLSCAN") || (o.docsExamined ?? 0) >= 5000 }));
const say = (name, found, error) => print("@" + JSON.stringify({ name, found, error }));
"""


def program(case: ModelCase, number: int, folder: Path) -> Iterator[str]:
    report, model = case.report()
    name = json.dumps(case.name)
    own = folder / str(number)
    own.mkdir()
    yield f"db = db.getSiblingDB('{SPACE}_{number}'); db.dropDatabase(); try {{"
    yield from scripts.files(report, model).values()
    yield from loading(report, model, ROWS, own)
    yield f"db.setProfilingLevel(2); {{ const last = {json.dumps(case.last)};"
    text = PARAMETERS.sub(f"const p = {json.dumps(case.given)};", queries.query(report, model, OPERATION))
    yield executed(text) + "}"
    yield f"db.setProfilingLevel(0); say({name}, seen(), '');"
    yield f"}} catch (e) {{ say({name}, [], e.message + JSON.stringify(e.errInfo ?? '')); }}"
    yield "db.setProfilingLevel(0); db.dropDatabase();"


@pytest.fixture(scope="session")
def outcome(mongodb_url: str, engine_folder: Path) -> Mapping[str, Any]:
    """By case: each read that the server saw."""
    return said(mongodb_url, engine_folder / "mongosh-models", HEAD, CASES, program)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_server_reads_as_much(case: ModelCase, outcome: Mapping[str, Any]) -> None:
    """All steps together examine what is planned; so does each page, the first and the next."""
    answer = outcome[case.name]
    assert not answer["error"], answer["error"]
    found = answer["found"]
    assert found
    expect = {"sorts": False, "scans": False, **case.expect}
    if not case.last:
        found = [{what: sum(one[what] for one in found) for what in ("keys", "documents", "sorts", "scans")}]
    for one in found:
        assert (bool(one["sorts"]), bool(one["scans"])) == (expect["sorts"], expect["scans"]), found
        for what in ("keys", "documents"):
            assert what not in expect or near(one[what], expect[what], 0) is True, (what, found)
