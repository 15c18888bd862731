"""What DynamoDB's facts and dialect say, asked of the emulators: key conditions, limits, transactions, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.plan.types import Kind
from app.stores.dynamodb.dialect import DIALECT
from app.stores.dynamodb.facts import FACTS
from tests.engines import ministack
from tests.engines.dynalite import Client, Refused
from tests.engines.server import WORKER

TABLE = f"rules-{WORKER}"
SORTED = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
TEXTS = {
    "=": "sk = :a",
    "<": "sk < :a",
    "<=": "sk <= :a",
    ">": "sk > :a",
    ">=": "sk >= :a",
    "between": "sk BETWEEN :a AND :b",
    "prefix": "begins_with(sk, :a)",
    "!=": "sk <> :a",
    "in": "sk IN (:a, :b)",
    "contains": "contains(sk, :a)",
    "not null": "attribute_exists(sk)",
    "not in": "NOT sk IN (:a, :b)",
}
"""Operators of conditions as they would be key conditions."""


def limit(name: str) -> int:
    return int(FACTS[name].value)


def definition(name: str = TABLE, **more: Any) -> dict[str, Any]:
    types = [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", *more.pop("attributes", ()))]
    billing = {"BillingMode": "PAY_PER_REQUEST"}
    return {"TableName": name, "KeySchema": SORTED, "AttributeDefinitions": types, **billing, **more}


def item(n: int, size: int = 1) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": f"{n:04}"}, "x": {"S": "x" * size}}


@pytest.fixture(params=["dynamodb", "dynamodb_units"])
def both(request: pytest.FixtureRequest) -> Iterator[Client]:
    """Each of the two emulators, with a table."""
    yield from with_table(request.getfixturevalue(request.param))


@pytest.fixture
def client(dynamodb: Client) -> Iterator[Client]:
    yield from with_table(dynamodb)


def with_table(client: Client) -> Iterator[Client]:
    client("CreateTable", definition())
    while client("DescribeTable", {"TableName": TABLE})["Table"]["TableStatus"] != "ACTIVE":
        pass
    yield client
    client("DeleteTable", {"TableName": TABLE})


def asked(condition: str, **more: Any) -> dict[str, Any]:
    words = {":p": {"S": "p"}, ":a": {"S": "0003"}, ":b": {"S": "0005"}}
    used = {w: v for w, v in words.items() if w in condition + str(more)}
    return {"TableName": TABLE, "KeyConditionExpression": condition, "ExpressionAttributeValues": used, **more}


def taken(client: Client, request: dict[str, Any]) -> bool:
    try:
        client("Query", request)
    except Refused as refused:
        if not str(refused).startswith("ValidationException"):
            raise
        return False
    return True


@pytest.mark.parametrize("op", list(TEXTS))
def test_operators_of_a_sort_key(op: str, client: Client) -> None:
    """One request takes what the dialect calls a point or a span; a list of values is several requests."""
    known = DIALECT.ops.get(op)
    one = known is not None and known.kind in (Kind.POINT, Kind.SPAN) and op != "contains"
    assert taken(client, asked(f"pk = :p AND {TEXTS[op]}")) == one


@pytest.mark.parametrize("op", list(TEXTS))
def test_operators_of_a_partition_key(op: str, client: Client) -> None:
    text = TEXTS[op].replace("sk", "pk")
    assert taken(client, asked(text)) == (op == "=")


@pytest.mark.parametrize(
    "condition", ["pk = :p OR sk = :a", "NOT pk = :p", "sk = :a", "pk = :p AND sk > :a AND sk < :b"]
)
def test_what_no_key_condition_is(condition: str, client: Client) -> None:
    assert not taken(client, asked(condition))


@pytest.mark.parametrize("filter_", ["sk <> :a", "pk <> :a"])
def test_a_filter_names_no_key_attribute(filter_: str, client: Client) -> None:
    assert not taken(client, asked("pk = :p", FilterExpression=filter_))


def test_limit_counts_before_the_filter(both: Client) -> None:
    for n in range(10):
        both("PutItem", {"TableName": TABLE, "Item": item(n, 1 + n % 2)})
    request = asked("pk = :p", Limit=4, FilterExpression="x = :x")
    request["ExpressionAttributeValues"][":x"] = {"S": "xx"}
    answer = both("Query", request)
    assert (answer["ScannedCount"], answer["Count"]) == (4, 2)
    assert "LastEvaluatedKey" in answer


def test_reverse_order_and_the_next_page(both: Client) -> None:
    for n in range(5):
        both("PutItem", {"TableName": TABLE, "Item": item(n)})
    request = asked("pk = :p", Limit=2, ScanIndexForward=False)
    first = both("Query", request)
    second = both("Query", {**request, "ExclusiveStartKey": first["LastEvaluatedKey"]})
    assert [i["sk"]["S"] for i in (*first["Items"], *second["Items"])] == ["0004", "0003", "0002", "0001"]


def test_a_list_of_keys(client: Client) -> None:
    most = limit("batch_get_items")
    keys = [{k: v for k, v in item(n).items() if k != "x"} for n in range(most + 1)]
    client("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys[:most]}}})
    with pytest.raises(Refused, match="ValidationException"):
        client("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys}}})


def test_item_and_key_sizes(both: Client) -> None:
    most = limit("max_record_bytes")
    fits = item(1, most - 2 - 1 - 2 - 4 - 1)
    both("PutItem", {"TableName": TABLE, "Item": fits})
    fits["x"]["S"] += "x"
    with pytest.raises(Refused, match="ValidationException"):
        both("PutItem", {"TableName": TABLE, "Item": fits})
    for name, size in (("pk", limit("max_key_bytes")), ("sk", limit("max_sort_key_bytes"))):
        both("PutItem", {"TableName": TABLE, "Item": item(1) | {name: {"S": "k" * size}}})
        with pytest.raises(Refused, match="ValidationException"):
            both("PutItem", {"TableName": TABLE, "Item": item(1) | {name: {"S": "k" * (size + 1)}}})


# ---------------------------------------------------------------- transactions


def puts(count: int, size: int = 1) -> dict[str, Any]:
    return {"TransactItems": [{"Put": {"TableName": TABLE, "Item": item(n, size)}} for n in range(count)]}


@pytest.fixture
def transactions(dynamodb_units: Client) -> Iterator[Client]:
    if not ministack.bills():
        pytest.skip("ministack before 1.5 knows less of transactions")
    yield from with_table(dynamodb_units)


def test_items_in_a_transaction(transactions: Client) -> None:
    most = DIALECT.writing.items
    transactions("TransactWriteItems", puts(most))
    with pytest.raises(Refused, match="ValidationException"):
        transactions("TransactWriteItems", puts(most + 1))


def test_bytes_in_a_transaction(transactions: Client) -> None:
    half = limit("transaction_bytes") // 12
    transactions("TransactWriteItems", puts(11, half))
    with pytest.raises(Refused, match="ValidationException"):
        transactions("TransactWriteItems", puts(13, half))


def test_no_item_twice(transactions: Client) -> None:
    assert not DIALECT.writing.twice
    twice = puts(1)
    twice["TransactItems"] *= 2
    with pytest.raises(Refused, match="ValidationException"):
        transactions("TransactWriteItems", twice)


def test_all_or_nothing(transactions: Client) -> None:
    both_ = puts(2)
    both_["TransactItems"][1]["Put"]["ConditionExpression"] = "attribute_exists(pk)"
    with pytest.raises(Refused, match="TransactionCanceled"):
        transactions("TransactWriteItems", both_)
    key = {k: v for k, v in item(0).items() if k != "x"}
    assert "Item" not in transactions("GetItem", {"TableName": TABLE, "Key": key})


def test_a_token_makes_a_repetition_harmless(transactions: Client) -> None:
    assert DIALECT.writing.token
    key = {k: v for k, v in item(0).items() if k != "x"}
    add = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    again = {"TransactItems": [{"Update": {"TableName": TABLE, "Key": key, **add}}], "ClientRequestToken": "t" * 36}
    for _ in range(2):
        transactions("TransactWriteItems", again)
    assert transactions("GetItem", {"TableName": TABLE, "Key": key})["Item"]["n"] == {"N": "1"}


# ---------------------------------------------------------------- tables


def index(n: int, *, local: bool = False, name: str = "") -> dict[str, Any]:
    keys = [{"AttributeName": "pk" if local else f"a{n}", "KeyType": "HASH"}]
    keys += [{"AttributeName": f"a{n}", "KeyType": "RANGE"}] if local else []
    return {"IndexName": name or f"index{n}", "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}}


def accepted(client: Client, body: dict[str, Any]) -> bool:
    try:
        client("CreateTable", body)
    except Refused as refused:
        if not str(refused).startswith(("ValidationException", "LimitExceededException")):
            raise
        return False
    while client("DescribeTable", {"TableName": body["TableName"]})["Table"]["TableStatus"] != "ACTIVE":
        pass
    client("DeleteTable", {"TableName": body["TableName"]})
    return True


@pytest.mark.parametrize(("word", "fact"), [("Global", "max_indexes"), ("Local", "max_local_indexes")])
def test_number_of_indexes(word: str, fact: str, dynamodb: Client) -> None:
    for count, fits in ((limit(fact), True), (limit(fact) + 1, False)):
        indexes = [index(n, local=word == "Local") for n in range(count)]
        body = definition(f"{TABLE}-wide", attributes=[f"a{n}" for n in range(count)])
        assert accepted(dynamodb, body | {f"{word}SecondaryIndexes": indexes}) == fits


def test_a_local_index_needs_a_sort_key(dynamodb: Client) -> None:
    body = definition(f"{TABLE}-flat", attributes=["a0"])
    body |= {"KeySchema": SORTED[:1], "LocalSecondaryIndexes": [index(0, local=True)]}
    body["AttributeDefinitions"] = [d for d in body["AttributeDefinitions"] if d["AttributeName"] != "sk"]
    assert not accepted(dynamodb, body)


@pytest.mark.parametrize(("name", "fits"), [("ab", False), ("abc", True), ("a" * 255, True), ("a b c", False)])
def test_index_names(name: str, fits: bool, dynamodb: Client) -> None:
    body = definition(f"{TABLE}-named", attributes=["a0"]) | {"GlobalSecondaryIndexes": [index(0, name=name)]}
    assert accepted(dynamodb, body) == fits


@pytest.mark.parametrize(("strong", "local"), [(True, False), (True, True), (False, False)])
def test_strong_reads_of_indexes(strong: bool, local: bool, dynamodb: Client) -> None:
    """The table and its local indexes; never a global one."""
    kind = "LocalSecondaryIndexes" if local else "GlobalSecondaryIndexes"
    body = definition(f"{TABLE}-strong", attributes=["a0"]) | {kind: [index(0, local=local)]}
    dynamodb("CreateTable", body)
    while dynamodb("DescribeTable", {"TableName": body["TableName"]})["Table"]["TableStatus"] != "ACTIVE":
        pass
    request = asked(("pk" if local else "a0") + " = :p", IndexName="index0", ConsistentRead=strong)
    assert taken(dynamodb, request | {"TableName": body["TableName"]}) == (local or not strong)
    dynamodb("DeleteTable", {"TableName": body["TableName"]})
