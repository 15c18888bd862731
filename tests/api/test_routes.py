"""The JSON API as a program sees it."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from jsonschema import Draft202012Validator

from app.analysis import analyse
from app.examples import EXAMPLES
from app.exporters import EXPORTERS, export
from app.model.edit import diff
from app.model.text import read_json
from app.rules import RULES
from app.storage.edits import apply_edits
from app.storage.projects import delete_project
from app.stores import STORES
from tests.api.conftest import TOKEN

Described = dict[str, Any]


def problem(answer: Response, status: int) -> dict[str, object]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, object] = answer.json()
    assert body["status"] == status
    assert body["title"]
    return body


class TestReading:
    def test_the_list(self, client: TestClient, order_page: str) -> None:
        (line,) = client.get("/api/v1/projects").json()
        assert f"/api/v1/projects/{line['id']}" == order_page
        assert line["name"] == "Order page with line items"
        assert (line["change"], line["patterns"], line["models"]) == (1, 8, 4)

    def test_a_project_reads_back(self, client: TestClient, order_page: str) -> None:
        answer = client.get(order_page)
        assert answer.headers["content-type"] == "application/json"
        assert read_json(answer.text) == EXAMPLES["order-page"].project()

    def test_a_report(self, client: TestClient, order_page: str) -> None:
        made = client.get(f"{order_page}/report").json()
        assert made["models"][0]["name"] == "Lines inside the order"
        plan = made["models"][0]["plans"]["Load order page"]
        assert plan["level"] == "key lookup"
        assert plan["requests"]["avg"] == 1
        assert {"rule", "severity", "at", "message", "evidence"} <= set(made["findings"][0])

    @pytest.mark.parametrize("name", EXPORTERS)
    def test_every_format(self, client: TestClient, order_page: str, name: str) -> None:
        answer = client.get(f"{order_page}/export/{name}")
        out = export(analyse(EXAMPLES["order-page"].project()), EXPORTERS[name])
        assert answer.text == out.text
        assert answer.headers["content-type"] == f"{out.media_type}; charset=utf-8"
        assert answer.headers["content-disposition"] == f'attachment; filename="{out.filename}"'

    def test_one_model(self, client: TestClient, order_page: str) -> None:
        answer = client.get(f"{order_page}/export/script", params={"model": "Table per query"})
        assert answer.text.startswith("CREATE KEYSPACE")

    def test_the_reference(self, client: TestClient) -> None:
        assert [f["name"] for f in client.get("/api/v1/formats").json()] == list(EXPORTERS)
        assert [r["id"] for r in client.get("/api/v1/rules").json()] == list(RULES)
        stores = client.get("/api/v1/stores").json()
        assert [s["name"] for s in stores] == list(STORES)
        assert all(fact["source"] and fact["unit"] for s in stores for fact in s["facts"].values())

    def test_head_has_the_headers_and_no_body(self, client: TestClient, order_page: str) -> None:
        for path in (order_page, f"{order_page}/report", f"{order_page}/export/markdown", "/api/v1/projects"):
            whole, head = client.get(path), client.head(path)
            assert head.status_code == 200
            assert head.content == b""
            assert head.headers["etag"] == whole.headers["etag"]
            assert head.headers["content-type"] == whole.headers["content-type"]
        assert client.head("/api/v1/projects/99").status_code == 404


class TestUnchanged:
    def test_what_the_client_has_is_not_sent_again(self, client: TestClient, order_page: str) -> None:
        for path in (order_page, f"{order_page}/report", f"{order_page}/export/html", "/api/v1/projects"):
            first = client.get(path)
            assert first.headers["etag"].startswith('W/"')
            assert first.headers["cache-control"] == "private, no-cache"
            again = client.get(path, headers={"if-none-match": f'"other", {first.headers["etag"]}'})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == first.headers["etag"]

    def test_a_strong_spelling_of_the_tag_matches_too(self, client: TestClient, order_page: str) -> None:
        tag = client.get(order_page).headers["etag"].removeprefix("W/")
        assert client.get(order_page, headers={"if-none-match": tag}).status_code == 304

    def test_tags_differ_by_all_that_differs(self, client: TestClient, order_page: str) -> None:
        paths = [order_page, f"{order_page}/report"]
        paths += [f"{order_page}/export/{name}" for name in ("markdown", "html", "queries")]
        paths += [f"{order_page}/export/queries?model={quote(m)}" for m in ("Single table", "Table per query")]
        tags = [client.get(path).headers["etag"] for path in paths]
        assert len(set(tags)) == len(paths)

    def test_a_change_gives_another_tag(self, client: TestClient, order_page: str) -> None:
        tag = client.get(f"{order_page}/report").headers["etag"]
        before = EXAMPLES["order-page"].project()
        number = int(order_page.rpartition("/")[2])
        edits = diff(before, before.model_copy(update={"note": "Changed."}))
        apply_edits(client.app.state.db, number, edits, author="Editor", label="Note")
        after = client.get(f"{order_page}/report", headers={"if-none-match": tag})
        assert after.status_code == 200
        assert after.headers["etag"] != tag

    def test_a_star_does_not_hide_that_something_is_missing(self, client: TestClient, order_page: str) -> None:
        star = {"if-none-match": "*"}
        assert client.get(order_page, headers=star).status_code == 304
        problem(client.get(f"{order_page}/export/markdown", params={"model": "Graph"}, headers=star), 404)


class TestProblems:
    def test_no_such_project(self, client: TestClient) -> None:
        for path in ("/api/v1/projects/99", "/api/v1/projects/99/report", "/api/v1/projects/99/export/yaml"):
            problem(client.get(path), 404)

    def test_a_deleted_project(self, client: TestClient, order_page: str) -> None:
        delete_project(client.app.state.db, int(order_page.rpartition("/")[2]))
        problem(client.get(order_page), 404)

    @pytest.mark.parametrize("number", ["0", "-1", "one", "1.5", "9" * 40])
    def test_a_number_that_is_none(self, client: TestClient, number: str) -> None:
        problem(client.get(f"/api/v1/projects/{number}"), 404)

    def test_an_unknown_format_lists_those_there_are(self, client: TestClient, order_page: str) -> None:
        assert "markdown" in str(problem(client.get(f"{order_page}/export/docx"), 404)["fix"])

    def test_an_unknown_model_lists_those_there_are(self, client: TestClient, order_page: str) -> None:
        answer = client.get(f"{order_page}/export/markdown", params={"model": "Graph"})
        assert "Single table" in str(problem(answer, 404)["fix"])

    def test_a_model_for_a_format_about_the_project(self, client: TestClient, order_page: str) -> None:
        answer = client.get(f"{order_page}/export/yaml", params={"model": "Single table"})
        assert "whole project" in str(problem(answer, 422)["detail"])

    def test_a_name_too_long(self, client: TestClient, order_page: str) -> None:
        assert problem(client.get(f"{order_page}/export/yaml", params={"model": "x" * 300}), 422)["place"] == "model"

    def test_an_address_that_is_none(self, client: TestClient) -> None:
        problem(client.get("/api/v1/nothing"), 404)


class TestToken:
    def test_it_is_asked_for(self, guarded: TestClient) -> None:
        for path in ("/api/v1/projects", "/api/v1/openapi.json"):
            answer = guarded.get(path)
            problem(answer, 401)
            assert answer.headers["www-authenticate"] == "Bearer"

    def test_it_lets_in(self, guarded: TestClient) -> None:
        assert guarded.get("/api/v1/projects", headers={"authorization": f"Bearer {TOKEN}"}).json() == []
        problem(guarded.get("/api/v1/projects", headers={"authorization": "Bearer wrong"}), 401)


class TestDescription:
    @pytest.fixture
    def described(self, client: TestClient) -> Described:
        found: Described = client.get("/api/v1/openapi.json").json()
        return found

    def test_every_path_is_there(self, described: Described) -> None:
        assert list(described["paths"]) == [
            "/api/v1/projects",
            "/api/v1/projects/{project_id}",
            "/api/v1/projects/{project_id}/report",
            "/api/v1/projects/{project_id}/proofs",
            "/api/v1/projects/{project_id}/export/{format_name}",
            "/api/v1/formats",
            "/api/v1/rules",
            "/api/v1/stores",
        ]

    def test_errors_are_problems(self, described: Described) -> None:
        for path, operations in described["paths"].items():
            assert list(operations) == ["get"]
            responses = operations["get"]["responses"]
            errors = {status: r for status, r in responses.items() if status >= "400"}
            assert "401" in errors
            assert ("404" in errors) == ("{" in path)
            for response in errors.values():
                assert list(response["content"]) == ["application/problem+json"]

    def test_exports_say_their_types(self, described: Described) -> None:
        operation = described["paths"]["/api/v1/projects/{project_id}/export/{format_name}"]["get"]
        assert set(operation["responses"]["200"]["content"]) == {e.media_type for e in EXPORTERS.values()}

    def test_references_lead_somewhere_and_schemas_are_schemas(self, described: Described) -> None:
        schemas = described["components"]["schemas"]
        for word in json.dumps(described).split('"$ref": "')[1:]:
            assert word.partition('"')[0].removeprefix("#/components/schemas/") in schemas
        for schema in schemas.values():
            Draft202012Validator.check_schema(schema)
        assert str(described["openapi"]).startswith("3.1")

    def test_operations_have_names_of_their_own(self, described: Described) -> None:
        names = [operations["get"]["operationId"] for operations in described["paths"].values()]
        assert len(set(names)) == len(names)

    def test_answers_are_as_described(self, client: TestClient, order_page: str) -> None:
        described = client.get("/api/v1/openapi.json").json()
        for path in ("/api/v1/projects", "/api/v1/formats", "/api/v1/rules", "/api/v1/stores"):
            schema = described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            whole = {**schema, "components": described["components"]}
            Draft202012Validator(whole).validate(client.get(path).json())
