"""A studio with an access token asks for it in its own looks."""

from pathlib import Path

from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

TOKEN = "a-long-and-random-token"


def test_the_token_opens_the_studio(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, token=TOKEN))
    headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
    with TestClient(app, base_url="http://localhost", headers=headers) as client:
        page = client.get("/new")
        assert page.status_code == 401
        assert 'name="token"' in page.text
        assert "/static/app.css?v=" in page.text
        assert client.get("/static/app.css").status_code == 200
        assert client.post("/sign-in", data={"token": "guess", "next": "/new"}).status_code == 401
        page = client.post("/sign-in", data={"token": TOKEN, "next": "/new"})
        assert page.url.path == "/new"
        assert page.status_code == 200
