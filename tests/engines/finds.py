"""Planner cases as MongoDB commands, and what the server's own plan says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from app.plan.types import Plan, Step
from tests.engines.orders import value
from tests.plan.collection import indexes
from tests.plan.notation import OPS, STATS

OPERATORS = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", "!=": "$ne"}
FULL = ("[MinKey, MaxKey]", "[MaxKey, MinKey]")
"""Bounds of a part that narrows nothing."""


def condition(text: str) -> tuple[str, Any]:
    """`total >= 4000` as a field and what MongoDB asks of it, as the store's own query text has it."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    raw = rest.removeprefix(op).strip()
    name = stored(attr)
    if op in ("=", "contains"):
        return name, typed(attr, raw)
    if op in ("in", "not in"):
        first, dots, last = raw.partition("..")
        listed = range(int(first), int(last) + 1) if dots else [typed(attr, v) for v in raw.split(",")]
        return name, {"$in" if op == "in" else "$nin": list(listed)}
    if op in OPERATORS:
        return name, {OPERATORS[op]: typed(attr, raw)}
    if op == "between":
        low, high = (typed(attr, v) for v in raw.split(","))
        inside = {"$gte": low, "$lte": high}
        return name, {"$elemMatch": inside} if STATS[attr].elements > 1 else inside
    if op == "is null":
        return name, None
    if op == "not null":
        return name, {"$ne": None}
    if op == "prefix":  # written as the range it is
        return name, {"$gte": raw, "$lt": f"{raw}\uffff"}
    return name, re.compile(raw, re.IGNORECASE)


def typed(attr: str, raw: str) -> Any:
    return int(raw) if attr != "name" and isinstance(value(attr, 0), int) else raw


def stored(attr: str) -> str:
    return "_id" if attr == "id" else attr


def filter_of(texts: Sequence[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for text in texts:
        name, asked = condition(text)
        if name not in out:
            out[name] = asked
        elif isinstance(out[name], dict) and isinstance(asked, dict) and not out[name].keys() & asked.keys():
            out[name] = {**out[name], **asked}
        else:
            out.setdefault("$and", []).append({name: asked})
    return out


def find_of(body: Mapping[str, Any], ask: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """The find command of a case, sorted as the plan asks for it."""
    find: dict[str, Any] = {"find": "orders", "filter": filter_of(body.get("where", ()))}
    if any("text" in i for i in body.get("indexes", ())):
        words = [w for w in body["where"] if " match " in w]
        others = filter_of([w for w in body["where"] if w not in words])
        find["filter"] = {**({"$text": {"$search": words[0].partition(" match ")[2]}} if words else {}), **others}
    if "any of" in body:
        find["filter"]["$or"] = [filter_of(b) for b in body["any of"]]
    if ask:
        find["sort"] = {stored(a.removeprefix("order.")): turn for a, turn in ask}
    elif "$text" in find["filter"] and "limit" in body:  # the best, as the store's own query text has it
        find["sort"] = {"score": {"$meta": "textScore"}}
    for ours, theirs in (("limit", "limit"), ("offset", "skip")):
        if ours in body:
            find[theirs] = int(body[ours])
    if "needs" in body:
        shown = {stored(a): 1 for a in body["needs"]}
        find["projection"] = shown if "_id" in shown else {**shown, "_id": 0}
    return find


def create_indexes(collection: Any, body: Mapping[str, Any]) -> None:
    """The indexes of a case, as the store's script writes them."""
    for n, index in enumerate(indexes(body), 1):
        long = index if isinstance(index, Mapping) else {"keys": index}
        way = next((w for w in ("hashed", "text", "2dsphere") if w in long), None)
        keys = [_key(k, way) for k in long.get("keys", ())]
        if "wildcard" in long:
            keys = [(f"{k}.$**" if k else "$**", 1) for k, _ in keys or [("", 1)]]
        options = {k: True for k in ("sparse", "unique") if k in long}
        collection.create_index(keys, name=f"index{n}", **options, **_partial(long))
    if "ttl" in body:
        attr = body["ttl"].rpartition(".")[2]
        collection.create_index([(attr, 1)], name=f"{attr}_ttl", expireAfterSeconds=10**9)


def _key(text: str, way: str | None) -> tuple[str, Any]:
    name, _, flag = text.lstrip("-").removesuffix("[]").partition(" ")
    return stored(name), flag or way or (-1 if text[0] == "-" else 1)


def _partial(index: Mapping[str, Any]) -> dict[str, Any]:
    found = {k: {"$exists": True} if v == {"$ne": None} else v for k, v in filter_of(index.get("only", [])).items()}
    return {"partialFilterExpression": found} if found else {}


@dataclass
class Found:
    """What the server did. `bounded`: by index, the fields that narrow what is read of it."""

    stages: list[str] = field(default_factory=list)
    indexes: set[str] = field(default_factory=set)
    bounded: dict[str, set[str]] = field(default_factory=dict)
    keys: int = 0
    documents: int = 0
    returned: int = 0

    @property
    def sorts(self) -> bool:
        return "SORT" in self.stages

    @property
    def joins(self) -> bool:
        """Several ways in, one for each branch of an `or`."""
        return "OR" in self.stages or {"SORT_MERGE", "SUBPLAN"} <= set(self.stages)

    @property
    def scans(self) -> bool:
        return "COLLSCAN" in self.stages


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
            bounds = stage.get("indexBounds", {})
            narrowed = {k for k, v in bounds.items() if not set(v) <= set(FULL)}
            if "$_path" in bounds:  # of a wildcard index: the name of the field comes first
                narrowed = bounds.keys() - {"$_path"}
            found.bounded.setdefault(stage["indexName"], set()).update(narrowed)
        pending += [*stage.get("inputStages", ()), *([stage["inputStage"]] if "inputStage" in stage else [])]
    if "IDHACK" in found.stages:
        found.indexes.add("_id_")
        found.bounded["_id_"] = {"_id"}
    return found


# ---------------------------------------------------------------- held against the plan


def index_of(step: Step) -> str:
    """The name under which the server knows what a step reads by; "" for the collection itself."""
    name = step.path.partition(".")[2]
    return "_id_" if name == "_id" else name.partition(":")[0]


def differences(plan: Plan, found: Found, limit: float) -> list[str]:
    """Where the server did otherwise than planned: index, bounds, sort, coverage, entries and documents examined."""
    step = plan.likely or plan.steps[0]
    out = []
    steps = step.branches or (step,)
    named = {index_of(s) for s in steps} - {""}
    if found.indexes != named:
        out.append(f"indexes {found.indexes}, planned {named}")
    if found.scans != any(index_of(s) == "" for s in steps):
        out.append(f"stages {found.stages}, planned {step.path}")
    ranked = "TEXT_MATCH" in found.stages and limit and not step.ask
    if found.sorts != bool(ranked or step.order == "sorted"):
        out.append(f"stages {found.stages}, planned order {step.order}")
    out += [text for name in sorted(named) if (text := _bounds(name, steps, found))]
    if named and (found.documents == 0) != step.covered and found.returned:
        out.append(f"{found.documents} documents, planned covered {step.covered}")
    if named and not near(found.keys, step.keys, limit):
        out.append(f"{found.keys} keys, planned {step.keys}")
    if not near(found.documents, step.records.avg, limit):
        out.append(f"{found.documents} documents, planned {step.records.avg}")
    return out


def _bounds(name: str, steps: Sequence[Step], found: Found) -> str:
    """Fields that the plan bounds or checks on the entries, against those the server narrows."""
    if name not in found.bounded or "TEXT_MATCH" in found.stages or "IDHACK" in found.stages:
        return ""
    mine = [s for s in steps if index_of(s) == name]
    planned = {_field(t) for s in mine for t in (*s.bounds, *s.checks)}
    # a pattern that the documents judge has bounds all the same: all texts
    judged = {_field(t) for s in mine for t in s.residual if t.endswith(" match")}
    narrowed = found.bounded[name]
    return "" if planned <= narrowed <= planned | judged else f"{name} narrowed by {narrowed}, planned {planned}"


def _field(text: str) -> str:
    return stored(text.split(maxsplit=1)[0].removeprefix("order."))


def near(got: float, planned: float, limit: float) -> bool:
    """Within 15 % and a dozen, and as far as chance goes."""
    return abs(got - planned) <= 12 + 0.15 * planned + luck(limit, planned)


def luck(limit: float, planned: float) -> float:
    """What stops at a limit varies by chance: three standard deviations."""
    kept = limit / planned if planned else 1.0
    return 3 * sqrt(limit * (1 - kept)) / kept if 0 < kept < 1 else 0.0
