"""The table of a Cassandra case, as a project file would say it and as the store reads it.

`partition` and `stored` are lists of columns: `user_id`, `-created_at` (descending), `day = at|day` (derived),
`part = shard 4`. An index is a list of one column or `{keys, type: sai}`; a view is `{partition, stored}`; `static`
lists columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.model.candidate import Candidate
from app.plan.types import AccessPath, Cond, World
from app.stores.cassandra.records import paths_of


def model(body: Mapping[str, Any], version: str = "") -> Candidate:
    """The table with its views; the table comes first."""
    table: dict[str, Any] = {"table": "orders", "of": "order", "partition key": keys(body["partition"])}
    if body.get("stored"):
        table["clustering key"] = keys(body["stored"])
    table["indexes"] = [_index(i) for i in body.get("indexes", ())]
    if "static" in body:
        table["static"] = keys(body["static"])
    views = [_view(v, n) for n, v in enumerate(body.get("views", ()), 1)]
    said = {"name": "Case", "store": "cassandra", "version": version, "structures": [table, *views]}
    return Candidate.model_validate(said)


def keys(columns: Sequence[str]) -> list[str]:
    return [_key(c) for c in columns]


def _key(column: str) -> str:
    name, equals, rest = column.rpartition(" = ")
    made = rest if rest.startswith("shard ") else f"order.{rest.lstrip('-')}"
    return f"{name}{equals}{made}{' desc' if rest[0] == '-' else ''}"


def _index(index: Any) -> Mapping[str, Any]:
    if not isinstance(index, Mapping):
        return {"keys": keys(index)}
    return {"keys": keys(index["keys"]), "type": index.get("type", "2i")}


def _view(view: Mapping[str, Any], n: int) -> Mapping[str, Any]:
    made: dict[str, Any] = {"materialized view": f"view{n}", "of": "order", "truth": "orders"}
    return made | {"partition key": keys(view["partition"]), "clustering key": keys(view["stored"])}


def ways(body: Mapping[str, Any], world: World, _: Callable[[str], Cond]) -> tuple[AccessPath, ...]:
    """Every way in."""
    made = model(body)
    return paths_of(made.structures[0], made, world)
