"""What an editor starts with, on every page, is what the place holds: kept unchanged, it changes nothing."""

from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM
from tests.views.test_entities import WORKLOAD
from tests.views.test_keys import CATALOG
from tests.views.test_models import PROJECT

MORE = """
keywright: 1
name: More
entities:
  - name: order
    count: 10M
    fields:
      - id uuid key
      - {name: status, type: enum, values: {open: 2%, done: 98%}}
      - {name: total, type: int64, computed: sum(line.price)}
      - tags string[] distinct 50 items avg 2 max 10
  - {name: line, fields: [order_id uuid, price int32]}
relationships:
  - {parent: order, child: line, via: order_id, children: {avg: 3, p99: 12, max: 200}, on delete: cascade}
models:
  - name: Documents
    store: mongodb
    version: 8.0
    options: {write concern: majority}
    structures:
      - collection: orders
        of: order
        embed: [{what: line, as: lines, max: 200, beyond: refuse}]
        computed: [{what: order.total, refresh: same write}]
        indexes: [{keys: [order.status, order.id desc], where: "order.status = 'open'", unique: yes}]
        bucket: {by: [order.status], as: orders, max: 100}
"""


class Buttons(HTMLParser):
    """Place, field and the text an editor would start with."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.open: tuple[dict[str, str | None], list[str]] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "button" and dict(attrs).get("data-field"):
            self.open = dict(attrs), []

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "button" and self.open:
            attrs, words = self.open
            empty = "none" in (attrs.get("class") or "").split()
            shown = "" if empty else "".join(words).strip()
            text = attrs.get("data-text") if attrs.get("data-text") is not None else shown
            self.found.append((attrs["data-place"] or "", attrs["data-field"] or "", text or ""))
            self.open = None


@pytest.mark.parametrize("text", [PROJECT, CATALOG, WORKLOAD, MORE], ids=["models", "keys", "workload", "more"])
def test_a_text_kept_unchanged_changes_nothing(client: TestClient, text: str) -> None:
    made = client.post("/projects", data={"text": text, "filename": "some.yaml"}, follow_redirects=False)
    address = made.headers["location"]
    models = client.get(address).context.project.models
    pages = [
        "entities",
        "keys",
        *(f"models/{quote(m.name, safe='')}?structure={s.name}" for m in models for s in m.structures),
    ]
    tried = 0
    for page in pages:
        for place, field, start in Buttons(client.get(f"{address}/{page}").text).found:
            if not start:
                continue
            data = {"place": place, "field": field, "text": start}
            answer = client.patch(f"{address}/cell", data=data, headers=PROBLEM)
            assert answer.status_code == 200, (place, field, start, answer.text)
            assert answer.headers["keywright-change"] == "1", (place, field, start)
            tried += 1
    assert tried > 10
