"""Projects as a whole, their named versions and review links."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from app.errors import BadInput, Conflict, NotFound, Refused
from app.model.edit import diff
from app.model.project import Project
from app.model.text import read_yaml
from app.storage import links
from app.storage.edits import apply_edits
from app.storage.engine import Database
from app.storage.history import changes, undo
from app.storage.links import create_link, list_links, open_link, revoke_link
from app.storage.parts import load
from app.storage.projects import (
    create_project,
    delete_project,
    duplicate_project,
    list_projects,
    restore_project,
)
from app.storage.snapshots import create_snapshot, list_snapshots, load_snapshot, restore_snapshot
from app.storage.tables import EntityRow, LinkRow, now
from tests.storage.conftest import cells


def test_projects_are_listed_the_ones_changed_last_first(db: Database, shop: Project) -> None:
    a = create_project(db, shop, "ada")
    b = create_project(db, shop.model_copy(update={"name": "B"}), "ada")
    assert [(p.id, p.name) for p in list_projects(db)] == [(b.id, "B"), (a.id, "Shop")]
    apply_edits(db, a.id, cells(shop, latency="1 s"), author="ada", label="x")
    first, second = list_projects(db)
    assert (first.id, first.change, first.patterns, first.models) == (a.id, 2, 3, 1)
    assert (second.id, second.change) == (b.id, 1)


def test_a_project_is_stored_as_it_was_read(db: Database, shared: Path) -> None:
    for file in sorted((shared / "projects").glob("*.yaml")):
        project = read_yaml(file.read_text(encoding="utf-8"))
        made = create_project(db, project, "ada")
        fresh = Database(db.url)
        assert load(fresh, made.id).project == project, file.name
        fresh.close()


def test_a_project_built_around_the_checks_is_refused(db: Database, shop: Project) -> None:
    broken = shop.model_copy(update={"patterns": (shop.patterns[0], shop.patterns[0])})
    with pytest.raises(BadInput, match="stands twice"):
        create_project(db, broken, "ada")


def test_a_copy_has_a_life_of_its_own(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    copy = duplicate_project(db, made.id, "bob")
    assert copy.project == shop.model_copy(update={"name": "Shop (copy)"})
    apply_edits(db, copy.id, cells(shop, latency="1 s"), author="bob", label="x")
    assert load(db, made.id).project == shop
    assert changes(db, copy.id)[-1].label == "Copied from Shop"
    assert duplicate_project(db, made.id, "bob", "Third").project.name == "Third"


def test_a_deleted_project_comes_back_whole(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    done = apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="x")
    delete_project(db, made.id)
    assert list_projects(db) == []
    assert [p.id for p in list_projects(db, deleted=True)] == [made.id]
    with pytest.raises(NotFound, match=r"was deleted\. It can still be restored"):
        load(db, made.id)
    with pytest.raises(NotFound):
        apply_edits(db, made.id, cells(shop, latency="2 s"), author="ada", label="x")
    with pytest.raises(NotFound):
        delete_project(db, made.id)
    assert restore_project(db, made.id).project == done.loaded.project
    assert undo(db, made.id, "ada").loaded.project == shop
    with pytest.raises(NotFound):
        restore_project(db, 99)


def test_a_body_of_a_newer_version_is_refused(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    with db.write() as session:
        row = session.exec(select(EntityRow)).first()
        assert row is not None
        row.schema_version = 99
    fresh = Database(db.url)
    with pytest.raises(Refused, match="newer Keywright"):
        load(fresh, made.id)
    fresh.close()


def test_a_named_version_stays_as_it_was(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    kept = create_snapshot(db, made.id, " First ", "ada", note="for review")
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="x")
    create_snapshot(db, made.id, "Second", "ada")
    assert [s.name for s in list_snapshots(db, made.id)] == ["Second", "First"]
    snapshot, project = load_snapshot(db, made.id, kept.id)
    assert (snapshot.change, snapshot.note, snapshot.author) == (1, "for review", "ada")
    assert project == shop
    with pytest.raises(Conflict, match="called First already"):
        create_snapshot(db, made.id, "First", "bob")
    with pytest.raises(BadInput):
        create_snapshot(db, made.id, "  ", "bob")
    other = create_project(db, shop, "ada")
    with pytest.raises(NotFound):
        load_snapshot(db, other.id, kept.id)


def test_going_back_to_a_named_version_is_one_change(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    kept = create_snapshot(db, made.id, "v1", "ada")
    small = read_yaml("keywright: 1\nname: Small\nentities: [{name: order}]\n")
    apply_edits(db, made.id, diff(shop, small), author="ada", label="x")
    back = restore_snapshot(db, made.id, kept.id, "ada")
    assert back.loaded.project == shop
    assert changes(db, made.id)[0].label == "Back to version v1"
    assert undo(db, made.id, "ada").loaded.project == small


def test_a_link_shows_what_is_current_and_counts(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    link, secret = create_link(db, made.id, "ada", days=7, label="for Eve")
    assert link.expires_at - link.created_at == pytest.approx(timedelta(days=7), abs=timedelta(seconds=5))
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="x")
    shared = open_link(db, secret)
    assert shared.project == load(db, made.id).project
    assert (shared.project_id, shared.change, shared.snapshot) == (made.id, 2, None)
    open_link(db, secret)
    (listed,) = list_links(db, made.id)
    assert listed.views == 2
    assert listed.last_used_at is not None
    assert listed.is_open


def test_a_link_to_a_named_version_stays_there(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    kept = create_snapshot(db, made.id, "v1", "ada")
    _, secret = create_link(db, made.id, "ada", snapshot_id=kept.id)
    apply_edits(db, made.id, cells(shop, latency="1 s"), author="ada", label="x")
    shared = open_link(db, secret)
    assert shared.project == shop
    assert shared.snapshot == kept
    other = create_project(db, shop, "ada")
    with pytest.raises(NotFound):
        create_link(db, other.id, "ada", snapshot_id=kept.id)


def test_the_secret_is_not_kept(db: Database, shop: Project) -> None:
    made = create_project(db, shop, "ada")
    _, secret = create_link(db, made.id, "ada")
    number, _, rest = secret.partition(".")
    assert len(rest) >= 43
    with db.read() as session:
        row = session.get(LinkRow, int(number))
        assert row is not None
        assert rest not in str(row.model_dump())
        assert len(row.secret_hash) == 64


def test_closed_links_lead_nowhere(db: Database, shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    made = create_project(db, shop, "ada")
    link, secret = create_link(db, made.id, "ada", days=1)
    for wrong in ("", "x", "1", f"{link.id}.", f"{link.id}.wrong", f"99.{secret}", "²." + secret, "9" * 99 + ".x"):
        with pytest.raises(NotFound, match="does not lead anywhere"):
            open_link(db, wrong)
    with pytest.raises(NotFound):
        revoke_link(db, 99, link.id)
    revoked = revoke_link(db, made.id, link.id)
    assert not revoked.is_open
    assert revoke_link(db, made.id, link.id).revoked_at == revoked.revoked_at
    with pytest.raises(NotFound, match="was withdrawn"):
        open_link(db, secret)

    _, secret = create_link(db, made.id, "ada", days=1)
    delete_project(db, made.id)
    with pytest.raises(NotFound):
        open_link(db, secret)
    restore_project(db, made.id)
    open_link(db, secret)
    monkeypatch.setattr(links, "now", lambda: now() + timedelta(days=1, seconds=1))
    with pytest.raises(NotFound, match="has expired"):
        open_link(db, secret)
    with pytest.raises(BadInput, match="1, 7, 30, 90"):
        create_link(db, made.id, "ada", days=365)
