"""The pages of the stores."""

import pytest
from fastapi.testclient import TestClient

from app.stores import STORES


def test_every_store_is_listed_with_the_facts_that_findings_link_to(client: TestClient) -> None:
    html = client.get("/stores").text
    for store in STORES.values():
        assert store.title in html
        for slug in store.facts:
            assert f'id="{store.name}.{slug}"' in html


@pytest.mark.parametrize("name", sorted(STORES))
def test_every_fact_has_its_source_its_day_and_a_mark_where_it_is_assumed(client: TestClient, name: str) -> None:
    answer = client.get(f"/stores/{name}")
    page, store = answer.context, STORES[name]
    assert [f.slug for f in page.facts] == list(store.facts)
    for line in page.facts:
        assert line.fact.read in answer.text
    assert answer.text.count('class="guess"') >= page.assumed
    assert all("{" not in words for _, words in (*page.refusals, *page.remedies))


def test_what_a_store_cannot_give_is_a_dash(client: TestClient) -> None:
    page = client.get("/stores/cassandra").context
    assert dict(page.consistency)["strong"].startswith("QUORUM")


def test_a_store_that_does_not_exist_is_not_found(client: TestClient) -> None:
    assert client.get("/stores/papyrus").status_code == 404


def test_large_figures_are_read_in_their_unit_and_a_version_is_no_limit(client: TestClient) -> None:
    lines = {line.slug: (line.value, line.kind) for line in client.get("/stores/postgresql").context.facts}
    assert lines["max_table_bytes"] == ("32 TB per table or partition", "refused beyond")
    assert lines["max_key_bytes"] == ("2,704 bytes per B-tree entry", "refused beyond")
    assert lines["skip_scan_version"] == ("version 18", "from then on")
