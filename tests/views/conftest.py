"""A running studio without a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

TABLE = """
| # | Operation | Fields needed | Freq | Consistency |
|---|---|---|---|---|
| 1 | Load order page | order, items, shipping status | 500 r/s | read-your-writes |
| 2 | Add item to cart | cart items | 50 w/s | strong (same doc) |
| 3 | Seller sales list | order ids, totals by seller | 5 r/s | eventual ok |
"""
PROBLEM = {"accept": "application/problem+json, text/html", "hx-request": "true"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(data_dir=tmp_path))
    # Compression would hide which template made an answer.
    headers = {"sec-fetch-site": "same-origin", "accept-encoding": "identity", "accept": "text/html"}
    with TestClient(app, base_url="http://localhost", headers=headers, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def shop(client: TestClient) -> str:
    """The address of a project made from the table above, with MongoDB and Redis."""
    form = {"text": TABLE, "name": "Shop", "stores": ["mongodb", "redis"]}
    answer = client.post("/projects", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


@pytest.fixture
def edit(client: TestClient, shop: str) -> Callable[..., object]:
    """Change one cell of that project as the page does."""

    def send(place: str, field: str, text: str, v: str = "", **view: str) -> object:
        view = {"page": "workbench", "seen": "1", **view}
        return client.patch(
            f"{shop}/cell", data={"place": place, "field": field, "text": text, "v": v, **view}, headers=PROBLEM
        )

    return send
