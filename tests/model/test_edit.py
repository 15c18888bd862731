"""Part edits: found, applied, turned round; untouched parts stay the same objects."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.edit import LIST_OF, EditClash, PartEdit, apply, diff, invert, key_of, place_of
from app.model.plain import to_plain
from app.model.problem import BadProject
from app.model.project import Project, check_names
from tests.model.samples import library, projects


@given(projects(), projects())
def test_a_difference_leads_from_one_to_the_other_and_back(before: Project, after: Project) -> None:
    edits = diff(before, after)
    assert apply(before, edits) == after
    assert apply(after, invert(edits)) == before
    assert diff(after, after) == ()


@st.composite
def edited(draw: st.DrawFn) -> tuple[Project, Project]:
    """A project, and the same with parts removed, put elsewhere, renamed and changed."""
    before = draw(projects())
    other = draw(projects())
    chance = random.Random(draw(st.integers(0, 2**16)))
    changed = {}
    for name in LIST_OF.values():
        parts = [p for p in getattr(before, name) if chance.random() > 0.2]
        parts += [p for p in getattr(other, name) if chance.random() > 0.5]
        if name in ("entities", "patterns") and parts and chance.random() > 0.5:
            at = chance.randrange(len(parts))
            key = "name" if name == "entities" else "operation"
            parts[at] = parts[at].model_copy(update={key: f"{getattr(parts[at], key)[:20]}_new"})
        if chance.random() > 0.5:
            chance.shuffle(parts)
        kind = next(k for k, v in LIST_OF.items() if v == name)
        changed[name] = tuple({key_of(kind, p): p for p in parts}.values())
    after = before.model_copy(update=changed)
    check_names(after)
    return before, after


@given(edited())
def test_any_edit_can_be_applied_and_undone(pair: tuple[Project, Project]) -> None:
    before, after = pair
    edits = diff(before, after)
    there = apply(before, edits)
    assert there == after
    assert apply(there, invert(edits)) == before
    assert invert(invert(edits)) == edits or apply(before, invert(invert(edits))) == after


def test_an_edit_touches_only_its_part() -> None:
    before = library()
    slower = before.patterns[0].model_copy(update={"latency": None})
    after = before.model_copy(update={"patterns": (slower, *before.patterns[1:])})
    (edit,) = diff(before, after)
    assert (edit.kind, edit.key, edit.at, edit.was) == ("access_pattern", "Loan page", None, None)
    assert edit.place == "patterns/Loan page"
    there = apply(before, [edit])
    assert there.patterns[1] is before.patterns[1]
    assert there.entities is before.entities
    assert there.models is before.models


def test_a_rename_is_one_edit() -> None:
    before = library()
    renamed = before.entities[1].model_copy(update={"name": "volume"})
    after = before.model_copy(update={"entities": (before.entities[0], renamed, *before.entities[2:])})
    (edit,) = diff(before, after)
    assert edit.key == "book"
    assert edit.after["name"] == "volume"
    (back,) = invert([edit])
    assert (back.key, back.after["name"]) == ("volume", "book")


def test_one_part_moved_is_one_edit() -> None:
    before = library()
    after = before.model_copy(update={"patterns": (before.patterns[3], *before.patterns[:3])})
    (edit,) = diff(before, after)
    assert (edit.key, edit.at, edit.was) == ("Give back", 0, 3)
    assert apply(before, [edit]) == after


def test_the_header_is_a_part() -> None:
    before = library()
    after = before.model_copy(update={"note": "shared with the branch"})
    (edit,) = diff(before, after)
    assert (edit.kind, edit.key, edit.place) == ("project", "", "project")
    assert "patterns" not in edit.after
    assert apply(before, [edit]) == after


def test_edits_that_do_not_fit_clash() -> None:
    project = library()
    plain = to_plain(project.entities[0])
    for edit, words in [
        (PartEdit("entity", "gone", plain, None), "not there any more"),
        (PartEdit("entity", "reader", {"name": "reader"}, plain), "not what it was"),
        (PartEdit("entity", "reader", None, plain), "there already"),
        (PartEdit("project", "", {"name": "other"}, {"name": "third"}), "not what it was"),
    ]:
        with pytest.raises(EditClash, match=words):
            apply(project, [edit])
    forced = apply(project, [PartEdit("entity", "reader", {}, {"name": "reader"})], force=True)
    assert forced.entities[0].fields == ()


def test_a_bad_result_is_refused() -> None:
    project = library()
    with pytest.raises(BadProject, match="stands twice"):
        apply(project, [PartEdit("entity", "reader", to_plain(project.entities[0]), {"name": "book"})])
    with pytest.raises(BadProject, match="cuont"):
        apply(project, [PartEdit("entity", "new", None, {"name": "new", "cuont": "1"})])


def test_places() -> None:
    project = library()
    assert place_of("relationship", key_of("relationship", project.relationships[0])) == "relationships/borrower-loan"
    assert place_of("candidate_model", "One table") == "models/One table"
    assert key_of("decision", project.decisions[0]) == "stale-copy@models/Documents/loans"
    assert place_of("project", key_of("project", project)) == "project"
