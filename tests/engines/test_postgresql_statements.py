"""Tables and queries of PostgreSQL models on a real server: everything is created twice, every statement is run.

A statement is prepared, so that the server says of which type each value has to be; then it is executed with values
of those types, and all of it is rolled back. Foreign keys are not held against rows that are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.model.project import Project
from tests.engines.models import Statements, names, statements
from tests.engines.server import WORKER

SCHEMA = f"statements_{WORKER}"
SAMPLES = {
    "uuid": "'00000000-0000-4000-8000-000000000001'",
    "text": "'a'",
    "boolean": "true",
    "timestamp with time zone": "now()",
    "interval": "'1 hour'",
    "date": "'2026-11-30'",
    "jsonb": "'[]'",
    "bytea": "'\\x00'",
    "point": "'(2.17,41.4)'",
    "real[]": "'{1}'",
}
"""A value of each type; numbers are 1, arrays hold one element."""
PARAMETER = re.compile(r"('(?:[^']|'')*')|(?<![:\w]):([A-Za-z_]\w*)")


def parts(text: str) -> Iterator[str]:
    """Statements without their comments."""
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for piece in re.findall(r"(?:'(?:[^']|'')*'|[^;'])+;", bare):
        statement = piece.strip(" \n;")
        if statement and statement not in ("BEGIN", "COMMIT"):
            yield statement


def numbered(statement: str) -> tuple[str, list[str]]:
    """`:name` as `$1`, and the names in their order."""
    found: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return match[1] or f"${found.setdefault(match[2], len(found) + 1)}"

    return PARAMETER.sub(number, statement), list(found)


def sample(kind: str, name: str, project: Project) -> str:
    """A value for a parameter; of an enum one that it may have."""
    if kind == "text":
        fields = [f for e in project.entities for f in e.fields if f.name == name and f.values is not None]
        values = [v for f in fields for v in (f.values.values if f.values is not None else ())]
        return "'" + (values[0] if values else "a") + "'"
    if kind in SAMPLES:
        return SAMPLES[kind]
    if kind.endswith("[]"):
        return f"ARRAY[{sample(kind.removesuffix('[]'), name, project)}]::{kind}"
    return "1"


def run(statement: str, project: Project, connection: Any) -> None:
    """Prepares and executes one statement. Raises what the server says."""
    text, given = numbered(statement)
    connection.execute(f"PREPARE one AS {text}".encode())
    row = connection.execute("SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'one'").fetchone()
    values = [sample(kind, name, project) for kind, name in zip(row[0], given, strict=True)]
    connection.execute(f"EXECUTE one{f' ({chr(44).join(values)})' if values else ''}".encode())


def refusals(model: Statements, connection: Any) -> dict[str, str]:
    """Statement → why the server refuses it."""
    import psycopg  # noqa: PLC0415 (only where an engine is used)

    found: dict[str, str] = {}
    connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}")
    connection.execute("SET session_replication_role = replica")
    for text in (*model.scripts.values(), *model.scripts.values()):
        try:
            connection.execute(text.encode())
        except psycopg.Error as refused:
            found[text] = str(refused)
    for text in model.queries.values():
        for statement in parts(text):
            with connection.transaction(force_rollback=True):
                try:
                    with connection.transaction():
                        run(statement, model.project, connection)
                except psycopg.Error as refused:
                    found[statement] = str(refused)
            connection.execute("DEALLOCATE ALL")
    connection.execute(f"RESET session_replication_role; RESET search_path; DROP SCHEMA {SCHEMA} CASCADE")
    return found


@pytest.mark.parametrize("model", names("postgresql"))
def test_every_statement_is_accepted(model: str, postgresql: Any) -> None:
    mine = next(s for s in statements("postgresql") if s.name == model)
    assert refusals(mine, postgresql) == {}
