"""Bring a database up to the tables this version knows, before anything else touches it."""

from __future__ import annotations

from pathlib import Path

from alembic.config import Config
from sqlalchemy import Connection, NullPool, make_url, text

from alembic import command
from app.storage.engine import Database, engine_for

ROOT = Path(__file__).resolve().parents[2]
ONE_AT_A_TIME = 7205759403
"""Key of the PostgreSQL lock under which one process at a time migrates."""


class BrokenReferencesError(RuntimeError):
    """A migration left rows that point at nothing; it was rolled back."""


def alembic_config(url: str) -> Config:
    """The configuration of `alembic.ini`, for this database."""
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic"))
    config.attributes["url"] = url
    return config


def migrate(url: str, revision: str = "head") -> None:
    """Run all migrations up to `revision` in one transaction; does nothing where there are none.

    SQLite rebuilds a table to alter it, and dropping the old one would delete the rows of its
    children, so foreign keys are off here and checked before the commit.

    Raises:
        BrokenReferencesError: rows point at nothing afterwards; the database is as it was.
    """
    config = alembic_config(url)
    engine = engine_for(url, "BEGIN IMMEDIATE", foreign_keys=False, poolclass=NullPool)
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ONE_AT_A_TIME})
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        check_references(connection)
    engine.dispose()


def check_references(connection: Connection) -> None:
    """Refuse rows that point at nothing. PostgreSQL checks by itself."""
    if connection.dialect.name != "sqlite":
        return
    broken = connection.execute(text("PRAGMA foreign_key_check")).all()
    if broken:
        raise BrokenReferencesError(f"{len(broken)} rows point at nothing, first: {broken[0]}")


def open_database(url: str) -> Database:
    """Make the folder, migrate, and connect."""
    file = make_url(url).database if url.startswith("sqlite") else None
    if file and file != ":memory:":
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    migrate(url)
    return Database(url)


__all__ = ["BrokenReferencesError", "alembic_config", "migrate", "open_database"]
