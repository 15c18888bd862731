"""The gallery proved on MongoDB; a proof touches nothing but what it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.examples import EXAMPLES
from app.proof.engines import ENGINES
from app.proof.run import Cancelled, ProofError, prove
from tests.engines.proofs import DATE, PREFIX, SCALES, SMALLER, models, proved, told
from tests.engines.server import WORKER


@pytest.mark.parametrize(("example", "model"), models("mongodb"))
def test_every_pattern_agrees(example: str, model: str, mongodb_url: str) -> None:
    proof = proved(example, model, mongodb_url, SCALES[example] / SMALLER)
    assert told(proof) == []
    assert all(c.rows == "right" and c.runs == 6 for c in proof.cards)
    assert (proof.engine, proof.store) == ("MongoDB", "mongodb")
    reads = [c for c in proof.cards if c.requests and c.requests[0].plan]
    assert reads
    assert all(c.examined is not None for c in reads)


@pytest.fixture
def bystander(mongodb: Any) -> Iterator[str]:
    """A database that looks like a proof's, with something in it."""
    name = f"{PREFIX}bystander_{WORKER}"
    mongodb[name].kept.insert_one({"_id": 1})
    yield name
    mongodb.drop_database(name)


def test_nothing_else_is_touched_also_when_cancelled(mongodb: Any, mongodb_url: str, bystander: str) -> None:
    project, met = EXAMPLES["order-page"].project(), []

    def made() -> bool:
        met.extend(n for n in mongodb.list_database_names() if n.startswith(PREFIX) and n != bystander)
        return bool(met)

    with pytest.raises(Cancelled):
        prove(project, "Lines inside the order", mongodb_url, scale=1e-5, date=DATE, cancelled=made)
    assert met
    assert met[0] not in mongodb.list_database_names()
    assert mongodb[bystander].kept.count_documents({}) == 1


def test_a_database_that_exists_is_refused(mongodb: Any, mongodb_url: str, bystander: str) -> None:
    server = ENGINES["mongodb"].open(mongodb_url)
    with pytest.raises(ProofError, match="exists"):
        server.create(bystander)
    server.close()
    assert mongodb[bystander].kept.count_documents({}) == 1


def test_a_password_is_never_told() -> None:
    with pytest.raises(ProofError) as no:
        ENGINES["mongodb"].open("mongodb://ana:hunter22@127.0.0.1:1/")
    assert "hunter22" not in str(no.value)
    assert "127.0.0.1:1" in str(no.value)
