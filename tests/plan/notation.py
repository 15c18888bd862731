"""The notation of planner cases, and the little world they speak about.

One entity, `order`, 5,000 records. A case names fields without the entity, keys as a project file does, conditions
as `field op value`. `partition` and `stored` are the primary key (or `stored` alone); `index` is one index, `indexes`
several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.model.keys import Kept
from app.model.spread import ONE, Spread
from app.plan.judge import halves
from app.plan.numbers import share
from app.plan.types import Cond, Dialect, Held, NeedNode, Part, Query, Record, Stat, World
from tests.plan import collection, families, items, table, wide

COUNT = 5000
DOMAIN = {
    "id": COUNT,
    "region": 10,
    "created_at": 5000,
    "total": 5000,
    "amount": 500,
    "user_id": 100,
    "scores": 100,
    "day": 365,
}
"""Fields whose values are the numbers from 0 on."""
STATS = {
    "id": Stat(COUNT, unique=True, bytes=Spread(12)),
    "status": Stat(5, bytes=Spread(8)),
    "region": Stat(10, bytes=Spread(4)),
    "user_id": Stat(100, bytes=Spread(8)),
    "email": Stat(COUNT, unique=True, bytes=Spread(24)),
    "created_at": Stat(COUNT, unique=True, type="datetime"),
    "at": Stat(COUNT, unique=True, type="datetime"),
    "day": Stat(365, type="date"),
    "hour": Stat(24, type="int32"),
    "minute": Stat(60, type="int32"),
    "sensor_id": Stat(100),
    "total": Stat(COUNT, type="int64"),
    "amount": Stat(500, type="int32"),
    "name": Stat(COUNT, bytes=Spread(20)),
    "note": Stat(500, present=0.4, bytes=Spread(40)),
    "tags": Stat(30, elements=3),
    "scores": Stat(100, elements=3, type="int32"),
}
STATED = {f"order.{k}": v for k, v in STATS.items()}
SECONDS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000}
OPS = ("not null", "is null", "not in", ">=", "<=", "!=", "=", "<", ">", "between", "in", "contains", "prefix", "match")


def world(keep: float = 0.0) -> World:
    """The world of the cases; `keep`: seconds for which an order is kept."""
    return World(
        counts={"order": COUNT},
        stats={f"order.{k}": v for k, v in STATS.items()},
        rels=(),
        figures=(),
        fields={"order": tuple(f"order.{k}" for k in STATS)},
        keys={"order": ("order.id",)},
        aliases={},
        sizes={},
        keeps={"order": keep} if keep else {},
        immutable=frozenset({"order.id"}),
    )


PLACEHOLDER = re.compile(r"\{([\w.]*)((?:\|[^}]*)?)\}|\{(shard) (\d+)\}")


def parts(components: Sequence[str], of: str = "order") -> tuple[Part, ...]:
    """Key components: `-created_at`, `tags[]`, `U#{user_id}`, `day = at|day desc` or `{shard 4}`."""
    return tuple(p for i, text in enumerate(components) for p in component(text, i, of))


def component(text: str, column: int, of: str = "order") -> tuple[Part, ...]:
    if text.isupper():
        return (Part(column=column, literal=text),)
    if "{" not in text:
        return (_column(text, column, of),)
    found, at = [], 0
    for hit in PLACEHOLDER.finditer(text):
        if hit.start() > at:
            found.append(Part(column=column, literal=text[at : hit.start()]))
        if hit.group(3):
            found.append(Part(kept=Kept(0, False, chosen=True, fan=int(hit.group(4))), column=column))
        else:
            kept = _kept(hit.group(2).strip("|").split("|") if hit.group(2) else [])
            found.append(Part(_full(hit.group(1), of), kept=kept, column=column))
        at = hit.end()
    if at < len(text):
        found.append(Part(column=column, literal=text[at:]))
    return tuple(found)


def _column(text: str, column: int, of: str) -> Part:
    name, _, rest = text.rpartition(" = ")
    descending = rest.startswith("-") or rest.endswith(" desc")
    bare, *filters = rest.lstrip("-").removesuffix(" desc").split("|")
    if bare.startswith("shard "):
        return Part(kept=Kept(0, False, chosen=True, fan=int(bare[6:])), column=column, name=name)
    if bare == "_":
        return Part(literal="_", column=column)
    return Part(
        _full(bare.removesuffix("[]"), of),
        -1 if descending else 1,
        _kept(filters),
        column,
        bare.endswith("[]"),
        name=name,
    )


def _full(attr: str, of: str) -> str:
    return attr if "." in attr or attr.startswith("=") else f"{of}.{attr}"


def _kept(filters: Sequence[str]) -> Kept:
    kept = Kept()
    for f in filters:
        word, _, n = f.partition(" ")
        if word in SECONDS:
            kept = replace(kept, exact=False, bucket=SECONDS[word])
        elif word == "hash":
            kept = replace(kept, order=0, exact=False, fan=int(n))
        elif word == "lower":
            kept = replace(kept, order=0, exact=False)
        elif word == "reverse":
            kept = replace(kept, order=-1)
        elif word == "chunk":
            kept = replace(kept, exact=False, chunk=int(n))
    return kept


def condition(text: str) -> Cond:
    """`total >= 4000`, `region in r1,r2`, `user_id in 0..99`, `at >= 3h`, `tags contains t7`, `note is null`."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    value = rest.removeprefix(op).strip()
    op = {"is null": "null"}.get(op, op)
    full = f"order.{attr}"
    if op in ("in", "not in"):
        first, dots, last = value.partition("..")
        return Cond(full, op, int(last) - int(first) + 1 if dots else len(value.split(",")))
    if value.endswith("h") and value[:-1].isdigit():
        return Cond(full, op, share=0.1, seconds=float(value[:-1]) * 3600)
    if op == "between" and attr in DOMAIN:
        low, high = value.split(",")
        return Cond(full, op, share=_between(attr, float(low.lstrip("r")), float(high.lstrip("r"))))
    if op in ("<", "<=", ">", ">=") and attr in DOMAIN:
        return Cond(full, op, share=_ranged(attr, op, float(value.lstrip("r"))))
    return Cond(full, op)


def _ranged(attr: str, op: str, value: float) -> float:
    size = DOMAIN[attr]
    value += op in (">", "<=")
    one = (size - value) / size if op[0] == ">" else value / size
    elements = STATS[attr].elements
    return 1 - (1 - one) ** elements if elements > 1 else one


def _between(attr: str, low: float, high: float) -> float:
    one = (high - low + 1) / DOMAIN[attr]
    return 1 - (1 - one) ** STATS[attr].elements


def order_by(items: Sequence[str]) -> tuple[tuple[str, int], ...]:
    return tuple((f"order.{a.lstrip('-')}", -1 if a[0] == "-" else 1) for a in items)


WAYS = {
    "mongodb": collection.ways,
    "postgresql": table.ways,
    "dynamodb": items.ways,
    "cassandra": wide.ways,
    "redis": families.ways,
}
"""How the stores read the structure of a case, where a project file can say all of it."""


@dataclass(frozen=True)
class Case:
    """One read, one structure, and what is expected of the plan."""

    query: Query
    record: Record
    world: World
    expect: Mapping[str, Any]


def read_case(store: str, name: str, body: Mapping[str, Any], dialect: Dialect) -> Case:
    """A case as written becomes what the planner is given."""
    known = {
        "partition", "stored", "index", "indexes", "type", "where", "any of", "order by", "limit", "offset", "needs",
        "strong", "age", "keep", "size", "version", "expect", "because", "sharded by", "nodes", "ttl",
        "after", "member", "score", "purpose", "static", "views", "filtering", "flow",
    }  # fmt: skip
    unknown = body.keys() - known
    if unknown:
        raise ValueError(f"{name}: unknown {sorted(unknown)}")
    needs = body.get("needs")
    attrs = STATS.keys() if needs is None else needs
    need = NeedNode(
        "order",
        frozenset(f"order.{a}" for a in attrs),
        where=halves([_sourced(t) for t in body.get("where", ())], STATED),
        any_of=tuple(halves([_sourced(t) for t in b], STATED) for b in body.get("any of", ())),
        order=order_by(body.get("order by", ())),
        strong=body.get("strong") == "yes",
        age=float(body.get("age", 0)),
    )
    world_ = world(float(body.get("keep", 0)))
    if "flow" in body:  # new orders in a second
        world_ = replace(world_, inflow={"order": float(body["flow"])})
    matched = _matched(need)
    query = Query(name, "list", (need,), matched, float(body.get("limit", 0)), float(body.get("offset", 0)))
    record = Record(
        "orders",
        "orders",
        "order",
        (Held("order"),),
        WAYS[store](body, world_, condition),
        dialect,
        size=Spread(float(body.get("size", 200))),
        count=COUNT,
        nodes=float(body.get("nodes", 1)),
        value_type=body.get("type", ""),
    )
    return Case(query, record, world_, body["expect"])


def _sourced(text: str) -> Cond:
    return collection.sourced(condition(text), text)


def _matched(need: NeedNode) -> Spread:
    stats = {f"order.{k}": v for k, v in STATS.items()}
    found = float(COUNT)
    for cond in need.where:
        found *= share(cond, stats)
    return Spread(found) if found > 1 or not need.where else ONE
