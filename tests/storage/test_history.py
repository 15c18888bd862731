"""Undo gives back exactly what was there, and nothing of the history is lost."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import Conflict, NotFound
from app.model.edit import PartEdit, diff
from app.model.plain import to_plain
from app.model.project import Project
from app.model.text import read_yaml, write_yaml
from app.storage.decisions import accept, unaccept
from app.storage.edits import apply_edits
from app.storage.engine import Database
from app.storage.history import changes, redo, redoable, undo, undoable
from app.storage.parts import Loaded, load
from app.storage.projects import create_project, rename_project
from tests.storage.conftest import LOAD, SHOP, cells


def latency(loaded: Loaded) -> str | None:
    found = loaded.project.patterns[0].latency
    return found.text if found else None


def test_undo_and_redo_walk_through_all_changes(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    for value in ("1 s", "2 s", "3 s"):
        now = load(db, made.id).project
        apply_edits(db, made.id, cells(now, latency=value), author="ada", label=value)
    steps = [undo, undo, redo, undo, undo, redo, redo, redo]
    seen = [latency(step(db, made.id, "bob").loaded) for step in steps]
    assert seen == ["2 s", "1 s", "2 s", "1 s", "30 ms", "1 s", "2 s", "3 s"]
    with pytest.raises(NotFound, match="nothing to redo"):
        redo(db, made.id, "bob")
    history = changes(db, made.id)
    assert [c.number for c in history] == list(range(12, 0, -1))
    assert history[0].label == "Redo: 3 s"
    assert history[0].author == "bob"


def test_undo_stops_at_the_beginning(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    assert undoable(db, made.id) is None
    with pytest.raises(NotFound, match="nothing to undo"):
        undo(db, made.id, "ada")


def test_an_edit_after_undo_ends_redo(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="a")
    undo(db, made.id, "ada")
    found = redoable(db, made.id)
    assert found is not None
    assert found.label == "a"
    apply_edits(db, made.id, cells(shop, limit="5"), author="ada", label="b")
    assert redoable(db, made.id) is None
    with pytest.raises(NotFound):
        redo(db, made.id, "ada")
    undo(db, made.id, "ada")
    assert undoable(db, made.id) is None


def test_an_earlier_change_can_be_undone_beside_later_ones(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="a")
    now = load(db, made.id).project
    apply_edits(db, made.id, cells(now, limit="5"), author="bob", label="b")
    done = undo(db, made.id, "ada", number=2)
    assert latency(done.loaded) == "30 ms"
    assert to_plain(done.loaded.project.patterns[0])["limit"] == "5"
    with pytest.raises(Conflict, match="does not stand any more"):
        undo(db, made.id, "ada", number=2)


def test_undo_is_refused_where_the_cell_moved_on(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="Slower")
    now = load(db, made.id).project
    apply_edits(db, made.id, cells(now, latency="2 s"), author="bob", label="Slower still")
    with pytest.raises(Conflict, match=r"“Slower” cannot be taken back: bob changed") as caught:
        undo(db, made.id, "ada", number=2)
    assert (caught.value.yours, caught.value.theirs) == ("30 ms", "2 s")
    assert load(db, made.id).change == 3


def test_a_deleted_row_comes_back_as_the_same_row(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    gone = PartEdit("access_pattern", LOAD, to_plain(shop.patterns[0]), None)
    apply_edits(db, made.id, (gone,), author="ada", label="Delete")
    back = undo(db, made.id, "ada").loaded
    assert back.project == shop
    assert back.rows == made.rows
    assert back.versions[f"patterns/{LOAD}"] > made.versions[f"patterns/{LOAD}"]


SECOND = SHOP.replace("name: Documents", "name: Other").replace("10M", "20M")
THIRD = "keywright: 1\nname: Shop\npatterns: [{operation: New, get: user}]\n"


def assert_stored(db: Database, loaded: Loaded) -> None:
    """What a change gives back is what another process reads from the rows."""
    fresh = Database(db.url)
    assert load(fresh, loaded.id) == loaded
    for kind, rows in load(fresh, loaded.id).parts.items():
        assert list(rows) == list(loaded.parts[kind])
    fresh.close()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_undo_restores_exactly(db: Database, data: st.DataObject) -> None:
    """Any walk between projects, taken back step by step, shows each of them again, and forwards too."""
    texts = [SHOP, SECOND, THIRD]
    patterns = read_yaml(SHOP).patterns
    at = read_yaml(SHOP)
    made = create_project(db, at, "ada")
    states = [at]
    for _ in range(data.draw(st.integers(1, 4))):
        base = read_yaml(data.draw(st.sampled_from(texts)))
        if len(base.patterns) > 1:
            order = data.draw(st.permutations(patterns))
            kept = data.draw(st.integers(0, len(order)))
            base = base.model_copy(update={"patterns": tuple(order[:kept])})
        edits = diff(states[-1], base)
        if edits:
            done = apply_edits(db, made.id, edits, author="ada", label="x")
            assert write_yaml(done.loaded.project) == write_yaml(base)
            assert_stored(db, done.loaded)
            states.append(base)
    for state in reversed(states[:-1]):
        assert undo(db, made.id, "ada").loaded.project == state
    assert_stored(db, load(db, made.id))
    for state in states[1:]:
        assert redo(db, made.id, "ada").loaded.project == state
    assert_stored(db, load(db, made.id))


def test_a_rename_is_a_change_and_can_be_undone(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    assert rename_project(db, made.id, " Market ", "ada").loaded.project.name == "Market"
    assert undo(db, made.id, "ada").loaded.project == shop


def test_accepting_a_finding_is_a_change_with_name_and_date(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    at = "models/Documents/orders"
    done = accept(db, made.id, "stale-copy", at, author="ada", reason="fine", numbers={"age": "10 min"})
    (decision,) = done.loaded.project.decisions
    assert (decision.finding, decision.at, decision.by, decision.reason) == (
        "stale-copy", at, "ada", "fine",
    )  # fmt: skip
    assert len(decision.date) == 10
    assert dict(decision.numbers) == {"age": "10 min"}
    again = accept(db, made.id, "stale-copy", at, author="bob", reason="still fine")
    assert [d.by for d in again.loaded.project.decisions] == ["bob"]
    assert unaccept(db, made.id, "stale-copy", at, author="ada").loaded.project == shop
    with pytest.raises(NotFound):
        unaccept(db, made.id, "stale-copy", at, author="ada")
    assert undo(db, made.id, "ada").loaded.project.decisions == again.loaded.project.decisions


def test_history_comes_in_pages(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    for i in range(5):
        apply_edits(db, made.id, cells(load(db, made.id).project, limit=f"{i + 1}"), author="a", label="x")
    first = changes(db, made.id, limit=4)
    rest = changes(db, made.id, limit=4, before=first[-1].number)
    assert [c.number for c in (*first, *rest)] == [6, 5, 4, 3, 2, 1]
    assert rest[-1].kind == "create"
