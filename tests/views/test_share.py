"""Review links: the team's side."""

import re

from fastapi.testclient import TestClient


def link_in(html: str) -> str:
    """The path of the link that was just made."""
    found = re.search(r'value="http://localhost(/r/\d+\.[\w-]+)"', html)
    assert found, html
    return found[1]


def test_a_link_is_shown_once_with_a_button_to_copy_it(client: TestClient, shop: str) -> None:
    answer = client.post(f"{shop}/share", data={"days": "7", "label": "Payments team"})
    assert answer.status_code == 200
    secret = link_in(answer.text).partition(".")[2]
    assert 'data-copy="made-link"' in answer.text
    again = client.get(f"{shop}/share")
    assert secret not in again.text
    assert "Payments team" in again.text


def test_it_lives_thirty_days_unless_told_otherwise(client: TestClient, shop: str) -> None:
    assert 'value="30" checked' in client.get(f"{shop}/share").text
    page = client.post(f"{shop}/share", data={}).context
    assert (page.links[0].expires_at - page.links[0].created_at).days in {29, 30}


def test_days_and_versions_that_do_not_exist_are_refused(client: TestClient, shop: str) -> None:
    assert client.post(f"{shop}/share", data={"days": "2"}).status_code == 422
    assert client.post(f"{shop}/share", data={"days": "soon"}).status_code == 422
    assert client.post(f"{shop}/share", data={"version": "99"}).status_code == 404


def test_use_is_counted_and_a_link_is_revoked(client: TestClient, shop: str) -> None:
    link = link_in(client.post(f"{shop}/share", data={}).text)
    assert client.get(link).status_code == 200
    (shown,) = client.get(f"{shop}/share").context.links
    assert shown.views == 1
    gone = client.post(f"{shop}/share/{shown.id}/revoke", follow_redirects=False)
    assert gone.status_code == 303
    assert client.get(f"{shop}/share").context.alive == 0
    assert client.get(link).status_code == 404
