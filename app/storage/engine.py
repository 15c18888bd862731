"""How the database is reached: one engine for writing, one for reading.

SQLite's own default begins a transaction only at the first write, so that what was read before can
be stale by then and an update is lost without an error. Writers therefore begin with `BEGIN
IMMEDIATE` and wait their turn; readers begin deferred, see one moment of the file and never wait.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from app.errors import Busy

if TYPE_CHECKING:
    from app.storage.parts import Loaded

POOL_SIZE = 16
"""Connections, and threads that ask for one: with fewer connections than threads requests stall."""
BUSY_SECONDS = 10
KEPT_PROJECTS = 64
PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # FULL: what was acknowledged survives a power cut, not only a crash of the process.
    "PRAGMA synchronous = FULL",
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
)


class Database:
    """The engines and what this process remembers; one per process and database.

    Open it with `app.storage.migrate.open_database`, which also brings the file up to date.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.writing = engine_for(url, "BEGIN IMMEDIATE")
        # One moment for all statements of a reader; SQLite gives that by itself.
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self.reading = engine_for(url, "BEGIN", **options)
        # Threads of one process queue here, fairly; SQLite's own wait polls and can starve one.
        self._turn = threading.Lock()
        self._loaded: OrderedDict[int, Loaded] = OrderedDict()
        self._loading = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one moment of the database and writes nothing."""
        with Session(self.reading) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that is alone in writing; committed at the end, rolled back on an error.

        Raises:
            Busy: another process held the database for longer than the timeout.
        """
        with self._turn if self.is_sqlite else threading.Lock():
            try:
                with Session(self.writing, expire_on_commit=False) as session, session.begin():
                    yield session
            except OperationalError as error:
                if "database is locked" not in str(error.orig):
                    raise
                raise Busy(
                    f"Another program has been writing for more than {BUSY_SECONDS} seconds.",
                    fix="Try again; nothing of this change was written.",
                ) from error

    def recalled(self, project_id: int) -> Loaded | None:
        """The newest state of a project that this process has read or written."""
        with self._loading:
            return self._loaded.get(project_id)

    def remember(self, project_id: int, loaded: Loaded) -> None:
        """Keep a committed state, unless a newer one is kept already."""
        with self._loading:
            known = self._loaded.get(project_id)
            if known is None or known.change <= loaded.change:
                self._loaded[project_id] = loaded
            self._loaded.move_to_end(project_id)
            while len(self._loaded) > KEPT_PROJECTS:
                self._loaded.popitem(last=False)

    def close(self) -> None:
        """Give all connections back."""
        self.writing.dispose()
        self.reading.dispose()


def engine_for(url: str, begin: str, *, foreign_keys: bool = True, **options: Any) -> Engine:
    """An engine; for SQLite with every transaction begun by the words of `begin`."""
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, **{"pool_size": POOL_SIZE, "max_overflow": 0, **options})
    if "poolclass" not in options:
        options = {"pool_size": POOL_SIZE, "max_overflow": 0, **options}
    engine = create_engine(url, **options)

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _record: Any) -> None:
        # The driver's own begin comes too late; see the top of this page.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def match_threads_to_pool() -> None:
    """Let as many requests run at once as there are connections. Call inside the event loop."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = POOL_SIZE


__all__ = ["POOL_SIZE", "Database", "engine_for", "match_threads_to_pool"]
