"""The engines: nobody's update is lost, and readers do not wait."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio.to_thread
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import QueuePool
from sqlmodel import select

from app.errors import Busy
from app.storage import engine as engine_module
from app.storage.engine import POOL_SIZE, Database, match_threads_to_pool
from app.storage.migrate import open_database
from app.storage.tables import EntityRow, ProjectRow


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'kw.db'}")
    with opened.write() as session:
        session.add(ProjectRow(name="Shop", header={"name": "Shop", "n": 0}, schema_version=1))
    yield opened
    opened.close()


def test_reading_then_writing_in_eight_threads_loses_no_update(database: Database) -> None:
    """With the default engine most of these are lost without an error."""

    def raise_version(_: int) -> None:
        with database.write() as session:
            project = session.exec(select(ProjectRow)).one()
            project.version += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(raise_version, range(400)))
    with database.read() as session:
        assert session.exec(select(ProjectRow.version)).one() == 401


def test_two_engines_on_one_file_lose_no_update_either(database: Database) -> None:
    """As two processes would: they share no lock, only the file."""
    second = Database(database.url)

    def raise_version(i: int) -> None:
        with (database if i % 2 else second).write() as session:
            project = session.exec(select(ProjectRow)).one()
            project.version += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(raise_version, range(100)))
    second.close()
    with database.read() as session:
        assert session.exec(select(ProjectRow.version)).one() == 101


def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    with database.write() as writer:
        writer.exec(select(ProjectRow)).one().version = 7
        writer.flush()
        with database.read() as reader:
            assert reader.exec(select(ProjectRow.version)).one() == 1


def test_connections_are_set_up_for_safety(database: Database) -> None:
    for engine in (database.reading, database.writing):
        with engine.connect() as connection:
            found = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
        assert found == {
            "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000,
        }  # fmt: skip


def test_a_part_without_project_is_refused(database: Database) -> None:
    stray = EntityRow(project_id=99, position=0, name="x", schema_version=1, body={})
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(stray)


def test_a_change_inside_a_body_is_not_noticed_and_a_new_body_is(database: Database) -> None:
    """Why bodies are replaced as a whole, always."""
    with database.write() as session:
        session.exec(select(ProjectRow)).one().header["n"] = 1
    with database.read() as session:
        assert session.exec(select(ProjectRow)).one().header["n"] == 0
    with database.write() as session:
        project = session.exec(select(ProjectRow)).one()
        project.header = {**project.header, "n": 1}
    with database.read() as session:
        assert session.exec(select(ProjectRow)).one().header["n"] == 1


def test_rows_do_not_validate() -> None:
    """Why input passes the values of `app.model` before it becomes a row."""
    assert ProjectRow(name=5, header="no mapping", schema_version="x").name == 5  # type: ignore[arg-type]


def test_a_locked_database_says_that_nothing_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PRAGMAS", ("PRAGMA busy_timeout = 20",))
    database = open_database(f"sqlite:///{tmp_path / 'kw.db'}")
    other = sqlite3.connect(tmp_path / "kw.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with (
        pytest.raises(Busy, match="nothing of this change was written"),
        database.write() as session,
    ):
        session.add(ProjectRow(name="x", header={}, schema_version=1))
    other.close()
    database.close()


def test_there_are_as_many_threads_as_connections(database: Database) -> None:
    async def threads() -> float:
        match_threads_to_pool()
        return anyio.to_thread.current_default_thread_limiter().total_tokens

    for engine in (database.reading, database.writing):
        assert isinstance(engine.pool, QueuePool)
        assert engine.pool.size() == asyncio.run(threads()) == POOL_SIZE


def test_the_folder_of_the_data_is_made(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path / 'a' / 'b' / 'kw.db'}").close()
    assert (tmp_path / "a" / "b" / "kw.db").exists()
