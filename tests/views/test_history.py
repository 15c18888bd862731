"""Changes and named versions."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM

Edit = Callable[..., object]


def test_every_change_is_listed_and_any_can_be_taken_back(client: TestClient, shop: str, edit: Edit) -> None:
    edit("entities/order", "count", "10M")
    edit("entities/cart", "count", "2M")
    changes = client.get(f"{shop}/history").context.changes
    assert [c.number for c in changes] == [3, 2, 1]
    answer = client.post(f"{shop}/undo", data={"number": "2", "page": "history"}, headers=PROBLEM)
    assert answer.status_code == 200
    page = client.get(f"{shop}/history").context
    assert page.project.entity("order").count is None
    assert page.project.entity("cart").count.text == "2M"
    assert page.changes[2].undone_by == 4


def test_a_long_history_has_pages(client: TestClient, shop: str, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.views.history.SHOWN", 3)
    for n in range(4):
        edit("entities/order", "count", str(1000 + n))
    page = client.get(f"{shop}/history").context
    assert [c.number for c in page.changes] == [5, 4, 3]
    older = client.get(f"{shop}/history?before={page.older}").context
    assert [c.number for c in older.changes] == [2, 1]
    assert older.older == 0


def test_a_named_version_is_kept_downloaded_and_gone_back_to(client: TestClient, shop: str, edit: Edit) -> None:
    made = client.post(f"{shop}/versions", data={"name": "First", "note": "for review"}, follow_redirects=False)
    assert made.status_code == 303
    edit("entities/order", "count", "10M")
    (version,) = client.get(f"{shop}/history").context.snapshots
    answer = client.get(f"{shop}/versions/{version.id}")
    assert answer.headers["content-disposition"] == 'attachment; filename="shop-first.yaml"'
    assert "10M" not in answer.text
    back = client.post(f"{shop}/versions/{version.id}/restore", data={"page": "history"}, headers=PROBLEM)
    assert back.status_code == 200
    page = client.get(f"{shop}/history").context
    assert page.project.entity("order").count is None
    assert page.changes[0].label == "Back to version First"


def test_two_versions_cannot_have_one_name(client: TestClient, shop: str) -> None:
    client.post(f"{shop}/versions", data={"name": "First"})
    assert client.post(f"{shop}/versions", data={"name": "First"}).status_code == 409
    assert client.post(f"{shop}/versions", data={"name": " "}).status_code == 422


def test_a_version_of_another_project_is_not_found(client: TestClient, shop: str) -> None:
    assert client.get(f"{shop}/versions/99").status_code == 404
