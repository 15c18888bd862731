"""Migrations, held against a database with rows in it: an empty one hides what they lose."""

from __future__ import annotations

import sqlite3
import textwrap
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, text
from sqlmodel import SQLModel, select

from alembic import command
from app.storage.engine import engine_for
from app.storage.migrate import (
    BrokenReferencesError,
    alembic_config,
    migrate,
    open_database,
)
from app.storage.tables import EntityRow, LinkRow, ProjectRow, SnapshotRow, now


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'kw.db'}"


@pytest.fixture
def populated(url: str) -> str:
    database = open_database(url)
    with database.write() as session:
        session.add(ProjectRow(name="Shop", header={"name": "Shop"}, schema_version=1))
        session.flush()
        session.add(EntityRow(project_id=1, position=0, name="user", schema_version=1, body={"name": "user"}))
        session.add(SnapshotRow(project_id=1, name="v1", change_number=0, author="ada", text="…"))
        session.flush()
        session.add(LinkRow(project_id=1, snapshot_id=1, secret_hash="0" * 64, author="ada", expires_at=now()))
    database.close()
    return url


def with_versions(url: str, folder: Path, body: str) -> Config:
    """The real migrations, and after them one more with this `upgrade`."""
    folder.mkdir()
    head = ScriptDirectory.from_config(alembic_config(url)).get_current_head()
    (folder / "9999_next.py").write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n"
        f"revision = '9999'\ndown_revision = {head!r}\n"
        "def upgrade():\n" + textwrap.indent(textwrap.dedent(body), "    ")
    )
    config = alembic_config(url)
    config.set_main_option("path_separator", "os")
    config.set_main_option(
        "version_locations",
        f"{Path(config.get_main_option('script_location') or '')}/versions:{folder}",
    )
    return config


def counts(url: str) -> dict[str, int]:
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        names = [t.name for t in SQLModel.metadata.sorted_tables]
        found = {n: connection.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names}
    connection.close()
    return found


def without_autoincrement(url: str) -> list[str]:
    """Tables that may use an id twice; a rebuild forgets the word unless it is repeated."""
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%AUTOINCREMENT%'"
            " AND name NOT IN ('alembic_version', 'sqlite_sequence')"
        ).fetchall()
    connection.close()
    return [name for (name,) in found]


def test_migrations_make_exactly_the_tables_of_the_code(url: str) -> None:
    """`alembic check` finds nothing to add."""
    migrate(url)
    command.check(alembic_config(url))
    assert without_autoincrement(url) == []


def test_migrating_twice_changes_nothing(populated: str) -> None:
    before = counts(populated)
    migrate(populated)
    assert counts(populated) == before
    assert before["entity"] == before["review_link"] == 1


def test_rebuilding_a_parent_table_keeps_the_rows_of_its_children(populated: str, tmp_path: Path) -> None:
    """SQLite alters by dropping the old table; with foreign keys on that deletes the children."""
    config = with_versions(
        populated,
        tmp_path / "more",
        """
        kept = {"sqlite_autoincrement": True}
        with op.batch_alter_table("project", recreate="always", table_kwargs=kept) as batch:
            batch.add_column(sa.Column("colour", sa.String(), server_default="blue"))
        """,
    )
    before = counts(populated)
    command.upgrade(config, "head")
    assert counts(populated) == before
    engine = engine_for(populated, "BEGIN", poolclass=NullPool)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT colour FROM project")).scalar_one() == "blue"
        assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    assert without_autoincrement(populated) == []


def test_a_migration_that_breaks_references_is_rolled_back(populated: str, tmp_path: Path) -> None:
    config = with_versions(populated, tmp_path / "bad", 'op.execute("DELETE FROM project")')
    with pytest.raises(BrokenReferencesError, match="point at nothing"):
        command.upgrade(config, "head")
    assert counts(populated)["project"] == 1


def test_constraints_have_names() -> None:
    """SQLite can alter only what has a name."""
    for table in SQLModel.metadata.sorted_tables:
        assert [c for c in table.constraints if c.name is None] == []


def test_a_new_migration_imports_what_it_uses(url: str, tmp_path: Path) -> None:
    """Autogenerate writes sqlmodel's string type without importing it."""
    migrate(url)
    config = with_versions(url, tmp_path / "more", "pass")
    command.upgrade(config, "head")
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute("ALTER TABLE project DROP COLUMN name")
        connection.execute("ALTER TABLE project DROP COLUMN created_at")
    connection.close()
    made = command.revision(config, "names", autogenerate=True, version_path=str(tmp_path / "more"))
    assert made is not None
    assert not isinstance(made, list)
    written = Path(made.path).read_text()
    assert "sqlmodel.sql.sqltypes.AutoString()" in written
    assert "import sqlmodel" in written
    assert "Moment" not in written
    compile(written, made.path, "exec")


def test_the_migrations_speak_postgresql(capsys: pytest.CaptureFixture[str]) -> None:
    """Written out, not run: there is no server here."""
    command.upgrade(alembic_config("postgresql+psycopg://u@h/d"), "head", sql=True)
    written = capsys.readouterr().out
    assert "CREATE TABLE project (\n    id SERIAL NOT NULL" in written
    assert "TIMESTAMP WITH TIME ZONE" in written


def test_moments_keep_their_zone(populated: str) -> None:
    database = open_database(populated)
    with database.read() as session:
        project = session.exec(select(ProjectRow)).one()
        assert project.created_at.utcoffset() is not None
    database.close()
