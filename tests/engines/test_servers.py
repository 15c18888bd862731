"""Every engine that the tests name starts and tells its version."""

from __future__ import annotations

from typing import Any

from tests.engines.dynalite import Client


def test_postgresql(postgresql: Any) -> None:
    found = postgresql.execute("SHOW server_version_num").fetchone()[0]
    assert int(found) >= 150_000


def test_dynamodb_units(dynamodb_units: Client) -> None:
    assert isinstance(dynamodb_units("ListTables", {})["TableNames"], list)
