"""A report after an edit is the report of the edited project, whatever was remembered from before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.analysis import analyse
from app.examples import EXAMPLES
from app.memory import Memory
from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.text import read_yaml

ROWS = """
keywright: 1
name: Rows
entities:
  - {name: row, count: 50k, fields: [id uuid key, at datetime, n int64, group string]}
patterns:
  - {operation: By number, list: row, where: "row.n = :n", rate: 5/s}
models:
  - name: A
    store: cassandra
    structures:
      - {table: rows, of: row, partition key: [KEY], clustering key: [row.id]}
VIEW
"""
VIEW = """
      - {materialized view: by n, of: row, partition key: [row.n], clustering key: [row.id, row.group], truth: rows}
"""


def same(project: Project, memory: Memory) -> None:
    kept, fresh = analyse(project, memory), analyse(project, Memory())
    assert [(f.key, f.message, f.severity) for f in kept.findings] == [
        (f.key, f.message, f.severity) for f in fresh.findings
    ]
    assert kept.findings == fresh.findings
    for one, other in zip(kept.models, fresh.models, strict=True):
        assert one.plans == other.plans
        assert one.loads == other.loads
        assert [(r.name, r.truth) for r in one.records] == [(r.name, r.truth) for r in other.records]


def rows(key: str, view: str) -> Project:
    return read_yaml(ROWS.replace("KEY", key).replace("VIEW", view))


def with_structures(project: Project, model: Candidate, structures: tuple[Structure, ...]) -> Project:
    changed = model.model_copy(update={"structures": structures})
    return project.model_copy(update={"models": tuple(changed if m is model else m for m in project.models)})


def edited(project: Project, other: Project) -> Project:
    """`project` with the structures of the other one; those that are equal stay the very objects they are."""
    model = project.models[0]
    known = {s: s for s in model.structures}
    return with_structures(project, model, tuple(known.get(s, s) for s in other.models[0].structures))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("row.id", ""), ("row.id", VIEW)),
        (("row.id", VIEW), ("row.id", "")),
        (("row.group", VIEW), ("row.at", VIEW)),
        (("row.at", VIEW), ("row.group", VIEW)),
    ],
)
def test_a_view_follows_its_table_and_a_table_its_views(before: tuple[str, str], after: tuple[str, str]) -> None:
    project, memory = rows(*before), Memory()
    analyse(project, memory)
    same(edited(project, rows(*after)), memory)


def without_one(project: Project) -> Iterator[Project]:
    for model in project.models:
        for n in range(len(model.structures)):
            yield with_structures(project, model, (*model.structures[:n], *model.structures[n + 1 :]))


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_structure_that_goes_and_comes_back_is_missed_in_between_only(name: str) -> None:
    project, memory = EXAMPLES[name].project(), Memory()
    analyse(project, memory)
    for changed in without_one(project):
        same(changed, memory)
        same(project, memory)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_row_that_goes_and_comes_back_is_missed_in_between_only(name: str) -> None:
    project, memory = EXAMPLES[name].project(), Memory()
    analyse(project, memory)
    for n in range(len(project.patterns)):
        rest = (*project.patterns[:n], *project.patterns[n + 1 :])
        same(project.model_copy(update={"patterns": rest}), memory)
        same(project, memory)
