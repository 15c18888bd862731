"""Random tables and reads, held against a real Cassandra 2.1.

What the planner serves is run as it is written for the user: the server accepts it, gives the right rows in the right
order, reads the planned partitions and few rows besides. What the planner refuses, the server refuses as typed.

KEYWRIGHT_RANDOM: how many tables are tried.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from app.plan.types import Level, Plan
from tests.engines.cassandra_tables import Asked, Row, Table, project, trials
from tests.engines.server import WORKER
from tests.stores.wiring import Bench, bench

SPACE = f"keywright_test_random_{WORKER}"
TABLES = int(os.environ.get("KEYWRIGHT_RANDOM", "40"))
READS = 12


class Desk:
    """Tables made once, each with its rows."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.made: dict[Table, str] = {}

    def table(self, table: Table) -> str:
        if table in self.made:
            return self.made[table]
        name = self.made[table] = f"t{len(self.made)}"
        for statement in table.create(name):
            self.session.execute(statement)
        columns = table.columns
        put = self.session.prepare(
            f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        )
        for future in [self.session.execute_async(put, [row[c] for c in columns]) for row in table.rows()]:
            future.result()
        return name


@pytest.fixture(scope="module")
def desk(cassandra: Any) -> Iterator[Desk]:
    cassandra.execute(f"DROP KEYSPACE IF EXISTS {SPACE}")
    cassandra.execute(
        f"CREATE KEYSPACE {SPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        " AND durable_writes = false"
    )
    cassandra.set_keyspace(SPACE)
    yield Desk(cassandra)
    cassandra.execute(f"DROP KEYSPACE {SPACE}")


def statements(text: str) -> list[str]:
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return [" ".join(s.split()) for s in bare.split(";") if s.strip()]


def refusal(session: Any, statement: str) -> str:
    """Why the server refuses a statement; "" where it would run it."""
    from cassandra import InvalidRequest  # noqa: PLC0415 (only where an engine is used)

    try:
        session.prepare(statement)
    except InvalidRequest as refused:
        return str(refused)
    return ""


# A thread of cassandra-driver draws random numbers of its own meanwhile.
@pytest.mark.filterwarnings("ignore:Do not use the .random. module inside strategies")
def test_random_reads(desk: Desk) -> None:
    """Served means accepted, right and frugal; refused means refused."""

    @seed(20261130)
    # Shrunk by hand: each table that is tried costs a change of the schema.
    @settings(
        max_examples=TABLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(trials(READS))
    def run(trial: tuple[Table, tuple[Asked, ...]]) -> None:
        table, reads = trial
        name = desk.table(table)
        made = bench(project(name, table, reads), "cassandra")
        for n, asked in enumerate(reads):
            judge(desk.session, table, name, made, f"Q{n}", asked)

    run()


def judge(session: Any, table: Table, name: str, made: Bench, operation: str, asked: Asked) -> None:
    plan = made.plan(operation)
    if plan.level is Level.IMPOSSIBLE:
        if not loose(table, asked):
            assert refusal(session, asked.typed(name)), (table, asked, plan.misses)
        return
    text = made.text(operation)
    statement, *more = statements(text)
    assert not (why := refusal(session, statement)), (table, asked, text, why)
    rows, events = traced(session, statement)
    right(table, asked, rows, text)
    frugal(plan, rows, events, text)
    if more and rows and plan.level is not Level.FAN_OUT and {a for a, _ in asked.order} >= {a for a, _ in table.order}:
        next_page(session, table, asked, rows[-1], more)


def next_page(session: Any, table: Table, asked: Asked, last: Row, more: list[str]) -> None:
    """Behind the last row of a page, statement after statement until the next is full."""
    found: list[Row] = []
    for statement in more:
        told = re.sub(r":last_(\w+)", lambda m: str(last[m[1]]), statement)
        assert not (why := refusal(session, told)), (table, asked, told, why)
        found += traced(session, told)[0]
    expected = sorted((r for r in table.rows() if asked.met(r)), key=asked.place)
    behind = [r for r in expected if asked.place(r) > asked.place(last)][: asked.limit]
    keys = [tuple(r[c] for c in table.keys) for r in found[: asked.limit]]
    assert keys == [tuple(r[c] for c in table.keys) for r in behind], (table, asked, last, more, found)


def loose(table: Table, asked: Asked) -> bool:
    """An index that a 2.1 takes as leave for other conditions.

    On a key column that the read binds anyway, whatever else is asked passes, and then fails inside. Without the
    partition key, conditions on clustering columns pass too.
    """
    named = {a for a, _, _ in asked.where}
    indexed = any(a == table.index and op == "=" for a, op, _ in asked.where)
    return indexed and (table.index in table.keys or not named & set(table.partition))


def traced(session: Any, statement: str) -> tuple[list[Row], list[str]]:
    from cassandra.query import SimpleStatement, dict_factory  # noqa: PLC0415 (only where an engine is used)

    session.row_factory = dict_factory
    answer = session.execute(SimpleStatement(statement, fetch_size=None), trace=True)
    return list(answer), [e.description for e in answer.get_query_trace().events]


def right(table: Table, asked: Asked, rows: list[Row], text: str) -> None:
    rows = [{c: v for c, v in r.items() if c != "s"} for r in rows]  # see `reversed static` in the README
    found = ({c: v for c, v in r.items() if c != "s"} for r in table.rows() if asked.met(r))
    expected = sorted(found, key=asked.place)
    assert len(rows) == min(len(expected), asked.limit or len(expected)), (table, asked, text, rows)
    assert all(r in expected for r in rows), (table, asked, text, rows)
    assert [asked.place(r) for r in rows] == [asked.place(r) for r in expected[: len(rows)]], (table, asked, text, rows)


READ = re.compile(r"Read (\d+) live and (\d+) tombstoned")


def frugal(plan: Plan, rows: list[Row], events: list[str], text: str) -> None:
    """One read of each planned partition, no walk over the ring, and hardly a row that is not wanted."""
    (step,) = plan.steps
    read = sum(int(m[1]) for e in events if (m := READ.match(e)))
    indexed = any(e.startswith("Executing indexed scan") for e in events)
    walked = any(e.startswith("Executing seq scan") for e in events)
    assert walked == (plan.level is Level.SCAN), (text, events)
    assert indexed == (step.match is not None and step.match.path.kind == "index"), (text, events)
    if indexed or walked:
        return
    partitions = sum(e.startswith("Executing single-partition query") for e in events)
    assert partitions <= step.partitions, (text, events)
    assert read <= partitions * (len(rows) + 1), (text, events)
