"""The gallery proved on an emulator of DynamoDB; a proof touches nothing but what it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.examples import EXAMPLES
from app.proof.engines import ENGINES
from app.proof.engines.dynamodb_run import ONE_BY_ONE
from app.proof.run import ProofError, prove
from app.proof.types import Proof
from app.starters import starter
from tests.engines.dynalite import Client
from tests.engines.proofs import DATE, PREFIX, SCALES, SMALLER, models, proved, told
from tests.engines.server import WORKER

STARTER = "Starter"
KNOWN = {
    "Search in posts": ("failed", "does not meet the conditions"),
}
"""Cards that cannot agree: contains() compares letters where the pattern asks for words. The text says so."""


def proof_of(example: str, model: str, url: str) -> Proof:
    scale = SCALES[example] / SMALLER
    if model != STARTER:
        return proved(example, model, url, scale)
    project = EXAMPLES[example].project()
    made = starter(project, "dynamodb").model_copy(update={"name": STARTER})
    with_starter = project.model_copy(update={"models": (*project.models, made)})
    return prove(with_starter, STARTER, url, scale=scale, seed=5, date=DATE, runs=6)


def tables(client: Client) -> set[str]:
    return {name for name in client("ListTables", {})["TableNames"] if name.startswith(PREFIX)}


@pytest.mark.parametrize(("example", "model"), [*models("dynamodb"), *((e, STARTER) for e in EXAMPLES)])
def test_every_pattern_agrees(example: str, model: str, dynamodb_url: str) -> None:
    proof = proof_of(example, model, dynamodb_url)
    wrong = {name: (verdict, why) for name, verdict, why in told(proof)}
    assert {n: w for n, w in wrong.items() if n not in KNOWN} == {}
    for name, (verdict, why) in wrong.items():
        assert verdict == KNOWN[name][0]
        assert KNOWN[name][1] in why
    assert proof.engine.startswith("DynamoDB (emulator at 127.0.0.1:")
    units = [c.units for c in proof.cards if c.verdict == "agrees"]
    assert units
    assert all(u is not None and u > 0 for u in units)
    together = [r for c in proof.cards for r in c.requests if r.text.startswith("TransactWriteItems")]
    assert {r.plan.partition("\n")[0] for r in together} <= {ONE_BY_ONE}
    assert bool(together) == (example in ("blog", "order-page") or (example, model) == ("leaderboard", STARTER))


def test_an_emulator_with_transactions_is_asked_for_them(dynamodb_units: Client) -> None:
    proof = proof_of("order-page", STARTER, f"http://{dynamodb_units.place}")
    assert told(proof) == []
    card = next(c for c in proof.cards if c.operation == "Place order")
    sent = [r for r in card.requests if r.text.startswith("TransactWriteItems")]
    assert len(sent) == 1
    assert ONE_BY_ONE not in sent[0].plan


@pytest.fixture
def bystander(dynamodb: Client) -> Iterator[str]:
    """A table of somebody else's, whose name begins as one of a proof."""
    name = f"{PREFIX}bystander_{WORKER}"
    dynamodb("CreateTable", description(f"{name}_orders"))
    yield name
    dynamodb("DeleteTable", {"TableName": f"{name}_orders"})


def description(name: str) -> dict[str, Any]:
    return {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def test_a_prefix_that_a_table_has_is_refused_and_the_table_stays(
    dynamodb: Client, dynamodb_url: str, bystander: str
) -> None:
    server: Any = ENGINES["dynamodb"].open(dynamodb_url)
    with pytest.raises(ProofError, match="exist"):
        server.create(bystander)
    mine = f"{bystander}2"
    space = server.create(mine)
    space.ask("create_table", description("orders"))
    assert {f"{bystander}_orders", f"{mine}_orders"} <= tables(dynamodb)
    space.drop()
    server.close()
    assert f"{bystander}_orders" in tables(dynamodb)
    assert f"{mine}_orders" not in tables(dynamodb)


def test_nothing_is_left_behind(dynamodb: Client, dynamodb_url: str, bystander: str) -> None:
    key = {"pk": {"S": "theirs"}}
    dynamodb("PutItem", {"TableName": f"{bystander}_orders", "Item": key})
    before = tables(dynamodb)
    proof = proof_of("redis-catalog", STARTER, dynamodb_url)
    assert sum(proof.records.values()) > 0
    assert tables(dynamodb) == before
    assert dynamodb("Scan", {"TableName": f"{bystander}_orders"})["Items"] == [key]


@pytest.mark.parametrize("url", ["http://", "mongodb://localhost:27017", "http://localhost:none", "aws://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ProofError, match="is no address of DynamoDB"):
        ENGINES["dynamodb"].open(url)


def test_a_server_that_does_not_answer_is_refused() -> None:
    with pytest.raises(ProofError, match="does not answer"):
        ENGINES["dynamodb"].open("http://user:hidden@127.0.0.1:9/")
