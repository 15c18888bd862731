"""The entities page, and the picture on it."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from app.model.project import Project
from app.model.text import read_yaml
from app.views.entities.diagram import draw
from app.views.entities.layers import lay_out
from tests.views.conftest import PROBLEM

Edit = Callable[..., object]
WORKLOAD = """
keywright: 1
name: Shop
entities:
  - {name: user, count: 1M, fields: [id uuid key]}
  - {name: order, fields: [id uuid key, buyer_id uuid, seller_id uuid, status enum distinct 3]}
  - {name: tag, fields: [id string key]}
  - {name: note, fields: [text string]}
relationships:
  - {name: buyer, parent: user, child: order, via: buyer_id, children: {avg: 10, p99: 90, max: none}}
  - {name: seller, parent: user, child: order, via: seller_id, children: {avg: 500}}
  - {name: follows, from: user, to: user, out: {avg: 40}}
  - {name: tagged, from: order, to: tag, out: {avg: 2}}
"""


@pytest.fixture
def project() -> Project:
    return read_yaml(WORKLOAD)


def send(client: TestClient, address: str, **data: str) -> None:
    answer = client.post(address, data={"page": "entities", **data}, headers=PROBLEM)
    assert answer.status_code == 200, answer.text


class TestPage:
    def test_everything_understood_from_words_says_why(self, client: TestClient, shop: str) -> None:
        html = client.get(f"{shop}/entities").text
        assert "“items”: plural of a noun" in html
        assert "named by “Load order page”" in html

    def test_a_missing_number_is_a_question_with_its_place(self, client: TestClient, shop: str) -> None:
        html = client.get(f"{shop}/entities").text
        assert 'data-place="entities/order/count"' in html
        assert 'data-place="relationships/order-order_item/children"' in html

    def test_a_number_is_corrected_in_place(self, client: TestClient, shop: str, edit: Edit) -> None:
        assert edit("entities/order", "count", "10M", page="entities").status_code == 200
        page = client.get(f"{shop}/entities").context
        order = next(p for p in page.entities if p.entity.name == "order")
        assert order.numbers[0].shown == "10M"
        assert not [f for f in order.findings if f.rule == "missing-count"]

    def test_a_new_name_is_written_wherever_the_old_one_stood(self, client: TestClient, shop: str, edit: Edit) -> None:
        assert edit("entities/order", "name", "purchase").status_code == 200
        project = client.get(f"{shop}/entities").context.project
        assert project.entity("order") is None
        assert "name" not in project.entity("purchase").inferred
        assert any(r.parent == "purchase" for r in project.relationships)
        assert project.patterns[0].entity == "purchase"

    def test_a_renamed_field_is_renamed_in_the_patterns(self, client: TestClient, shop: str, edit: Edit) -> None:
        assert edit("entities/order", "fields.total.name", "total_cents").status_code == 200
        project = client.get(f"{shop}/entities").context.project
        assert "order.total_cents" in [n.what for n in project.patterns[2].needs]

    def test_a_taken_name_is_refused_with_a_sentence(self, edit: Edit) -> None:
        answer = edit("entities/order", "name", "cart")
        assert answer.status_code == 422
        assert "cart" in answer.json()["detail"]

    def test_entities_fields_and_relationships_are_added_and_deleted(self, client: TestClient, shop: str) -> None:
        send(client, f"{shop}/parts/add", place="entities", text="coupon")
        send(client, f"{shop}/entries", place="entities/coupon", field="fields", text="id uuid key")
        send(client, f"{shop}/entries", place="entities/coupon", field="fields", text="order_id uuid")
        send(client, f"{shop}/relationships", parent="order", child="coupon", via="order_id")
        page = client.get(f"{shop}/entities").context
        assert [f.name for f in page.project.entity("coupon").fields] == ["id", "order_id"]
        assert page.relationships[-1].relationship.key == "order-coupon"
        send(client, f"{shop}/parts/delete", place="relationships/order-coupon")
        send(client, f"{shop}/parts/delete", place="entities/coupon/fields/order_id")
        project = client.get(f"{shop}/entities").context.project
        assert [f.name for f in project.entity("coupon").fields] == ["id"]
        assert all(r.key != "order-coupon" for r in project.relationships)

    def test_a_many_to_many_relationship_needs_a_name(self, client: TestClient, shop: str) -> None:
        data = {"parent": "order", "child": "seller", "many": "yes"}
        answer = client.post(f"{shop}/relationships", data=data, headers=PROBLEM)
        assert answer.status_code == 422
        assert "name" in answer.json()["detail"]

    def test_a_project_without_entities_says_what_to_do(self, client: TestClient) -> None:
        made = client.post("/projects", data={"blank": "yes", "name": "Empty"}, follow_redirects=False)
        assert "No entity yet" in client.get(f"{made.headers['location']}/entities").text


class TestDiagram:
    def test_it_says_the_same_in_words(self, project: Project) -> None:
        words = draw(project).words
        assert words.startswith("4 entities: user, order, tag, note.")
        assert "each user has many order as buyer" in words
        assert "order and tag are many to many (tagged)" in words

    def test_every_entity_and_every_relationship_is_drawn(self, project: Project) -> None:
        drawing = draw(project)
        assert [b.name for b in drawing.boxes] == ["user", "order", "tag", "note"]
        assert {c.name for c in drawing.curves} == {"buyer-order", "seller-order", "follows", "tagged"}
        assert all(b.x >= 0 and b.x + b.w <= drawing.width for b in drawing.boxes)
        assert all(b.y >= 0 and b.y + b.h <= drawing.height for b in drawing.boxes)

    def test_two_relationships_of_one_pair_do_not_cover_each_other(self, project: Project) -> None:
        curves = {c.name: c for c in draw(project).curves}
        assert curves["buyer-order"].path != curves["seller-order"].path
        assert curves["buyer-order"].label == "buyer 10"

    def test_children_stand_to_the_right_and_boxes_do_not_overlap(self) -> None:
        sizes = dict.fromkeys("abcdef", (100.0, 46.0))
        layout = lay_out(sizes, [("a", "b"), ("a", "c"), ("b", "d"), ("a", "d"), ("e", "d"), ("d", "a")])
        assert layout.spots["a"].x < layout.spots["b"].x < layout.spots["d"].x
        spots = list(layout.spots.values())
        for i, one in enumerate(spots):
            for other in spots[i + 1 :]:
                assert one.layer != other.layer or abs(one.y - other.y) >= 46

    def test_a_long_edge_passes_through_a_point_of_its_own(self) -> None:
        layout = lay_out(dict.fromkeys("abc", (100.0, 46.0)), [("a", "b"), ("b", "c"), ("a", "c")])
        assert len(layout.routes["a", "c"]) == 3

    def test_it_needs_no_style(self, client: TestClient, shop: str) -> None:
        html = client.get(f"{shop}/entities").text
        assert '<svg class="er"' in html
        assert " style=" not in html
