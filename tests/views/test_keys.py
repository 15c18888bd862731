"""The key catalog."""

import pytest
from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM

CATALOG = """
keywright: 1
name: Front
entities:
  - {name: product, count: 50k, fields: [id uuid key, name string avg 30, price int32]}
patterns:
  - {operation: Load product, get: product, where: "product.id = :id", rate: 900/s, consistency: eventual 5 min}
  - {operation: Change product, update: product, where: "product.id = :id", set: {product.price: ":price"}, rate: 1/s}
models:
  - name: Cache
    store: redis
    structures:
      - {keys: "cache:product:{product.id}", type: hash, of: product, ttl: 300 s, purpose: cache, truth: products}
      - {store: mongodb, collection: products, of: product, _id: product.id}
"""


@pytest.fixture
def front(client: TestClient) -> str:
    made = client.post("/projects", data={"text": CATALOG, "filename": "front.yaml"}, follow_redirects=False)
    assert made.status_code == 303, made.text
    return made.headers["location"]


def test_a_family_is_shown_with_pattern_example_memory_and_commands(client: TestClient, front: str) -> None:
    page = client.get(f"{front}/keys").context
    (line,) = page.lines
    assert line.entry.pattern == "cache:product:{product.id}"
    assert line.entry.keys == 50_000
    assert line.memory == 50_000 * line.entry.bytes
    assert page.memory == line.memory
    html = client.get(f"{front}/keys").text
    assert line.entry.example in html
    assert "HSET" in html
    assert "Change product" in html


def test_ttl_owner_and_note_are_changed_in_place(client: TestClient, front: str) -> None:
    place = "models/Cache/cache:product:{product.id}"
    for field, text in (("ttl", "600 s jitter 10%"), ("owner", "catalog"), ("note", "warm after a deploy")):
        data = {"place": place, "field": field, "text": text, "page": "keys"}
        answer = client.patch(f"{front}/cell", data=data, headers=PROBLEM)
        assert answer.status_code == 200, answer.text
    (line,) = client.get(f"{front}/keys").context.lines
    assert (line.ttl, line.owner, line.note) == ("600 s jitter 10%", "catalog", "warm after a deploy")
    assert line.entry.ttl_seconds == 600


def test_one_model_can_be_looked_at_alone(client: TestClient, front: str) -> None:
    assert client.get(f"{front}/keys?model=Cache").context.lines
    assert not client.get(f"{front}/keys?model=Nobody").context.lines


def test_the_catalog_is_downloaded_in_three_formats(client: TestClient, front: str) -> None:
    html = client.get(f"{front}/keys").text
    for name in ("keys-markdown", "keys-csv", "keys-json"):
        assert f'href="{front}/export/{name}"' in html
        answer = client.get(f"{front}/export/{name}")
        assert "attachment" in answer.headers["content-disposition"]
        assert "cache:product:" in answer.text


def test_a_project_without_key_families_says_how_to_get_them(client: TestClient) -> None:
    made = client.post("/projects", data={"blank": "yes", "name": "Empty"}, follow_redirects=False)
    html = client.get(f"{made.headers['location']}/keys").text
    assert "No key families" in html
    assert "Redis model" in html
