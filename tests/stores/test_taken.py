"""What a read takes away: exactly the records it has read, in every store; never a whole structure."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from app.analysis import analyse
from app.exporters import queries
from app.model.text import read_yaml
from app.starters import starter
from app.stores import STORES
from tests.stores.test_completeness import projects

JOBS = """
keywright: 1
name: Jobs
entities:
  - {name: task, count: 100k, soft delete: gone_at, fields: [id uuid key, due datetime, gone_at datetime present 10%]}
  - {name: job, count: 100k, fields: [id uuid key, queue string distinct 5, due datetime]}
patterns:
  - {operation: Take the next, list: job, where: "job.queue = :q", order by: job.due, limit: 1, also: [{delete: job}]}
  - {operation: Drop task, list: task, order by: task.due, limit: 5, also: [{delete: task}]}
  - {operation: Take ten, list: job, where: "job.queue = :q", order by: job.due, limit: 10, also: [{delete: job}]}
  - {operation: Put off, list: job, where: "job.queue = :q", limit: 10, also: [{update: job, set: {job.due: now}}]}
"""
WHOLE = re.compile(
    r"(?:delete|update)Many\(\s*\{\s*\}|^\s*DELETE\s+FROM\s+\S+\s*;|^\s*UPDATE\s+\S+\s+SET\s[^;]*;",
    re.IGNORECASE | re.MULTILINE,
)
"""A statement that changes everything; an UPDATE counts unless it has a WHERE."""


def mongodb(operation: str) -> str:
    project = read_yaml(JOBS)
    report = analyse(project.model_copy(update={"models": (starter(project, "mongodb"),)}))
    return queries.query(report, report.models[0], operation)


def test_one_document_is_found_and_deleted_in_one_request() -> None:
    text = mongodb("Take the next")
    assert "db.jobs.findOneAndDelete({ queue: p.q }, { sort: { due: 1 } });" in text
    assert "deleteMany" not in text


def test_several_documents_are_deleted_by_their_keys() -> None:
    text = mongodb("Take ten")
    assert ".limit(10).toArray();\np.taken = jobs.map(d => d._id);\n" in text
    assert "db.jobs.deleteMany({ _id: { $in: p.taken } });" in text


def test_several_documents_are_changed_by_their_keys() -> None:
    assert "db.jobs.updateMany({ _id: { $in: p.taken } }, { $set: { due: new Date() } });" in mongodb("Put off")


def texts() -> Iterator[tuple[str, str]]:
    for name, project in {**projects(), "jobs": read_yaml(JOBS)}.items():
        meant = {p.operation for p in project.patterns if p.is_write and p.where is None}
        made = [starter(project, s).model_copy(update={"name": f"Starter for {s}"}) for s in STORES]
        report = analyse(project.model_copy(update={"models": (*project.models, *made)}))
        for one in report.models:
            for operation in (p.operation for p in project.patterns if p.operation not in meant):
                yield f"{name}: {one.model.name}: {operation}", queries.query(report, one, operation)


def changes_all(statement: str) -> bool:
    return " WHERE " not in " ".join(statement.split())


def test_no_statement_changes_a_whole_structure() -> None:
    found = {at: hit[0] for at, text in texts() for hit in WHOLE.finditer(text) if changes_all(hit[0])}
    assert found == {}


@pytest.mark.parametrize(
    "text", ["db.jobs.deleteMany({});", "db.jobs.updateMany({ }, {})", "DELETE FROM jobs;", "UPDATE jobs SET due = 1;"]
)
def test_such_a_statement_is_recognised(text: str) -> None:
    assert WHOLE.search(text)


def test_no_join_reads_a_whole_collection() -> None:
    assert [at for at, text in texts() if "pipeline: []" in text] == []
