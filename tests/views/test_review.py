"""Review links: what a visitor sees."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.views.conftest import PROBLEM, TABLE
from tests.views.test_share import link_in

Edit = Callable[..., object]


@pytest.fixture
def link(client: TestClient, shop: str) -> str:
    return link_in(client.post(f"{shop}/share", data={}).text)


def test_the_secret_moves_into_a_cookie_for_this_review_alone(client: TestClient, link: str) -> None:
    first = client.get(link, follow_redirects=False)
    number = link.removeprefix("/r/").partition(".")[0]
    assert first.status_code == 303
    assert first.headers["location"] == f"/r/{number}"
    cookie = first.headers["set-cookie"].lower()
    assert f"path=/r/{number}" in cookie
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    answer = client.get(first.headers["location"])
    assert answer.status_code == 200
    assert link.partition(".")[2] not in answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-robots-tag"].startswith("noindex")


def test_it_shows_patterns_findings_models_and_nothing_to_change(client: TestClient, link: str) -> None:
    answer = client.get(link)
    html = answer.text
    for text in ("Load order page", "Findings", "Decisions", "MongoDB", "of 3 served"):
        assert text in html
    assert "data-field" not in html
    assert "<form" not in html
    assert "/p/" not in html
    assert " style=" not in html
    assert [len(r.plans) for r in answer.context.rows] == [2, 2, 2]


def test_the_current_state_is_shown_at_each_visit(client: TestClient, link: str, edit: Edit) -> None:
    assert "as it is now, at change 1" in client.get(link).text
    edit("entities/order", "count", "10M")
    assert "as it is now, at change 2" in client.get(link).text


def test_a_named_version_stays_and_says_that_there_is_a_newer_one(client: TestClient, shop: str, edit: Edit) -> None:
    client.post(f"{shop}/versions", data={"name": "First"})
    version = client.get(f"{shop}/history").context.snapshots[0]
    link = link_in(client.post(f"{shop}/share", data={"version": str(version.id)}).text)
    assert "Nothing has changed since" in client.get(link).text
    edit("entities/order", "count", "10M")
    client.post(f"{shop}/versions", data={"name": "Second"})
    answer = client.get(link)
    assert answer.context.project.entity("order").count is None
    assert "Version First, frozen at change 1. 1 change since; a newer version exists: Second" in answer.text


@pytest.mark.parametrize("path", ["/r/1.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "/r/1", "/r/99", "/r/nothing", "/r/1.short"])
def test_wrong_links_lead_nowhere(client: TestClient, link: str, path: str) -> None:
    client.cookies.clear()
    answer = client.get(path)
    assert answer.status_code == 404
    assert "does not lead anywhere" in answer.text
    assert "Order" not in answer.text


def test_a_cookie_of_one_review_opens_no_other(client: TestClient, shop: str, link: str) -> None:
    other = link_in(client.post(f"{shop}/share", data={}).text)
    client.get(link)
    number = other.removeprefix("/r/").partition(".")[0]
    mine = link.removeprefix("/r/")
    client.cookies.clear()
    client.cookies.set("keywright-review", mine)
    assert client.get(f"/r/{number}").status_code == 404


def test_a_revoked_link_says_so_to_whoever_had_it(client: TestClient, shop: str, link: str) -> None:
    number = link.removeprefix("/r/").partition(".")[0]
    client.post(f"{shop}/share/{number}/revoke")
    answer = client.get(link)
    assert answer.status_code == 404
    assert "was withdrawn" in answer.text


def test_it_works_where_the_studio_asks_for_a_token(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, token="a token of thirty-two characters"))
    bearer = {"authorization": "Bearer a token of thirty-two characters", **PROBLEM}
    with TestClient(app, base_url="http://localhost", headers={"accept-encoding": "identity"}) as client:
        form = {"text": TABLE, "name": "Shop", "stores": ["mongodb"]}
        made = client.post("/projects", data=form, headers=bearer, follow_redirects=False)
        shop = made.headers["location"]
        link = link_in(client.post(f"{shop}/share", data={}, headers=bearer).text)
        client.cookies.clear()
        assert client.get(shop, headers={"accept": "text/html"}).status_code == 401
        answer = client.get(link)
        assert answer.status_code == 200
        assert "Load order page" in answer.text
