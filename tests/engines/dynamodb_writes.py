"""Writes of DynamoDB as they are handed over, made on an emulator: requests filled in, units billed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import yaml

from app.analysis import ModelReport, Report, analyse
from app.exporters import queries
from app.model.text import read_yaml
from app.stores.dynamodb.script import create
from tests.engines.dynalite import Client
from tests.engines.dynamodb_designs import Design, design

FIELDS = ("id string key avg 4", "s string avg 6", "t string avg 6", "o string avg 6 present 50%", "n int32")
SMALL = 30
OLD = {"id": "0001", "s": "ssssss", "t": "tttttt", "o": "oooooo", "n": 1111111111}
NEW = {"s": "SSSSSS", "t": "TTTTTT", "o": "OOOOOO"}
BOX = {"id": {"S": "bbbb"}, "n": {"N": "1111111111"}}
HEAD = re.compile(r"^# (?:\d+\. )?(PutItem|UpdateItem|DeleteItem|TransactWriteItems)\b")


def report(table: Mapping[str, Any], write: Mapping[str, Any], size: int, name: str) -> Report:
    """The project with one write. `size`: bytes of the filler `v`."""
    boxes = {"table": f"boxes-{name}", "of": "box", "pk": "{box.id}"}
    optional = "thing.o" in repr((table, write))
    fields = [*(f for f in FIELDS if optional or f[0] != "o"), f"v string avg {size}"]
    write = dict(write)
    if "insert" in write:
        write["set"] = {"thing.s": ":new_s", "thing.t": ":new_t", "thing.v": ":new_v", "thing.n": ":n"} | write.get(
            "set", {}
        )
    body = {
        "keywright": 1,
        "name": "Writes",
        "entities": [
            {"name": "thing", "count": 1000, "fields": fields},
            {"name": "box", "count": 100, "fields": ["id string key avg 4", "n int64"]},
        ],
        "patterns": [{"operation": "W", **write}],
        "models": [{"name": "M", "store": "dynamodb", "structures": [{"table": name, "of": "thing", **table}, boxes]}],
    }
    return analyse(read_yaml(yaml.safe_dump(body, sort_keys=False)))


def requests(made: Report, model: ModelReport) -> Iterator[tuple[str, dict[str, Any]]]:
    """(operation, request) of the write, as it is handed over."""
    operation = ""
    for piece in re.split(r"(?=^\{$)|(?<=^\}$)", queries.query(made, model, "W"), flags=re.MULTILINE):
        if piece.startswith("{\n"):
            yield operation, json.loads(piece)
            continue
        for line in piece.splitlines():
            operation = found[1] if (found := HEAD.match(line)) else operation


def filled(request: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The request with values for its placeholders; an attribute of which there is none is left out."""

    def one(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\{([\w ]+)\}", lambda f: str(values.get(f[1], f[0])), value)
        if isinstance(value, list):
            return [one(v) for v in value]
        if isinstance(value, dict):
            return {k: v for k, inner in value.items() if (v := one(inner)) != {"S": "{o}"}}
        return value

    found = dict(one(dict(request)))
    return found | ({"ClientRequestToken": uuid4().hex} if "ClientRequestToken" in found else {})


def tables(made: Report, name: str) -> Iterator[tuple[Design, dict[str, Any]]]:
    structures = made.project.models[0].structures
    for s in structures:
        yield design(made.project, name), create(s, made.world) | {"TableName": s.name}


def billed(client: Client, operation: str, request: Mapping[str, Any], name: str) -> Counter[str]:
    """Units by table and index."""
    answer = client(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
    consumed: Sequence[Mapping[str, Any]] = answer["ConsumedCapacity"]
    found: Counter[str] = Counter()
    for one in consumed if isinstance(consumed, list) else [consumed]:
        table = "table" if one["TableName"] == name else "boxes"
        found[table] += one["CapacityUnits"]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, units in one.get(kind, {}).items():
                found[index] += units["CapacityUnits"]
                found[table] -= units["CapacityUnits"]
    return Counter({k: v for k, v in found.items() if v})


def average(
    client: Client, made: Report, name: str, olds: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> dict[str, float]:
    """Units of the write on each of the items there may be before, on average."""
    total: Counter[str] = Counter()
    made_ = [(d, body) for d, body in tables(made, name)]
    for _, body in made_:
        client("CreateTable", body)
    try:
        for old in olds:
            if made.project.patterns[0].action != "insert":
                client("PutItem", {"TableName": name, "Item": made_[0][0].item(old)})
            client("PutItem", {"TableName": f"boxes-{name}", "Item": BOX})
            for operation, request in requests(made, made.models[0]):
                total += billed(
                    client,
                    operation,
                    filled(request, {k: v for k, v in {**old, **values}.items() if v is not None}),
                    name,
                )
            if made.project.patterns[0].action == "insert":
                _remove(client, made_[0][0], old | {k.removeprefix("new_"): v for k, v in values.items()})
    finally:
        for _, body in made_:
            client("DeleteTable", {"TableName": body["TableName"]})
    return {k: v / len(olds) for k, v in total.items()}


def _remove(client: Client, made: Design, record: Mapping[str, Any]) -> None:
    _, keys, _ = next(made.ways())
    item = made.item(record)
    client("DeleteItem", {"TableName": made.name, "Key": {k.name: item[k.name] for k in keys}})
