"""Requests of DynamoDB models against an emulator: every table is created, every request is understood.

Placeholders in braces become values of the type they stand in. The emulator knows no transactions: what one holds is
asked one by one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.plan.world import build_world
from app.stores import STORES
from tests.engines.dynalite import Client, Refused
from tests.engines.models import Statements, names, statements
from tests.engines.server import WORKER

KNOWN = {
    "shared inventory: DynamoDB with a stream": "expires_at is the time to live (a number) of one kind of item and the"
    " sort key (text) of an index of another",
}
"""Models that cannot work as they are typed, and why: the fault `expiry-in-key` says so."""
HEAD = re.compile(r"^# (?:\d+\. )?(GetItem|Query|Scan|BatchGetItem|PutItem|UpdateItem|DeleteItem|TransactWriteItems)\b")
BLOCK = re.compile(r"^\{$.*?^\}$", re.DOTALL | re.MULTILINE)
ANSWERED = ("ConditionalCheckFailedException", "ResourceInUseException")
"""Refusals that say nothing against the request."""


def requests(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(operation, request) of a query text; a page after the first is asked with the same operation."""
    operation = ""
    for piece in re.split(r"(?=^\{$)|(?<=^\}$)", text, flags=re.MULTILINE):
        if not BLOCK.match(piece):
            for line in piece.splitlines():
                operation = found[1] if (found := HEAD.match(line)) else operation
            continue
        request = valued(json.loads(piece))
        if "ExclusiveStartKey" in request:
            request["ExclusiveStartKey"] = _last(request)
        if operation == "TransactWriteItems":
            for item in request["TransactItems"]:
                (kind, inner), *_ = item.items()
                if kind != "ConditionCheck":
                    yield f"{kind}Item", inner
        else:
            yield operation, request


def _last(request: dict[str, Any]) -> dict[str, Any]:
    """The key of a last item that such a request can have found: its bounds, and anything else."""
    given = request["ExpressionAttributeValues"]
    start = request["ExclusiveStartKey"]
    return {name: given.get(f":{name}") or given.get(f":{name}_from") or value for name, value in start.items()}


def valued(value: Any) -> Any:
    """Placeholders as values: `{"N": "{qty}"}` is a number."""
    if isinstance(value, list):
        return [valued(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (kind, inner), *_ = value.items()
        if kind == "N" and not re.fullmatch(r"-?[\d.]+", str(inner)):
            return {"N": "1"}
        if kind == "B":
            return {"B": "AAAA"}
        if kind == "BOOL" and not isinstance(inner, bool):
            return {"BOOL": True}
        if kind == "L" and inner and isinstance(inner[0], str):
            return {"L": []}
        if kind == "M" and isinstance(inner, str):
            return {"M": {}}
        if kind in ("SS", "NS") and isinstance(inner, str):
            return {kind: ["1"]}
    return {k: tables(v) if k == "RequestItems" else named(k, v) for k, v in value.items()}


def named(key: str, value: Any) -> Any:
    """Tables of this process's own."""
    return f"{value}-{WORKER}" if key == "TableName" else valued(value)


def tables(value: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}-{WORKER}": valued(v) for name, v in value.items()}


def faults(model: Statements) -> set[str]:
    """Codes of what is wrong with the tables of a model."""
    world = build_world(model.project)
    mine = next(m for m in model.project.models if model.name.endswith(f": {m.name}"))
    tables_ = [s for s in mine.structures if mine.store_of(s) == "dynamodb"]
    return {f.code for s in tables_ for f in STORES["dynamodb"].problems(s, mine, world)}


def refusals(model: Statements, client: Client) -> dict[str, str]:
    found: dict[str, str] = {}
    made = []
    for file, text in model.scripts.items():
        if file.endswith(".create-table.json"):
            table = json.loads(text)
            table["TableName"] += f"-{WORKER}"
            made.append(table["TableName"])
            _ask(client, "CreateTable", table, file, found)
            while client("DescribeTable", {"TableName": table["TableName"]})["Table"]["TableStatus"] != "ACTIVE":
                time.sleep(0.01)
    for operation, text in model.queries.items():
        for kind, request in requests(text):
            _ask(client, kind, request, operation, found)
    for table in made:
        client("DeleteTable", {"TableName": table})
    return found


def _ask(client: Client, kind: str, request: dict[str, Any], what: str, found: dict[str, str]) -> None:
    try:
        client(kind, request)
    except Refused as refused:
        if not str(refused).startswith(ANSWERED):
            found[f"{what}: {kind} {json.dumps(request)}"] = str(refused)


@pytest.mark.parametrize("model", names("dynamodb"))
def test_every_request_is_accepted(model: str, dynamodb: Client) -> None:
    mine = next(s for s in statements("dynamodb") if s.name == model)
    assert bool(found := refusals(mine, dynamodb)) == (model in KNOWN), found
    if model in KNOWN:
        assert "expiry-in-key" in faults(mine)
