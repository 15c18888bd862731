"""`keywright serve`: the studio in a browser."""

from __future__ import annotations

import argparse
from typing import Any

from app.settings import Settings


def add(commands: Any) -> None:
    p = commands.add_parser("serve", help="start the studio")
    p.add_argument("--host", help="address to bind to (default 127.0.0.1; any other needs KEYWRIGHT_TOKEN)")
    p.add_argument("--port", type=int, help="port (default 8000; 0: any free one)")
    p.add_argument("--data-dir", help="where the database lives (default ./data)")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    import uvicorn  # noqa: PLC0415  # the other commands start faster without it

    from app.main import create_app  # noqa: PLC0415

    typed = {"host": given.host, "port": given.port, "data_dir": given.data_dir}
    settings = Settings(**{name: value for name, value in typed.items() if value is not None})
    settings.check()
    shown = "localhost" if settings.on_loopback else settings.host
    if settings.port:
        print(
            f"Keywright is at http://{shown}:{settings.port}  (Ctrl+C stops it; data in {settings.data_dir})",
            flush=True,
        )
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        access_log=False,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,
    )
    return 0
