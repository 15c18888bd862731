"""Random tables and reads on an emulator: what is planned is taken, what is refused is refused, counts are equal.

All items have every combination of values once, so that what a plan says it reads is exact. `KEYWRIGHT_RANDOM`: how
many reads.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest

from app.model.spread import Spread
from app.plan.lower_read import lower_read
from app.plan.match import lacking, uncovered, unseen
from app.plan.read import plan_read
from app.plan.serve import Task
from app.plan.types import Level, Match, Plan, Query, Single
from app.plan.types import Record as Kind_
from app.stores import STORES
from app.stores.common_steps import Context
from app.stores.dynamodb.reads import read_lines
from tests.engines.dynalite import Client, Refused
from tests.engines.dynamodb_designs import (
    RECORDS,
    VALUES,
    Design,
    Read,
    columns,
    design,
    key_text,
    make,
    project,
    read,
    table,
    typed,
)
from tests.engines.server import WORKER

READS = int(os.environ.get("KEYWRIGHT_RANDOM", "160"))
EACH = 40
"""Reads asked of one table."""
FIRST = int(os.environ.get("KEYWRIGHT_RANDOM_SEED", "0"))
EACH_VALUE = re.compile(r"\{each (\w+)(?:\|[^}]*)?\}")


def planned(made: Design, asked: Read, at: int) -> tuple[Query, Plan]:
    """The read with the selectivities that the items have."""
    query = lower_read(made.project.patterns[at], made.world)
    need = query.root
    shares = {c.attr: c.share for c in asked.where}
    where = tuple(replace(c, share=shares[c.attr.rpartition(".")[2]]) for c in need.where)
    matched = Spread(max(1e-9, len(RECORDS) * prod(c.share or 0.0 for c in where)))
    need = replace(need, where=where, matched=matched)
    query = replace(query, needs=(need, *query.needs[1:]), matched=matched)
    return query, plan_read(query, kinds(made), made.world)


def kinds(made: Design) -> tuple[Kind_, ...]:
    return STORES["dynamodb"].records(made.structure, made.model, made.world)


def widest(made: Design, asked: Read, query: Query, record: Kind_, name: str) -> float:
    """Items read on a way where the ends of ranges are included: a packed key is bounded by BETWEEN."""
    shares = {c.attr: c.share for c in asked.inclusive.where}
    where = tuple(replace(c, share=shares[c.attr.rpartition(".")[2]]) for c in query.root.where)
    single = Single(query.name, "thing", where, order=query.root.order, limit=asked.limit, needs=frozenset())
    matched = Spread(max(1e-9, len(RECORDS) * prod(c.share or 0.0 for c in where)))
    task = Task(single, record.dialect, made.world, record.size, 1, matched)
    found = task.follow(next(p for p in record.paths if p.name == name))
    assert found is not None
    return found.cost.keys


# ---------------------------------------------------------------- taken or refused, way by way


def natural(made: Design, asked: Read, index: str) -> dict[str, Any]:
    """The read as one Query on a way, as somebody would type it: conditions on keys as key conditions, others as a
    filter. Of a list the first value is asked."""
    name, keys, way = next(w for w in made.ways() if w[0] == index)
    left = {c.attr: (("=", c.values[:1]) if c.op == "in" else (c.op, c.values)) for c in asked.where}
    texts: list[str] = []
    values: dict[str, dict[str, str]] = {}

    def say(key: str, op: str, given: Iterable[dict[str, str]]) -> str:
        words = []
        for one in given:
            words.append(f":v{len(values)}")
            values[words[-1]] = one
        if op == "prefix":
            return f"begins_with({key}, {words[0]})"
        if op == "between":
            return f"{key} BETWEEN {words[0]} AND {words[1]}"
        return f"{key} {'<>' if op == '!=' else op} {words[0]}"

    for key, parts in columns(keys, way):
        attrs = [p.attr.rpartition(".")[2] for p in parts if p.attr]
        given = {a: left[a][1][0] for a in attrs if a in left and left[a][0] == "="}
        if len(parts) == 1 and attrs and attrs[0] in left:
            op, found = left.pop(attrs[0])
            texts.append(say(key.name, op, map(typed, found)))
        elif len(given) == len(attrs):
            texts.append(say(key.name, "=", [typed(key_text(parts, given) or "")]))
            left = {a: c for a, c in left.items() if a not in given}
        elif key.role == "HASH":
            texts.append(say(key.name, "prefix", [{"S": "T"}]))
        elif any(a in left for a in attrs):
            low = parts[0].literal
            texts.append(say(key.name, "between", [{"S": low or "0"}, {"S": f"{low}~"}]))
        if texts and key.role == "RANGE":
            break
    filters = [say(a, op, map(typed, found)) for a, (op, found) in left.items()]
    out: dict[str, Any] = {"TableName": made.name, "KeyConditionExpression": " AND ".join(texts)}
    out |= {"ExpressionAttributeValues": values} if values else {}
    out |= {"FilterExpression": " AND ".join(filters)} if filters else {}
    return out | ({"IndexName": name} if name else {}) | ({"ConsistentRead": True} if asked.strong else {})


def taken(client: Client, request: dict[str, Any]) -> str:
    try:
        client("Query", request)
    except Refused as refused:
        return str(refused)
    return ""


# ---------------------------------------------------------------- the requests that are handed over


def requests(lines: Iterable[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(step, operation, request) of a text."""
    head = ("", "")
    text = ""
    for line in lines:
        if found := re.match(r"# (\d+)\. (\w+) ", line):
            head = (found[1], found[2])
        if line.startswith("# next page"):
            return
        text = line if line == "{" else text + line if text else ""
        if line == "}":
            yield (*head, json.loads(text))
            text = ""


def spread(request: dict[str, Any], asked: Read) -> Iterator[dict[str, Any]]:
    """One request for each value of a list."""
    text = json.dumps(request)
    fields = list(dict.fromkeys(EACH_VALUE.findall(text)))
    lists = [next(c.values for c in asked.where if c.attr == f) for f in fields]
    for chosen in product(*lists):
        out = text
        for field, value in zip(fields, chosen, strict=True):
            shown = f"{value:010}" if isinstance(value, int) else str(value)
            out = out.replace(f"{{each {field}|pad 10}}", shown).replace(f"{{each {field}}}", str(value))
        yield json.loads(out)


def items_of(client: Client, operation: str, request: dict[str, Any]) -> tuple[list[dict[str, Any]], int, float, int]:
    """(items, scanned, units, requests), page by page; a limit ends it."""
    found: list[dict[str, Any]] = []
    scanned = count = 0
    units = 0.0
    request = request | {"ReturnConsumedCapacity": "TOTAL"}
    while True:
        answer = client(operation, request)
        count += 1
        units += answer["ConsumedCapacity"]["CapacityUnits"]
        if operation == "GetItem":
            return ([answer["Item"]] if "Item" in answer else []), 1, units, 1
        found += answer["Items"]
        scanned += answer["ScannedCount"]
        if "LastEvaluatedKey" not in answer or "Limit" in request:
            return found, scanned, units, count
        request = request | {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def identity(made: Design, item: Mapping[str, Any]) -> tuple[str, ...]:
    _, keys, _ = next(made.ways())
    return tuple(next(iter(item[k.name].values())) for k in keys)


def disagreements(made: Design, asked: Read, at: int, client: Client) -> Iterator[str]:
    query, plan = planned(made, asked, at)
    record = kinds(made)[0]
    single = Single(
        query.name, "thing", query.root.where, order=query.root.order, needs=frozenset(), strong=asked.strong
    )
    for path in record.paths:
        if path.scan:
            continue
        task = Task(single, record.dialect, made.world)
        if uncovered(path.only, single.where):
            continue  # taken, but items are missing in a sparse index: no question for the engine
        served = task.follow(path) is not None
        refused = taken(client, natural(made, asked, path.name.removeprefix("things").lstrip(".")))
        if served == bool(refused) or not refused.startswith(("", "ValidationException")[bool(refused)]):
            yield f"{path.name}: planned {'as served' if served else 'as refused'}, {refused or 'taken'}"
    step = plan.steps[0]
    if plan.level is Level.SCAN:
        return
    pattern = made.project.patterns[at]
    found, scanned, units = [], 0, 0.0
    for number, operation, request in requests(read_lines(Context(pattern, plan, made.model, made.world))):
        if number != "1":
            break
        for one in spread(request | {"TableName": made.name}, asked):
            if asked.limit and len(found) >= asked.limit and step.order in ("none", "stored", "reversed"):
                break  # one after the other, until there are enough
            items, seen, billed, _ = items_of(client, operation, one)
            found, scanned, units = found + items, scanned + seen, units + billed
    match = step.match
    assert match is not None
    stopped = bool(asked.limit) and bool(match.residual)
    low = step.keys
    high = max(low, widest(made, asked, query, record, step.path))
    high += asked.limit if plan.requests.avg > 1 else 0  # the last of several requests may read too many
    if not stopped and not low - 0.01 <= scanned <= high + 0.01:
        yield f"{step.path}: {step.keys:g} items planned, {scanned} read"
    # What an index lacks is billed item by item (LSI.md); the emulator rounds the sum.
    simple = not stopped and len(plan.steps) == 1 and low == high and not lacking(match)
    if simple and abs(units - step.units) > 0.5 * max(1.0, step.requests.avg):
        yield f"{step.path}: {step.units:g} units planned, {units:g} billed"
    yield from wrong_rows(made, asked, match, found, stopped=stopped, steps=len(plan.steps))


def wrong_rows(
    made: Design, asked: Read, match: Match, found: list[dict[str, Any]], *, stopped: bool, steps: int
) -> Iterator[str]:
    rows = {identity(made, made.item(r)) for r in asked.rows()}
    got = [identity(made, i) for i in found]
    inexact = any(c.op in ("<", ">") for w in (*match.partition, *match.order) for c in w.conds) or unseen(match)
    if asked.limit and not stopped:
        return  # a page of it
    if not stopped and (lost := rows - set(got)):
        yield f"{match.path.name}: {len(lost)} of {len(rows)} rows are lost"
    more = set(got) - rows
    if more and not inexact and steps == 1:
        yield f"{match.path.name}: {len(more)} rows too many"


@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(1, READS // EACH)))
def test_random_reads(seed: int, dynamodb: Client) -> None:
    rng = Random(seed)
    body = table(rng)
    keys = design(project(body, []), "").keys
    reads = [read(rng, keys) for _ in range(EACH)]
    made = design(project(body, [r.yaml(f"R{n}") for n, r in enumerate(reads)]), f"random-{seed}-{WORKER}")
    make(dynamodb, made)
    try:
        for at, asked in enumerate(reads):
            found = list(disagreements(made, asked, at, dynamodb))
            assert not found, json.dumps([found, [c.text for c in asked.where], asked.order, asked.limit, body])
    finally:
        dynamodb("DeleteTable", {"TableName": made.name})
    assert set(VALUES) <= set(RECORDS[0])
