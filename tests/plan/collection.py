"""The collection of a MongoDB case, as a project file would say it and as the store reads it.

An index is a list of keys, or `{keys, unique, sparse, hashed, text, wildcard, only}`; `ttl` is a life as in a project
file, `stored` what `_id` is made of, `sharded by` the shard key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.model.candidate import Structure
from app.model.terms import Comparison
from app.model.where import parse_where
from app.plan.types import AccessPath, Cond, Stat, World
from app.stores.mongodb.records import paths

KINDS = ("hashed", "text", "wildcard", "2dsphere")
WORD = {"is null": "is null", "not null": "is not null"}
CONDITION = re.compile(r"(\w+) (is null|not null|not in|in|between|contains|>=|<=|!=|=|<|>) ?(.*)")


def structure(body: Mapping[str, Any]) -> Structure:
    said: dict[str, Any] = {"collection": "orders", "of": "order", "_id": keys(body.get("stored", ["id"]))}
    said["indexes"] = [_index(i, n) for n, i in enumerate(indexes(body), 1)]
    if "sharded by" in body:
        said["shard key"] = keys(body["sharded by"])
    if "ttl" in body:
        said["ttl"] = body["ttl"]
    return Structure.model_validate(said)


def indexes(body: Mapping[str, Any]) -> Sequence[Any]:
    return list(body.get("indexes", [body["index"]] if "index" in body else []))


def keys(texts: Sequence[str]) -> list[str]:
    """`-created_at`, `tags[]`, `user_id hashed` as a project file has them."""
    return [f"order.{t.lstrip('-')}{' desc' if t[0] == '-' else ''}" for t in texts]


def _index(index: Any, n: int) -> Mapping[str, Any]:
    long = index if isinstance(index, Mapping) else {"keys": index}
    made: dict[str, Any] = {"name": f"index{n}", "keys": keys(long.get("keys", []))}
    made |= {k: long[k] for k in ("unique", "sparse") if k in long}
    if kind := next((k for k in KINDS if k in long), ""):
        made["type"] = kind
    if "only" in long:
        made["where"] = " and ".join(map(sql, long["only"]))
    return made


def sql(condition: str) -> str:
    """`status = s1`, `total >= 4000`, `region in r1,r2`, `note not null` as SQL on an order."""
    said = CONDITION.fullmatch(condition)
    if said is None or ".." in condition:
        raise ValueError(f"{condition} cannot be said in SQL")
    attr, op, value = said.groups()
    if op in WORD:
        return f"order.{attr} {WORD[op]}"
    listed = ", ".join(_literal(v) for v in value.split(","))
    if op == "between":
        low, high = map(_literal, value.split(","))
        return f"order.{attr} between {low} and {high}"
    if op == "contains":
        return f"contains(order.{attr}, {listed})"
    return f"order.{attr} {op} ({listed})" if op.endswith("in") else f"order.{attr} {op} {listed}"


def _literal(value: str) -> str:
    return value if re.fullmatch(r"-?\d+(\.\d+)?", value) else f"'{value}'"


def sourced(cond: Cond, text: str) -> Cond:
    """The same condition with the literals it names, where a project file can say them."""
    try:
        term = parse_where(sql(text)).terms[0]
    except ValueError:
        return cond
    return replace(cond, source=term) if isinstance(term, Comparison) else cond


def ways(body: Mapping[str, Any], world: World, condition: Callable[[str], Cond]) -> tuple[AccessPath, ...]:
    """Every way in. `condition` reads one of the notation: it tells the share that a partial index holds."""
    return shared(paths(structure(body), "order", listed(world)), body, condition)


def listed(world: World) -> World:
    """The same world with arrays where a field has several elements: a store asks their types."""
    return replace(world, stats={a: _listed(s) for a, s in world.stats.items()})


def shared(
    found: Sequence[AccessPath], body: Mapping[str, Any], condition: Callable[[str], Cond]
) -> tuple[AccessPath, ...]:
    """The paths with the share that each partial index holds, as the notation tells it."""
    said = [condition(t) for i in indexes(body) if isinstance(i, Mapping) for t in i.get("only", ())]
    shares = {(c.attr, c.op): c for c in said}
    return tuple(replace(p, only=tuple(_shared(c, shares) for c in p.only)) for p in found)


def _shared(cond: Cond, shares: Mapping[tuple[str, str], Cond]) -> Cond:
    given = shares.get((cond.attr, cond.op))
    return cond if given is None else replace(cond, share=given.share, n=given.n)


def _listed(stat: Stat) -> Stat:
    """A field with several elements is an array, and the store asks its type."""
    return replace(stat, type=f"{stat.type}[]") if stat.elements > 1 else stat
