"""Runs migrations: inside the studio on the connection it hands over, or from the command line."""

from __future__ import annotations

from sqlalchemy import Connection, NullPool
from sqlmodel import SQLModel

import app.storage.tables  # noqa: F401  # fills the metadata
from alembic import context
from app.settings import Settings
from app.storage.engine import engine_for
from app.storage.migrate import check_references

config = context.config


def render_item(kind: str, item: object, _context: object) -> str | bool:
    """Write our own column type as the plain one it is stored as: migrations outlive classes."""
    if kind == "type" and type(item).__name__ == "Moment":
        return "sa.DateTime(timezone=True)"
    return False


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        # SQLite cannot alter a column; batch mode rebuilds the table.
        render_as_batch=True,
        render_item=render_item,
        compare_type=True,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_from_command_line() -> None:
    url = config.attributes.get("url") or Settings().url
    # Foreign keys off: rebuilding a table would otherwise delete the rows of its children.
    engine = engine_for(url, "BEGIN IMMEDIATE", foreign_keys=False, poolclass=NullPool)
    with engine.begin() as connection:
        run(connection)
        check_references(connection)
    engine.dispose()


given = config.attributes.get("connection")
if context.is_offline_mode():
    context.configure(
        url=config.attributes.get("url") or Settings().url,
        target_metadata=SQLModel.metadata,
        literal_binds=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
elif given is not None:
    run(given)
else:
    run_from_command_line()
