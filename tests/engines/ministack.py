"""The second emulator of DynamoDB, `ministack`: it bills index writes and knows transactions; `dynalite` does not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.engines.dynalite import ready
from tests.engines.server import Engine, Missing

FIRST_THAT_BILLS = (1, 5)
"""Before, each write cost one unit, whatever it wrote."""


def bills() -> bool:
    """Does the emulator count units of items and index entries? A server of the user's own is taken to."""
    if os.environ.get(ENGINE.variable):
        return True
    try:
        return tuple(int(n) for n in version("ministack").split(".")[:2]) >= FIRST_THAT_BILLS
    except PackageNotFoundError:
        return True  # the fixture says that it is missing


def command(data: Path, port: int) -> Sequence[str]:
    found = Path(sys.prefix) / "bin" / "ministack"
    environment = shutil.which("env")
    if not found.exists() or environment is None:
        raise Missing("the package ministack is not installed")
    given = {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port), "TMPDIR": str(data), "HOME": str(data)}
    return [environment, *(f"{k}={v}" for k, v in given.items()), str(found)]


ENGINE = Engine("DynamoDB (ministack)", "KEYWRIGHT_TEST_DYNAMODB_UNITS", "http", command, ready)
