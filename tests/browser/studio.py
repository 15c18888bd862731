"""A studio on a free port, for a real browser."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from app.main import create_app
from app.settings import Settings
from app.views.proofs.runs import Door


@contextmanager
def run_studio(folder: Path, door: Door | None = None, **settings: Any) -> Iterator[str]:
    """Serve in a thread; gives the address. `door`: what proves models."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(
        create_app(Settings(data_dir=folder, port=port, **settings), door), port=port, log_level="warning"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.started, "the studio did not start"
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
