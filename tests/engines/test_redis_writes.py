"""Writes of Redis on a server: commands counted as planned, records where they belong afterwards.

In a cluster one transaction takes the keys of a write exactly where the plan says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from app.plan.types import Plan
from tests.engines.redis_families import counted, talking
from tests.engines.server import WORKER
from tests.engines.test_redis_statements import commands, spoken
from tests.stores.wiring import Bench, bench

FOLDER = Path(__file__).parents[1] / "plan" / "cases" / "redis" / "writes"
READS = frozenset({"watch", "unwatch", "multi", "exec", "hmget", "hget", "hgetall", "get", "exists", "type", "config"})
"""Commands that change nothing, beside those of the transaction."""
VALUES = {
    "id": "u1", "user_id": "u1", "name": "Ana", "user_name": "Ana", "points": "7", "user_points": "7",
    "city": "rome", "user_city": "rome", "new_city": "oslo", "old_user_city": "rome", "shard": "3",
}  # fmt: skip
OLD = {"id": "u1", "name": "Bo", "points": "5", "city": "rome"}


def cases() -> list[Any]:
    return [
        pytest.param(body, id=f"{file.stem}/{name}")
        for file in sorted(FOLDER.glob("*.yaml"))
        for name, body in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader).items()
    ]


def made(body: Mapping[str, Any]) -> Bench:
    """The project with one write; families of this process's own in a cluster, which has one database for all."""
    families = [dict(f) for f in body["families"]]
    options = {}
    if body.get("cluster") == "yes":
        options = {"cluster": "yes"}
        for family in families:
            family["keys"] = f"w{WORKER}:{family['keys']}"
    text = {
        "keywright": 1,
        "name": "Writes",
        "entities": [
            {
                "name": "user",
                "count": 1000,
                "fields": [
                    "id string key avg 4",
                    "name string avg 10",
                    "points int32",
                    "city string avg 6 distinct 10",
                ],
            }
        ],
        "patterns": [{"operation": "W", **body["write"]}],
        "models": [{"name": "M", "store": "redis", "options": options, "structures": families}],
    }
    return bench(yaml.safe_dump(text, sort_keys=False), "redis")


def spelled(words: list[str]) -> list[Any]:
    """A command for the client; the id that a server makes is not in quotes."""
    return ["*" if w == '"*"' else w for w in words]


def run(
    client: Any, text: str, between: Any = None, old: Mapping[str, str] = MappingProxyType({})
) -> tuple[Counter[str], list[Any]]:
    """Commands by name as written, and the replies. `between`: what another client does before EXEC. `old`: what has
    been read."""
    lines = list(commands(text))
    called: Counter[str] = Counter()
    replies = []
    with talking(client) as connection:
        before = counted(connection)
        for words in spoken(lines, {**VALUES, **old}):
            if words[0] == "EXEC" and between is not None:
                between()
            connection.send_command(*spelled(words))
            replies.append(connection.read_response())
            called[words[0].lower()] += 1
        done = called.total() if replies[-1] is not None else called.total() - len(keys_of(text))
        assert counted(connection) - before - 1 == done  # what EXEC gives up is not counted
    return called, replies


def keys_of(text: str) -> list[str]:
    """Keys that the commands of a write change."""
    every = [w for w in spoken(list(commands(text)), VALUES) if w[0].lower() not in READS]
    return list(dict.fromkeys(w[1] for w in every))


def clear(client: Any, keys: list[str]) -> None:
    for key in keys:
        client.unlink(key)


@pytest.mark.parametrize("body", cases())
def test_case(body: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    cluster = body.get("cluster") == "yes"
    client = request.getfixturevalue("valkey_cluster" if cluster else "valkey")
    mine = made(body)
    plan, text = mine.plan("W"), mine.text("W")
    keys = keys_of(text)
    clear(client, keys)
    called, replies = run(client, text)
    try:
        wanted = {k: int(v) for k, v in body["commands"].items()}
        assert {k: n for k, n in called.items() if k not in READS} == wanted
        assert not [r for r in replies if isinstance(r, Exception)]
        assert (plan.scope, str(len(plan.touches))) == (body["expect"]["scope"], body["expect"]["touches"])
        assert ("multi" in called) == (plan.scope == "slot" or bool(called["exec"]))
        if cluster:
            together(client, plan, keys)
    finally:
        clear(client, keys)


def together(client: Any, plan: Plan, keys: list[str]) -> None:
    """One transaction over all keys is taken where the plan says `slot` or `record`, refused where it does not."""
    from valkey.exceptions import ResponseError  # noqa: PLC0415 (only where an engine is used)

    pipe = client.pipeline(transaction=True)
    for key in keys:
        pipe.execute_command("EXPIRE", key, 60)
    script = "return #KEYS"
    if plan.scope in ("slot", "record"):
        pipe.execute()
        assert client.eval(script, len(keys), *keys) == len(keys)
        return
    with pytest.raises(ResponseError, match="CROSSSLOT"):
        pipe.execute()
    with pytest.raises(ResponseError, match="CROSSSLOT"):
        client.eval(script, len(keys), *keys)


MOVE = "moved from one set to another"


def moving() -> str:
    return made(next(p.values[0] for p in cases() if p.id == f"commands/{MOVE}")).text("W")


def test_a_move_takes_the_record_out_of_its_old_place(valkey: Any) -> None:
    valkey.flushdb()
    valkey.hset("user:u1", mapping=OLD)
    valkey.sadd("in:rome", "u1", "u2")
    run(valkey, moving())
    assert set(valkey.smembers("in:rome")) == {b"u2"}
    assert set(valkey.smembers("in:oslo")) == {b"u1"}
    assert valkey.hget("user:u1", "city") == b"oslo"


def test_a_move_does_nothing_where_the_record_changed_meanwhile(valkey: Any) -> None:
    """The watched truth is written by another client between reading and EXEC: nil, and nothing is done."""
    valkey.flushdb()
    valkey.hset("user:u1", mapping=OLD)
    valkey.sadd("in:rome", "u1")
    _, replies = run(valkey, moving(), between=lambda: valkey.hset("user:u1", "city", "bonn"))
    assert replies[-1] is None
    assert set(valkey.smembers("in:rome")) == {b"u1"}
    assert not valkey.exists("in:oslo")
    valkey.smove("in:rome", "in:bonn", "u1")
    run(valkey, moving(), old={"old_user_city": "bonn"})  # read again, tried again
    assert set(valkey.smembers("in:oslo")) == {b"u1"}


def test_what_is_asked_of_a_record_is_watched(valkey: Any) -> None:
    """Two clients take five of seven points: the second one's EXEC gives up."""
    valkey.flushdb()
    valkey.hset("user:u1", mapping={**OLD, "points": "7"})
    name = "number taken from, only if there is enough"
    text = made(next(p.values[0] for p in cases() if p.id == f"commands/{name}")).text("W")
    _, replies = run(valkey, text, between=lambda: valkey.hincrby("user:u1", "points", -5))
    assert replies[-1] is None
    assert valkey.hget("user:u1", "points") == b"2"
    assert "unless points >= 5: UNWATCH" in text
