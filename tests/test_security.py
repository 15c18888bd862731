"""The checks in front of the application, held against a tiny one."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from pydantic import SecretStr

from app.errors import Refused
from app.security import BODY_LIMIT, HideSecrets, install
from app.settings import Settings

TOKEN = "a-token-of-24-characters"
SAME = {"sec-fetch-site": "same-origin"}
HTML = {"accept": "text/html"}


def client(token: str = "", **settings: object) -> TestClient:
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST", "DELETE"])
    async def echo(request: Request, path: str) -> dict[str, object]:
        if path == "crash":
            raise RuntimeError("on purpose")
        return {"path": path, "bytes": len(await request.body())}

    install(app, Settings(token=SecretStr(token), **settings))  # type: ignore[arg-type]
    return TestClient(
        app,
        base_url="http://localhost:8000",
        follow_redirects=False,
        raise_server_exceptions=False,
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        # What the browser says about the site counts, whatever Origin says.
        ({"sec-fetch-site": "cross-site", "origin": "http://localhost:8000"}, 403),
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "http://localhost:9000"}, 403),
        ({"origin": "https://localhost:8000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({}, 403),
        ({"authorization": "Bearer script"}, 200),
        ({"authorization": "Basic c2NyaXB0"}, 403),
    ],
)
def test_only_this_site_and_programs_may_write(headers: dict[str, str], status: int) -> None:
    assert client().post("/x", headers=headers).status_code == status
    assert client().delete("/x", headers=headers).status_code == status


def test_other_sites_may_read() -> None:
    assert client().get("/x", headers={"sec-fetch-site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:8123", 200),
        ("[::1]:8000", 200),
        ("studio.lan", 200),
        ("evil.example", 400),
        ("127.0.0.1.evil.example:8000", 400),
        ("localhost.", 400),
        ("", 400),
    ],
)
def test_only_known_host_names_are_answered(host: str, status: int) -> None:
    got = client(allowed_hosts="studio.lan").get("/x", headers={"host": host})
    assert got.status_code == status


def test_an_unknown_host_name_says_which_setting_allows_it() -> None:
    got = client().get("/x", headers={"host": "studio.lan"})
    assert "KEYWRIGHT_ALLOWED_HOSTS=studio.lan" in got.text


def test_every_answer_carries_the_headers() -> None:
    for path, status in (("/x", 200), ("/crash", 500)):
        got = client().get(path)
        assert got.status_code == status
        assert got.headers["content-security-policy"].startswith("default-src 'none'; script-src")
        assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["referrer-policy"] == "same-origin"
    refused = client().post("/x", headers={"origin": "null"})
    assert refused.headers["x-content-type-options"] == "nosniff"


def test_a_review_link_leaves_no_trace_elsewhere() -> None:
    got = client().get("/r/7.secret")
    assert got.headers["referrer-policy"] == "no-referrer"
    assert got.headers["x-robots-tag"] == "noindex, nofollow"
    assert got.headers["cache-control"] == "private, no-store"


def test_a_large_body_is_refused_announced_or_not() -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(7):
            yield bytes(1024 * 1024)

    assert client().post("/x", headers=SAME, content=bytes(BODY_LIMIT)).json()["bytes"] == BODY_LIMIT
    assert client().post("/x", headers=SAME, content=bytes(BODY_LIMIT + 1)).status_code == 413
    assert client().post("/x", headers=SAME, content=chunks()).status_code == 413


def test_a_body_in_pieces_arrives_whole() -> None:
    pieces = iter([b"abc", b"", b"defg"])
    assert client().post("/x", headers=SAME, content=pieces).json()["bytes"] == 7


def test_without_a_token_setting_everybody_may_come_in() -> None:
    assert client().get("/x").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/static/app.css", "/r/7.secret"])
def test_strangers_see_health_looks_and_review_links(path: str) -> None:
    assert client(TOKEN).get(path).status_code == 200
    if path != "/healthz":
        assert client(TOKEN).post(path, headers=SAME).status_code == 401


def test_strangers_see_the_sign_in_page_and_nothing_else() -> None:
    got = client(TOKEN).get("/p/1", headers=HTML)
    assert got.status_code == 401
    assert "name=token" in got.text
    assert 'name=next value="/p/1"' in got.text
    assert client(TOKEN).post("/p/1", headers=SAME).status_code == 401


def test_the_api_answers_strangers_with_a_problem() -> None:
    got = client(TOKEN).get("/api/v1/projects", headers=HTML)
    assert got.status_code == 401
    assert got.headers["content-type"] == "application/problem+json"
    assert got.headers["www-authenticate"] == "Bearer"
    assert got.json()["title"] == "Sign in first"


def test_a_bearer_token_opens_the_api() -> None:
    good = {"authorization": f"Bearer {TOKEN}"}
    assert client(TOKEN).get("/x", headers=good).status_code == 200
    assert client(TOKEN).post("/x", headers=good).status_code == 200
    assert client(TOKEN).get("/x", headers={"authorization": "Bearer wrong"}).status_code == 401


def test_a_token_in_the_address_becomes_a_cookie_and_leaves_the_address() -> None:
    studio = client(TOKEN)
    got = studio.get(f"/p/1?a=1&token={TOKEN}&a=2")
    assert got.status_code == 303
    assert got.headers["location"] == "/p/1?a=1&a=2"
    cookie = got.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert TOKEN not in cookie
    assert studio.get("/p/1").status_code == 200


def test_a_wrong_token_in_the_address_opens_nothing() -> None:
    got = client(TOKEN).get("/p/1?token=wrong")
    assert got.status_code == 401
    assert "set-cookie" not in got.headers


def test_signing_in_and_out() -> None:
    studio = client(TOKEN)
    wrong = studio.post("/sign-in", headers=SAME, data={"token": "wrong", "next": "/p/1"})
    assert wrong.status_code == 401
    assert "not the access token" in wrong.text
    right = studio.post("/sign-in", headers=SAME, data={"token": TOKEN, "next": "/p/1"})
    assert (right.status_code, right.headers["location"]) == (303, "/p/1")
    assert studio.get("/p/1").status_code == 200
    assert studio.post("/sign-out", headers=SAME).status_code == 303
    assert studio.get("/p/1").status_code == 401


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil", "/a\nb"])
def test_signing_in_never_leads_to_another_site(target: str) -> None:
    got = client(TOKEN).post("/sign-in", headers=SAME, data={"token": TOKEN, "next": target})
    assert got.headers["location"] == "/"


@pytest.mark.parametrize("cookie", ["", "x", "1.abc", "99999999999.abc", "²³.x", "1764500000."])
def test_a_made_up_cookie_opens_nothing(cookie: str) -> None:
    headers = [(b"cookie", b"keywright=" + cookie.encode())]
    assert client(TOKEN).get("/x", headers=headers).status_code == 401


def test_an_old_session_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    studio = client(TOKEN)
    studio.get(f"/?token={TOKEN}")
    kept = dict(studio.cookies)
    monkeypatch.setattr("app.security.access.SESSION_SECONDS", 0)
    assert client(TOKEN).get("/x", headers={"cookie": f"keywright={kept['keywright']}"}).status_code == 401


def test_a_fragment_request_without_session_goes_to_the_sign_in_page() -> None:
    got = client(TOKEN).get("/p/1/rows/2", headers={**HTML, "hx-request": "true"})
    assert got.headers["hx-redirect"] == "/sign-in"


def test_secrets_stay_out_of_the_access_log() -> None:
    record = logging.LogRecord(
        "uvicorn.access",
        logging.INFO,
        "",
        0,
        '%s - "%s %s HTTP/%s" %d',
        ("127.0.0.1:5", "GET", f"/r/7.verysecret/models?a=1&token={TOKEN}&b=2", "1.1", 200),
        None,
    )
    HideSecrets().filter(record)
    assert record.getMessage() == '127.0.0.1:5 - "GET /r/…/models?a=1&token=…&b=2 HTTP/1.1" 200'


def test_beyond_loopback_a_token_is_needed() -> None:
    Settings().check()
    Settings(host="::1").check()
    Settings(host="localhost").check()
    Settings(host="0.0.0.0", token=SecretStr(TOKEN)).check()
    for host in ("0.0.0.0", "::", "192.168.1.5", "studio.lan"):
        with pytest.raises(Refused, match="KEYWRIGHT_TOKEN"):
            Settings(host=host).check()
    with pytest.raises(Refused, match="can be guessed"):
        Settings(token=SecretStr("short")).check()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYWRIGHT_PORT", "8123")
    monkeypatch.setenv("KEYWRIGHT_ALLOWED_HOSTS", "Studio.lan, other.lan")
    monkeypatch.setenv("KEYWRIGHT_DATA_DIR", "/srv/kw")
    monkeypatch.setenv("KEYWRIGHT_LOG_LEVEL", "DEBUG")
    settings = Settings()
    assert settings.port == 8123
    assert {"studio.lan", "other.lan", "localhost"} <= settings.hosts
    assert settings.url == "sqlite:////srv/kw/keywright.db"
    assert settings.log_level == "debug"
    assert TOKEN not in repr(Settings(token=SecretStr(TOKEN)))
