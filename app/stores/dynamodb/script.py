"""The tables of a model as CreateTable and UpdateTimeToLive requests, with the commands that send them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.model.candidate import Candidate, Index, Structure
from app.model.project import Project
from app.plan.types import World
from app.stores.dynamodb.keys import KeyAttribute, included, index_key, local_key, table_key, things
from app.stores.dynamodb.names import stored_name, table_name, ttl_attribute

STREAMS = {
    "keys only": "KEYS_ONLY",
    "new image": "NEW_IMAGE",
    "old image": "OLD_IMAGE",
    "new and old images": "NEW_AND_OLD_IMAGES",
}
CLASSES = {"standard": "STANDARD", "infrequent access": "STANDARD_INFREQUENT_ACCESS"}
UNITS = 5
"""Provisioned units where a model says `provisioned` without numbers."""


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:  # noqa: ARG001 - one signature for all stores
    """`desk.create-table.json`, `desk.update-time-to-live.json` and `create-tables.sh`.

    A table without a key is left out and named by `problems`.
    """
    files: dict[str, str] = {}
    expires = any(model.store_of(s) == "dynamodb" and time_to_live(s) for s in model.structures)
    about = "# Creates the tables and turns expiry on." if expires else "# Creates the tables."
    commands = ["#!/bin/sh", about, "set -eu"]
    for structure in model.structures:
        if model.store_of(structure) != "dynamodb" or not table_key(structure, world):
            continue
        name = table_name(structure.name)
        _add(files, commands, f"{name}.create-table.json", "create-table", create(structure, world))
        commands.append(f"aws dynamodb wait table-exists --table-name {name}")
        if expiry := time_to_live(structure):
            file = f"{name}.update-time-to-live.json"
            _add(files, commands, file, "update-time-to-live", expiry)
    if files:
        files["create-tables.sh"] = "\n".join(commands) + "\n"
    return files


def _add(files: dict[str, str], commands: list[str], file: str, command: str, body: Mapping[str, Any]) -> None:
    files[file] = json.dumps(body, indent=2, ensure_ascii=False) + "\n"
    commands.append(f"aws dynamodb {command} --cli-input-json file://{file}")


def create(structure: Structure, world: World) -> dict[str, Any]:
    """One CreateTable request; AttributeDefinitions name the key attributes and nothing else."""
    keys = table_key(structure, world)
    named = {i.name: i for i in structure.gsi if i.name}
    global_keys = {name: index_key(i, structure, world) for name, i in named.items()}
    local = {i.name: i for i in structure.lsi if i.name}
    local_keys = {name: local_key(i, structure, world) for name, i in local.items()}
    every = (keys, *global_keys.values(), *local_keys.values())
    types = {k.name: k.type for schema in every for k in schema}
    body: dict[str, Any] = {
        "TableName": table_name(structure.name),
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in sorted(types.items())],
        "KeySchema": _schema(keys),
        **_billing(structure.capacity),
    }
    base = {k.name for k in keys}
    indexes = [
        {**_index(named[n], structure, world, k, base), **_index_capacity(named[n], structure)}
        for n, k in global_keys.items()
        if k
    ]
    if indexes:
        body["GlobalSecondaryIndexes"] = indexes
    locals_ = [
        _index(local[n], structure, world, k, base) for n, k in local_keys.items() if len(k) > 1 and len(keys) > 1
    ]
    if locals_:
        body["LocalSecondaryIndexes"] = locals_
    return body | _options(structure.options)


def _schema(keys: Iterable[KeyAttribute]) -> list[dict[str, str]]:
    return [{"AttributeName": k.name, "KeyType": k.role} for k in keys]


def units(capacity: Any) -> tuple[int, int] | None:
    """(read, write) units; None: on demand, which is also what an absent setting means."""
    if isinstance(capacity, Mapping):
        return _whole(capacity.get("read")), _whole(capacity.get("write"))
    text = str(capacity or "").strip().lower()
    return (UNITS, UNITS) if text == "provisioned" else None


def _whole(value: object) -> int:
    match = re.match(r"\d+", str(value or ""))
    return max(1, int(match.group())) if match else UNITS


def _throughput(given: tuple[int, int]) -> dict[str, Any]:
    read, write = given
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def _billing(capacity: Any) -> dict[str, Any]:
    given = units(capacity)
    if given is None:
        return {"BillingMode": "PAY_PER_REQUEST"}
    return {"BillingMode": "PROVISIONED", **_throughput(given)}


def _index_capacity(index: Index, structure: Structure) -> dict[str, Any]:
    """A GSI has units of its own; without any it gets the table's, so that it does not hold writes back."""
    table = units(structure.capacity)
    if table is None:
        return {}
    return _throughput(units(index.capacity) or table)


def _index(
    index: Index,
    structure: Structure,
    world: World,
    keys: tuple[KeyAttribute, ...],
    base: set[str],
) -> dict[str, Any]:
    taken = base | {k.name for k in keys}
    return {
        "IndexName": table_name(index.name),
        "KeySchema": _schema(keys),
        "Projection": projection(index, structure, world, taken),
    }


def projection(index: Index, structure: Structure, world: World, keys: Iterable[str]) -> dict[str, Any]:
    """ALL, KEYS_ONLY or INCLUDE; key attributes are always projected and may not be listed."""
    listed = included(index)
    if listed is None:
        return {"ProjectionType": "ALL"}
    taken, names = set(keys), dict[str, None]()
    for path in listed:
        for thing in things(structure):
            if not index.of or thing.of in index.of:
                names.update(dict.fromkeys(stored_name(path, thing, world)))
    extra = [n for n in names if n not in taken]
    if not extra:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": extra}


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    stream = STREAMS.get(str(options.get("stream", "")).strip().lower())
    if stream:
        found["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream}
    table_class = CLASSES.get(str(options.get("table class", "")).strip().lower())
    if table_class:
        found["TableClass"] = table_class
    if str(options.get("deletion protection", "")).strip().lower() in ("yes", "true", "on"):
        found["DeletionProtectionEnabled"] = True
    return found


def time_to_live(structure: Structure) -> dict[str, Any]:
    """The UpdateTimeToLive request; empty where nothing expires."""
    attribute = ttl_attribute(structure)
    if not attribute:
        return {}
    return {
        "TableName": table_name(structure.name),
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": attribute},
    }
