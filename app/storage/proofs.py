"""Proofs of a project's models: one that runs, the current one of each model on each store, older ones.

A proof is no change of the project: it is not undone, not exported with the project file and not copied. It goes with
its project. What it says is kept with the marks of the parts it ran with, so that it is known when it no longer holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlmodel import Session, col, delete, select, update

from app.errors import NotFound
from app.model.project import Project
from app.proof.standing import VERDICTS, Basis, Standing, standing
from app.proof.types import Proof, Verdict
from app.storage.engine import Database
from app.storage.parts import live_project
from app.storage.tables import ProofRow, now

State = Literal["running", "done", "failed", "cancelled", "interrupted"]
KEPT = 6
"""Finished proofs kept of each model on each store, the current one among them."""
LISTED = tuple(column for column in ProofRow.__table__.columns if column.key != "result")  # type: ignore[attr-defined]
"""A whole proof holds the plans an engine gave; lists do without."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run, with or without its result. `scale` 0: chosen by the proof while it runs."""

    id: int
    project_id: int
    model_row: int
    model: str
    store: str
    state: State
    change: int
    basis: Basis
    scale: float
    seed: int
    author: str
    said: str
    counts: Mapping[str, Any]
    started_at: datetime
    ended_at: datetime | None
    proof: Proof | None = field(default=None, repr=False)

    @property
    def engine(self) -> str:
        """`MongoDB 6.0.5`; empty until it is done."""
        return f"{self.counts.get('engine', '')} {self.counts.get('version', '')}".strip()

    def count(self, verdict: Verdict) -> int:
        return int(self.counts.get(verdict, 0))

    @property
    def cards(self) -> int:
        return sum(self.count(v) for v in VERDICTS)

    @property
    def seconds(self) -> float:
        """How long it took, or has taken so far."""
        return ((self.ended_at or now()) - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be proved: a model of a project at a change, with what it runs with."""

    project_id: int
    model_row: int
    model: str
    store: str
    change: int
    basis: Basis
    scale: float = 0
    seed: int = 1


def begin(db: Database, wanted: Wanted, author: str) -> Run:
    """Note that a proof runs. What earlier failed or was stopped for the same model is forgotten.

    Raises:
        NotFound: no such project.
    """
    with db.write() as session:
        live_project(session, wanted.project_id, lock=True)
        same = _same(wanted.project_id, wanted.model_row, wanted.store)
        session.exec(delete(ProofRow).where(*same, col(ProofRow.state).not_in(("running", "done"))))
        row = ProofRow(
            project_id=wanted.project_id, model_row=wanted.model_row, model=wanted.model, store=wanted.store,
            state="running", change_number=wanted.change, basis=dict(wanted.basis), scale=wanted.scale,
            seed=wanted.seed, author=author,
        )  # fmt: skip
        session.add(row)
        session.flush()
        return _run(row.model_dump())


def finish(db: Database, run_id: int, proof: Proof) -> None:
    """Keep a proof as the current one of its model and store; the oldest ones go."""
    counts = {"engine": proof.engine, "version": proof.version, "records": sum(proof.records.values())}
    counts |= {verdict: proof.count(verdict) for verdict in VERDICTS}
    plain = proof.model_dump(mode="json")
    with db.write() as session:
        _end(session, run_id, "done", counts=counts, result=plain, scale=proof.scale, seed=proof.seed)
        row = session.get(ProofRow, run_id)
        if row is not None:
            _forget_oldest(session, row)


def stop(db: Database, run_id: int, state: State, said: str) -> None:
    """Note why a proof ended without a result."""
    with db.write() as session:
        _end(session, run_id, state, said=said)


def interrupt(db: Database) -> int:
    """Mark every proof that still says it runs: the server that ran it is gone. Returns how many there were."""
    with db.write() as session:
        running = col(ProofRow.state) == "running"
        said = "The server was started again while this proof ran."
        done = session.exec(update(ProofRow).where(running).values(state="interrupted", said=said, ended_at=now()))
        return int(done.rowcount)


def runs(db: Database, project_id: int) -> Sequence[Run]:
    """Every run of a project that is kept, without results, the newest first.

    Raises:
        NotFound: no such project, or it was deleted.
    """
    with db.read() as session:
        live_project(session, project_id)
        found = select(*LISTED).where(col(ProofRow.project_id) == project_id).order_by(col(ProofRow.id).desc())
        return [_run(dict(row)) for row in session.execute(found).mappings()]


def current(db: Database, project_id: int) -> Sequence[Run]:
    """The newest finished proof of each model on each store, with its result, in the order they were made."""
    newest: dict[tuple[int, str], int] = {}
    for run in runs(db, project_id):
        if run.state == "done":
            newest.setdefault((run.model_row, run.store), run.id)
    with db.read() as session:
        found = select(ProofRow).where(col(ProofRow.id).in_(newest.values())).order_by(col(ProofRow.id))
        return [_run(row.model_dump()) for row in session.exec(found)]


def standings(
    db: Database, project_id: int, project: Project, rows: Mapping[str, int]
) -> Mapping[str, tuple[Standing, ...]]:
    """By the name of a model: its current proofs, and how they stand to `project` (`rows`: of its places)."""
    out: dict[str, list[Standing]] = {}
    for run in current(db, project_id):
        name = next((m.name for m in project.models if rows.get(f"models/{m.name}") == run.model_row), None)
        if name is not None and run.proof is not None:
            out.setdefault(name, []).append(standing(run.proof, run.basis, project, name))
    return {name: tuple(found) for name, found in out.items()}


def load_run(db: Database, project_id: int, run_id: int) -> Run:
    """One run with its result.

    Raises:
        NotFound: this project has no such run.
    """
    with db.read() as session:
        live_project(session, project_id)
        row = session.get(ProofRow, run_id)
        if row is None or row.project_id != project_id:
            raise NotFound("There is no such proof of this project.", fix="Only the newest of each model are kept.")
        return _run(row.model_dump())


def _same(project_id: int, model_row: int, store: str) -> tuple[Any, ...]:
    mine = col(ProofRow.project_id) == project_id, col(ProofRow.model_row) == model_row
    return (*mine, col(ProofRow.store) == store)


def _end(session: Session, run_id: int, state: State, **values: Any) -> None:
    ended = {"state": state, "ended_at": now(), **values}
    session.exec(update(ProofRow).where(col(ProofRow.id) == run_id).values(**ended))


def _forget_oldest(session: Session, row: ProofRow) -> None:
    same = _same(row.project_id, row.model_row, row.store)
    done = select(ProofRow.id).where(*same, col(ProofRow.state) == "done").order_by(col(ProofRow.id).desc())
    gone = session.exec(done.offset(KEPT)).all()
    if gone:
        session.exec(delete(ProofRow).where(col(ProofRow.id).in_(gone)))


def _run(row: Mapping[str, Any]) -> Run:
    result = row.get("result")
    return Run(
        id=row["id"], project_id=row["project_id"], model_row=row["model_row"], model=row["model"], store=row["store"],
        state=row["state"], change=row["change_number"], basis=row["basis"], scale=row["scale"], seed=row["seed"],
        author=row["author"], said=row["said"], counts=row["counts"], started_at=row["started_at"],
        ended_at=row["ended_at"], proof=Proof.model_validate(result) if result else None,
    )  # fmt: skip


__all__ = [
    "KEPT", "Run", "State", "Wanted", "begin", "current", "finish", "interrupt", "load_run", "runs", "standings",
    "stop",
]  # fmt: skip
