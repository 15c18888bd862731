"""The image can't be built by every developer, so its recipe is read instead."""

import json
import re
import shlex
from pathlib import Path

import pytest

from app.settings import Settings

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (x.partition(" ") for x in lines if x)]


def values(instructions: list[tuple[str, str]], word: str) -> list[str]:
    return [rest for name, rest in instructions if name == word]


def test_the_base_image_names_a_version(instructions: list[tuple[str, str]]) -> None:
    for image in values(instructions, "FROM"):
        assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", image)


def test_it_does_not_run_as_root(instructions: list[tuple[str, str]]) -> None:
    words = [word for word, _ in instructions]
    (user,) = values(instructions, "USER")
    assert int(user) > 0
    assert words.index("USER") < words.index("CMD")


def test_the_data_is_a_volume_that_the_user_owns(
    instructions: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values(instructions, "VOLUME") == ["/data"]
    for setting in " ".join(values(instructions, "ENV")).split():
        monkeypatch.setenv(*setting.split("=", 1))
    assert Settings().data_dir == Path("/data")
    assert any(
        "install --directory --owner=keywright" in run and run.endswith("/data") for run in values(instructions, "RUN")
    )


def test_the_health_check_asks_the_port_that_is_served(
    instructions: list[tuple[str, str]],
) -> None:
    (check,) = values(instructions, "HEALTHCHECK")
    (command,) = values(instructions, "CMD")
    served = json.loads(command)
    assert served[:2] == ["keywright", "serve"]
    port = served[served.index("--port") + 1]
    assert f"http://127.0.0.1:{port}/healthz" in check
    assert values(instructions, "EXPOSE") == [port]


def test_it_listens_beyond_loopback_and_brings_no_token(
    instructions: list[tuple[str, str]],
) -> None:
    """So the server itself refuses to start until the operator names a token."""
    (command,) = values(instructions, "CMD")
    assert "0.0.0.0" in json.loads(command)
    assert not [text for _, text in instructions if "KEYWRIGHT_TOKEN" in text]


def test_it_installs_from_the_lock_file_and_pipes_nothing_into_a_shell(
    instructions: list[tuple[str, str]],
) -> None:
    runs = values(instructions, "RUN")
    assert any("--require-hashes -r requirements/runtime.txt" in run for run in runs)
    assert not [run for run in runs if re.search(r"\|\s*(ba|da|z)?sh\b|curl|wget", run)]
    assert not values(instructions, "ADD")


def test_everything_it_copies_exists_and_is_let_through(
    instructions: list[tuple[str, str]],
) -> None:
    allowed = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    for copy in values(instructions, "COPY"):
        *sources, _ = [part for part in shlex.split(copy) if not part.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
            assert source.split("/")[0] in allowed, source
