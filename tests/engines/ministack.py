"""The second emulator of DynamoDB, `ministack`: it bills index writes and knows transactions; `dynalite` does not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.engines.dynalite import ready
from tests.engines.server import Engine, Missing


def command(data: Path, port: int) -> Sequence[str]:
    found = Path(sys.prefix) / "bin" / "ministack"
    environment = shutil.which("env")
    if not found.exists() or environment is None:
        raise Missing("the package ministack is not installed")
    given = {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port), "TMPDIR": str(data), "HOME": str(data)}
    return [environment, *(f"{k}={v}" for k, v in given.items()), str(found)]


ENGINE = Engine("DynamoDB (ministack)", "KEYWRIGHT_TEST_DYNAMODB_UNITS", "http", command, ready)
