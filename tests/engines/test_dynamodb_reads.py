"""The read cases of DynamoDB against an emulator: conditions taken or refused, items and units counted, pages.

One of the requests of a plan is made, with the first of several values. Where the plan is a scan, the read is asked as
a Query as far as its conditions go, and must be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pytest

from app.plan.read import plan_read
from app.plan.types import Kind, Level, Plan, Step
from tests.engines.dynalite import Client, Refused
from tests.engines.orders import orders
from tests.plan.dialects import dialect_of
from tests.plan.notation import OPS, read_case
from tests.plan.test_cases import cases

CASES = [p for p in cases() if p.values[0] == "dynamodb"]
PLACEHOLDER = re.compile(r"\{(shard \d+|[\w.]+)((?:\|[^}]*)?)\}")
UNASKED = {
    "dynamodb/indexes/index too far behind": "one request does not show how far an index lags",
    "dynamodb/keys/scan": "there is no condition to refuse",
}
INDEX = "index"
FEW = 200
"""Items put where a partition is one item."""
LEAST, MOST = "0", "~"
"""Sort before and behind every key value used here."""


def shown(value: Any) -> str:
    """Numbers of equal length, so that texts sort as they do."""
    return f"{value:06}" if isinstance(value, int) else str(value)


def key_text(component: str, record: Mapping[str, Any]) -> str:
    if "{" not in component:
        return component if component.isupper() else shown(record[component.lstrip("-")])

    def placed(found: re.Match[str]) -> str:
        if found[1].startswith("shard"):
            return str(record["id"] % int(found[1][6:])) if "id" in record else "0"
        fan = re.search(r"hash (\d+)", found[2])
        return str(record.get(found[1], 0) % int(fan[1])) if fan else shown(record[found[1]])

    return PLACEHOLDER.sub(placed, component)


def keys_of(body: Mapping[str, Any], path: str) -> dict[str, str]:
    """Key attribute → its component, of the table or of the index that a path names."""
    if path in ("orders", "orders scan", ""):
        found = {"pk": body["partition"][0], "sk": (body.get("stored") or [""])[0]}
    else:
        index = body["indexes"][0]
        partition = "pk" if index.get("local") == "yes" else "gpk"
        found = {partition: index["partition"][0], "gsk": (index.get("sort") or [""])[0]}
    return {k: v for k, v in found.items() if v}


def create(client: Client, table: str, body: Mapping[str, Any]) -> None:
    base = keys_of(body, "")
    request: dict[str, Any] = {"TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": schema(base)}
    names = dict(base)
    for index in body.get("indexes", ())[:1]:
        mine = keys_of(body, "index")
        names |= mine
        kept = {"ProjectionType": "ALL"}
        if "include" in index:
            kept = {"ProjectionType": "INCLUDE", "NonKeyAttributes": index["include"]}
            kept = kept if index["include"] else {"ProjectionType": "KEYS_ONLY"}
        kind = "LocalSecondaryIndexes" if index.get("local") == "yes" else "GlobalSecondaryIndexes"
        request[kind] = [{"IndexName": INDEX, "KeySchema": schema(mine), "Projection": kept}]
    request["AttributeDefinitions"] = [{"AttributeName": n, "AttributeType": "S"} for n in sorted(names)]
    client("CreateTable", request)
    while client("DescribeTable", {"TableName": table})["Table"]["TableStatus"] != "ACTIVE":
        pass


def schema(keys: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"AttributeName": n, "KeyType": "RANGE" if n in ("sk", "gsk") else "HASH"} for n in keys]


def asked_of(body: Mapping[str, Any]) -> dict[str, list[tuple[str, Any]]]:
    """Attribute → (operator, value); of a list the first value."""
    out: dict[str, list[tuple[str, Any]]] = {}
    for text in body.get("where", ()):
        attr, _, rest = text.partition(" ")
        op = next(o for o in OPS if rest.startswith(o))
        first = re.split(r",|\.\.", rest.removeprefix(op).strip())[0]
        out.setdefault(attr, []).append(("=" if op == "in" else op, int(first) if first.isdigit() else first))
    return out


def items(body: Mapping[str, Any], fixed: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(record, item) of all records that the read's partition may hold; each item has the bytes of the case."""
    all_keys = keys_of(body, "") | (keys_of(body, "index") if "indexes" in body else {})
    size = int(body.get("size", 200))
    for record in orders():
        if any(record.get(a) != v for a, v in fixed.items()):
            continue
        item = {name: {"S": key_text(component, record)} for name, component in all_keys.items()}
        item |= {a: {"S": shown(record[a])} for a in ("status", "region", "total")}
        used = sum(len(n) + len(v["S"]) for n, v in item.items())
        yield record, item | {"x": {"S": "x" * max(1, size - used - 1)}}


def interval(step: Step, component: str, asked: Mapping[str, list[tuple[str, Any]]]) -> tuple[str, str]:
    """First and last sort key that the plan's bounds let through."""
    low = high = ""
    for w in step.match.order if step.match is not None else ():
        name = w.part.attr.removeprefix("order.")
        if w.kind is None or not (w.tight or w.part.literal):
            break
        if w.part.literal:
            low, high = low + w.part.literal, high + w.part.literal
        elif w.kind is Kind.SPAN:
            for op, value in asked[name]:
                low, high = (low + shown(value), high) if op[0] == ">" else (low, high + shown(value))
            break
        else:
            one = key_text(f"{{{name}}}", {name: asked[name][0][1]})
            low, high = low + one, high + one
    whole = component and all(w.kind is Kind.POINT for w in (step.match.order if step.match else ()))
    return low, high if whole else high + MOST


def query(table: str, body: Mapping[str, Any], plan: Plan, given: Mapping[str, Any]) -> dict[str, Any]:
    step = plan.steps[0]
    keys = keys_of(body, step.path)
    asked = asked_of(body)
    (name, component), *sort = keys.items()
    request: dict[str, Any] = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
    values = {":p": {"S": key_text(component, given)}}
    texts = [f"{name} = :p"]
    if sort:
        low, high = interval(step, sort[0][1], asked)
        texts.append(f"{sort[0][0]} BETWEEN :a AND :b")
        values |= {":a": {"S": low or LEAST}, ":b": {"S": high}}
    if step.path != "orders":
        request["IndexName"] = INDEX
    if "limit" in body or "offset" in body:
        request["Limit"] = round(step.keys / plan.requests.avg) if step.how == "first" else int(body["limit"])
    strong = {"ConsistentRead": True} if body.get("strong") == "yes" else {}
    down = {"ScanIndexForward": False} if step.order == "reversed" else {}
    condition = {"KeyConditionExpression": " AND ".join(texts), "ExpressionAttributeValues": values}
    return request | condition | strong | down


def refused(table: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The read as a Query, as far as its conditions can be said at all."""
    path = "index" if "indexes" in body else ""
    (name, component), *_ = keys_of(body, path).items()
    texts, filters, values = [], [], {}
    for n, (attr, conds) in enumerate(asked_of(body).items()):
        for op, value in conds:
            values[f":v{n}"] = {"S": shown(value)}
            if attr in component:
                texts.append(f"{name} {op} :v{n}")
            else:
                key = next((k for k, c in keys_of(body, path).items() if attr in c), "")
                (filters if op == "!=" else texts).append(f"{key} {'<>' if op == '!=' else op} :v{n}")
    out: dict[str, Any] = {"TableName": table, "ExpressionAttributeValues": values}
    out["KeyConditionExpression"] = " AND ".join(texts)
    if filters:
        out["FilterExpression"] = " AND ".join(filters)
    if path:
        out["IndexName"] = INDEX
    return out | ({"ConsistentRead": True} if body.get("strong") == "yes" else {})


def pages(client: Client, request: dict[str, Any]) -> tuple[int, int, float]:
    """(requests, items read, units) until the end, or the limit."""
    count = scanned = 0
    units = 0.0
    while True:
        answer = client("Query", request)
        count, scanned = count + 1, scanned + answer["ScannedCount"]
        units += answer["ConsumedCapacity"]["CapacityUnits"]
        if "LastEvaluatedKey" not in answer or "Limit" in request:
            return count, scanned, units
        request = request | {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], dynamodb: Client, request: pytest.FixtureRequest) -> None:
    mine = request.node.callspec.id
    case = read_case(store, name, body, dialect_of(store))
    plan = plan_read(case.query, [case.record], case.world)
    if mine in UNASKED:
        pytest.skip(UNASKED[mine])
    table = f"keywright_test_{next(n for n, p in enumerate(CASES) if p.id == mine)}"
    create(dynamodb, table, body)
    try:
        if plan.level is Level.SCAN:
            with pytest.raises(Refused, match="ValidationException"):
                dynamodb("Query", refused(table, body))
        else:
            held_against(plan, body, table, dynamodb)
    finally:
        dynamodb("DeleteTable", {"TableName": table})


def held_against(plan: Plan, body: Mapping[str, Any], table: str, client: Client) -> None:
    """As many items, pages and units as planned, for one of the requests."""
    step = plan.steps[0]
    asked = asked_of(body)
    component = next(iter(keys_of(body, step.path).values()))
    fixed = {a: c[0][1] for a, c in asked.items() if f"{{{a}" in component or a == component}
    near = {a: v for a, v in fixed.items() if a != "id"}
    held = list(islice(items(body, near), None if near else FEW))
    given = dict(held[0][0]) | fixed
    if asked.get("created_at") == [("=", "FIRST")]:
        asked["created_at"] = [("=", given["created_at"])]
        body = {**body, "where": [w.replace("FIRST", str(given["created_at"])) for w in body["where"]]}
    if "id" in fixed:
        given["id"] = fixed["id"]
    for start in range(0, len(held), 25):
        puts = [{"PutRequest": {"Item": item}} for _, item in held[start : start + 25]]
        client("BatchWriteItem", {"RequestItems": {table: puts}})
    one = query(table, body, plan, given)
    count, scanned, units = pages(client, one)
    planned = step.keys / max(step.partitions, step.requests.avg / count)
    assert abs(scanned - planned) <= 12 + 0.15 * planned, (scanned, step, one)
    if step.requests.avg == 1 and "units" in body["expect"]:
        assert units == pytest.approx(plan.units / step.partitions, abs=0.5)
    if "size" in body and "limit" not in body:
        assert count == step.requests.avg
