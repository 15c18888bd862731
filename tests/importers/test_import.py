"""Choosing the format, adding to a project, limits, and texts nobody expects."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import BadInput
from app.importers import IMPORTERS, import_text, read_patterns
from app.model.project import Project
from app.model.text import BadProject, read_json, read_yaml, write_json, write_yaml

TABLE = "| Operation | Fields | Freq | Consistency |\n|---|---|---|---|\n"
DESK = """
keywright: 1
name: Desk
note: ours
entities:
  - {name: user, count: 1M, fields: [id uuid key, email string unique]}
  - {name: order, fields: [id string key avg 12, buyer_id uuid, placed_at datetime monotonic]}
relationships:
  - {name: buyer, parent: user, child: order, via: buyer_id, children: {avg: 10}}
patterns:
  - {operation: Load order page, get: order, where: "order.id = :order", needs: order, rate: 500/s}
"""


@pytest.fixture
def desk() -> Project:
    return read_yaml(DESK)


def test_formats_are_found_by_name() -> None:
    assert list(IMPORTERS) == ["key-catalog", "project-json", "project-yaml", "patterns"]
    assert all(i.title for i in IMPORTERS.values())


def test_a_project_file_is_read_as_one(desk: Project) -> None:
    assert import_text(write_yaml(desk), "desk.yaml").project == desk
    assert import_text(write_yaml(desk)).project == desk
    assert import_text(write_json(desk)).project == desk
    assert import_text(f"# a comment\n{DESK}").project == desk


def test_a_broken_project_file_says_where() -> None:
    with pytest.raises(BadProject) as said:
        import_text("keywright: 1\nname: X\nentitys: []\n")
    assert said.value.problems[0].line == 3


def test_a_project_file_is_not_added_to_another(desk: Project) -> None:
    for text in (write_yaml(desk), write_json(desk)):
        with pytest.raises(BadInput):
            import_text(text, into=desk)


def test_what_is_read_can_be_written_and_read_again() -> None:
    project = read_patterns(f"{TABLE}| Load order page | order, items | 500 r/s | eventual ok |\n").project
    assert read_yaml(write_yaml(project)) == project
    assert read_json(write_json(project)) == project


def test_adding_changes_nothing_that_is_there(desk: Project) -> None:
    read = read_patterns(f"{TABLE}| Orders of a buyer, newest first | id, status | 60/s | |\n", desk)
    project = read.project
    assert project.name == "Desk"
    assert project.note == "ours"
    assert project.patterns[:1] == desk.patterns
    assert project.relationships == desk.relationships
    order = project.entity("order")
    assert order is not None
    assert order.fields[:3] == desk.entities[1].fields
    assert [f.name for f in order.fields[3:]] == ["status"]
    assert list(order.inferred) == ["fields.status"]
    assert project.entity("user") == desk.entity("user")
    added = project.patterns[1]
    assert added.where is not None
    assert added.order_by is not None
    assert added.where.text == "order.buyer_id = :buyer"
    assert added.order_by.text == "order.placed_at desc, order.id desc"


def test_names_that_are_taken_get_a_number(desk: Project) -> None:
    read = read_patterns(f"{TABLE}| load order page | | | |\n| Load order page | | | |\n", desk)
    names = [p.operation for p in read.project.patterns]
    assert names == ["Load order page", "load order page (2)", "Load order page (3)"]


def test_counts_that_are_known_stay(desk: Project) -> None:
    read = read_patterns(f"5M users, 10M orders\n\n{TABLE}| Get user by email | id | | |\n", desk)
    counts = {e.name: e.count and e.count.text for e in read.project.entities}
    assert counts == {"user": "1M", "order": "10M"}


def test_limits() -> None:
    with pytest.raises(BadInput, match="5 MB"):
        import_text("x" * (5 * 1024 * 1024 + 1))
    with pytest.raises(BadInput, match="rows"):
        read_patterns(TABLE + "| Load order page | | | |\n" * 5_001)
    with pytest.raises(BadInput, match="lines"):
        import_text("x\n" * 200_001)
    with pytest.raises(BadInput, match="characters"):
        read_patterns(f"{TABLE}| Load order page | {'x' * 10_001} | | |\n")
    with pytest.raises(BadInput):
        import_text("  \n ")


def test_a_very_long_operation_is_cut_and_kept() -> None:
    words = "Load " + "very " * 80 + "long order page"
    [pattern] = read_patterns(f"{TABLE}| {words} | | | |\n").project.patterns
    assert len(pattern.operation) <= 200
    assert "long order page" in pattern.text + pattern.note


SAID = r"""
    load get list search count add place update delete mark order orders item items user users seller cart post
    posts tag tags comentarios pedidos de un una por con para by of with and in to from my all latest top newest
    first ten 10 id ids userId order_id status name total totals count page / + , ; ( ) [ ] { } " ' ` <br> \| # *
    _ - — = : history 500/s r/s 90% high alta eventual strong 5 min ok where is null between date range 1M % 🙂 é
    注文 3d 2x _id child open
"""
WORDS = st.sampled_from([*SAID.split(), "\t"])
CELL = st.lists(WORDS, max_size=8).map(" ".join)


@settings(max_examples=300)
@given(st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=4), st.booleans())
def test_any_rows_are_read_or_refused_in_words(rows: list[tuple[str, ...]], spanish: bool) -> None:
    head = "| Operación | Campos | Frecuencia | Consistencia |\n|---|---|---|---|\n" if spanish else TABLE
    text = head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    try:
        read = import_text(text)
    except (BadInput, BadProject):
        return
    assert read_yaml(write_yaml(read.project)) == read.project
    for pattern in read.project.patterns:
        assert bool(pattern.action) == bool(pattern.entity)
        assert "was not understood (" not in " ".join(q.text for q in read.questions)


@settings(max_examples=200)
@given(st.text(max_size=300), st.sampled_from(["", "a.csv", "a.md", "a.yaml", "a.json"]))
def test_any_text_is_read_or_refused_in_words(text: str, filename: str) -> None:
    try:
        import_text(text, filename)
    except (BadInput, BadProject):
        return


@settings(max_examples=200)
@given(st.lists(CELL, max_size=12).map("\n".join))
def test_any_lines_are_read_or_refused_in_words(text: str) -> None:
    for before in ("", "Operation,Fields,Freq\n", "Access patterns:\n", "keywright: 1\n", "{"):
        try:
            import_text(before + text)
        except (BadInput, BadProject):
            continue
