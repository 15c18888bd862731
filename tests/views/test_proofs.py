"""The Prove button: what is offered, how a proof goes on, is stopped and read, and what nobody ever sees."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from app.analysis import Report
from app.errors import AppError
from app.main import create_app
from app.proof.problem import ProofError
from app.proof.types import Card
from app.settings import Settings
from app.storage import proofs
from app.views.proofs.runs import Prover
from tests.views.conftest import PROBLEM
from tests.views.engines import PASSWORD, URL, FakeDoor, card, cards_of
from tests.views.test_models import PROJECT
from tests.views.test_share import link_in

Start = Callable[..., int]
HX = {"hx-request": "true"}


@pytest.fixture
def desk(client: TestClient) -> str:
    made = client.post("/projects", data={"text": PROJECT, "filename": "desk.yaml"}, follow_redirects=False)
    assert made.status_code == 303, made.text
    return made.headers["location"]


@pytest.fixture
def door() -> Iterator[FakeDoor]:
    door = FakeDoor()
    yield door
    door.go.set()


@pytest.fixture
def prover(client: TestClient, door: FakeDoor) -> Prover:
    """One engine is configured, for MongoDB."""
    made = Prover(client.app.state.db, {"mongodb": SecretStr(URL)}, door)  # type: ignore[attr-defined]
    client.app.state.prover = made  # type: ignore[attr-defined]
    return made


@pytest.fixture
def start(client: TestClient, prover: Prover, desk: str) -> Start:
    """Press the button, and wait for the end unless told not to; gives the number of the run."""

    def press(model: str = "Documents", *, wait: bool = True, **form: str) -> int:
        answer = client.post(f"{desk}/proofs", data={"model": model, **form}, headers=HX)
        assert answer.status_code == 200, answer.text
        run = proofs.runs(client.app.state.db, int(desk.rpartition("/")[2]))[0]  # type: ignore[attr-defined]
        if wait:
            settle(prover)
        return run.id

    return press


def settle(prover: Prover) -> None:
    deadline = time.monotonic() + 10
    while prover.live and time.monotonic() < deadline:
        time.sleep(0.01)
    assert prover.live is None


def page_of(client: TestClient, desk: str, model: str = "Documents") -> str:
    answer = client.get(f"{desk}/models/{quote(model, safe='')}")
    assert answer.status_code == 200
    return answer.text


class TestOffer:
    def test_without_an_engine_it_says_how_one_is_configured(self, client: TestClient, desk: str) -> None:
        html = page_of(client, desk)
        assert "modelled, not proved" in html
        assert "KEYWRIGHT_PROVE_MONGODB" in html
        assert "keywright prove desk.yaml --store mongodb --model Documents --url" in html
        assert f'action="{desk}/proofs"' not in html

    def test_only_the_configured_store_has_a_button(self, client: TestClient, prover: Prover, desk: str) -> None:
        assert f'action="{desk}/proofs"' in page_of(client, desk)
        other = page_of(client, desk, "One table / desk")
        assert f'action="{desk}/proofs"' not in other
        assert "KEYWRIGHT_PROVE_DYNAMODB" in other
        assert "nothing can be proved" in page_of(client, desk, "Unknown")

    def test_nothing_is_proved_where_nothing_is_configured(self, client: TestClient, desk: str) -> None:
        answer = client.post(f"{desk}/proofs", data={"model": "Documents"}, headers=PROBLEM)
        assert answer.status_code == 403
        assert "KEYWRIGHT_PROVE_MONGODB" in answer.json()["fix"]

    def test_a_missing_driver_is_said(self, client: TestClient, prover: Prover, door: FakeDoor, desk: str) -> None:
        door.why = "The driver pymongo is not installed."
        assert "The driver pymongo is not installed." in page_of(client, desk)
        assert client.post(f"{desk}/proofs", data={"model": "Documents"}).status_code == 403

    def test_no_address_can_be_sent(self, client: TestClient, start: Start, door: FakeDoor) -> None:
        start(url="mongodb://somewhere.else", engine="mongodb://somewhere.else", store="redis")
        assert [asked["url"] for asked in door.asked] == [URL]

    @pytest.mark.parametrize("share", ["0", "-1", "2", "nan", "inf", "many", "1"])
    def test_a_size_that_cannot_be_is_refused(self, client: TestClient, prover: Prover, desk: str, share: str) -> None:
        answer = client.post(f"{desk}/proofs", data={"model": "Documents", "share": share}, headers=PROBLEM)
        assert answer.status_code == 422
        assert prover.live is None

    def test_sizes_are_offered_with_their_records(
        self, client: TestClient, start: Start, door: FakeDoor, desk: str
    ) -> None:
        sizes = client.get(f"{desk}/models/Documents").context.proof.sizes  # type: ignore[attr-defined]
        assert [s.share for s in sizes] == ["", "1e-06", "1e-05"]
        assert sizes[2].label == "0.001 % of the counts, 100,110 records"
        start(share="1e-05")
        start()
        assert [asked["scale"] for asked in door.asked] == [1e-05, None]

    def test_a_model_that_is_gone_cannot_be_proved(self, client: TestClient, prover: Prover, desk: str) -> None:
        assert client.post(f"{desk}/proofs", data={"model": "Nobody"}).status_code == 404

    def test_another_site_cannot_start_or_stop_one(self, client: TestClient, prover: Prover, desk: str) -> None:
        foreign = {"sec-fetch-site": "cross-site"}
        for path in ("proofs", "proofs/1/cancel"):
            answer = client.post(f"{desk}/{path}", data={"model": "Documents"}, headers=foreign)
            assert answer.status_code == 403
        assert prover.live is None

    def test_engines_come_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEYWRIGHT_PROVE_MONGODB", URL)
        monkeypatch.setenv("KEYWRIGHT_PROVE_REDIS", " ")
        settings = Settings()
        assert {name: url.get_secret_value() for name, url in settings.prove.items()} == {"mongodb": URL}
        assert PASSWORD not in repr(settings)


class TestRun:
    def test_it_goes_on_in_the_background_and_survives_a_reload(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        run = start(wait=False)
        assert door.started.wait(5)
        for html in (page_of(client, desk), client.get(f"{desk}/proofs/{run}").text):
            assert "Loading orders" in html
            assert "120 of 400" in html
            assert f"/proofs/{run}/cancel" in html
        polled = client.get(f"{desk}/proofs/{run}/progress").text
        assert 'hx-trigger="every 1s"' in polled
        assert 'aria-valuenow="30"' in polled
        door.go.set()
        settle(prover)
        ended = client.get(f"{desk}/proofs/{run}/progress").text
        assert "every 1s" not in ended
        assert f'hx-get="{desk}/models?row=' in ended
        assert "1 of 3 agree" in ended

    def test_it_is_cancelled_within_a_step(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        run = start(wait=False)
        assert door.started.wait(5)
        answer = client.post(f"{desk}/proofs/{run}/cancel", headers=HX)
        assert "Stopping" in answer.text
        settle(prover)
        assert "The last proof was cancelled" in page_of(client, desk)
        assert "modelled, not proved" in page_of(client, desk)
        again = client.post(f"{desk}/proofs/{run}/cancel", headers=HX)
        assert "It had ended already" in again.text

    def test_two_people_press_at_once(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        start(wait=False)
        second = client.post(f"{desk}/proofs", data={"model": "Documents"}, headers=HX)
        assert second.status_code == 200
        assert "Somebody else started this proof a moment before" in second.text
        assert "proof-progress" in second.text
        assert len(door.asked) == 1

    def test_another_model_or_project_waits_its_turn(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        start(wait=False)
        form = {"verb": "duplicate", "name": "Documents"}
        copy = client.post(f"{desk}/models", data=form, follow_redirects=False).headers["location"]
        html = client.get(copy).text
        assert "one runs at a time" in html
        name = client.get(copy).context.model.name  # type: ignore[attr-defined]
        busy = client.post(f"{desk}/proofs", data={"model": name}, headers=PROBLEM)
        assert busy.status_code == 409
        assert busy.json()["detail"].startswith("Documents is being proved on MongoDB, since 0 s")
        other = client.post("/projects", data={"text": PROJECT, "filename": "d.yaml"}, follow_redirects=False)
        there = other.headers["location"]
        busy = client.post(f"{there}/proofs", data={"model": "Documents"}, headers=PROBLEM)
        assert busy.status_code == 409
        assert "of another project" in busy.json()["detail"]
        assert client.post(f"{there}/proofs/1/cancel").status_code == 404
        assert prover.live
        assert not prover.live.stopping.is_set()

    def test_an_error_is_a_sentence(self, client: TestClient, start: Start, door: FakeDoor, desk: str) -> None:
        door.error = ProofError("No server answers at mongodb://engine.example.", fix="Start it.")
        start()
        html = page_of(client, desk)
        assert "The last proof failed" in html
        assert "No server answers at mongodb://engine.example. Start it." in html

    def test_a_failed_try_leaves_the_last_proof(
        self, client: TestClient, start: Start, door: FakeDoor, desk: str
    ) -> None:
        start()
        door.error = ProofError("No server answers.")
        start()
        html = page_of(client, desk)
        assert "The last proof failed" in html
        assert "1 of 3 patterns agree" in html

    def test_a_restart_interrupts_it(self, client: TestClient, start: Start, door: FakeDoor, desk: str) -> None:
        door.hold = True
        run = start(wait=False)
        Prover(client.app.state.db, {"mongodb": SecretStr(URL)}, door)  # type: ignore[attr-defined]
        assert "The server was started again" in client.get(f"{desk}/proofs/{run}").text

    def test_a_stopping_server_stops_it_and_says_so(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        run = start(wait=False)
        prover.close()
        assert prover.live is None
        assert "The server was stopped while this proof ran" in client.get(f"{desk}/proofs/{run}").text
        assert client.post(f"{desk}/proofs", data={"model": "Documents"}).status_code == 403

    def test_a_deleted_project_stops_its_proof(
        self, client: TestClient, start: Start, prover: Prover, door: FakeDoor, desk: str
    ) -> None:
        door.hold = True
        run = start(wait=False)
        client.post(f"{desk}/delete")
        settle(prover)
        assert client.get(f"{desk}/proofs/{run}").status_code == 404

    def test_the_studio_has_a_prover_from_its_settings(self, tmp_path: Any) -> None:
        app = create_app(Settings(data_dir=tmp_path, prove={"mongodb": SecretStr(URL)}))
        with TestClient(app, base_url="http://localhost"):
            assert app.state.prover.configured("mongodb")
            assert not app.state.prover.configured("redis")


class TestSecrets:
    @pytest.mark.parametrize(
        "error",
        [
            ProofError(f"Authentication failed for {URL}"),
            RuntimeError(f"cannot reach {URL} with {PASSWORD}"),
            AppError(f"keeper:{PASSWORD} was refused"),
        ],
    )
    def test_a_password_is_never_stored_shown_or_logged(
        self, client: TestClient, start: Start, door: FakeDoor, desk: str, error: Exception,
        caplog: pytest.LogCaptureFixture,
    ) -> None:  # fmt: skip
        caplog.set_level(logging.DEBUG)
        door.error = error
        run = start()
        shown = [page_of(client, desk), client.get(f"{desk}/proofs/{run}").text, caplog.text]
        shown.append(client.get(f"/api/v1{desk.replace('/p/', '/projects/')}/proofs").text)
        with client.app.state.db.read() as session:  # type: ignore[attr-defined]
            shown.append(str(session.connection().exec_driver_sql("SELECT * FROM proof").all()))
        assert "The last proof failed" in shown[0]
        assert not [text for text in shown if PASSWORD in text or "keeper" in text]

    def test_a_mistake_of_the_studio_is_in_the_log(
        self, client: TestClient, start: Start, door: FakeDoor, desk: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        door.error = ZeroDivisionError("by zero")
        start()
        assert "ZeroDivisionError" in caplog.text
        assert "The studio made a mistake" in page_of(client, desk)


class TestEvidence:
    def test_a_model_shows_what_was_proved(self, client: TestClient, start: Start, desk: str) -> None:
        run = start()
        html = page_of(client, desk)
        assert "On MongoDB 6.0.5, " in html
        assert "1 of 3 patterns agree, 1 differs, 1 skipped" in html
        assert f'href="{desk}/proofs/{run}#c-2"' in html
        assert "12,345 records, 0.1 % of the project’s counts" in html

    def test_every_pattern_has_a_card(self, client: TestClient, start: Start, desk: str) -> None:
        html = client.get(f"{desk}/proofs/{start()}").text
        first, second, third = re.split(r'<article class="ev', html)[1:]
        assert "agrees" in first
        assert "median 0.412 ms, p99 1.13 ms of 20 runs" in first
        assert "right rows" in first
        assert "db.orders.findOne" in first
        assert "IXSCAN" in first
        assert "The engine reads 9,000 records to return 20." in second
        assert 'class="num hit warning">9,000' in second
        assert "p99 1.42 s" in second
        assert "Impossible by plan" in third
        assert "rows not compared" not in third
        assert " style=" not in html

    def test_what_an_engine_says_is_text(self, client: TestClient, start: Start, door: FakeDoor, desk: str) -> None:
        evil = "<script>alert(1)</script>"

        def cards(report: Report) -> tuple[Card, ...]:
            request = cards_of(report)[0].requests[0].model_copy(update={"plan": evil, "text": evil})
            return (card(evil, "refused", why=evil, level=evil, requests=(request,)),)

        door.cards = cards
        run = start()
        assert evil not in client.get(f"{desk}/proofs/{run}").text
        assert evil not in page_of(client, desk)

    def test_a_later_change_is_told_by_what_it_changed(self, client: TestClient, start: Start, desk: str) -> None:
        run = start()

        def change(place: str, field: str, text: str) -> None:
            data = {"place": place, "field": field, "text": text, "page": "models"}
            assert client.patch(f"{desk}/cell", data=data, headers=PROBLEM).status_code == 200

        change("models/Documents", "name", "Papers")
        assert "changed since" not in page_of(client, desk, "Papers")
        change("models/Papers/orders", "shard key", "order.id hashed")
        html = page_of(client, desk, "Papers")
        assert "Proved at change 1. The model has changed since." in html
        assert "proved at change 1" in html
        assert "changed since" in client.get(f"{desk}/proofs/{run}").text
        client.post(f"{desk}/undo", headers=PROBLEM)
        assert "changed since" not in page_of(client, desk, "Papers")
        change("patterns/Load order", "where", "order.status = :s")
        html = page_of(client, desk, "Papers")
        assert "A pattern has changed since." in html
        assert f'href="{desk}/proofs/{run}#c-1"' not in html
        assert "the pattern has changed since" in client.get(f"{desk}/proofs/{run}").text

    def test_documents_say_it_too(self, client: TestClient, start: Start, desk: str) -> None:
        path = f"{desk}/export/markdown?model=Documents"
        assert "Modelled, not proved on an engine" in client.get(path).text
        start()
        assert "Proved on MongoDB 6.0.5" in client.get(path).text
        assert "6.0.5" not in client.get(f"{desk}/export/yaml").text

    def test_older_ones_are_listed(self, client: TestClient, start: Start, desk: str) -> None:
        first, second = start(), start()
        html = page_of(client, desk)
        assert "1 older proof" in html
        assert f'href="{desk}/proofs/{first}"' in html
        assert f'href="{desk}/proofs/{second}"' in html

    def test_a_model_that_is_gone_leaves_its_proof_readable(self, client: TestClient, start: Start, desk: str) -> None:
        run = start()
        client.post(f"{desk}/models", data={"verb": "delete", "name": "Documents"})
        answer = client.get(f"{desk}/proofs/{run}")
        assert answer.status_code == 200
        assert "Proved on MongoDB 6.0.5" in answer.text

    def test_what_was_never_run_is_not_found(self, client: TestClient, prover: Prover, desk: str) -> None:
        for path in ("proofs/99", "proofs/99/progress"):
            assert client.get(f"{desk}/{path}").status_code == 404


class TestReview:
    def test_reviewers_see_proofs_and_cannot_start_one(
        self, client: TestClient, start: Start, prover: Prover, desk: str
    ) -> None:
        link = link_in(client.post(f"{desk}/share", data={}).text)
        assert "Modelled, not proved on an engine" in client.get(link).text
        start()
        html = client.get(link).text
        assert "Proved on MongoDB 6.0.5" in html
        assert "The engine reads 9,000 records to return 20." in html
        assert "<form" not in html
        assert "/p/" not in html

    def test_a_named_version_shows_how_its_proof_stands(self, client: TestClient, start: Start, desk: str) -> None:
        start()
        client.post(f"{desk}/versions", data={"name": "First"})
        version = client.get(f"{desk}/history").context.snapshots[0].id  # type: ignore[attr-defined]
        link = link_in(client.post(f"{desk}/share", data={"version": str(version)}).text)
        data = {"place": "models/Documents/orders", "field": "shard key", "text": "order.id hashed", "page": "models"}
        assert client.patch(f"{desk}/cell", data=data, headers=PROBLEM).status_code == 200
        assert "has changed since." not in client.get(link).text
        start()
        assert "The model has changed since." in client.get(link).text

    def test_a_visitor_without_the_token_can_do_nothing(self, tmp_path: Any) -> None:
        settings = Settings(data_dir=tmp_path, token="a token of thirty-two characters", prove={"mongodb": URL})
        with TestClient(create_app(settings), base_url="http://localhost") as stranger:
            for method, path in (("POST", "proofs"), ("POST", "proofs/1/cancel"), ("GET", "proofs/1")):
                answer = stranger.request(method, f"/p/1/{path}", headers={"sec-fetch-site": "same-origin"})
                assert answer.status_code == 401
