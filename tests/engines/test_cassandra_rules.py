"""Tables that are called faulty are refused by a real Cassandra, sound ones are made; and what its own rules on writes
are, statement by statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from app.model.text import project_from_plain
from app.plan.world import build_world
from app.stores import STORES
from tests.engines.server import WORKER
from tests.engines.test_cassandra_statements import parts
from tests.plan.test_cases import CASES

SPACE = f"keywright_test_rules_{WORKER}"


def read(name: str) -> Mapping[str, Any]:
    """Every scalar is text, as in a project file."""
    text = (CASES / "cassandra" / name).read_text(encoding="utf-8")
    return dict(yaml.load(text, Loader=yaml.BaseLoader))


FAULTS, RULES = read("tables/faults.yaml"), read("statements/rules.yaml")


@pytest.fixture(scope="module")
def space(cassandra: Any) -> Iterator[Any]:
    cassandra.execute(f"DROP KEYSPACE IF EXISTS {SPACE}")
    cassandra.execute(
        f"CREATE KEYSPACE {SPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    )
    cassandra.set_keyspace(SPACE)
    for statement in RULES["tables"]:
        cassandra.execute(statement)
    yield cassandra
    cassandra.execute(f"DROP KEYSPACE {SPACE}")


def refusal(session: Any, statement: str) -> str:
    from cassandra import InvalidRequest  # noqa: PLC0415 (only where an engine is used)
    from cassandra.protocol import ErrorMessage  # noqa: PLC0415

    try:
        session.execute(statement)
    except (InvalidRequest, ErrorMessage) as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("name", FAULTS["cases"])
def test_table(name: str, space: Any) -> None:
    """The server makes a table exactly where nothing is said to be wrong with it."""
    body = FAULTS["cases"][name]
    model = {"name": "M", "store": "cassandra", "version": "2.1", "structures": [body["structure"]]}
    project = project_from_plain({**FAULTS["workload"], "models": [model]})
    world, made = build_world(project), project.models[0]
    found = {f.code for f in STORES["cassandra"].problems(made.structures[0], made, world)} - {"key-not-unique"}
    assert found == ({body["fault"]} - {"sound"}), found
    space.execute("DROP TABLE IF EXISTS t")
    text = "".join(STORES["cassandra"].script(made, project, world).values())
    run = [s for s in parts(text) if s.startswith(("CREATE TABLE", "CREATE INDEX"))]
    refused = [why for s in run if (why := refusal(space, s))]
    assert bool(refused) == (bool(found) and "mended" not in body), (run, refused)


@pytest.mark.parametrize("name", RULES["cases"])
def test_rule(name: str, space: Any) -> None:
    """The server accepts the statement, or refuses it with this reason."""
    body = RULES["cases"][name]
    why = refusal(space, body["run"])
    assert bool(why) == ("why" in body), why
    assert body.get("why", "").lower() in why.lower()
