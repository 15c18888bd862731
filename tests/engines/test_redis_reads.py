"""The read cases of Redis on a server: commands as planned, so many elements, so many commands, in that order.

In a cluster what is planned as one request is taken as one; what is planned as several is refused as one, by the name
of the slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.plan.read import plan_read
from app.plan.types import Level, Plan, Step
from tests.engines.redis_families import (
    MANY,
    Asked,
    asked,
    commands,
    counted,
    found,
    key_of,
    keys,
    load,
    rows,
    talking,
)
from tests.engines.server import WORKER
from tests.plan.dialects import dialect_of
from tests.plan.notation import read_case
from tests.plan.test_cases import cases

CASES = [p for p in cases() if p.values[0] == "redis"]
PREFIX = f"w{WORKER}:"
ALL_OF = {"string": "MGET", "counter": "MGET", "hyperloglog": "PFCOUNT"}
"""Commands that take several keys."""


def plan_of(store: str, name: str, body: Mapping[str, Any]) -> Plan:
    case = read_case(store, name, body, dialect_of(store, body.get("version", "")))
    return plan_read(case.query, [case.record], case.world)


@pytest.mark.parametrize(("store", "name", "body"), CASES)
def test_case(store: str, name: str, body: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    client = request.getfixturevalue("valkey_cluster" if body.get("version") == "cluster" else "valkey")
    if "any of" in body and body["expect"]["level"] != "impossible":
        body = {**body, "where": body["any of"][0], "any of": []}  # each branch is a command of its own
    plan = plan_of(store, name, body)
    clear(client)
    given = asked(body)
    load(client, body, given, PREFIX)
    try:
        if plan.level is Level.IMPOSSIBLE:
            refused(client, body)
        else:
            held_against(client, plan, body, given)
    finally:
        clear(client)


def clear(client: Any) -> None:
    """Only this process's own keys: a cluster has one database for all."""
    gone = list(client.scan_iter(f"{PREFIX}*", count=5000))
    pipe = client.pipeline(transaction=False)
    for key in gone:
        pipe.unlink(key)
    pipe.execute()


def refused(client: Any, body: Mapping[str, Any]) -> None:
    """No command finds a value by less than its key: a pattern is a key like any other."""
    if body["type"] == "list" or body.get("strong"):
        return  # possible, but all of it is read; or a matter of age
    template = body["partition"][0]
    assert client.execute_command("TYPE", f"{PREFIX}{template.partition('{')[0]}*") in (b"none", "none")


def held_against(client: Any, plan: Plan, body: Mapping[str, Any], given: Asked) -> None:
    step = plan.steps[0]
    wanted = commands(body, step, given, PREFIX)
    replies, called = asked_in(client, wanted)
    assert called == len(wanted)
    every = list(keys(body, given, PREFIX))
    assert len(every) == plan.partitions
    one_by_one = len(wanted) == len(every)
    assert len(wanted) == (step.requests.avg if not one_by_one or body.get("version") == "cluster" else len(every))
    if body.get("version") == "cluster":
        slots(client, step, body, every)
    elements = [e for r in replies for e in found(body, r)]
    members = body["type"] in MANY and (body["type"] != "hash" or "member" in body)
    if members and "hour" not in body["partition"][0]:
        assert len(elements) == pytest.approx(step.keys, abs=12 + 0.15 * step.keys)
    if body["type"] in ("set", "sorted set") and not (
        step.residual or "limit" in body or step.level is Level.KEY_LOOKUP
    ):
        right_members(elements, body, given)


def asked_in(client: Any, wanted: list[tuple[Any, ...]]) -> tuple[list[Any], int]:
    """Replies to commands in one pipeline, and how many the server counted."""
    with talking(client) as connection:
        before = counted(connection)
        connection.send_packed_command(connection.pack_commands(wanted))
        replies = [connection.read_response() for _ in wanted]
        return replies, counted(connection) - before - 1


def slots(client: Any, step: Step, body: Mapping[str, Any], every: list[str]) -> None:
    """Keys of one request lie in one slot; those of several do not, and the server says so."""
    from valkey.exceptions import ResponseError  # noqa: PLC0415 (only where an engine is used)

    met = {client.execute_command("CLUSTER", "KEYSLOT", k) for k in every}
    if step.requests.avg == 1:
        assert len(met) == 1
        return
    assert len(met) > 1
    if body["type"] in ALL_OF:
        with pytest.raises(ResponseError, match="CROSSSLOT"):
            client.execute_command(ALL_OF[body["type"]], *every)


def right_members(elements: list[Any], body: Mapping[str, Any], given: Asked) -> None:
    """The members that the conditions on key and bounds find, none besides."""
    met = [r for r in rows() if all(_meets(r[a], op, values) for a, ops in given.items() for op, values in ops)]
    assert {e.decode() for e in elements} == {str(r[body["member"]]) for r in met}


def _meets(value: Any, op: str, values: list[Any]) -> bool:
    if op == "between":
        return bool(values[0] <= value <= values[1])
    if op in ("=", "in"):
        return value in values
    return bool(value >= values[0]) if op == ">=" else bool(value <= values[0])


def test_a_template_makes_the_key_that_is_planned() -> None:
    record = {"id": 7, "region": "r2", "user_id": 3, "created_at": 1300}
    assert key_of("{region|tag}:{id}", record, "") == "{r2}:7"
    assert key_of("{{orders}}:{shard 16}", record, "") == "{orders}:7"
    assert key_of("rate:{user_id}:{created_at|hour}", record, "w:") == "w:rate:3:2"
