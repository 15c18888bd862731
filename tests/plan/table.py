"""The table of a PostgreSQL case, as a project file would say it and as the store reads it.

An index is a list of keys, or `{keys, unique, include, type, only}`; `stored` is what the primary key is made of. A key
is `created_at`, `-created_at`, `tags[]`, `email|lower` or `day = at|day`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.model.candidate import Structure
from app.plan.types import AccessPath, Cond, World
from app.stores.postgresql.records import paths
from tests.plan import collection


def structure(body: Mapping[str, Any]) -> Structure:
    indexes = [_index(i, n) for n, i in enumerate(collection.indexes(body), 1)]
    key = keys(body.get("stored", ["id"]))
    return Structure.model_validate({"table": "orders", "of": "order", "primary key": key, "indexes": indexes})


def keys(texts: Sequence[str]) -> list[str]:
    return [_key(t) for t in texts]


def _key(text: str) -> str:
    name, equals, inside = text.rpartition(" = ")
    down = inside.startswith("-")
    return f"{name}{equals}order.{inside.lstrip('-')}{' desc' if down else ''}"


def long_form(index: Any) -> Mapping[str, Any]:
    return index if isinstance(index, Mapping) else {"keys": index}


def _index(index: Any, n: int) -> Mapping[str, Any]:
    long = long_form(index)
    made: dict[str, Any] = {"name": f"index{n}", "keys": keys(long["keys"])}
    made |= {k: long[k] for k in ("unique", "type") if k in long}
    if "include" in long:
        made["include"] = [f"order.{a}" for a in long["include"]]
    if "only" in long:
        made["where"] = " and ".join(map(collection.sql, long["only"]))
    return made


def ways(body: Mapping[str, Any], world: World, condition: Callable[[str], Cond]) -> tuple[AccessPath, ...]:
    """Every way in. `condition` reads one of the notation: it tells the share that a partial index holds."""
    return collection.shared(paths(structure(body), collection.listed(world)), body, condition)
