"""Proofs as they are kept: what runs, the current one, what is forgotten, and when one no longer holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from alembic import command
from app.errors import NotFound
from app.model.project import Project
from app.model.text import write_yaml
from app.proof.standing import Standing, basis, loaded, moved, standing, tally
from app.proof.types import Card, Proof, Request
from app.storage import projects, proofs
from app.storage.edits import apply_edits
from app.storage.engine import Database
from app.storage.history import undo
from app.storage.migrate import alembic_config, migrate, open_database
from app.storage.proofs import KEPT, Run, Wanted
from tests.storage.conftest import LOAD, cells


def card(operation: str, verdict: str = "agrees", why: str = "") -> Card:
    return Card(
        operation=operation, verdict=verdict, why=why, level="key lookup", planned_requests=1, planned_examined=1,
        requests=(Request(text="find", plan="IXSCAN", examined=1, returned=1),), examined=1, returned=1,
        rows="right", runs=20, median_ms=0.4, p99_ms=1.1,
    )  # fmt: skip


def a_proof(*cards: Card, change: int = 1) -> Proof:
    return Proof(
        model="Documents", store="mongodb", engine="MongoDB", version="6.0.5", date="2026-11-30", scale=0.001, seed=1,
        records={"orders": 10_000, "users": 1_000}, change=change, cards=cards or (card(LOAD),),
    )  # fmt: skip


def wanted(db: Database, project_id: int, *, store: str = "mongodb") -> Wanted:
    loaded = projects.load(db, project_id)
    row = loaded.rows["models/Documents"]
    return Wanted(project_id, row, "Documents", store, loaded.change, basis(loaded.project, "Documents"))


@pytest.fixture
def shop_id(db: Database, shop: Project) -> int:
    return projects.create_project(db, shop, "ada").id


def proved(db: Database, project_id: int, proof: Proof | None = None) -> Run:
    run = proofs.begin(db, wanted(db, project_id), "ada")
    proofs.finish(db, run.id, proof or a_proof())
    return proofs.load_run(db, project_id, run.id)


class TestKept:
    def test_a_run_begins_and_ends_with_its_result(self, db: Database, shop_id: int) -> None:
        run = proofs.begin(db, wanted(db, shop_id), "ada")
        assert (run.state, run.change, run.proof, run.engine) == ("running", 1, None, "")
        proofs.finish(db, run.id, a_proof())
        done = proofs.load_run(db, shop_id, run.id)
        assert done.proof == a_proof()
        assert (done.state, done.engine, done.cards, done.count("agrees")) == ("done", "MongoDB 6.0.5", 1, 1)
        assert done.ended_at is not None
        assert done.seconds >= 0

    def test_lists_come_without_results_and_the_current_one_with_it(self, db: Database, shop_id: int) -> None:
        first, second = proved(db, shop_id), proved(db, shop_id, a_proof(card(LOAD, "differs", "It scans.")))
        listed = proofs.runs(db, shop_id)
        assert [r.id for r in listed] == [second.id, first.id]
        assert all(r.proof is None for r in listed)
        assert [r.count("differs") for r in listed] == [1, 0]
        (now,) = proofs.current(db, shop_id)
        assert now.id == second.id
        assert now.proof is not None
        assert now.proof.count("differs") == 1

    def test_each_store_has_a_current_one_of_its_own(self, db: Database, shop_id: int) -> None:
        proved(db, shop_id)
        other = proofs.begin(db, wanted(db, shop_id, store="redis"), "ada")
        proofs.finish(db, other.id, a_proof())
        assert [r.store for r in proofs.current(db, shop_id)] == ["mongodb", "redis"]

    def test_only_the_newest_are_kept(self, db: Database, shop_id: int) -> None:
        made = [proved(db, shop_id).id for _ in range(KEPT + 2)]
        assert [r.id for r in proofs.runs(db, shop_id)] == made[: -KEPT - 1 : -1]

    def test_what_failed_is_forgotten_at_the_next_try_and_what_was_proved_is_not(
        self, db: Database, shop_id: int
    ) -> None:
        good = proved(db, shop_id)
        bad = proofs.begin(db, wanted(db, shop_id), "ada")
        proofs.stop(db, bad.id, "failed", "The server does not answer.")
        assert next((r.state, r.said) for r in proofs.runs(db, shop_id)) == ("failed", "The server does not answer.")
        again = proofs.begin(db, wanted(db, shop_id), "ada")
        assert [r.id for r in proofs.runs(db, shop_id)] == [again.id, good.id]
        assert [r.id for r in proofs.current(db, shop_id)] == [good.id]

    def test_a_restart_interrupts_what_ran(self, db: Database, shop_id: int) -> None:
        done, run = proved(db, shop_id), proofs.begin(db, wanted(db, shop_id), "ada")
        assert proofs.interrupt(db) == 1
        assert proofs.interrupt(db) == 0
        stopped = proofs.load_run(db, shop_id, run.id)
        assert stopped.state == "interrupted"
        assert "started again" in stopped.said
        assert proofs.load_run(db, shop_id, done.id).state == "done"

    def test_it_belongs_to_its_project_alone(self, db: Database, shop: Project, shop_id: int) -> None:
        run = proved(db, shop_id)
        other = projects.create_project(db, shop, "ada").id
        assert proofs.runs(db, other) == []
        with pytest.raises(NotFound):
            proofs.load_run(db, other, run.id)

    def test_a_copy_and_a_project_file_carry_none(self, db: Database, shop_id: int) -> None:
        proved(db, shop_id)
        copy = projects.duplicate_project(db, shop_id, "ada")
        assert proofs.current(db, copy.id) == []
        assert "MongoDB 6.0.5" not in write_yaml(projects.load(db, shop_id).project)

    def test_it_goes_and_comes_back_with_its_project(self, db: Database, shop_id: int) -> None:
        run = proved(db, shop_id)
        projects.delete_project(db, shop_id)
        for ask in (proofs.runs, proofs.current):
            with pytest.raises(NotFound):
                ask(db, shop_id)
        with pytest.raises(NotFound):
            proofs.begin(db, wanted_of(run), "ada")
        projects.restore_project(db, shop_id)
        assert [r.id for r in proofs.runs(db, shop_id)] == [run.id]

    def test_its_rows_are_deleted_with_the_row_of_the_project(self, db: Database, shop_id: int) -> None:
        proved(db, shop_id)
        with db.write() as session:
            session.connection().exec_driver_sql("DELETE FROM project")
            assert session.connection().exec_driver_sql("SELECT count(*) FROM proof").scalar_one() == 0


def wanted_of(run: Run) -> Wanted:
    return Wanted(run.project_id, run.model_row, run.model, run.store, run.change, run.basis)


class TestStanding:
    def stand(self, db: Database, project_id: int, run: Run) -> Standing:
        assert run.proof is not None
        return standing(run.proof, run.basis, projects.load(db, project_id).project, "Documents")

    def test_it_holds_until_something_that_matters_changes(self, db: Database, shop_id: int) -> None:
        run = proved(db, shop_id)
        assert self.stand(db, shop_id, run).since == ""
        project = projects.load(db, shop_id).project
        apply_edits(db, shop_id, cells(project, note="Read by everybody"), author="ada", label="note")
        project = projects.load(db, shop_id).project
        apply_edits(db, shop_id, cells(project, rate="1000/s"), author="ada", label="rate")
        after = self.stand(db, shop_id, run)
        assert projects.load(db, shop_id).change == 3
        assert after.since == ""
        assert after.card(LOAD) is not None

    def test_a_changed_pattern_has_no_evidence_until_the_change_is_taken_back(self, db: Database, shop_id: int) -> None:
        run = proved(db, shop_id)
        project = projects.load(db, shop_id).project
        apply_edits(db, shop_id, cells(project, where="order.status = :s"), author="ada", label="where")
        after = self.stand(db, shop_id, run)
        assert after.since == "A pattern has changed since."
        assert after.card(LOAD) is None
        undo(db, shop_id, "ada")
        assert self.stand(db, shop_id, run).since == ""

    def test_what_changed_is_said(self, shop: Project) -> None:
        then = basis(shop, "Documents")
        model = shop.models[0]
        fewer = shop.model_copy(update={"models": (model.model_copy(update={"structures": model.structures[:1]}),)})
        assert moved(then, basis(fewer, "Documents")) == ("the model",)
        renamed = shop.model_copy(update={"models": (model.model_copy(update={"name": "Docs", "chosen": True}),)})
        assert moved(then, basis(renamed, "Docs")) == ()
        less = shop.model_copy(update={"entities": shop.entities[:1]})
        assert moved(then, basis(less, "Documents")) == ("the entities",)
        words = Standing(a_proof(), ("the model", "the entities", "2 patterns")).since
        assert words == "The model, the entities and 2 patterns have changed since."

    def test_a_proof_in_one_line(self) -> None:
        proof = a_proof(card("A"), card("B", "differs", "It scans."), card("C", "skipped", "Impossible."))
        assert tally(proof) == "1 of 3 patterns agree, 1 differs, 1 skipped"
        assert loaded(proof) == "11,000 records, 0.1 % of the project’s counts"


def test_the_migration_keeps_every_row_of_an_older_database(tmp_path: Path, shop: Project) -> None:
    """Filled at 0001, brought to the newest, taken back: nothing but the table of proofs comes and goes."""
    url = f"sqlite:///{tmp_path / 'old.db'}"
    migrate(url)
    command.downgrade(alembic_config(url), "0001")
    names = ("project", "entity", "relationship", "access_pattern", "candidate_model", "change")

    def counts() -> dict[str, int]:
        with sqlite3.connect(tmp_path / "old.db") as connection:
            found = {n: connection.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names}
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        connection.close()
        return {**found, "tables": len(tables)}

    old = Database(url)
    made = projects.create_project(old, shop, "ada")
    old.close()
    before = counts()
    assert min(before.values()) >= 1
    newer = open_database(url)
    assert projects.load(newer, made.id).project == shop
    proved(newer, made.id)
    newer.close()
    assert counts() == {**before, "tables": before["tables"] + 1}
    command.downgrade(alembic_config(url), "0001")
    assert counts() == before
