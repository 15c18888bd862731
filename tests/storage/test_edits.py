"""The one function that changes a project: nothing is lost, and no cell is overwritten unseen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.errors import BadInput, Clash, Conflict, NotFound
from app.model.edit import PartEdit, diff
from app.model.plain import to_plain
from app.model.project import Project
from app.storage.edits import apply_edits
from app.storage.engine import Database
from app.storage.history import changes
from app.storage.migrate import open_database
from app.storage.parts import load
from app.storage.projects import create_project
from tests.storage.conftest import LOAD, cells

PLACE = f"patterns/{LOAD}"


def text_of(project: Project, cell: str, operation: str = LOAD) -> object:
    return to_plain(project.pattern(operation)).get(cell)


def test_an_edit_is_stored_and_recorded(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    edits = cells(shop, latency="10 ms")
    done = apply_edits(db, first.id, edits, author="ada", label="Latency")
    assert done.number == done.loaded.change == 2
    assert text_of(done.loaded.project, "latency") == "10 ms"
    assert done.loaded.versions[PLACE] == 2
    newest = changes(db, first.id)[0]
    assert (newest.author, newest.label, newest.kind) == ("ada", "Latency", "edit")
    assert newest.edits == edits

    again = Database(db.url)
    assert load(again, first.id).project == done.loaded.project
    again.close()


def test_an_edit_replaces_only_the_part_it_touches(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    done = apply_edits(db, first.id, cells(shop, latency="10 ms"), author="ada", label="x")
    old, new = first.project, done.loaded.project
    assert new.entities is old.entities
    assert new.relationships is old.relationships
    assert new.models is old.models
    assert new.patterns[0] is not old.patterns[0]
    assert new.patterns[1] is old.patterns[1]
    assert load(db, first.id) is load(db, first.id) is done.loaded


def test_an_edit_that_changes_nothing_is_not_recorded(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    done = apply_edits(db, first.id, cells(shop), author="ada", label="x")
    assert done.number is None
    assert load(db, first.id).change == 1


def test_two_people_in_different_cells_of_one_row_both_win(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    for author, edits in (
        ("ada", cells(shop, latency="10 ms")),
        ("bob", cells(shop, rate={"avg": "500/s", "peak": "2k/s"})),
        ("cy", cells(shop, order_by="order.created_at")),
    ):
        apply_edits(db, first.id, edits, author=author, label="x", based_on={PLACE: first.versions[PLACE]})
    row = to_plain(load(db, first.id).project.patterns[0])
    assert row["latency"] == "10 ms"
    assert row["rate"] == {"avg": "500/s", "peak": "2k/s"}
    assert row["order by"] == "order.created_at"


def test_two_people_in_one_cell_get_both_values(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    apply_edits(db, first.id, cells(shop, latency="10 ms"), author="ada", label="x")
    with pytest.raises(Conflict, match="changed patterns/Load order in the meantime") as caught:
        apply_edits(db, first.id, cells(shop, latency="50 ms"), author="bob", label="x")
    assert caught.value.status == 409
    assert caught.value.clashes == (Clash(PLACE, "latency", "30 ms", "50 ms", "10 ms", "ada"),)
    assert (caught.value.yours, caught.value.theirs) == ("50 ms", "10 ms")
    assert load(db, first.id).change == 2
    assert text_of(load(db, first.id).project, "latency") == "10 ms"


def test_the_version_seen_counts_when_the_edit_was_built_on_newer_values(db: Database, shop: Project) -> None:
    """A page sends one cell and the version it showed; the server builds the edit from what is now."""
    first = create_project(db, shop, "ada")
    seen = first.versions
    apply_edits(db, first.id, cells(shop, latency="10 ms"), author="ada", label="x")
    now = load(db, first.id).project
    with pytest.raises(Conflict) as caught:
        apply_edits(db, first.id, cells(now, latency="50 ms"), author="bob", label="x", based_on=seen)
    assert caught.value.clashes == (Clash(PLACE, "latency", "30 ms", "50 ms", "10 ms", "ada"),)
    done = apply_edits(db, first.id, cells(now, limit="5"), author="bob", label="x", based_on=seen)
    assert text_of(done.loaded.project, "limit") == "5"
    assert text_of(done.loaded.project, "latency") == "10 ms"


def test_who_takes_theirs_or_yours_is_not_asked_twice(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    apply_edits(db, first.id, cells(shop, latency="10 ms"), author="ada", label="x")
    now = load(db, first.id)
    mine = cells(now.project, latency="50 ms")
    done = apply_edits(db, first.id, mine, author="bob", label="x", based_on=now.versions)
    assert text_of(done.loaded.project, "latency") == "50 ms"


def test_cells_that_fit_no_more_together_are_a_conflict(db: Database, shop: Project) -> None:
    """Each change of the action reads well; a row with two actions does not."""
    first = create_project(db, shop, "ada")
    apply_edits(db, first.id, cells(shop, get=None, list="order"), author="ada", label="x")
    with pytest.raises(Conflict) as caught:
        apply_edits(db, first.id, cells(shop, get=None, count="order"), author="bob", label="x")
    assert caught.value.clashes[0].field == ""
    assert caught.value.theirs["list"] == "order"
    assert caught.value.yours["count"] == "order"


def test_changing_what_somebody_deleted_is_a_conflict(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    gone = PartEdit("access_pattern", LOAD, to_plain(shop.patterns[0]), None)
    apply_edits(db, first.id, (gone,), author="ada", label="Delete")
    with pytest.raises(Conflict) as caught:
        apply_edits(db, first.id, cells(shop, latency="1 s"), author="bob", label="x")
    assert caught.value.theirs is None
    assert apply_edits(db, first.id, (gone,), author="bob", label="Delete").number is None


def test_an_edit_finds_the_row_under_its_new_name(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    renamed = cells(shop, operation="Load an order")
    apply_edits(db, first.id, renamed, author="ada", label="Rename")
    done = apply_edits(db, first.id, cells(shop, latency="1 s"), author="bob", label="x")
    assert text_of(done.loaded.project, "latency", "Load an order") == "1 s"
    assert done.loaded.rows["patterns/Load an order"] == first.rows[PLACE]


def test_names_may_be_swapped_in_one_change(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    a, b = cells(shop, operation="Place order"), cells(shop, "Place order", operation=LOAD)
    done = apply_edits(db, first.id, (*a, *b), author="ada", label="Swap")
    assert [p.operation for p in done.loaded.project.patterns] == [
        "Place order", "Orders of a user", LOAD,
    ]  # fmt: skip
    assert done.loaded.rows["patterns/Place order"] == first.rows[PLACE]


def test_a_new_part_may_take_the_name_of_a_renamed_one(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    new = PartEdit("access_pattern", LOAD, None, {"operation": LOAD, "get": "user"}, at=0)
    renamed = cells(shop, operation="Old")
    done = apply_edits(db, first.id, (*renamed, new), author="ada", label="x")
    assert [p.operation for p in done.loaded.project.patterns][:2] == [LOAD, "Old"]


def test_a_name_twice_is_refused(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    with pytest.raises(BadInput, match="stands twice"):
        apply_edits(db, first.id, cells(shop, operation="Place order"), author="ada", label="x")
    new = PartEdit("access_pattern", LOAD, None, {"operation": LOAD, "get": "user"})
    with pytest.raises(Conflict):
        apply_edits(db, first.id, (new,), author="ada", label="x")
    assert load(db, first.id).project == shop


def test_what_does_not_read_is_refused_whole(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    edits = (*cells(shop, "Place order", rate="5/s"), *cells(shop, where="order.id = = 3"))
    with pytest.raises(BadInput) as caught:
        apply_edits(db, first.id, edits, author="ada", label="x")
    assert caught.value.place == PLACE
    assert load(db, first.id) is first


def test_parts_are_added_moved_and_removed_as_one_change(db: Database, shop: Project) -> None:
    first = create_project(db, shop, "ada")
    a, b, c = shop.patterns
    new = a.model_copy(update={"operation": "New"})
    wanted = shop.model_copy(update={"patterns": (c, new, a), "name": "Shop 2"})
    done = apply_edits(db, first.id, diff(shop, wanted), author="ada", label="Much")
    assert done.number == 2
    assert done.loaded.project == wanted
    again = Database(db.url)
    assert load(again, first.id).project == wanted
    again.close()
    assert b.operation not in {p.operation for p in done.loaded.project.patterns}


def test_unknown_and_deleted_projects_are_not_found(db: Database, shop: Project) -> None:
    with pytest.raises(NotFound):
        apply_edits(db, 7, cells(shop, latency="1 s"), author="ada", label="x")


def test_a_failed_change_leaves_nothing_remembered(db: Database, shop: Project) -> None:
    """What is remembered is what was committed."""
    first = create_project(db, shop, "ada")
    with pytest.raises(BadInput):
        apply_edits(db, first.id, cells(shop, operation="Place order"), author="ada", label="x")
    other = Database(db.url)
    apply_edits(other, first.id, cells(shop, latency="7 ms"), author="bob", label="x")
    other.close()
    assert text_of(load(db, first.id).project, "latency") == "7 ms"


def test_eight_threads_lose_none_of_four_hundred_edits(db: Database, shop: Project) -> None:
    """Each thread appends to a cell of its own; half of them share a row."""
    first = create_project(db, shop, "ada")
    columns = ("latency", "within", "batch", "limit")
    jobs = [(op, c) for op in (LOAD, "Orders of a user") for c in columns]

    def work(job: tuple[str, str]) -> list[int]:
        operation, column = job
        numbers = []
        for i in range(1, 51):
            unit = " s" if column in {"latency", "within"} else ""
            seen = load(db, first.id)
            edits = cells(seen.project, operation, **{column: f"{i}{unit}"})
            done = apply_edits(db, first.id, edits, author=column, label=f"{i}", based_on=seen.versions)
            numbers.append(done.number or 0)
        return numbers

    with ThreadPoolExecutor(8) as pool:
        numbers = sorted(n for found in pool.map(work, jobs) for n in found)
    assert numbers == list(range(2, 402))
    end = load(db, first.id)
    assert end.change == 401
    for operation, column in jobs:
        assert str(text_of(end.project, column, operation)).split()[0] == "50"
    assert len(changes(db, first.id, limit=1000)) == 401
    fresh = open_database(db.url)
    assert load(fresh, first.id).project == end.project
    fresh.close()
