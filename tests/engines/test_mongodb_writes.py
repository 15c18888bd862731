"""The write cases of MongoDB, run as their exported statements: the server's profiler counts what the plan says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.exporters import queries, scripts
from tests.engines.mongosh import said
from tests.engines.shop import loading, rows
from tests.engines.test_mongodb_statements import PARAMETERS
from tests.plan.model_cases import OPERATION, ModelCase, model_cases

SPACE = "keywright_test_writes"
CASES = model_cases("mongodb", "writes")
ROWS = rows(50)
KNOWN: Mapping[str, str] = {
    "delete, not in a partial index": "6.0 counts the attempt to remove an entry that is not there",
    "a field of a wildcard index": "6.0 writes once more the key that says which fields are arrays",
}
"""Where this server differs from what a case says, and why."""
HEAD = """
const seen = () => db.system.profile.find({ op: { $in: ["insert", "update", "remove"] } }).toArray().map(o => ({
  structure: o.ns.slice(o.ns.indexOf(".") + 1),
  documents: (o.ninserted ?? 0) + (o.nModified ?? 0) + (o.ndeleted ?? 0) + (o.nUpserted ?? 0),
  added: o.keysInserted ?? 0,
  removed: o.keysDeleted ?? 0 }));
const say = (name, found, error) => print("@" + JSON.stringify({ name, found, error }));
"""


def program(case: ModelCase, number: int, folder: Path) -> Iterator[str]:
    report, model = case.report()
    name = json.dumps(case.name)
    yield f"db = db.getSiblingDB('{SPACE}_{number}'); db.dropDatabase(); try {{"
    yield from scripts.files(report, model).values()
    own = folder / str(number)
    own.mkdir()
    yield from loading(report, model, ROWS, own)
    yield "db.setProfilingLevel(2);"
    text = queries.query(report, model, OPERATION)
    yield "{" + PARAMETERS.sub(f"const p = {json.dumps(case.given)};", text) + "}"
    yield f"db.setProfilingLevel(0); say({name}, seen(), '');"
    yield f"}} catch (e) {{ say({name}, [], e.message + JSON.stringify(e.errInfo ?? '')); }}"
    yield "db.setProfilingLevel(0); db.dropDatabase();"


@pytest.fixture(scope="session")
def outcome(mongodb_url: str, engine_folder: Path) -> Mapping[str, Any]:
    """By case: each write that the server saw."""
    return said(mongodb_url, engine_folder / "mongosh-writes", HEAD, CASES, program)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_server_writes_as_much(case: ModelCase, outcome: Mapping[str, Any]) -> None:
    """Documents changed, index entries added and removed, in each collection."""
    answer = outcome[case.name]
    assert not answer["error"], answer["error"]
    found: dict[str, dict[str, float]] = {}
    for one in answer["found"]:
        sums = found.setdefault(one["structure"], dict.fromkeys(("documents", "added", "removed"), 0.0))
        for what in sums:
            sums[what] += one[what]
    agrees = found == {s: dict(f) for s, f in case.expect.items()}
    assert agrees != bool(KNOWN.get(case.name)), (found, case.expect)
