"""DynamoDB for tests: the emulator of the Node package `dynalite`, and a client that needs no account."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.engines.server import Engine, node, node_package

# Signed by nobody: an emulator looks at the form of a signature only.
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=none",
}


class Refused(Exception):
    """The server's answer to a request that it does not take."""


class Client:
    """Requests as JSON. The session's region is part of every signature."""

    def __init__(self, url: str) -> None:
        self.place = url.rpartition("/")[2]

    def __call__(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        target = {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        with closing(http.client.HTTPConnection(self.place, timeout=30)) as connection:
            connection.request("POST", "/", json.dumps(request), HEADERS | target)
            answer = connection.getresponse()
            found = dict(json.loads(answer.read() or b"{}"))
        if answer.status != 200:
            raise Refused(
                f"{found.get('__type', '').rpartition('#')[2]}: {found.get('message') or found.get('Message')}"
            )
        return found


def command(data: Path, port: int) -> Sequence[str]:
    script = node_package("dynalite") / "cli.js"
    times = [word for name in ("createTableMs", "deleteTableMs", "updateTableMs") for word in (f"--{name}", "0")]
    return [node(), str(script), "--host", "127.0.0.1", "--port", str(port), *times]


def ready(url: str) -> bool:
    try:
        Client(url)("ListTables", {})
    except OSError:
        return False
    return True


ENGINE = Engine("DynamoDB", "KEYWRIGHT_TEST_DYNAMODB", "http", command, ready)
