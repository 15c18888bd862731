"""The read cases of MongoDB, held against a real server: what it runs, what it reads, whether it sorts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import pytest

from app.plan.read import plan_read
from app.plan.types import Plan
from tests.engines.orders import orders, value
from tests.engines.server import WORKER
from tests.plan.dialects import dialect_of
from tests.plan.notation import OPS, read_case
from tests.plan.test_cases import cases

SOURCE = f"keywright_test_orders_{WORKER}"
KNOWN: Mapping[str, str] = {
    "mongodb/arrays/range and sort on one array": "6.0 tries both ways and keeps what gives its first results sooner: "
    "the whole index in order, judging every document, instead of sorting what the bounds find",
}
"""Where this server differs from what a case says, and why."""
OPERATORS = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", "!=": "$ne"}


def condition(text: str) -> tuple[str, Any]:
    """`total >= 4000` as a field and what MongoDB asks of it."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    raw = rest.removeprefix(op).strip()
    name = "_id" if attr == "id" else attr
    if op in ("=", "contains"):
        return name, _typed(attr, raw)
    if op == "in":
        first, dots, last = raw.partition("..")
        listed = range(int(first), int(last) + 1) if dots else [_typed(attr, v) for v in raw.split(",")]
        return name, {"$in": list(listed)}
    if op in OPERATORS:
        return name, {OPERATORS[op]: _typed(attr, raw)}
    if op == "is null":
        return name, None
    if op == "not null":
        return name, {"$ne": None}
    if op == "prefix":  # written as the range it is
        return name, {"$gte": raw, "$lt": f"{raw}\uffff"}
    return name, re.compile(raw)


def _typed(attr: str, raw: str) -> Any:
    return int(raw) if isinstance(value(attr, 0), int) else raw


def filter_of(texts: Sequence[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for text in texts:
        name, asked = condition(text)
        if name in out:
            out[name] = {**out[name], **asked}
        else:
            out[name] = asked
    return out


@dataclass
class Found:
    """What the server did."""

    stages: list[str] = field(default_factory=list)
    indexes: set[str] = field(default_factory=set)
    keys: int = 0
    documents: int = 0
    returned: int = 0

    @property
    def sorts(self) -> bool:
        return "SORT" in self.stages


def explained(database: Any, find: Mapping[str, Any]) -> Found:
    answer = database.command("explain", dict(find), verbosity="executionStats")
    stats = answer["executionStats"]
    found = Found(keys=stats["totalKeysExamined"], documents=stats["totalDocsExamined"], returned=stats["nReturned"])
    pending = [answer["queryPlanner"]["winningPlan"]]
    while pending:
        stage = pending.pop()
        stage = stage.get("queryPlan", stage)
        found.stages.append(stage["stage"])
        if "indexName" in stage:
            found.indexes.add(stage["indexName"])
        pending += [*stage.get("inputStages", ()), *([stage["inputStage"]] if "inputStage" in stage else [])]
    return found


def find_of(body: Mapping[str, Any]) -> dict[str, Any]:
    find: dict[str, Any] = {"find": "orders", "filter": filter_of(body.get("where", ()))}
    if any("text" in i for i in body.get("indexes", ())):
        find["filter"] = {"$text": {"$search": "words"}}
    if "any of" in body:
        find["filter"]["$or"] = [filter_of(b) for b in body["any of"]]
    if "order by" in body:
        find["sort"] = {_stored(a.lstrip("-")): -1 if a[0] == "-" else 1 for a in body["order by"]}
    for ours, theirs in (("limit", "limit"), ("offset", "skip")):
        if ours in body:
            find[theirs] = int(body[ours])
    if "needs" in body:
        shown = {_stored(a): 1 for a in body["needs"]}
        find["projection"] = shown if "_id" in shown else {**shown, "_id": 0}
    return find


def _stored(attr: str) -> str:
    return "_id" if attr == "id" else attr


def create_indexes(collection: Any, body: Mapping[str, Any]) -> None:
    for n, index in enumerate(body.get("indexes", [body["index"]] if "index" in body else []), 1):
        long = index if isinstance(index, dict) else {"keys": index}
        way = "hashed" if "hashed" in long else "text" if "text" in long else None
        keys = [(k.lstrip("-").removesuffix("[]"), way or (-1 if k[0] == "-" else 1)) for k in long["keys"]]
        collection.create_index(keys, name=f"index{n}", **_partial(long))


def _partial(index: Mapping[str, Any]) -> dict[str, Any]:
    only = index.get("only", [])
    if [f"{k} not null" for k in index["keys"]] == only:
        return {"sparse": True}
    present = [o.removesuffix(" not null") for o in only if o.endswith(" not null")]
    rest = filter_of([o for o in only if not o.endswith(" not null")])
    found = {**rest, **{_stored(a): {"$exists": True} for a in present}}
    return {"partialFilterExpression": found} if found else {}


@pytest.fixture(scope="module")
def source(mongodb: Any) -> Iterator[Any]:
    database = mongodb[SOURCE]
    database.orders.insert_many({"_id": o.pop("id"), **o} for o in orders())
    yield database
    mongodb.drop_database(SOURCE)


def fresh(source: Any, number: int) -> Any:
    """A database of its own with the same documents."""
    name = f"{SOURCE}_{number}"
    source.orders.aggregate([{"$out": {"db": name, "coll": "orders"}}])
    return source.client[name]


CASES = [p for p in cases() if p.values[0] == "mongodb" and "sharded by" not in p.values[2]]


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], source: Any, request: pytest.FixtureRequest) -> None:
    """The server reads by the path the planner names, sorts where it says so, and examines as much."""
    case = read_case(store, name, body, dialect_of(store))
    plan = plan_read(case.query, [case.record], case.world)
    database = fresh(source, CASES.index(next(p for p in CASES if p.id == request.node.callspec.id)))
    try:
        create_indexes(database.orders, body)
        found = explained(database, find_of(body))
    finally:
        source.client.drop_database(database.name)
    differs = differences(plan, found, float(body.get("limit", 0)))
    known = KNOWN.get(request.node.callspec.id)
    assert bool(differs) == bool(known), (differs or f"no longer differs: {known}", found)


def differences(plan: Plan, found: Found, limit: float) -> list[str]:
    step = plan.likely or plan.steps[0]
    out = []
    steps = step.branches or (step,)
    paths = {s.path.partition(".")[2].replace("_id", "_id_") for s in steps} - {""}
    if "IDHACK" in found.stages:
        found.indexes.add("_id_")
    if found.indexes != paths:
        out.append(f"indexes {found.indexes}, planned {paths}")
    if found.sorts != (step.order == "sorted"):
        out.append(f"stages {found.stages}, planned order {step.order}")
    if paths and (found.documents == 0) != step.covered:
        out.append(f"{found.documents} documents, planned covered {step.covered}")
    if paths and not near(found.keys, step.keys, limit):
        out.append(f"{found.keys} keys, planned {step.keys}")
    if not near(found.documents, step.records.avg, limit):
        out.append(f"{found.documents} documents, planned {step.records.avg}")
    return out


def near(got: float, planned: float, limit: float) -> bool:
    """Within 15 % and a dozen; what stops at a limit varies by chance, here up to three standard deviations."""
    luck = 0.0
    if 0 < limit < planned:
        kept = limit / planned
        luck = 3 * sqrt(limit * (1 - kept)) / kept
    return abs(got - planned) <= 12 + 0.15 * planned + luck
