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

from app.plan.match import lacking, whole_keys
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
    "dynamodb/pages/a list of whole keys over 16 MB": "the emulator leaves keys of a long answer out at random",
    **dict.fromkeys(
        (
            "dynamodb/indexes/several attributes, all bound",
            "dynamodb/indexes/several attributes, half of the partition",
            "dynamodb/indexes/several attributes, equality then range",
            "dynamodb/indexes/several attributes, a gap",
            "dynamodb/indexes/several attributes, a range before the end",
            "dynamodb/indexes/several attributes, in their order",
        ),
        "no emulator knows keys of several attributes: modelled",
    ),
    "dynamodb/indexes/sparse index, nothing asked of what may be absent": "the emulator answers, without the items that"
    " are not in the index",
}
INDEX = "index"
BATCH = 100
"""Keys in one BatchGetItem."""
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
        words = [int(w) if w.isdigit() else w for w in re.split(r",|\.\.", rest.removeprefix(op).strip())]
        if op == "between":
            out.setdefault(attr, []).extend([(">=", words[0]), ("<=", words[1])])
        else:
            out.setdefault(attr, []).append(("=" if op == "in" else op, words[0]))
    return out


def items(body: Mapping[str, Any], fixed: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(record, item) of all records that the read's partition may hold; each item has the bytes of the case."""
    all_keys = keys_of(body, "") | (keys_of(body, "index") if "indexes" in body else {})
    size = int(body.get("size", 200))
    for record in orders():
        if any(record.get(a) != v for a, v in fixed.items()):
            continue
        item = {n: {"S": key_text(c, record)} for n, c in all_keys.items() if c.isupper() or c in record or "{" in c}
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
            start = low
            for op, value in asked[name]:
                if op == "prefix":
                    low, high = start + shown(value), start + shown(value)
                else:
                    low, high = (start + shown(value), high) if op[0] == ">" else (low, start + shown(value))
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
                part = "{" in component.partition("{")[2]
                texts.append(f"begins_with({name}, :v{n})" if part or op == "prefix" else f"{name} {op} :v{n}")
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


def by_keys(client: Client, table: str, keys: list[dict[str, Any]], *, strong: bool) -> tuple[int, int, float]:
    """The same for whole keys: one GetItem, or as many BatchGetItem as it takes."""
    more: dict[str, Any] = {"ReturnConsumedCapacity": "TOTAL"}
    if len(keys) == 1:
        answer = client("GetItem", {"TableName": table, "Key": keys[0], "ConsistentRead": strong, **more})
        return 1, int("Item" in answer), answer["ConsumedCapacity"]["CapacityUnits"]
    count = found = 0
    units = 0.0
    while keys:
        asked, keys = keys[:BATCH], keys[BATCH:]
        answer = client("BatchGetItem", {"RequestItems": {table: {"Keys": asked, "ConsistentRead": strong}}, **more})
        count, found = count + 1, found + len(answer["Responses"][table])
        units += answer["ConsumedCapacity"][0]["CapacityUnits"]
        keys = [*answer["UnprocessedKeys"].get(table, {"Keys": []})["Keys"], *keys]
    return count, found, units


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], dynamodb: Client, request: pytest.FixtureRequest) -> None:
    mine = request.node.callspec.id
    if "any of" in body and body["expect"]["level"] != "scan":
        body = {**body, "where": body["any of"][0], "any of": []}  # each branch is a Query of its own
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
    if step.match is not None and step.match.path.primary and whole_keys(step.match):
        wanted = round(whole_keys(step.match))
        base = list(keys_of(body, ""))
        keys = [{k: item[k] for k in base} for _, item in islice(items(body, fixed if wanted == 1 else {}), wanted)]
        count, found, units = by_keys(client, table, keys, strong=body.get("strong") == "yes")
        assert (count, units) == (step.requests.avg, pytest.approx(plan.units)), found
        return
    one = query(table, body, plan, given)
    count, scanned, units = pages(client, one)
    asks = step.requests.avg if step.match is None or not lacking(step.match) else 1
    planned = step.keys / max(step.partitions, asks / count)
    assert abs(scanned - planned) <= 12 + 0.15 * planned, (scanned, step, one)
    billed(plan, step, scanned / planned, units, count)
    if "size" in body and "limit" not in body and step.partitions == 1:
        assert count == step.requests.avg


def billed(plan: Plan, step: Step, share: float, units: float, count: int) -> None:
    """As many units as planned, or as planned for what was read: the plan's figures are averages.

    Values of the cases are shorter than their world says: entries that hold only some are left out.
    """
    match = step.match
    if match is None or len(plan.steps) > 1 or lacking(match) or match.path.entry:
        return
    each = plan.units * count / step.requests.avg
    if share == 1:
        assert units == pytest.approx(each, abs=0.5 * (count - 1))
    least, most = sorted((each, each * share))
    assert least - 0.5 * count <= units <= most + 0.5 * count + 0.05 * most, (units, each, share)
