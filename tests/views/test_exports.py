"""The export menu and its downloads."""

import pytest
from fastapi.testclient import TestClient

from app.exporters import EXPORTERS


@pytest.mark.parametrize("name", sorted(EXPORTERS))
def test_every_format_is_an_attachment(client: TestClient, shop: str, name: str) -> None:
    answer = client.get(f"{shop}/export/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="shop')
    assert answer.headers["content-type"] == f"{EXPORTERS[name].media_type}; charset=utf-8"
    assert answer.text


def test_every_format_is_in_the_header_of_every_page(client: TestClient, shop: str) -> None:
    for page in ("", "/entities", "/models", "/history"):
        html = client.get(f"{shop}{page}").text
        assert all(f'formaction="{shop}/export/{name}"' in html for name in EXPORTERS)


def test_a_format_about_models_can_be_of_one(client: TestClient, shop: str) -> None:
    models = client.get(shop).context.project.models
    first, second = (m.name for m in models)
    text = client.get(f"{shop}/export/script", params={"model": second}).text
    assert text != client.get(f"{shop}/export/script", params={"model": first}).text
    assert client.get(f"{shop}/export/script", params={"model": ""}).status_code == 200


def test_a_format_about_the_project_ignores_the_model(client: TestClient, shop: str) -> None:
    assert client.get(f"{shop}/export/yaml", params={"model": "Nobody"}).status_code == 200


def test_a_format_or_a_model_that_does_not_exist_is_not_found(client: TestClient, shop: str) -> None:
    assert client.get(f"{shop}/export/papyrus").status_code == 404
    assert client.get(f"{shop}/export/script", params={"model": "Nobody"}).status_code == 404
