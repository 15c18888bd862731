"""The write cases of Cassandra: the plan says which rows of which table change, and a real server changes as many.

The statements are those that are written for the user, with values for what he brings.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
import yaml

from app.exporters import queries, scripts
from app.model.candidate import Structure
from tests.engines.server import WORKER
from tests.engines.test_cassandra_statements import parts
from tests.plan.model_cases import CASES as FOLDER
from tests.plan.model_cases import OPERATION, ModelCase, model_cases

SPACE = f"keywright_test_writes_{WORKER}"
CASES = model_cases("cassandra", "writes")
Rows = dict[tuple[Any, ...], dict[str, Any]]


def said(case: ModelCase) -> Mapping[str, Any]:
    """What a case says besides its figures."""
    for file in (FOLDER / "cassandra" / "writes").glob("*.yaml"):
        cases = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
        if case.name in cases:
            return dict(cases[case.name])
    raise AssertionError(case.name)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_plan(case: ModelCase) -> None:
    """Rows written, made and removed in each table; how far it is all or nothing."""
    more = said(case)
    plan = case.plan()
    assert case.changes() == case.expect
    assert plan.scope == more.get("scope", plan.scope)
    assert more.get("note", "") in " / ".join(plan.notes)


@pytest.fixture(scope="module")
def space(cassandra: Any) -> Iterator[Any]:
    cassandra.execute(f"DROP KEYSPACE IF EXISTS {SPACE}")
    cassandra.execute(
        f"CREATE KEYSPACE {SPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        " AND durable_writes = false"
    )
    cassandra.set_keyspace(SPACE)
    yield cassandra
    cassandra.execute(f"DROP KEYSPACE {SPACE}")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_server(case: ModelCase, space: Any) -> None:
    """The server's tables differ, before and after, by what was planned."""
    more, (report, model) = said(case), case.report()
    tables = Tables(space, model.model.structures, str(CASES.index(case)))
    for text in scripts.files(report, model).values():
        for statement in parts(text):
            if statement.startswith(("CREATE TABLE", "CREATE INDEX")):
                space.execute(tables.own(statement))
    for name, rows in more.get("before", {}).items():
        for row in rows:
            columns = ", ".join(row)
            space.execute(
                tables.own(f"INSERT INTO {name} ({columns}) VALUES ({', '.join('%s' for _ in row)})"),
                list(row.values()),
            )
    before = tables.rows()
    for applied in more.get("applied", [None]):
        answers = [tables.run(s, case.given) for s in parts(queries.query(report, model, OPERATION))]
        assert applied is None or answers[0] is applied
    after = tables.rows()
    for name, figures in case.expect.items():
        found = changed(before[name], after[name])
        planned = (figures["documents"], figures["added"], figures["removed"])
        if name in more.get("same", ()):
            assert (found[1], found[2]) == (0, 0), (name, after[name])
        elif name in more.get("makes", ()):
            assert found == (planned[0], planned[0], 0), (name, after[name])
        else:
            assert found == planned, (name, before[name], after[name])


def changed(before: Rows, after: Rows) -> tuple[int, int, int]:
    """Rows that differ, and of them those made and removed."""
    made, gone = after.keys() - before.keys(), before.keys() - after.keys()
    kept = sum(before[k] != after[k] for k in before.keys() & after.keys())
    return kept + max(len(made), len(gone)), len(made), len(gone)


class Tables:
    """The tables of one case, under names of their own."""

    def __init__(self, session: Any, structures: Sequence[Structure], number: str) -> None:
        self.session, self.structures, self.number = session, structures, number

    def own(self, statement: str) -> str:
        names = "|".join(s.name for s in self.structures)
        return re.sub(rf"\b(INTO|FROM|UPDATE|EXISTS|ON) ({names})\b", rf"\1 \2_{self.number}", statement)

    def run(self, statement: str, given: Mapping[str, Any]) -> bool:
        """Whether it was applied. A list among the values is one run for each."""
        now = int(time.time() * 1e6)
        values = {**given, "time_of_call": now, "time_before": now - 1}
        prepared = self.session.prepare(self.own(statement))
        applied = True
        for n in range(max(len(v) if isinstance(v, list) else 1 for v in values.values())):
            one = {k: v[n] if isinstance(v, list) else v for k, v in values.items()}
            names = [c.name for c in prepared.column_metadata]
            answer = self.session.execute(prepared, [one[c.strip("[]")] for c in names])
            applied = answer.was_applied if "[applied]" in (answer.column_names or ()) else True
        return bool(applied)

    def rows(self) -> dict[str, Rows]:
        """By table, rows by their key. The static columns of a partition are a row of its own."""
        return {s.name: self._rows(s) for s in self.structures}

    def _rows(self, table: Structure) -> Rows:
        from cassandra.query import dict_factory  # noqa: PLC0415 (only where an engine is used)

        partition, order = ([k.attr.rpartition(".")[2] for k in keys or ()] for keys in _keys(table))
        static = {path.replace(".", "_") for path in table.static}
        self.session.row_factory = dict_factory
        found: Rows = {}
        for row in self.session.execute(f"SELECT * FROM {table.name}_{self.number}"):
            if shared := {c: row[c] for c in static if row[c] is not None}:
                found["static", *(row[c] for c in partition)] = shared
            elif static:
                found["static", *(row[c] for c in partition)] = {}
            key = tuple(row[c] for c in (*partition, *order))
            if None not in key:
                found[key] = {c: v for c, v in row.items() if c not in static}
        return found


def _keys(table: Structure) -> tuple[Any, Any]:
    return table.partition_key, table.clustering_key
