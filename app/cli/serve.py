"""`keywright serve`: the studio in a browser."""

from __future__ import annotations

import argparse
import errno
import os
import socket
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError

from app.errors import BadInput, Refused
from app.settings import Settings

NOT_STARTED = 2
SQLITE = b"SQLite format 3\0"


def add(commands: Any) -> None:
    p = commands.add_parser("serve", help="start the studio")
    p.add_argument("--host", help="address to bind to (default 127.0.0.1; any other needs KEYWRIGHT_TOKEN)")
    p.add_argument("--port", type=int, help="port (default 8000; 0: any free one)")
    p.add_argument("--data-dir", help="where the database lives (default ./data)")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    settings = settings_of({"host": given.host, "port": given.port, "data_dir": given.data_dir})
    settings.check()
    check_engines(settings)
    check_database(settings)
    with listen(settings) as listening:
        return _serve(settings, listening)


def _serve(settings: Settings, listening: socket.socket) -> int:
    import uvicorn  # noqa: PLC0415  # the other commands start faster without it

    from app.main import create_app  # noqa: PLC0415

    class Studio(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(f"{address(settings, listening)}  (Ctrl+C stops it; data in {settings.data_dir})", flush=True)

    config = uvicorn.Config(
        create_app(settings),
        log_level="warning" if settings.log_level == "info" else settings.log_level,
        access_log=False,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,
    )
    studio = Studio(config)
    try:
        studio.run(sockets=[listening])
    except KeyboardInterrupt:
        return 0
    except SystemExit:  # the reason is in the log above
        return NOT_STARTED
    return 0 if studio.started else NOT_STARTED


def settings_of(typed: dict[str, Any]) -> Settings:
    """Settings from the environment, overridden by what was typed. Raises BadInput with the name of the setting."""
    try:
        return Settings(**{name: value for name, value in typed.items() if value is not None})
    except ValidationError as wrong:
        first = wrong.errors()[0]
        name = str(first["loc"][0])
        said = f"--{name.replace('_', '-')}" if typed.get(name) is not None else f"KEYWRIGHT_{name.upper()}"
        raise BadInput(f"{said} is {first['input']!r}: {first['msg']}.") from None
    except SettingsError:  # says nothing of the value, which may hold a password
        raise BadInput("KEYWRIGHT_PROVE names no store.", fix="Set e.g. KEYWRIGHT_PROVE_MONGODB.") from None


def check_engines(settings: Settings) -> None:
    """Say which engine belongs to no store, before anything is started. Raises BadInput."""
    if not settings.prove:
        return
    from app.stores import STORES  # noqa: PLC0415  # only where it is asked for

    for name in settings.prove:
        if name not in STORES:
            said = f"KEYWRIGHT_PROVE_{name.upper()} names no store."
            raise BadInput(said, fix=f"Stores are {', '.join(STORES)}.")


def check_database(settings: Settings) -> None:
    """Say what is wrong with the folder or file of the data before anything is started. Raises BadInput."""
    from sqlalchemy import make_url  # noqa: PLC0415  # the other commands start faster without it

    url = make_url(settings.url)
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return
    file = Path(url.database)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(file.parent, os.W_OK):
            raise BadInput(f"The folder {file.parent} cannot be written to.", fix="Name another with --data-dir.")
        if file.exists():
            with file.open("rb") as opened:
                start = opened.read(len(SQLITE))
            if start and start != SQLITE:
                raise BadInput(f"{file} is not a database of this studio.", fix="Name another folder with --data-dir.")
    except OSError as wrong:
        raise BadInput(f"{wrong.filename}: {wrong.strerror}.", fix="Name another folder with --data-dir.") from None


def listen(settings: Settings) -> socket.socket:
    """A socket on the address. Raises BadInput where it is in use, not ours or not known, Refused where not allowed."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            settings.host.strip("[]"), settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise BadInput(f"There is no address called {settings.host}.", fix="127.0.0.1 is this machine alone.") from None
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(where)
    except OSError as wrong:
        listening.close()
        if wrong.errno == errno.EADDRINUSE:
            raise BadInput(
                f"Port {settings.port} is in use, perhaps by another studio.",
                fix="Choose another: keywright serve --port 8123, or make run PORT=8123.",
            ) from None
        if wrong.errno == errno.EACCES:
            raise Refused(f"Port {settings.port} is not yours to use.", fix="Choose one above 1023.") from None
        raise BadInput(f"{settings.host} is not an address of this machine.") from None
    return listening


def address(settings: Settings, listening: socket.socket) -> str:
    """What to open in a browser."""
    host = "localhost" if settings.on_loopback else settings.host
    return f"Keywright is at http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
