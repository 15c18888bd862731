"""Files in and out: round trips, exact places of mistakes, nothing but `BadProject`."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.model.problem import BadProject
from app.model.project import Project
from app.model.text import (
    header_plain,
    part_from_plain,
    project_from_plain,
    read_json,
    read_yaml,
    to_plain,
    write_json,
    write_yaml,
)
from tests.model.samples import FIXTURES, library, made, projects


def problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(BadProject) as caught:
        read_yaml(text)
    return [(p.line, p.column, p.place) for p in caught.value.problems]


def first(text: str) -> str:
    with pytest.raises(BadProject) as caught:
        read_yaml(text)
    return str(caught.value.problems[0])


@given(projects())
def test_yaml_comes_back_as_written(project: Project) -> None:
    text = write_yaml(project)
    assert read_yaml(text) == project
    assert write_yaml(read_yaml(text)) == text


@given(projects())
def test_json_comes_back_as_written(project: Project) -> None:
    assert read_json(write_json(project)) == project


@given(projects())
def test_json_is_yaml_data(project: Project) -> None:
    assert project_from_plain(json.loads(write_json(project))) == project


@given(st.text())
@example("keywright: 1\nname: [")
@example("\x00")
@example("a: &x [*x]")
@example("? - : [")
@example("keywright: 1\nname: x\nentities: {}")
@example("\ud800")
@example("%YAML 9.9\n---\na")
def test_junk_raises_nothing_but_bad_project(text: str) -> None:
    for read in (read_yaml, read_json):
        with suppress(BadProject):
            read(text)


PLACES = (
    "name entities patterns models fields where operation get structures collection of rate needs also children "
    "skew set options x"
)
SCALARS = st.one_of(st.text(max_size=12), st.sampled_from(["order", "get", "a.b = :x", "10M", "{a.b}"]), st.booleans())
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PLACES.split()), inner, max_size=4),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from(["entities", "relationships", "patterns", "models", "decisions", "traffic"]), JUNK)
)
def test_junk_data_raises_nothing_but_bad_project(data: dict[str, object]) -> None:
    with suppress(BadProject):
        project_from_plain({"keywright": 1, "name": "x", **data})


def test_the_fixture_is_canonical() -> None:
    again = write_yaml(library())
    assert write_yaml(read_yaml(again)) == again
    assert "  - {name: note, fields: [loan_id uuid, body string avg 90]}" in again
    assert "consistency: eventual 5 min" in again
    assert "rate: {avg: 90/s, peak: 300/s}" in again
    assert "with: note" in again


def test_scalars_stay_what_was_typed() -> None:
    project = made("""
        entities:
          - {name: order, note: 12:30, inferred: {a: NO, b: on, c: 7.10, d: +1, e: 0x1F, f: 2026-01-01}}
        """)
    assert dict(project.entities[0].inferred) == {
        "a": "NO", "b": "on", "c": "7.10", "d": "+1", "e": "0x1F", "f": "2026-01-01",
    }  # fmt: skip
    assert project.entities[0].note == "12:30"


def test_several_lines_are_kept() -> None:
    project = made("note: |\n  first\n  second # no comment\n")
    assert project.note == "first\nsecond # no comment\n"
    assert read_yaml(write_yaml(project)) == project
    spread_out = made("note: |-\n  first\n\n  second")
    assert "note: |-\n  first\n\n  second" in write_yaml(spread_out)


def test_values_are_hashable_and_frozen() -> None:
    project = library()
    assert hash(project) == hash(library())
    with pytest.raises(TypeError):
        project.patterns[0].consistency["x"] = "strong"  # type: ignore[index]
    with pytest.raises(ValueError, match="frozen"):
        project.name = "other"  # type: ignore[misc]


HEAD = "keywright: 1\nname: x\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "place"),
    [
        ("entitys: []", 3, 1, "entitys"),
        ("entities:\n  - {name: order, cuont: 10M}", 4, 19, "entities/order/cuont"),
        ("entities:\n  - {name: order, count: 10Q}", 4, 26, "entities/order/count"),
        ("entities:\n  - name: order\n    fields:\n      - id uuid kye", 6, 17, "entities/order/fields/id"),
        ("entities: [{name: a}, {name: a}]", 3, 30, "entities/a/name"),
        ("patterns:\n  - operation: Load\n    gett: order", 5, 5, "patterns/Load/gett"),
        ("patterns:\n  - {operation: Load, get: order, where: \"a.b = = 1\"}", 4, 49, "patterns/Load/where"),
        ("patterns: [{operation: L, get: a, list: b}]", 3, 35, "patterns/L/list"),
        ("models:\n- name: M\n  store: s\n  structures:\n  - table: t\n    pk: \"A{a.b|dya}\"", 8, 16, "models/M/t/pk"),
        ("models:\n- name: M\n  store: s\n  structures:\n  - {of: x}", 7, 5, "models/M/x"),
        ("models: [{name: M}]", 3, 10, "models/M"),
        ("traffic: {reads: 500}", 3, 18, "traffic/reads"),
        ("note: [a]", 3, 7, "note"),
        ("relationships: {parent: a}", 3, 16, "relationships"),
        ("relationships:\n - {parent: a, child: b, on delete: explode}", 4, 37, "relationships/a-b/on delete"),
        ("name: y", 3, 1, ""),
        ("note: &a b", 3, 7, ""),
        ("note: *a", 3, 7, ""),
        ("<<: x", 3, 1, ""),
        ("note: !!str b", 3, 7, ""),
        ("---\na: b", 3, 1, ""),
        ("  note: a", 3, 7, ""),
        ("entities: [{name: á}, {name: é, count: x}]", 3, 40, "entities/é/count"),
    ],
)  # fmt: skip
def test_mistakes_have_their_line_and_column(text: str, line: int, column: int, place: str) -> None:
    assert (line, column, place) in problems(HEAD + text)


def test_everything_wrong_is_reported_at_once() -> None:
    found = problems(HEAD + "entities:\n  - {name: a, count: x}\n  - {name: b, keep: y}\ntraffic: {reads: z}")
    assert [line for line, _, _ in found] == [4, 5, 6]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Begin with keywright: 1"),
        ("name: x", "keywright missing"),
        ("keywright: 1", "name is missing"),
        ("keywright: 2\nname: x", "written by a newer Keywright (format 2"),
        ("keywright: soon\nname: x", "'soon' is not a version"),
        (HEAD + "entities: [{name: order, cuont: 1}]", "Did you mean 'count'?"),
        (HEAD + "entities: [{name: a b}]", "Write a_b"),
        (HEAD + "patterns: [{operation: X, consistency: stronk}]", "Did you mean 'strong'?"),
        (HEAD + "patterns: [{operation: X, rate: 90%}]", "Write 90% of reads or of writes"),
        (HEAD + "entities: [{name: a, fields: [x strng]}]", "Did you mean 'string'?"),
        (HEAD + "\tnote: x", "Indent with spaces"),
        ("[" * 60, "more than 50 levels"),
        (HEAD + "patterns: [{operation: X, action: get}]", "Write get or list"),
    ],
)
def test_mistakes_say_what_to_do(text: str, words: str) -> None:
    assert words in first(text)


def test_an_empty_value_says_nothing() -> None:
    assert made("entities:\n  - name: order\n    count:\n") == made("entities: [{name: order}]")


def test_a_large_file_is_refused() -> None:
    assert "At most 5,242,880" in first("#" * (5 * 1024 * 1024 + 1))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"keywright": 1,\n "name": "x",\n "entities": [{"name": "a", "count": "q"}]}', 3, 38),
        ('{"keywright": 1, "name": "x", "entitys": []}', 1, 31),
        ('{"keywright": 1, "name": "x",\n "name": "y"}', 2, 2),
        ('{"keywright": 1,', 1, 17),
        ("[" * 100_000, 1, 1),
    ],
)
def test_json_mistakes_have_their_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(BadProject) as caught:
        read_json(text)
    found = caught.value.problems[0]
    assert (found.line, found.column) == (line, column)


def test_json_numbers_and_booleans_are_text() -> None:
    text = '{"keywright": 1, "name": "x", "entities": [{"name": "a", "count": 1.50, "note": null}],'
    text += ' "models": [{"name": "m", "store": "s", "version": 8.0, "chosen": true}]}'
    project = read_json(text)
    assert project.entities[0].count is not None
    assert project.entities[0].count.text == "1.50"
    assert (project.models[0].version, project.models[0].chosen) == ("8.0", True)


def test_parts_come_back_from_plain_data() -> None:
    project = library()
    for kind, part in [
        ("entity", project.entities[2]),
        ("relationship", project.relationships[0]),
        ("access_pattern", project.patterns[2]),
        ("candidate_model", project.models[0]),
        ("decision", project.decisions[0]),
    ]:
        assert part_from_plain(kind, json.loads(json.dumps(to_plain(part)))) == part
    header = part_from_plain("project", header_plain(project))
    assert header == Project(name=project.name, horizon=project.horizon, traffic=project.traffic)


def test_a_bad_part_says_where() -> None:
    with pytest.raises(BadProject, match="count: '10Q' is not a count"):
        part_from_plain("entity", {"name": "a", "count": "10Q"})


def test_shared_projects_round_trip(shared) -> None:  # type: ignore[no-untyped-def]
    files = [*sorted((shared / "projects").glob("*.yaml")), *sorted((shared / "cases").glob("*.yaml"))]
    assert len(files) >= 32
    for file in files:
        project = read_yaml(file.read_text(encoding="utf-8"))
        again = write_yaml(project)
        assert read_yaml(again) == project, file.name
        assert write_yaml(read_yaml(again)) == again, file.name
        assert read_json(write_json(project)) == project, file.name


def test_fixture_folder_is_read_whole() -> None:
    assert {f.name for f in FIXTURES.glob("*.yaml")} == {"library.yaml", "version-0.yaml"}
