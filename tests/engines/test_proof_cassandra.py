"""The gallery proved on Cassandra; a proof touches nothing but what it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.proof.engines import ENGINES
from app.proof.run import ProofError
from tests.engines.proofs import PREFIX, SCALES, SMALLER, models, proved, told
from tests.engines.server import WORKER

SKIPPED = {"Search in posts"}
"""No table answers a search for words: the plan says so, and so does the card."""


@pytest.fixture(scope="session")
def cassandra_url(cassandra: Any) -> str:
    place = cassandra.cluster.contact_points[0]
    return f"cassandra://{place}:{cassandra.cluster.port}"


def keyspaces(cassandra: Any) -> set[str]:
    rows = cassandra.execute("SELECT keyspace_name FROM system.schema_keyspaces")
    names = [next(iter(r.values() if isinstance(r, dict) else r)) for r in rows]  # as the test before left the session
    return {name for name in names if name.startswith(PREFIX)}


@pytest.mark.parametrize(("example", "model"), models("cassandra"))
def test_every_pattern_agrees(example: str, model: str, cassandra_url: str) -> None:
    proof = proved(example, model, cassandra_url, SCALES[example] / SMALLER)
    wrong = told(proof)
    assert [w for w in wrong if w[0] not in SKIPPED] == []
    assert {(name, verdict) for name, verdict, _ in wrong} <= {(name, "skipped") for name in SKIPPED}
    assert proof.version == "2.1.0" or proof.version > "2.1"


@pytest.fixture
def bystander(cassandra: Any) -> Iterator[str]:
    name = f"{PREFIX}bystander_{WORKER}"
    cassandra.execute(
        f"CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    )
    yield name
    cassandra.execute(f"DROP KEYSPACE {name}")


def test_a_keyspace_that_exists_is_refused_and_stays(cassandra: Any, cassandra_url: str, bystander: str) -> None:
    server = ENGINES["cassandra"].open(cassandra_url)
    with pytest.raises(ProofError, match="exists"):
        server.create(bystander)
    mine = f"{bystander}_2"
    space = server.create(mine)
    assert {mine, bystander} <= keyspaces(cassandra)
    space.drop()
    server.close()
    assert bystander in keyspaces(cassandra)
    assert mine not in keyspaces(cassandra)
