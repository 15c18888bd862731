"""The table of a DynamoDB case, as a project file would say it and as the store reads it.

`partition` and `stored` are one key attribute each: a field (`user_id`) or a template (`U#{user_id}`). An index is
`{partition, sort, include, local}`; with several key attributes on a side it is one of many attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.model.candidate import Structure
from app.plan.types import AccessPath, Cond, World
from app.stores.common_home import Thing
from app.stores.dynamodb.keys import base_way, things
from app.stores.dynamodb.records import paths_of

PLACEHOLDER = re.compile(r"\{(?!shard )(\w+)")


def structure(body: Mapping[str, Any]) -> Structure:
    said: dict[str, Any] = {"table": "orders", "of": "order", "pk": template(body["partition"][0])}
    if body.get("stored"):
        said["sk"] = template(body["stored"][0])
    for index in body.get("indexes", ()):
        local = index.get("local") == "yes"
        said.setdefault("lsi" if local else "gsi", []).append(_index(index, local))
    return Structure.model_validate(said)


def template(text: str) -> str:
    if "{" in text:
        return PLACEHOLDER.sub(r"{order.\1", text)
    return text if text.isupper() else f"{{order.{text}}}"


def _index(index: Mapping[str, Any], local: bool) -> Mapping[str, Any]:
    partition: Sequence[str] = index["partition"]
    sort: Sequence[str] = index.get("sort", ())
    made: dict[str, Any] = {"name": "LSI1" if local else "GSI1", "projection": "all"}
    if "include" in index:
        made["projection"] = [f"order.{a}" for a in index["include"]] or "keys"
    if max(len(partition), len(sort)) > 1:
        made["keys"] = [f"order.{a}" for a in (*partition, *sort)]
        made["options"] = {"partition": str(len(partition))}
    else:
        made |= {} if local else {"pk": template(partition[0])}
        made |= {"sk": template(sort[0])} if sort else {}
    return made


def ways(body: Mapping[str, Any], world: World, _: Callable[[str], Cond]) -> tuple[AccessPath, ...]:
    """Every way in."""
    made = structure(body)
    thing: Thing = things(made)[0]
    base = base_way(thing, made)
    if base is None:
        raise ValueError("a table without a key")
    return paths_of(thing, made, world, base)
