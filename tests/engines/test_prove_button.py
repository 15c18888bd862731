"""The Prove button against a real server: evidence on the page, nothing left behind, also when it is cancelled."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.examples import EXAMPLES
from app.main import create_app
from app.model.text import write_yaml
from app.proof.run import Progress, prove
from app.settings import Settings
from app.storage import proofs
from tests.engines.proofs import PREFIX

MODEL = "Lines inside the order"
HX = {"hx-request": "true"}
PATIENCE = 120.0


@pytest.fixture
def client(tmp_path: Path, mongodb_url: str) -> Iterator[TestClient]:
    app = create_app(Settings(data_dir=tmp_path, prove={"mongodb": mongodb_url}))
    headers = {"sec-fetch-site": "same-origin", "accept-encoding": "identity"}
    with TestClient(app, base_url="http://localhost", headers=headers) as client:
        yield client


@pytest.fixture
def desk(client: TestClient) -> str:
    text = write_yaml(EXAMPLES["order-page"].project())
    made = client.post("/projects", data={"text": text, "filename": "o.yaml"}, follow_redirects=False)
    return str(made.headers["location"])


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


def namespaces(mongodb: Any) -> list[str]:
    return [name for name in mongodb.list_database_names() if name.startswith(PREFIX)]


def test_a_model_is_proved_and_nothing_is_left(client: TestClient, desk: str, mongodb: Any) -> None:
    before = namespaces(mongodb)
    prover = client.app.state.prover  # type: ignore[attr-defined]
    answer = client.post(f"{desk}/proofs", data={"model": MODEL, "share": "1e-05"}, headers=HX)
    assert answer.status_code == 200
    until(lambda: prover.live is None)
    run = proofs.load_run(client.app.state.db, 1, 1)  # type: ignore[attr-defined]
    assert run.state == "done", run.said
    assert run.proof is not None
    assert run.proof.engine == "MongoDB"
    assert run.proof.version == mongodb.server_info()["version"]
    assert [(c.operation, c.rows) for c in run.proof.cards if c.rows == "wrong"] == []
    assert run.count("agrees") >= 6
    html = client.get(f"{desk}/proofs/1").text
    assert f"Proved on {run.engine}" in html
    assert "IXSCAN" in html
    assert f"Proved on {run.engine}" in client.get(f"{desk}/export/markdown").text
    assert namespaces(mongodb) == before


def test_a_cancelled_proof_drops_what_it_made(client: TestClient, desk: str, mongodb: Any) -> None:
    before = namespaces(mongodb)
    prover = client.app.state.prover  # type: ignore[attr-defined]
    client.post(f"{desk}/proofs", data={"model": MODEL, "share": "1e-05"}, headers=HX)
    until(lambda: len(namespaces(mongodb)) > len(before) or prover.live is None)
    assert prover.live is not None
    client.post(f"{desk}/proofs/1/cancel", headers=HX)
    until(lambda: prover.live is None)
    assert proofs.load_run(client.app.state.db, 1, 1).state == "cancelled"  # type: ignore[attr-defined]
    assert namespaces(mongodb) == before


def test_it_looks_within_a_step_whether_somebody_cancelled(mongodb_url: str) -> None:
    looked: Counter[str] = Counter()
    step = [""]

    def note(progress: Progress) -> None:
        assert progress.step
        assert 0 <= progress.done <= progress.total
        step[0] = progress.step

    def look() -> bool:
        looked[step[0]] += 1
        return False

    project = EXAMPLES["order-page"].project()
    prove(project, MODEL, mongodb_url, date="2026-11-30", scale=7e-05, runs=3, progress=note, cancelled=look)
    assert looked["making data"] > 20
    assert looked["loading 4,200 records of orders"] > 2
    assert looked["Load order page"] > 2


def test_a_server_that_does_not_answer_is_a_sentence(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, prove={"mongodb": "mongodb://u:hunter2-x@127.0.0.1:9"}))
    with TestClient(app, base_url="http://localhost", headers={"sec-fetch-site": "same-origin"}) as client:
        text = write_yaml(EXAMPLES["order-page"].project())
        client.post("/projects", data={"text": text, "filename": "o.yaml"})
        client.post("/p/1/proofs", data={"model": MODEL, "share": "1e-06"}, headers=HX)
        until(lambda: app.state.prover.live is None)
        run = proofs.load_run(app.state.db, 1, 1)
        assert run.state == "failed"
        assert "127.0.0.1:9" in run.said
        assert "hunter2" not in run.said
