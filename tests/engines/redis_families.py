"""The records of Redis cases as a server holds them, and the commands of a planned read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import Any

import pytest

from app.plan.types import Kind, Step
from tests.engines.orders import orders
from tests.plan.notation import OPS

PLACEHOLDER = re.compile(r"\{(shard \d+|\w+)((?:\|[^}]*)?)\}")
MANY = ("hash", "set", "sorted set", "list", "stream")
OTHERS = 100
Asked = Mapping[str, list[tuple[str, list[Any]]]]
"""Attribute → (operator, values)."""
HOUR = 600
"""Values of `created_at` that count as one hour."""


def key_of(template: str, record: Mapping[str, Any], prefix: str) -> str:
    """The key of a record; a tag keeps its braces."""

    def one(found: re.Match[str]) -> str:
        if found[1].startswith("shard"):
            return str(record["shard"] if "shard" in record else record["id"] % int(found[1][6:]))
        given = record[found[1]]
        if "hash" in found[2]:
            return str(given % int(found[2].split()[1]))
        if "hour" in found[2]:
            return str(given // HOUR)
        return f"{{{given}}}" if "tag" in found[2] else str(given)

    literal = template.replace("{{", "\0").replace("}}", "\1")
    return prefix + PLACEHOLDER.sub(one, literal).replace("\0", "{").replace("\1", "}")


def put(pipe: Any, body: Mapping[str, Any], record: Mapping[str, Any], prefix: str) -> None:
    """One record into its key."""
    key, kind = key_of(body["partition"][0], record, prefix), body["type"]
    member = record.get(body.get("member", "id"))
    match kind:
        case "string":
            pipe.set(key, str(record["id"]))
        case "counter":
            pipe.incr(key)
        case "hash" if "member" in body:
            pipe.hset(key, member, str(record["id"]))
        case "hash":
            pipe.hset(key, mapping={f: str(record[f]) for f in ("id", "status", "email")})
        case "set":
            pipe.sadd(key, member)
        case "sorted set":
            pipe.zadd(key, {str(member): record[body["score"]]})
        case "list":
            pipe.rpush(key, record["created_at"])
        case "stream":
            pipe.xadd(key, {"id": record["id"]}, id=f"{record['created_at'] + 1}-0")
        case "bitmap":
            pipe.setbit(key, record["id"], 1)
        case "hyperloglog":
            pipe.pfadd(key, record["id"])


@cache
def rows() -> list[dict[str, Any]]:
    """All records, in the order of their creation."""
    return sorted(orders(), key=lambda r: r["created_at"])


def load(client: Any, body: Mapping[str, Any], given: Asked, prefix: str) -> None:
    """The records under the keys that are asked for, and some others."""
    named = {n for n, _ in PLACEHOLDER.findall(body["partition"][0])}
    exact = {a: o[0][1] for a, o in given.items() if a in named and o[0][0] in ("=", "in")}
    near = [r for r in rows() if all(r[a] in values for a, values in exact.items())]
    pipe = client.pipeline(transaction=False)
    met = {r["id"] for r in near}
    for record in (*near, *(r for r in rows()[:OTHERS] if r["id"] not in met)):
        put(pipe, body, record, prefix)
    pipe.execute()


def asked(body: Mapping[str, Any]) -> Asked:
    """Attribute → (operator, values). `FIRST`: what the first record in the bounds has."""
    out: dict[str, list[tuple[str, list[Any]]]] = {}
    for text in body.get("where", ()):
        attr, _, rest = text.partition(" ")
        op = next(o for o in OPS if rest.startswith(o))
        said = rest.removeprefix(op).strip()
        low, dots, high = said.partition("..")
        words = [str(n) for n in range(int(low), int(high) + 1)] if dots else said.split(",")
        values: list[Any] = [int(w) if w.isdigit() else w for w in words]
        if said == "FIRST":
            equal = {a: o[0][1][0] for a, o in out.items() if o[0][0] == "="}
            values = [next(r[attr] for r in rows() if all(r[a] == v for a, v in equal.items()))]
        if said.endswith("h"):
            values = [max(r["created_at"] for r in rows()) - 3 * HOUR + 1]
        out.setdefault(attr, []).append((op, values))
    return out


def keys(body: Mapping[str, Any], given: Asked, prefix: str) -> Iterator[str]:
    """Every key that the read touches."""
    template = body["partition"][0]
    choices: dict[str, list[Any]] = {}
    for name, filters in PLACEHOLDER.findall(template.replace("{{", "").replace("}}", "")):
        if name.startswith("shard"):
            choices["shard"] = list(range(int(name[6:])))
        elif "hour" in filters:
            low = given[name][0][1][0]
            choices[name] = [n * HOUR for n in range(low // HOUR, low // HOUR + 4)]
        else:
            choices[name] = given[name][0][1]
    for chosen in product(*choices.values()):
        yield key_of(template, dict(zip(choices, chosen, strict=True)), prefix)


def bounds(step: Step, given: Asked) -> tuple[Any, Any]:
    """Lowest and highest value of the part that the plan's range bounds."""
    low: Any = "-inf"
    high: Any = "+inf"
    for w in step.match.order if step.match is not None else ():
        if not w.tight or w.kind is not Kind.SPAN:
            continue
        for op, values in given[w.part.attr.removeprefix("order.")]:
            if op == "between":
                low, high = values
            elif op[0] == ">":
                low = values[0]
            else:
                high = values[0]
    return low, high


def commands(body: Mapping[str, Any], step: Step, given: Asked, prefix: str) -> list[tuple[Any, ...]]:
    """The commands of the planned read, one for each key or one for all where the type has such a command."""
    every = list(keys(body, given, prefix))
    kind, limit = body["type"], int(body.get("limit", 0))
    at_once = step.requests.avg == 1 and len(every) > 1
    if kind in ("string", "counter"):
        return [("MGET", *every)] if at_once else [("GET", k) for k in every]
    if kind == "hyperloglog":
        return [("PFCOUNT", *every)] if at_once else [("PFCOUNT", k) for k in every]
    return [_one(body, step, given, key, limit) for key in every]


def _one(body: Mapping[str, Any], step: Step, given: Any, key: str, limit: int) -> tuple[Any, ...]:
    kind, down = body["type"], step.order in ("reversed", "merged")
    named = given.get(body.get("member", ""), [("", [])])[0]
    lookup = named[1][0] if named[0] == "=" else None
    low, high = bounds(step, given)
    last = limit - 1 if limit and step.order in ("stored", "reversed", "merged") else -1
    match kind:
        case "hash":
            return ("HGET", key, lookup) if lookup is not None else ("HGETALL", key)
        case "set":
            return ("SISMEMBER", key, lookup) if lookup is not None else ("SMEMBERS", key)
        case "sorted set" if lookup is not None:
            return ("ZSCORE", key, lookup)
        case "sorted set" if (low, high) != ("-inf", "+inf"):
            some = ("LIMIT", 0, limit) if last >= 0 else ()
            return (
                "ZRANGE",
                key,
                *((high, low) if down else (low, high)),
                "BYSCORE",
                *(("REV",) if down else ()),
                *some,
            )
        case "sorted set":
            return ("ZRANGE", key, 0, last, *(("REV",) if down else ()))
        case "list":
            return ("LRANGE", key, *((-limit, -1) if down and limit else (0, last)))
        case "stream":
            first = "-" if low == "-inf" else f"{low + 1}"
            some = ("COUNT", limit) if last >= 0 else ()
            return ("XREVRANGE", key, "+", first, *some) if down else ("XRANGE", key, first, "+", *some)
        case _:
            return ("BITCOUNT", key)


def found(body: Mapping[str, Any], reply: Any) -> list[Any]:
    """What a reply holds: elements, members, values."""
    if reply is None or reply == 0:
        return []
    if body["type"] == "hash" and isinstance(reply, list):  # fields and values in turn
        return reply[::2] if "member" in body else [reply]
    if isinstance(reply, list | set | tuple):
        return [r for r in reply if r is not None]
    return [reply]


@contextmanager
def talking(client: Any) -> Iterator[Any]:
    """A connection of one's own, whose commands the server counts apart."""
    connection = client.connection_pool.get_connection("_")
    try:
        yield connection
    finally:
        client.connection_pool.release(connection)


def counted(connection: Any) -> int:
    """Commands that the server has had from a connection, this question not among them."""
    connection.send_command("CLIENT", "INFO")
    told = re.search(r"tot-cmds=(\d+)", connection.read_response().decode())
    if told is None:
        pytest.skip("the server does not count the commands of a connection")
    return int(told[1])
