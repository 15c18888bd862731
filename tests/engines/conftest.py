"""An engine per fixture, once per test run; a test asks for a database of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import pytest

from app.proof import prove as proving
from tests.engines import cassandra21, dynalite, ministack, mongod, postgres, proofs
from tests.engines import valkey as valkey_engine
from tests.engines.dynalite import Client
from tests.engines.server import WORKER, Engine, Missing, running


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Engines come last: the threads of a connected driver use `random`, which Hypothesis takes for a test's doing."""
    here = Path(__file__).parent
    items.sort(key=lambda item: item.path.is_relative_to(here))
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies"))


@pytest.fixture(scope="session")
def engine_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all processes of a test run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own


@pytest.fixture(autouse=True)
def _proofs_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "PREFIX", proofs.PREFIX)


def absent(why: str) -> NoReturn:
    """Skips a test that an engine of this platform cannot judge; where `CI` is set every engine must be there."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def start(stack: ExitStack, engine: Engine, folder: Path) -> str:
    """The engine's URL; without the engine the test is skipped, or fails where engines are required."""
    try:
        return stack.enter_context(running(engine, folder))
    except Missing as missing:
        absent(str(missing))


@pytest.fixture(scope="session")
def mongodb_url(engine_folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        yield start(stack, mongod.ENGINE, engine_folder)


@pytest.fixture(scope="session")
def mongodb(mongodb_url: str) -> Iterator[Any]:
    """A client."""
    from pymongo import MongoClient  # noqa: PLC0415 (only where an engine is used)

    with MongoClient(mongodb_url) as client:
        yield client


@pytest.fixture(scope="session")
def cassandra(engine_folder: Path) -> Iterator[Any]:
    """A session of the driver."""
    with ExitStack() as stack:
        url = start(stack, cassandra21.ENGINE, engine_folder)
        host, _, port = url.rpartition("/")[2].partition(":")
        from cassandra.cluster import Cluster  # noqa: PLC0415 (only where an engine is used)

        cluster = Cluster([host], port=int(port or 9042), protocol_version=3)
        session = cluster.connect()
        session.default_timeout = 20  # seconds: changes of the schema take their time on a busy machine
        yield session
        cluster.shutdown()


@pytest.fixture(scope="session")
def valkey(engine_folder: Path) -> Iterator[Any]:
    """A client of a database that is emptied for each test that writes."""
    with ExitStack() as stack:
        url = start(stack, valkey_engine.ENGINE, engine_folder)
        from valkey import Valkey  # noqa: PLC0415 (only where an engine is used)

        with Valkey.from_url(url.replace("redis://", "valkey://"), db=9 + int(WORKER) % 7) as client:
            yield client


@pytest.fixture(scope="session")
def valkey_cluster(engine_folder: Path) -> Iterator[Any]:
    """A client of a cluster's only node, which holds all slots; its one database is shared by all processes."""
    with ExitStack() as stack:
        url = start(stack, valkey_engine.CLUSTER, engine_folder)
        from valkey import Valkey  # noqa: PLC0415 (only where an engine is used)

        with Valkey.from_url(url.replace("redis://", "valkey://")) as client:
            yield client


@pytest.fixture(scope="session")
def dynamodb_url(engine_folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        yield start(stack, dynalite.ENGINE, engine_folder)


@pytest.fixture(scope="session")
def dynamodb(dynamodb_url: str) -> Client:
    return Client(dynamodb_url)


@pytest.fixture(scope="session")
def dynamodb_units(engine_folder: Path) -> Iterator[Client]:
    """The emulator that bills index writes and knows transactions."""
    with ExitStack() as stack:
        yield Client(start(stack, ministack.ENGINE, engine_folder))


@pytest.fixture(scope="session")
def postgresql_url(engine_folder: Path) -> Iterator[str]:
    """The URL of a database of this process's own."""
    with ExitStack() as stack:
        url = start(stack, postgres.ENGINE, engine_folder)
        import psycopg  # noqa: PLC0415 (only where an engine is used)

        space = f"keywright_test_{WORKER}"
        server, _, _ = url.rpartition("/")
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {space}")
            admin.execute(f"CREATE DATABASE {space}")
            yield f"{server}/{space}"
            admin.execute(f"DROP DATABASE {space}")


@pytest.fixture(scope="session")
def postgresql(postgresql_url: str) -> Iterator[Any]:
    """A connection, each statement a transaction of its own."""
    import psycopg  # noqa: PLC0415 (only where an engine is used)

    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        yield connection
