"""The table, what an edit answers, and what it refuses."""

import re

import pytest
from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM

PLACE = "patterns/Load order page"


def targets(html: str) -> list[str]:
    return re.findall(r'<hx-partial hx-target="([^"]+)"', html)


def rates(client: TestClient, shop: str) -> str:
    pattern = client.get(shop).context.project.patterns[0]
    return pattern.rate.avg.text


class TestShow:
    def test_every_row_shows_how_each_model_serves_it(self, client: TestClient, shop: str) -> None:
        page = client.get(shop)
        assert page.template == "workbench/show.html"
        assert page.text.count('class="line"') == 3
        assert page.text.count('class="c-m') == 2 + 3 * 2
        assert [m.served for m in page.context.meters] == [m.served for m in page.context.report.models]

    def test_inferred_values_say_why(self, client: TestClient, shop: str) -> None:
        assert re.search(r'class="c-q guess"[^>]*title="Inferred: ', client.get(shop).text)

    def test_an_open_row_shows_every_plan_in_full(self, client: TestClient, shop: str) -> None:
        row = re.search(r'id="(r-\d+)"', client.get(shop).text)[1]
        part = client.get(f"{shop}/rows/{row}")
        assert part.status_code == 200
        assert targets(part.text) == [f"#m-{row}"]
        assert part.text.count('class="d-m') == 2
        assert "Query on" in part.text

    def test_a_row_that_is_gone_is_not_found(self, client: TestClient, shop: str) -> None:
        assert client.get(f"{shop}/rows/r-999", headers=PROBLEM).status_code == 404

    def test_the_panel_can_hide_kinds(self, client: TestClient, shop: str) -> None:
        part = client.get(f"{shop}/findings?show=error")
        assert targets(part.text) == ["#panel"]
        assert 'data-show-filter="error"' in part.text


class TestCell:
    def test_an_edit_answers_only_what_changed(self, client: TestClient, shop: str, edit) -> None:
        client.get(shop)
        answer = edit(PLACE, "rate.avg", "700/s")
        assert answer.status_code == 200
        rows = [t for t in targets(answer.text) if t.startswith("#r-")]
        assert len(rows) == 1
        assert {"#saved", "#undo", "#status"} <= set(targets(answer.text))
        assert answer.headers["keywright-change"] == "2"
        assert "Saved" in answer.headers["keywright-say"]
        assert rates(client, shop) == "700/s"

    def test_a_page_that_is_behind_gets_the_whole_table(self, client: TestClient, edit) -> None:
        assert "#patterns" in targets(edit(PLACE, "rate.avg", "700/s", seen="77").text)

    def test_an_unreadable_text_is_answered_with_a_sentence(self, client: TestClient, shop: str, edit) -> None:
        answer = edit(PLACE, "rate.avg", "12 potatoes")
        assert answer.status_code == 422
        problem = answer.json()
        assert "potatoes" in problem["detail"]
        assert problem["place"] == PLACE
        assert rates(client, shop) == "500/s"

    def test_an_unknown_place_or_field_is_not_found(self, edit) -> None:
        assert edit("patterns/None", "rate.avg", "1/s").status_code == 404
        assert edit(PLACE, "colour", "red").status_code == 404

    def test_correcting_a_value_removes_the_mark(self, client: TestClient, shop: str, edit) -> None:
        assert "where" in client.get(shop).context.project.patterns[0].inferred
        edit(PLACE, "where", "order.id = :id")
        after = client.get(shop).context.project.patterns[0]
        assert "where" not in after.inferred
        assert after.where.text == "order.id = :id"

    def test_the_same_cell_changed_by_another_shows_both_values(self, client: TestClient, shop: str, edit) -> None:
        version = str(client.get(shop).context.opened.versions[PLACE])
        assert edit(PLACE, "rate.avg", "700/s", v=version).status_code == 200
        answer = edit(PLACE, "rate.avg", "900/s", v=version)
        assert answer.status_code == 409
        (clash,) = answer.json()["clashes"]
        assert (clash["yours"], clash["theirs"]) == ("900/s", "700/s")
        assert rates(client, shop) == "700/s"

    def test_another_cell_of_the_row_merges(self, client: TestClient, shop: str, edit) -> None:
        version = str(client.get(shop).context.opened.versions[PLACE])
        edit(PLACE, "rate.avg", "700/s", v=version)
        assert edit(PLACE, "latency", "30 ms", v=version).status_code == 200
        pattern = client.get(shop).context.project.patterns[0]
        assert (pattern.rate.avg.text, pattern.latency.text) == ("700/s", "30 ms")

    def test_the_project_gets_its_name_here_too(self, client: TestClient, shop: str, edit) -> None:
        assert "#title" in targets(edit("project", "name", "Market").text)
        assert client.get("/").context.projects[0].name == "Market"


class TestParts:
    def send(self, client: TestClient, shop: str, verb: str, **data: str):
        view = {"page": "workbench", "seen": str(client.get(shop).context.change_number)}
        return client.post(f"{shop}/parts/{verb}", data={**view, **data}, headers=PROBLEM)

    def names(self, client: TestClient, shop: str) -> list[str]:
        return [p.operation for p in client.get(shop).context.project.patterns]

    def test_rows_are_added_moved_copied_and_deleted(self, client: TestClient, shop: str) -> None:
        self.send(client, shop, "add", place="patterns", text="Check session", after=PLACE)
        assert self.names(client, shop)[:2] == ["Load order page", "Check session"]
        self.send(client, shop, "move", place="patterns/Check session", by="1")
        assert self.names(client, shop)[2] == "Check session"
        self.send(client, shop, "duplicate", place="patterns/Check session")
        assert self.names(client, shop)[2:4] == ["Check session", "Check session 2"]
        answer = self.send(client, shop, "delete", place="patterns/Check session 2")
        assert "deleted" in answer.text
        assert "#rows" in targets(answer.text)
        assert "Check session 2" not in self.names(client, shop)

    def test_a_deleted_row_comes_back_to_its_place(self, client: TestClient, shop: str) -> None:
        before = self.names(client, shop)
        self.send(client, shop, "delete", place="patterns/Add item to cart")
        client.post(f"{shop}/undo", headers=PROBLEM)
        assert self.names(client, shop) == before
        client.post(f"{shop}/redo", headers=PROBLEM)
        assert len(self.names(client, shop)) == 2

    def test_a_name_that_is_taken_is_refused(self, client: TestClient, shop: str) -> None:
        answer = self.send(client, shop, "add", place="patterns", text="Load order page")
        assert answer.status_code == 422
        assert "already" in answer.json()["detail"]

    def test_nothing_to_undo_is_said(self, client: TestClient, shop: str) -> None:
        assert client.post(f"{shop}/undo", headers=PROBLEM).status_code == 404


class TestPaste:
    def test_typed_rows_are_read_like_pasted_ones_and_undone_together(self, client: TestClient, shop: str) -> None:
        text = "Operation\tFreq\nList orders of a user\t60/s\nCheck session\t2000/s\n"
        reading = client.post(f"{shop}/paste/reading", data={"text": text})
        assert "List orders of a user" in reading.text
        view = {"page": "workbench", "seen": "1"}
        answer = client.post(f"{shop}/paste", data={**view, "text": text}, headers=PROBLEM)
        assert answer.status_code == 200, answer.text
        names = [p.operation for p in client.get(shop).context.project.patterns]
        assert names[3:] == ["List orders of a user", "Check session"]
        client.post(f"{shop}/undo", headers=PROBLEM)
        assert len(client.get(shop).context.project.patterns) == 3


NASTY = [
    "", " ", "{", "[", "}", "{{", "a:", ": b", "'", '"', ",", ",,", "\n", "\x00", "\ud83d\ude00", "é" * 300, "a" * 5000,
    "[[[[[[", "{a: {b: [", "&a *a", "!!python/object:os.system {}", "- - -", "1e999", "-1/s", "0", "none",
    "unknown", "~",
    "<script>alert(1)</script>", "'; drop table project; --", "order.id = :a or (order.id = :b and not (order.x < 2))",
]  # fmt: skip
FIELDS = [
    "operation",
    "kind",
    "where",
    "needs",
    "set",
    "consistency",
    "rate.avg",
    "rate",
    "skew",
    "also",
    "inferred",
    "span",
]


@pytest.mark.parametrize("field", FIELDS)
def test_whatever_is_typed_is_kept_or_refused_with_a_sentence(client: TestClient, shop: str, field: str) -> None:
    place = PLACE
    for text in NASTY:
        form = {
            "place": place,
            "field": field,
            "text": text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
        }
        answer = client.patch(f"{shop}/cell", data=form, headers=PROBLEM)
        assert answer.status_code in {200, 422}, (field, text, answer.text)
        place = f"patterns/{client.get(shop).context.project.patterns[0].operation}"
    assert "<script>alert" not in client.get(shop).text


@pytest.mark.parametrize(
    "place", ["", "project", "patterns", "patterns/", "models/x/y", "decisions/a", "\x00", "entities/order/"]
)
def test_odd_places_are_no_accident(client: TestClient, shop: str, place: str) -> None:
    for field in ("", "x", "name.x", "fields.9.type", "patterns.0"):
        answer = client.patch(f"{shop}/cell", data={"place": place, "field": field, "text": "1"}, headers=PROBLEM)
        assert answer.status_code in {404, 422}, (field, answer.text)


def test_numbers_beyond_all_bounds_are_not_found(client: TestClient, shop: str) -> None:
    assert client.get(f"/p/{10**30}").status_code == 404
    assert client.post(f"{shop}/undo", data={"number": "9" * 30}, headers=PROBLEM).status_code == 404
