"""PostgreSQL: the emitted script and statements run as they are, in a schema of their own."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from app.plan import lay
from app.plan.types import Record, World
from app.proof.build import Node, Stored, part_value
from app.proof.engines.engine import Answer, Job, Question, Refusal
from app.proof.engines.postgresql_rows import Rows, rows_of
from app.proof.engines.postgresql_running import Running
from app.proof.problem import ProofError, shown, told
from app.stores.postgresql.names import quoted, text
from app.stores.postgresql.partitions import SUFFIX, grain, method

PATIENCE_MS = 30_000
"""Milliseconds one statement may take."""


class PostgreSQL:
    store = "postgresql"
    title = "PostgreSQL"
    modules = ("psycopg",)
    example = "postgresql://user@localhost:5432/database"
    time_uuid = 6

    def open(self, url: str) -> PostgresServer:
        import psycopg  # noqa: PLC0415 - a driver, only where a proof is made

        try:
            scheme = urlsplit(url).scheme
        except ValueError:
            scheme = ""
        if scheme not in ("postgresql", "postgres"):
            raise ProofError(f"{shown(url)} is no address of PostgreSQL.", fix=f"Write {self.example}.")
        try:
            connection = psycopg.connect(
                url, autocommit=True, connect_timeout=10, prepare_threshold=None, application_name="keywright prove"
            )
        except psycopg.Error as wrong:
            raise ProofError(
                f"PostgreSQL at {shown(url)} does not answer: {told(wrong, url)}",
                fix="Check the address, and that the user may create schemas in that database.",
            ) from None
        return PostgresServer(connection)

    def key_of(self, stored: Stored, world: World, /) -> Hashable:
        """By the primary key, or another unique one; a row that has none has a number of its own."""
        structure = stored.thing
        parts = getattr(structure, "primary_key", None) or next(
            (i.keys for i in getattr(structure, "indexes", ()) if i.unique and i.where is None and not i.expression), ()
        )
        values = {**(stored.root.row or {}), **stored.root.values}
        if parts:
            key = (part_value(p, values, stored.kind.of, world, stored.shard) for p in parts)
            return (stored.kind.name, *map(str, key))
        return (stored.kind.name, *sorted((a, str(v)) for a, v in values.items()))


class PostgresServer:
    engine = "PostgreSQL"

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.version = str(connection.execute("SHOW server_version").fetchone()[0]).partition(" ")[0]

    def create(self, name: str) -> PostgresSpace:
        """A schema; every name of the proof is looked for there and nowhere else."""
        import psycopg  # noqa: PLC0415 - a driver

        try:
            self.connection.execute(f"CREATE SCHEMA {quoted(name)}")
        except psycopg.errors.DuplicateSchema:
            raise ProofError(f"The schema {name} exists.", fix="Nothing was touched; try again.") from None
        except psycopg.Error as wrong:
            raise ProofError(
                f"The schema {name} could not be made: {told(wrong, '')}",
                fix="The user needs the right CREATE on the database.",
            ) from None
        # the schema stands before the catalogue, so that its own now() is the one that counts
        self.connection.execute(f"SET search_path = {quoted(name)}, pg_catalog")
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute(f"SET statement_timeout = {PATIENCE_MS}")
        return PostgresSpace(self, name)

    def close(self) -> None:
        self.connection.close()


class PostgresSpace:
    """One schema with all that the script makes. Foreign keys are laid aside while data are loaded."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.server, self.name, self.connection = server, name, server.connection
        self.tables: Mapping[str, Rows] = {}
        self.job: Job | None = None
        self.keys: list[tuple[str, str, str]] = []
        """(table, name, definition) of each foreign key."""
        self.order: dict[str, int] = {}
        """Tables in the order of the script: each after those it points to."""
        self.sizes: Mapping[str, float] = {}
        self.undo: dict[str, tuple[Sequence[Stored], Sequence[Stored]]] = {}
        self.awaited: frozenset[str] = frozenset()

    # ------------------------------------------------------------ structures and data

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        self.job = job
        self.tables = rows_of(job.model, job.records, job.world)
        several = next((r.table.structure.name for r in self.tables.values() if "{" in r.table.structure.name), "")
        if several:
            raise Refusal(f"{several} is a table for each value; those are not proved")
        moment = text(job.moment.isoformat())
        self.execute(
            f"CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT timestamptz {moment} $$"
        )
        for script in files.values():
            self.execute(script)
        made = self.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'p') ORDER BY oid",
            (self.name,),
        ).fetchall()
        self.order = {name: at for at, (name,) in enumerate(made)}
        self._lay_keys_aside()

    def _lay_keys_aside(self) -> None:
        self.keys = self.execute(
            "SELECT quote_ident(r.relname), quote_ident(c.conname), pg_get_constraintdef(c.oid)"
            " FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid"
            " WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = %s::regnamespace ORDER BY c.oid",
            (self.name,),
        ).fetchall()
        for table, name, _ in self.keys:
            self.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")

    def execute(self, statement: str, values: Any = None) -> Any:
        import psycopg  # noqa: PLC0415 - a driver

        try:
            return self.connection.execute(statement.encode(), values)
        except (psycopg.Error, TypeError, ValueError) as wrong:
            if self.connection.info.transaction_status:
                with suppress(psycopg.Error):
                    self.connection.rollback()
            raise Refusal(told(wrong, "").partition(" LINE ")[0], statement) from None

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        import psycopg  # noqa: PLC0415 - a driver

        rows = self.tables[kind.name]
        found = [rows.row(s) for s in stored]
        self._partitions(rows, found)
        columns = [c for c in rows.table.columns if any(c.name in r for r in found)]
        names = ", ".join(quoted(c.name) for c in columns)
        if not columns:
            return
        # lists of one table may hold columns that a row leaves to what they start with
        whole = [r for r in found if all(c.name in r or not c.starts for c in columns)]
        try:
            with (
                self.connection.cursor() as cursor,
                cursor.copy(f"COPY {rows.table.name} ({names}) FROM STDIN".encode()) as copy,
            ):
                for row in whole:
                    copy.write_row([row.get(c.name) for c in columns])
        except (psycopg.Error, TypeError, ValueError) as wrong:
            raise Refusal(told(wrong, "")) from None
        for row in found:
            if not any(row is w for w in whole):
                self._insert(rows, row)

    def _partitions(self, rows: Rows, found: Sequence[Mapping[str, Any]]) -> None:
        """Partitions of time for what is loaded: a job has made them by then."""
        structure, world = rows.table.structure, rows.world
        if method(structure, world) != "range":
            return
        attr = lay.column(structure.of, (structure.partition_by or ())[0].attr, world)
        column, unit = rows.table.ref(attr).column, grain(structure)
        times = [r[column] for r in found if r.get(column) is not None]
        form = SUFFIX.get(unit, "YYYY_MM_DD")
        # a unit and its form are this store's own words
        needed = self.execute(
            f"SELECT DISTINCT at, to_char(at, '{form}'), at + interval '1 {unit}' FROM"  # noqa: S608
            f" (SELECT date_trunc('{unit}', t) AS at FROM unnest(%s::timestamptz[]) AS t) AS each",
            (times,),
        ).fetchall()
        for start, ending, end in needed:
            piece = quoted(f"{structure.name}_{ending}")
            self.execute(
                f"CREATE TABLE IF NOT EXISTS {piece} PARTITION OF {rows.table.name}"
                f" FOR VALUES FROM ({text(start.isoformat())}) TO ({text(end.isoformat())})"
            )

    def ready(self) -> None:
        """Foreign keys come back, statistics are made, the entries of inverted indexes that wait are put in place."""
        try:
            for table, name, definition in self.keys:
                self._key(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
            for name in self.order:
                self.execute(f"VACUUM ANALYZE {quoted(name)}")
            found = self.execute(
                "SELECT relname, greatest(reltuples, 0) FROM pg_class WHERE relnamespace = %s::regnamespace",
                (self.name,),
            )
        except Refusal as no:
            raise ProofError(f"PostgreSQL does not make the tables ready: {no}.") from None
        self.sizes = {name: float(count) for name, count in found.fetchall()}

    def _key(self, statement: str) -> None:
        """A generated child may have lost its parent, which was one of two alike; new rows are judged all the same."""
        try:
            self.execute(statement)
        except Refusal as no:
            if "violates foreign key" not in str(no):
                raise
            self.execute(f"{statement} NOT VALID")

    def drop(self) -> None:
        import psycopg  # noqa: PLC0415 - a driver

        with suppress(psycopg.Error):
            self.connection.rollback()
        self.connection.execute("SET statement_timeout = 0")
        self.connection.execute(f"DROP SCHEMA {quoted(self.name)} CASCADE")

    # ------------------------------------------------------------ records

    def key(self, stored: Stored) -> Hashable:
        rows = self.tables[stored.kind.name]
        row = rows.row(stored)
        return (stored.kind.name, *(str(row.get(c.name)) for c in rows.identity))

    def _where(self, rows: Rows, stored: Stored) -> tuple[str, dict[str, Any]]:
        row = rows.row(stored)
        parts, values = [], {}
        for at, column in enumerate(rows.identity):
            name = quoted(column.name).replace("%", "%%")
            value = row.get(column.name)
            if value is None:
                parts.append(f"{name} IS NULL")
            else:
                # `~=` compares points, which have no `=`
                parts.append(f"{name} {'~=' if column.type == 'point' else '='} CAST(%(k{at})s AS {column.type})")
                values[f"k{at}"] = value
        return " AND ".join(parts) or "true", values

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        self._undone()
        rows = self.tables[kind.name]
        found: list[Node | None] = []
        for one in stored:
            where, values = self._where(rows, one)
            # names out of the model, quoted as the script quotes them; values are bound
            cursor = self.execute(f"SELECT * FROM {rows.table.name} WHERE {where} LIMIT 1", values)  # noqa: S608
            row = cursor.fetchone()
            names = [c.name for c in cursor.description]
            found.append(rows.read(dict(zip(names, row, strict=True))) if row is not None else None)
        return found

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        """Rows point to each other: nothing is undone before it is known of every table of the write."""
        self.undo[kind.name] = (before, after)
        if self.awaited <= set(self.undo):
            self._undone()

    def _undone(self) -> None:
        undo, self.undo = self.undo, {}
        if not undo:
            return
        ordered = sorted(undo, key=lambda n: self.order.get(self.tables[n].table.structure.name, 0))
        for name in reversed(ordered):
            before, after = undo[name]
            kept = {self.key(s) for s in before}
            self._delete(self.tables[name], [s for s in after if self.key(s) not in kept])
        for name in ordered:
            for one in undo[name][0]:
                self._put_back(self.tables[name], one)

    def _delete(self, rows: Rows, stored: Sequence[Stored]) -> None:
        for one in stored:
            where, values = self._where(rows, one)
            self.execute(f"DELETE FROM {rows.table.name} WHERE {where}", values)  # noqa: S608 - as above

    def _put_back(self, rows: Rows, stored: Stored) -> None:
        """A row as it was: changed where it stands, so that nothing that points to it goes."""
        where, values = self._where(rows, stored)
        row = rows.row(stored)
        sets, given = [], dict(values)
        for at, column in enumerate(rows.table.columns):
            if column.name in row:
                sets.append(f"{quoted(column.name).replace('%', '%%')} = %(v{at})s")
                given[f"v{at}"] = row[column.name]
            elif column.null:
                sets.append(f"{quoted(column.name).replace('%', '%%')} = NULL")
        if not sets:
            return
        changed = self.execute(f"UPDATE {rows.table.name} SET {', '.join(sets)} WHERE {where}", given)  # noqa: S608
        if not changed.rowcount:
            self._insert(rows, row)

    def _insert(self, rows: Rows, row: Mapping[str, Any]) -> None:
        names = ", ".join(quoted(c).replace("%", "%%") for c in row)
        marks = ", ".join(["%s"] * len(row))
        into = f"INSERT INTO {rows.table.name} ({names}) VALUES ({marks})"  # noqa: S608 - as above
        self.execute(into, list(row.values()))

    # ------------------------------------------------------------ patterns

    def run(self, question: Question) -> Answer:
        if self.job is None:
            raise Refusal("nothing is built yet")
        self._undone()
        touched = {t.record for t in question.plan.touches if t.when != "never"}
        self.awaited = frozenset(n for n in self.tables if n in touched)
        return Running(self, self.job, question).answer()


ENGINE = PostgreSQL()
