"""The list of projects and the ways to a new one."""

import re

from fastapi.testclient import TestClient

from tests.views.conftest import PROBLEM, TABLE


class TestList:
    def test_without_projects_it_says_how_to_start(self, client: TestClient) -> None:
        page = client.get("/")
        assert page.status_code == 200
        assert page.template == "projects/list.html"
        assert page.context.projects == []
        assert "/new" in page.text

    def test_projects_are_listed_with_their_counts(self, client: TestClient, shop: str) -> None:
        (summary,) = client.get("/").context.projects
        assert (summary.name, summary.patterns, summary.models) == ("Shop", 3, 2)
        assert f'href="{shop}"' in client.get("/").text

    def test_a_project_gets_another_name(self, client: TestClient, shop: str) -> None:
        page = client.post(f"{shop}/rename", data={"name": "Market <1>"})
        assert page.context.projects[0].name == "Market <1>"
        assert "Market &lt;1&gt;" in page.text

    def test_an_empty_name_is_refused_with_a_sentence(self, client: TestClient, shop: str) -> None:
        page = client.post(f"{shop}/rename", data={"name": " "})
        assert page.status_code == 422
        assert page.template == "error.html"

    def test_a_copy_has_its_own_history(self, client: TestClient, shop: str) -> None:
        copy = client.post(f"{shop}/duplicate")
        assert copy.template == "workbench/show.html"
        assert copy.context.project.name == "Shop (copy)"
        assert copy.context.change_number == 1
        assert len(client.get("/").context.projects) == 2

    def test_a_deleted_project_can_be_brought_back_from_the_message(self, client: TestClient, shop: str) -> None:
        page = client.post(f"{shop}/delete")
        assert page.context.projects == []
        assert page.context.toast.text == "Shop deleted."
        assert client.get(shop).status_code == 404
        restored = client.post(page.context.toast.action)
        assert [p.name for p in restored.context.projects] == ["Shop"]


class TestNew:
    def test_all_stores_are_chosen_at_first(self, client: TestClient) -> None:
        page = client.get("/new")
        assert page.template == "projects/new.html"
        assert page.text.count(" checked") >= len(page.context.stores) == len(page.context.chosen)

    def test_pasted_rows_become_patterns_and_a_model_for_each_chosen_store(self, client: TestClient, shop: str) -> None:
        project = client.get(shop).context.project
        assert [p.operation for p in project.patterns] == ["Load order page", "Add item to cart", "Seller sales list"]
        assert [m.store for m in project.models] == ["mongodb", "redis"]

    def test_the_reading_is_shown_while_typing(self, client: TestClient) -> None:
        answer = client.post("/new/reading", data={"text": TABLE})
        assert answer.status_code == 200
        assert 'hx-target="#reading"' in answer.text
        assert "Seller sales list" in answer.text
        assert "500/s" in answer.text

    def test_what_cannot_be_read_is_said_and_kept(self, client: TestClient) -> None:
        page = client.post("/projects", data={"text": "keywright: 1\nnonsense: [", "name": "X"})
        assert page.status_code == 422
        assert page.template == "projects/new.html"
        assert page.context.problem
        assert "nonsense: [" in page.text

    def test_nothing_pasted_is_no_project(self, client: TestClient) -> None:
        assert client.post("/projects", data={"text": "  "}).status_code == 422
        assert client.get("/").context.projects == []

    def test_a_blank_project_has_an_empty_table(self, client: TestClient) -> None:
        page = client.post("/projects", data={"blank": "yes", "stores": ["redis"]})
        assert page.template == "workbench/show.html"
        assert page.context.project.name == "New project"
        assert page.context.project.patterns == ()

    def test_an_unknown_example_is_not_found(self, client: TestClient) -> None:
        assert client.post("/examples/none").status_code == 404


class TestErrors:
    def test_an_unknown_address_is_a_page(self, client: TestClient) -> None:
        page = client.get("/nowhere")
        assert page.status_code == 404
        assert page.template == "error.html"

    def test_an_unknown_project_is_a_page(self, client: TestClient) -> None:
        assert client.get("/p/99").status_code == 404
        assert client.get("/p/x").template == "error.html"

    def test_htmx_gets_a_message_for_the_corner(self, client: TestClient) -> None:
        answer = client.get("/p/99", headers={"hx-request": "true"})
        assert answer.status_code == 404
        assert '<hx-partial hx-target="#toasts"' in answer.text

    def test_a_script_gets_problem_json(self, client: TestClient) -> None:
        answer = client.get("/p/99", headers=PROBLEM)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == 404

    def test_the_studio_says_that_it_lives(self, client: TestClient) -> None:
        assert client.get("/healthz").text == "ok"


class TestStatic:
    def test_marked_files_may_be_kept_for_ever(self, client: TestClient) -> None:
        address = re.search(r'href="(/static/app\.css\?v=[0-9a-f]+)"', client.get("/").text)
        assert address
        answer = client.get(address[1])
        assert "immutable" in answer.headers["cache-control"]
        assert "immutable" not in client.get("/static/app.css").headers["cache-control"]

    def test_pages_hold_nothing_inline(self, client: TestClient, shop: str) -> None:
        for path in ("/", "/new", shop):
            page = client.get(path).text
            assert not re.search(r"\sstyle=|<style|<script>|\shx-on|=\"js:", page), path
            assert page.count("<script ") == page.count("<script src=")
