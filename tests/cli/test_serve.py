"""`keywright serve`, in a process of its own: what it prints, when, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("KEYWRIGHT_")}


def start(*argv: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app", "serve", *argv],
        cwd=ROOT,
        env={**CLEAN, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refused(*argv: str, **env: str) -> str:
    """What a start that is refused says."""
    with start(*argv, **env) as server:
        out, err = server.communicate(timeout=60)
    assert server.returncode == 2, err
    assert out == ""
    assert err.startswith("keywright: ")
    assert "Traceback" not in err
    return err


def test_the_address_is_printed_once_it_can_be_opened(tmp_path: Path) -> None:
    with start("--port", "0", "--data-dir", str(tmp_path / "data")) as server:
        assert server.stdout
        line = server.stdout.readline()
        found = re.search(r"http://localhost:\d+", line)
        assert found, line
        with urllib.request.urlopen(found[0].replace("localhost", "127.0.0.1"), timeout=20) as page:
            assert page.status == 200
        assert str(tmp_path / "data") in line
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        assert server.stdout.read() == ""
        assert server.stderr
        assert "Traceback" not in server.stderr.read()


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} is in use" in refused("--port", str(port))


def test_settings_that_cannot_be() -> None:
    assert "KEYWRIGHT_PORT is 'abc'" in refused(KEYWRIGHT_PORT="abc")
    assert "--port is 99999" in refused("--port", "99999")
    assert "no access token is set" in refused("--host", "0.0.0.0")
    assert "can be guessed" in refused(KEYWRIGHT_TOKEN="short")
    assert "no address called" in refused("--host", "no-such.invalid", KEYWRIGHT_TOKEN="a-long-random-secret")


def test_engines_that_cannot_be() -> None:
    said = refused(KEYWRIGHT_PROVE_MONGO="mongodb://u:hunter2@h")
    assert "KEYWRIGHT_PROVE_MONGO names no store" in said
    assert "mongodb" in said
    assert "hunter2" not in said
    said = refused(KEYWRIGHT_PROVE="mongodb://u:hunter2@h")
    assert "KEYWRIGHT_PROVE names no store" in said
    assert "hunter2" not in said


def test_folders_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "Name another" in refused("--port", "0", "--data-dir", str(tmp_path / "file"))
    (tmp_path / "keywright.db").write_text("not a database, but long enough to be one")
    assert "is not a database" in refused("--port", "0", "--data-dir", str(tmp_path))


@pytest.mark.parametrize("argv", [["rules"], ["stores", "redis"]])
def test_a_reader_that_has_enough_is_no_error(argv: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", *argv], cwd=ROOT, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        assert command.stdout
        command.stdout.close()
        assert command.stderr
        assert command.stderr.read() == b""
        assert command.wait(60) == 0
