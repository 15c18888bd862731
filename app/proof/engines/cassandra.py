"""Cassandra: the emitted CQL is prepared as it is and bound by the names it has."""

from __future__ import annotations

import re
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from app.plan.types import Record, World
from app.proof.build import Node, Seen, Stored
from app.proof.data import Row
from app.proof.engines.cassandra_names import Names
from app.proof.engines.cassandra_rows import Table, bound, key_values, tables
from app.proof.engines.cassandra_text import Statement, as_known, statements
from app.proof.engines.engine import Answer, Evidence, Job, Question, Refusal
from app.proof.problem import ProofError, shown, told
from app.stores.cassandra.types import quoted

PROTOCOL = 3
"""Spoken by every server from 2.1 to 5.0; an old one refuses to be asked which it speaks."""
PATIENCE = 30.0
"""Seconds a statement may take."""
TRACED = 3
"""Runs of each text whose trace is read: reading one takes longer than most statements."""
LIVE = re.compile(r"Read (\d+) live")
TOGETHER = 64
"""Statements under way at once while data are loaded."""


class Cassandra:
    store = "cassandra"
    title = "Cassandra"
    modules = ("cassandra",)
    example = "cassandra://localhost:9042"
    time_uuid = 1

    def open(self, url: str) -> CassandraServer:
        from cassandra.auth import PlainTextAuthProvider  # noqa: PLC0415 - a driver, only where a proof is made
        from cassandra.cluster import Cluster  # noqa: PLC0415

        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or 9042
        except ValueError:
            parts, host, port = urlsplit(""), None, 0
        if not host or parts.scheme not in ("cassandra", "cql"):
            raise ProofError(f"{shown(url)} is no address of Cassandra.", fix=f"Write {self.example}.")
        auth = PlainTextAuthProvider(unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        cluster = Cluster([host], port=port, auth_provider=auth, connect_timeout=10, protocol_version=PROTOCOL)
        try:
            session = cluster.connect()
        except Exception as wrong:  # noqa: BLE001 - the driver raises whatever its reactor met
            cluster.shutdown()
            raise ProofError(
                f"Cassandra at {shown(url)} does not answer: {told(wrong, url)}",
                fix="Check the address, and that the user may create keyspaces.",
            ) from None
        session.default_timeout = PATIENCE
        return CassandraServer(cluster, session)

    def key_of(self, stored: Stored, world: World, /) -> Hashable:
        return (stored.kind.name, *map(str, self._key(stored, world).values()))

    def holds(self, stored: Stored, world: World, /) -> bool:
        """A row has all of its primary key: what lacks a part of it cannot be in the table."""
        return None not in self._key(stored, world).values()

    def _key(self, stored: Stored, world: World) -> Mapping[str, Any]:
        structure = stored.thing
        keys = (*(getattr(structure, "partition_key", None) or ()), *(getattr(structure, "clustering_key", None) or ()))
        if stored.kind.static:
            keys = tuple(getattr(structure, "partition_key", None) or ())
        return key_values(structure, keys, stored, world)  # type: ignore[arg-type]


class CassandraServer:
    engine = "Cassandra"

    def __init__(self, cluster: Any, session: Any) -> None:
        self.cluster, self.session = cluster, session
        self.version = str(session.execute("SELECT release_version FROM system.local").one()[0])

    def create(self, name: str) -> CassandraSpace:
        from cassandra import AlreadyExists, DriverException, RequestExecutionException, Unauthorized  # noqa: PLC0415

        replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
        try:
            self.session.execute(f"CREATE KEYSPACE {name} WITH replication = {replication}")
        except AlreadyExists:
            raise ProofError(f"The keyspace {name} exists.", fix="Nothing was touched; try again.") from None
        except (DriverException, RequestExecutionException, Unauthorized) as wrong:
            raise ProofError(f"The keyspace {name} could not be made: {told(wrong, '')}") from None
        self.session.set_keyspace(name)
        return CassandraSpace(self, name)

    def close(self) -> None:
        self.cluster.shutdown()


class CassandraSpace:
    """One keyspace with one replica, whatever the script says of replicas: one server is enough for a proof."""

    def __init__(self, server: CassandraServer, name: str) -> None:
        self.server, self.name, self.session = server, name, server.session
        self.tables: Mapping[str, Table] = {}
        self.job: Job | None = None
        self.version = tuple(int(n) for n in re.findall(r"\d+", server.version)[:3])
        self.prepared: dict[str, Any] = {}
        self.traced: dict[str, int] = {}

    # ------------------------------------------------------------ structures and data

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        self.job = job
        self.tables = tables(job.model, job.records, job.world)
        for text in files.values():
            for one in statements(text):
                if one.cql.startswith(("CREATE KEYSPACE", "USE ")):
                    continue  # the keyspace is the proof's own
                self.execute(as_known(one.cql, self.version))

    def execute(self, statement: Any, **more: Any) -> Any:
        from cassandra import DriverException, OperationTimedOut, RequestExecutionException  # noqa: PLC0415
        from cassandra.protocol import ErrorMessage  # noqa: PLC0415

        refusals = (DriverException, ErrorMessage, OperationTimedOut, RequestExecutionException, TypeError, ValueError)
        try:
            return self.session.execute(statement, **more)
        except refusals as wrong:
            raise Refusal(told(wrong, ""), str(statement)) from None

    def prepare(self, cql: str) -> Any:
        from cassandra import InvalidRequest  # noqa: PLC0415
        from cassandra.protocol import ErrorMessage  # noqa: PLC0415

        if cql not in self.prepared:
            try:
                self.prepared[cql] = self.session.prepare(as_known(cql, self.version))
            except (InvalidRequest, ErrorMessage) as wrong:
                raise Refusal(told(wrong, ""), cql) from None
        return self.prepared[cql]

    def bind(self, prepared: Any, values: Mapping[str, Any]) -> Any:
        """A prepared statement with its values, by name."""
        given = [bound(values[c.name], c.type) for c in prepared.column_metadata]
        try:
            return prepared.bind(given)
        except (TypeError, ValueError) as wrong:
            raise Refusal(told(wrong, ""), prepared.query_string) from None

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        from cassandra.concurrent import execute_concurrent  # noqa: PLC0415

        todo = [(b, None) for s in stored for b in (self._insert(kind, s),)]
        for done in execute_concurrent(self.session, todo, concurrency=TOGETHER, raise_on_first_error=False):
            if not done.success:
                raise Refusal(told(done.result_or_exc, ""))

    def _insert(self, kind: Record, stored: Stored) -> Any:
        table = self.tables[kind.name]
        row = table.row(stored)
        if table.structure.counters:
            return self._added(kind, stored, row)
        columns = ", ".join(quoted(c) for c in row)
        # names out of the model, as the emitted script quotes them; values are bound
        cql = f"INSERT INTO {quoted(kind.structure)} ({columns}) VALUES ({', '.join('?' for _ in row)})"  # noqa: S608
        return self.bind(self.prepare(cql), row)

    def _added(self, kind: Record, stored: Stored, row: Mapping[str, Any], sign: int = 1) -> Any:
        """Counters are not written, but added to; nothing where nothing was counted."""
        table = self.tables[kind.name]
        key = key_values(table.structure, table.keys, stored, table.world)
        steps = {c: sign * int(row.get(c) or 0) for c in table.columns if c not in key}
        sets = ", ".join(f"{quoted(c)} = {quoted(c)} + ?" for c in steps)
        where = " AND ".join(f"{quoted(c)} = ?" for c in key)
        prepared = self.prepare(f"UPDATE {quoted(kind.structure)} SET {sets} WHERE {where}")  # noqa: S608 - as above
        return self.bind(prepared, {**key, **steps})

    def ready(self) -> None:
        """Nothing is built in the background."""

    def drop(self) -> None:
        self.session.execute(f"DROP KEYSPACE {self.name}", timeout=2 * PATIENCE)

    # ------------------------------------------------------------ records

    def key(self, stored: Stored) -> Hashable:
        table = self.tables[stored.kind.name]
        return (stored.kind.name, *map(str, key_values(table.structure, table.keys, stored, table.world).values()))

    def _at(self, kind: Record, stored: Stored, head: str) -> Any:
        table = self.tables[kind.name]
        key = key_values(table.structure, table.keys, stored, table.world)
        where = " AND ".join(f"{quoted(c)} = ?" for c in key)
        return self.bind(self.prepare(f"{head} FROM {quoted(kind.structure)} WHERE {where}"), key)

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        found: list[Node | None] = []
        for one in stored:
            row = self.execute(self._at(kind, one, "SELECT *")).one()
            found.append(self.tables[kind.name].read(row._asdict(), 0) if row is not None else None)
        return found

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        if self.tables[kind.name].structure.counters:
            self._counted_back(kind, before, after)
            return
        kept = {self.key(s) for s in before}
        for stored in after:
            if self.key(stored) not in kept and not kind.static:
                self.execute(self._at(kind, stored, "DELETE"))
        for stored in before:
            self.execute(self._insert(kind, stored))

    def _counted_back(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        """A counter that is deleted must not be used again: what was added is taken away."""
        table = self.tables[kind.name]
        for stored, sign in (*((s, -1) for s in after), *((s, 1) for s in before)):
            self.execute(self._added(kind, stored, table.row(stored), sign))

    # ------------------------------------------------------------ patterns

    def run(self, question: Question) -> Answer:
        if self.job is None:
            raise Refusal("nothing is built yet")
        return _Running(self, self.job, question).answer()

    def tracing(self, question: Question) -> bool:
        """Is this one of the runs whose trace is read?"""
        count = self.traced.get(question.text, 0)
        self.traced[question.text] = count + 1
        return question.explain and count < TRACED


class _Running:
    """One run of one text."""

    def __init__(self, space: CassandraSpace, job: Job, question: Question) -> None:
        self.space, self.job, self.question = space, job, question
        self.names = Names(question, job, space.tables)
        self.evidence: list[Evidence] = []
        self.seconds = 0.0
        self.trace = space.tracing(question)

    def answer(self) -> Answer:
        found = list(statements(self.question.text))
        if self.question.pattern.is_write:
            self._write(found)
            return Answer(requests=tuple(self.evidence), seconds=self.seconds)
        return self._read(found)

    # ------------------------------------------------------------ reads

    def _read(self, found: list[Statement]) -> Answer:
        steps: dict[int, list[Seen]] = {}
        last: Row = {}
        number: float | None = None
        for one in (s for s in found if not s.following):
            rows = self._rows(one, steps)
            if self.question.pattern.counts and one.step <= 1:
                number = (number or 0.0) + sum(float(next(iter(r.values()))) for r in rows)
                continue
            if one.step <= 1 and rows:
                last = rows[-1]
            steps.setdefault(one.step, []).extend(self._seen(one, rows))
        every = [s for n in sorted(steps) for s in steps[n]]
        further, paged = self._further(found, last)
        return Answer(tuple(every), further, paged, number, requests=tuple(self.evidence), seconds=self.seconds)

    def _seen(self, one: Statement, rows: list[Row]) -> list[Seen]:
        mine = [t for t in self.space.tables.values() if t.structure.name == one.table or self._view(one, t)]
        plain = next((t for t in mine if not t.kind.static), mine[0] if mine else None)
        return [s for row in rows for s in plain.seen(row)] if plain is not None else []

    def _view(self, one: Statement, table: Table) -> bool:
        """A view shows the rows of its base table."""
        view = self.job.model.structure(one.table)
        return view is not None and view.kind == "materialized view" and view.of == table.kind.of

    def _rows(self, one: Statement, steps: Mapping[int, list[Seen]]) -> list[Row]:
        """All rows of a statement, asked as often as it has to be."""
        prepared = self.space.prepare(one.cql)
        wanted = [c.name for c in prepared.column_metadata]
        limit = int(self.question.pattern.limit.value or 0) if self.question.pattern.limit else 0
        found: list[Row] = []
        for values in self.names.of_read(one, wanted, steps):
            found += self._asked(one, prepared, values)
            if one.several and one.step <= 1 and limit and len(found) >= limit and not self.names.sharded(one):
                return found[:limit]
        return found

    def _asked(self, one: Statement, prepared: Any, values: Mapping[str, Any]) -> list[Row]:
        statement = self.space.bind(prepared, values)
        began = time.perf_counter()
        said = self.space.execute(statement, trace=self.trace)
        rows = [dict(r._asdict()) for r in said]
        self.seconds += time.perf_counter() - began
        plan, examined, scan = self._traced(said) if self.trace else ("", None, False)
        returned = float(len(rows))
        self.evidence.append(Evidence(one.cql, plan, examined=examined, returned=returned, scan=scan, path=one.table))
        return rows

    def _traced(self, said: Any) -> tuple[str, float | None, bool]:
        """The trace in short: rows read, and whether more than one partition was looked through."""
        from cassandra.query import TraceUnavailable  # noqa: PLC0415

        try:
            events = [str(e.description) for e in said.get_query_trace(max_wait_sec=5).events]
        except TraceUnavailable:
            return "", None, False
        told_ = [e for e in events if not e.startswith(("Parsing", "Preparing", "Message", "Sending"))]
        live = [int(hit[1]) for e in events if (hit := LIVE.search(e))]
        scan = any("seq scan" in e or "Range slice" in e.capitalize() for e in events)
        return "\n".join(told_), float(sum(live)) if live else None, scan

    def _further(self, found: list[Statement], last: Row) -> tuple[tuple[Seen, ...], bool]:
        """The page behind the last row, where the text has one for it."""
        pages = [s for s in found if s.following]
        if not pages or not last or any(s.several for s in pages):
            return (), False
        seconds, sent = self.seconds, len(self.evidence)
        limit = int(self.question.pattern.limit.value or 0) if self.question.pattern.limit else 0
        seen: list[Seen] = []
        self.names.last = last
        for one in pages:
            if not limit or len(seen) < limit:
                seen += self._seen(one, self._rows(one, {}))
        self.seconds = seconds  # a run's time is that of its first page
        self.evidence[sent:] = [replace(e, further=True) for e in self.evidence[sent:]]
        return tuple(seen[:limit] if limit else seen), True

    # ------------------------------------------------------------ writes

    def _write(self, found: list[Statement]) -> None:
        together: list[Any] = []
        for at, one in enumerate(found):
            prepared = self.space.prepare(one.cql)
            wanted = [c.name for c in prepared.column_metadata]
            for values in self.names.of_write(one, wanted):
                statement = self.space.bind(prepared, values)
                if one.batch:
                    together.append(statement)
                else:
                    self._sent(statement, one.cql, 1)
            if one.batch and not (at + 1 < len(found) and found[at + 1].batch):
                self._batch(together, "BEGIN BATCH … APPLY BATCH")
                together = []

    def _batch(self, together: list[Any], text: str) -> None:
        from cassandra.query import BatchStatement  # noqa: PLC0415

        batch = BatchStatement()
        for statement in together:
            batch.add(statement)
        self._sent(batch, text, len(together))

    def _sent(self, statement: Any, text: str, rows: int) -> None:
        began = time.perf_counter()
        self.space.execute(statement)
        self.seconds += time.perf_counter() - began
        self.evidence.append(Evidence(text, changed=float(rows)))


ENGINE = Cassandra()
