"""The server as a process: how soon it shows its first page, and what it holds in memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError

from benchmarks.figure import Figure, median

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0


def figures() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        starts = []
        memory = 0.0
        for _ in range(4):
            with serve(Path(folder)) as server:
                server.get("/")
                starts.append(time.perf_counter() - server.begun)
                memory = server.megabytes
        yield Figure("start-up to first page, new data folder", starts[0], "s", None, "process start to GET / = 200")
        yield Figure("start-up to first page (median of 3)", median(starts[1:]), "s", 2.0, "data folder exists")
        yield Figure("memory of the server after its first page", memory, "MB", 150.0, "resident")


class Server:
    """A studio in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], begun: float) -> None:
        self.process = process
        self.begun = begun
        self.address = self._address()

    def _address(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        found = re.search(r"http://localhost:(\d+)", line)
        if not found:
            raise RuntimeError(f"the server did not start: {line!r}")
        return f"http://127.0.0.1:{found[1]}"

    def get(self, path: str) -> bytes:
        """The body of a page; waits until the server answers."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
                    body: bytes = answer.read()
                    return body
            except URLError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    @property
    def megabytes(self) -> float:
        """Resident memory; 0 where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
        return int(found[1]) / 1024 if found else 0.0


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """A studio on a free port with its data in `folder`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KEYWRIGHT_")}
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", "0", "--data-dir", str(folder)],
        cwd=ROOT,
        env=clean,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Server(process, begun)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
