"""A running studio with the order page in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.examples import EXAMPLES
from app.main import create_app
from app.settings import Settings
from app.storage.projects import create_project

TOKEN = "a-long-random-secret-of-tests"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """As a program calls it: no browser headers, nothing compressed."""
    app = create_app(Settings(data_dir=tmp_path))
    headers = {"accept-encoding": "identity"}
    with TestClient(app, base_url="http://localhost", headers=headers, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(data_dir=tmp_path, token=TOKEN))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def order_page(client: TestClient) -> str:
    """The address of the order page of the gallery."""
    made = create_project(client.app.state.db, EXAMPLES["order-page"].project(), "Editor")
    return f"/api/v1/projects/{made.id}"
