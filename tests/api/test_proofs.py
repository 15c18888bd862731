"""Proofs as a program reads them."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from app.model.edit import diff
from app.proof.standing import basis
from app.storage import proofs
from app.storage.edits import apply_edits
from app.storage.parts import load
from app.storage.projects import delete_project
from app.storage.proofs import Run, Wanted
from tests.storage.test_proofs import a_proof, card

MODEL = "Lines inside the order"


def prove(client: TestClient, address: str) -> Run:
    """A proof of the first model, as the studio would keep it."""
    db, number = client.app.state.db, int(address.rpartition("/")[2])  # type: ignore[attr-defined]
    loaded = load(db, number)
    row = loaded.rows[f"models/{MODEL}"]
    wanted = Wanted(number, row, MODEL, "mongodb", loaded.change, basis(loaded.project, MODEL))
    run = proofs.begin(db, wanted, "ada")
    cards = (card("Load order page"), card("Seller sales list", "differs", "It scans."))
    proofs.finish(db, run.id, a_proof(*cards).model_copy(update={"model": MODEL}))
    return run


def change(client: TestClient, address: str) -> None:
    """Take an entity away."""
    db, number = client.app.state.db, int(address.rpartition("/")[2])  # type: ignore[attr-defined]
    project = load(db, number).project
    fewer = project.model_copy(update={"entities": project.entities[:-1]})
    apply_edits(db, number, diff(project, fewer), author="ada", label="fewer")


def test_runs_come_with_their_evidence(client: TestClient, order_page: str) -> None:
    assert client.get(f"{order_page}/proofs").json() == []
    first, second = prove(client, order_page), prove(client, order_page)
    new, old = client.get(f"{order_page}/proofs").json()
    assert (new["id"], new["state"], new["current"], new["changed_since"]) == (second.id, "done", True, [])
    assert (old["id"], old["current"], old["proof"]) == (first.id, False, None)
    assert [c["verdict"] for c in new["proof"]["cards"]] == ["agrees", "differs"]
    assert new["proof"]["cards"][0]["requests"][0]["plan"] == "IXSCAN"
    change(client, order_page)
    assert client.get(f"{order_page}/proofs").json()[0]["changed_since"] == ["the entities"]


def test_answers_are_as_described(client: TestClient, order_page: str) -> None:
    prove(client, order_page)
    described: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    operation = described["paths"]["/api/v1/projects/{project_id}/proofs"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": described["components"]}
    Draft202012Validator(whole).validate(client.get(f"{order_page}/proofs").json())


def test_a_proof_is_a_new_answer_though_it_is_no_change(client: TestClient, order_page: str) -> None:
    paths = (f"{order_page}/report", f"{order_page}/export/markdown", f"{order_page}/proofs")
    tags = [client.get(path).headers["etag"] for path in paths]
    prove(client, order_page)
    for path, tag in zip(paths, tags, strict=True):
        assert client.get(path, headers={"if-none-match": tag}).status_code == 200, path
    report = client.get(paths[0]).json()
    assert [p["engine"] for p in report["models"][0]["proofs"]] == ["MongoDB"]
    assert report["models"][1]["proofs"] == []
    assert "Proved on MongoDB 6.0.5" in client.get(paths[1]).text


def test_a_project_file_carries_none(client: TestClient, order_page: str) -> None:
    prove(client, order_page)
    for name in ("json", "yaml"):
        assert "6.0.5" not in client.get(f"{order_page}/export/{name}").text


def test_they_go_with_their_project(client: TestClient, order_page: str) -> None:
    prove(client, order_page)
    delete_project(client.app.state.db, int(order_page.rpartition("/")[2]))  # type: ignore[attr-defined]
    assert client.get(f"{order_page}/proofs").status_code == 404
    assert client.get("/api/v1/projects/9/proofs").status_code == 404
