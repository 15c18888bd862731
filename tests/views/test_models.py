"""The page of a candidate model."""

from collections.abc import Callable
from datetime import date
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from app.analysis import analyse
from app.model.text import read_yaml
from app.views.models.breakeven import charts
from app.views.models.calendar import calendar
from app.views.models.heat import hot_lines
from app.views.models.holds import sample_lines
from app.views.models.keys import index_lines, key_lines
from app.views.models.preview import preview
from app.views.models.structures import lines
from tests.views.conftest import PROBLEM

Edit = Callable[..., object]
PROJECT = """
keywright: 1
name: Desk
horizon: 2 years
entities:
  - {name: user, count: 1M, fields: [id uuid key, email string unique avg 24, name string avg 18 max 80]}
  - name: order
    count: 10M
    growth: 100k/day
    fields:
      [id uuid key, user_id uuid, status enum distinct 3, created_at datetime monotonic, note string avg 100 max 400]
  - {name: event, fields: [order_id uuid, at datetime, text string avg 200]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
  - parent: order
    child: event
    via: order_id
    children: {avg: 1k, p99: 40k, max: 60k, growth: {avg: 1/day, p99: 10/day, max: 20/day}}
patterns:
  - operation: Load order
    get: order
    where: order.id = :id
    needs: [order, event]
    rate: {avg: 500/s, peak: 1500/s}
  - operation: Orders of a user
    list: order
    where: order.user_id = :u
    order by: order.created_at desc, order.id desc
    limit: 20
    rate: 60/s
  - {operation: Place order, insert: order, set: {order.status: open}, rate: 20/s}
models:
  - name: Documents
    store: mongodb
    nodes: 9
    structures:
      - collection: orders
        of: order
        _id: order.id
        embed: [{what: event, as: events}]
        copy: [{what: user.name, as: user_name}]
        indexes: [{keys: [order.user_id, order.created_at desc, order.id desc]}, {keys: [order.status]}]
        shard key: [order.user_id hashed]
  - name: One table / desk
    store: dynamodb
    structures:
      - table: desk
        records:
          - {of: user, pk: "USER#{user.id}", sk: PROFILE}
          - {of: order, pk: "USER#{order.user_id}", sk: "ORDER#{order.created_at}#{order.id}"}
        gsi: [{name: GSI1, pk: "ORDER#{order.id}", sk: ORDER, of: [order], projection: all}]
  - {name: Unknown, store: someday, structures: [{table: orders, of: order}]}
"""


@pytest.fixture(scope="module")
def report():
    return analyse(read_yaml(PROJECT))


@pytest.fixture
def desk(client: TestClient) -> str:
    made = client.post("/projects", data={"text": PROJECT, "filename": "desk.yaml"}, follow_redirects=False)
    assert made.status_code == 303, made.text
    return made.headers["location"]


class TestTables:
    def test_a_structure_is_held_against_the_largest_record(self, report) -> None:
        line = lines(report, report.models[0])[0]
        assert line.name == "orders"
        assert line.limit == 16 * 1024 * 1024
        assert line.bytes.max > 60_000 * 200
        assert line.mark == "warning"
        assert line.serves == (1, 2, 3)

    def test_kinds_of_record_stand_below_their_structure(self, report) -> None:
        line = lines(report, report.models[1])[0]
        assert [inner.name for inner in line.lines] == ["desk/user", "desk/order"]
        assert line.records == 11_000_000

    def test_keys_have_a_real_example_and_their_numbers(self, report) -> None:
        keys = {k.label: k for k in key_lines(report, report.models[0], report.models[0].model.structures[0])}
        assert keys["_id"].distinct == 10_000_000
        assert keys["shard key"].distinct == 1_000_000
        assert keys["shard key"].share == pytest.approx(0.0005)
        pk = key_lines(report, report.models[1], report.models[1].model.structures[0])[2]
        assert (pk.label, pk.field, pk.of) == ("pk", "records.1.pk", "order")
        assert pk.example.startswith("USER#")
        assert "{" not in pk.example

    def test_indexes_say_whom_they_serve(self, report) -> None:
        used, idle = index_lines(report, report.models[0], report.models[0].model.structures[0])
        assert used.serves == (2,)
        assert used.bytes > 0
        assert idle.serves == ()
        gsi = index_lines(report, report.models[1], report.models[1].model.structures[0])[0]
        assert gsi.name == "GSI1"
        assert gsi.entries == pytest.approx(10 / 11)

    def test_a_sample_record_adds_up_to_its_size(self, report) -> None:
        record = report.models[0].records[0]
        top = [b for b in sample_lines(report, record) if b.depth == 0]
        assert sum(b.bytes.avg for b in top) == pytest.approx(record.size.avg)
        assert "events[]" in [b.name for b in top]
        assert "user_name" in [b.name for b in top]

    def test_the_hottest_partition_stands_against_its_ceiling(self, report) -> None:
        hot = hot_lines(report.models[1])
        assert {h.unit for h in hot} == {"read units/s", "write units/s"}
        assert all(h.ceiling in {1000, 3000} for h in hot)
        assert hot == tuple(sorted(hot, key=lambda h: -h.pct))


class TestCalendar:
    def test_it_gives_the_date_on_which_the_largest_outgrows_the_limit(self, report) -> None:
        found = calendar(report.models[0], report.project, date(2026, 11, 30))
        lane = next(d for d in found.lanes if d.lane.name == "orders")
        crosses = report.models[0].loads["orders"].record_crosses["orders"][1]
        assert lane.lane.worst == pytest.approx(crosses / 86_400)
        assert found.said.startswith("orders")
        assert "20" in found.said
        assert {b.kind for b in lane.bars} >= {"fits", "largest"}

    def test_nothing_to_come_is_said_too(self, report) -> None:
        found = calendar(report.models[1], report.project, date(2026, 11, 30))
        assert found.said == "Nothing passes a limit before 2031."


class TestBreakEven:
    def test_the_chart_rests_on_the_figures_of_the_rule(self, report) -> None:
        (chart,) = charts(report, report.models[0], "orders")
        (found,) = [f for f in report.findings if f.rule == "embed-or-reference"]
        numbers = {e.label: e.number for e in found.evidence}
        assert chart.sides.flips == pytest.approx(numbers["event at which it turns"])
        assert chart.sides.both.reference(1000) == pytest.approx(numbers["apart"])
        assert chart.flip is not None
        assert chart.sides.said.startswith("Embedding moves fewer bytes below")

    def test_what_holds_no_list_has_none(self, report) -> None:
        assert charts(report, report.models[1], "desk") == ()


class TestPage:
    def test_it_shows_structures_keys_queries_and_the_script(self, client: TestClient, desk: str) -> None:
        html = client.get(f"{desk}/models/Documents").text
        for text in ("Growth calendar", "Keys of", "createCollection", "Query of each pattern"):
            assert text in html
        assert " style=" not in html

    def test_a_name_with_a_slash_has_a_page(self, client: TestClient, desk: str) -> None:
        answer = client.get(f"{desk}/models/{quote('One table / desk', safe='')}")
        assert answer.status_code == 200
        assert answer.context.model.name == "One table / desk"

    def test_a_store_nobody_knows_is_said(self, client: TestClient, desk: str) -> None:
        html = client.get(f"{desk}/models/Unknown").text
        assert "No store is called someday here" in html

    def test_another_structure_or_kind_can_be_asked_for(self, client: TestClient, desk: str) -> None:
        page = client.get(f"{desk}/models/{quote('One table / desk', safe='')}?structure=desk&kind=desk/order").context
        assert page.record.of == "order"

    def test_a_model_that_is_gone_is_not_found(self, client: TestClient, desk: str) -> None:
        assert client.get(f"{desk}/models/Nobody").status_code == 404

    def test_a_key_an_index_and_a_copy_are_changed_in_place(self, client: TestClient, desk: str) -> None:
        place = "models/Documents/orders"
        for field, text in (
            ("shard key", "order.id hashed"), ("indexes.1.keys", "order.status, order.id"), ("copy.0.refresh", "never"),
        ):  # fmt: skip
            data = {"place": place, "field": field, "text": text, "page": "models"}
            assert client.patch(f"{desk}/cell", data=data, headers=PROBLEM).status_code == 200
        page = client.get(f"{desk}/models/Documents").context
        assert [k.text for k in page.keys] == ["order.id", "order.id hashed"]
        assert page.indexes[1].fields[0][2] == "order.status, order.id"
        assert next(h for h in page.holds if h.how == "copy").age == "the value at writing time"

    def test_entries_are_added_and_dropped(self, client: TestClient, desk: str) -> None:
        place = "models/Documents/orders"
        data = {"place": place, "field": "indexes", "text": "{keys: [order.note]}", "page": "models"}
        assert client.post(f"{desk}/entries", data=data, headers=PROBLEM).status_code == 200
        assert len(client.get(f"{desk}/models/Documents").context.indexes) == 3
        gone = {"place": f"{place}/indexes.1", "page": "models"}
        assert client.post(f"{desk}/parts/delete", data=gone, headers=PROBLEM).status_code == 200
        assert [i.name for i in client.get(f"{desk}/models/Documents").context.indexes][1] == "order.note"

    def test_a_renamed_structure_is_renamed_wherever_it_stands(self, client: TestClient, desk: str) -> None:
        data = {"place": "models/Documents/orders", "field": "name", "text": "sales", "page": "models"}
        assert client.patch(f"{desk}/cell", data=data, headers=PROBLEM).status_code == 200
        assert client.get(f"{desk}/models/Documents").context.structure.name == "sales"

    def test_the_page_finds_its_model_again_after_it_was_renamed(self, client: TestClient, desk: str) -> None:
        refresh = client.get(f"{desk}/models/Documents").context.refresh
        data = {"place": "models/Documents", "field": "name", "text": "Papers", "page": "models"}
        assert client.patch(f"{desk}/cell", data=data, headers=PROBLEM).status_code == 200
        assert client.get(refresh).context.model.name == "Papers"


class TestWholeModels:
    def act(self, client: TestClient, desk: str, **data: str) -> str:
        answer = client.post(f"{desk}/models", data=data, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def test_a_starter_is_added_and_shown(self, client: TestClient, desk: str) -> None:
        target = self.act(client, desk, verb="add", on="cassandra")
        assert client.get(target).context.model.store == "cassandra"

    def test_a_copy_gets_a_name_of_its_own(self, client: TestClient, desk: str) -> None:
        target = self.act(client, desk, verb="duplicate", name="Documents")
        assert client.get(target).context.model.name == "Documents 2"

    def test_one_model_is_chosen_at_most(self, client: TestClient, desk: str) -> None:
        self.act(client, desk, verb="choose", name="Documents")
        target = self.act(client, desk, verb="choose", name="One table / desk")
        models = client.get(target).context.project.models
        assert [m.name for m in models if m.chosen] == ["One table / desk"]
        self.act(client, desk, verb="choose", name="One table / desk")
        assert not any(m.chosen for m in client.get(target).context.project.models)

    def test_the_last_one_deleted_leaves_a_page_that_offers_starters(self, client: TestClient, desk: str) -> None:
        for name in ("Documents", "One table / desk", "Unknown"):
            self.act(client, desk, verb="delete", name=name)
        html = client.get(f"{desk}/models").text
        assert "No candidate model yet" in html
        assert "MongoDB" in html

    def test_a_store_that_does_not_exist_is_refused(self, client: TestClient, desk: str) -> None:
        assert client.post(f"{desk}/models", data={"verb": "add", "on": "papyrus"}).status_code == 422


class TestPreview:
    def test_a_typed_key_shows_what_would_change(self, report) -> None:
        found = preview(report, "models/Documents/orders", "shard key", "order.status")
        assert found.lines[0].label == "a real key"
        assert any(d.label == "hottest partition" and d.mark == "warning" for d in found.lines)

    def test_a_pattern_that_is_served_otherwise_is_named(self, report) -> None:
        found = preview(report, "models/Documents/orders", "indexes.0.keys", "order.note")
        line = next(d for d in found.lines if d.label == "#2 Orders of a user")
        assert "index" in line.kept
        assert (line.mark, line.kept != line.typed) == ("", True)

    def test_what_cannot_be_read_yet_says_why(self, report) -> None:
        assert "order." in preview(report, "models/Documents/orders", "shard key", "order.").problem

    def test_nothing_is_written(self, client: TestClient, desk: str) -> None:
        query = {"place": "models/Documents/orders", "field": "shard key", "text": "order.id hashed"}
        assert client.get(f"{desk}/preview", params=query).status_code == 200
        assert client.get(desk).context.change_number == 1
