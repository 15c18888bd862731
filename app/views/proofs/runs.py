"""The one proof that may run on this server: in a thread of its own, seen by everybody, stopped by anybody.

One at a time: a proof measures times, and two on one machine would measure each other.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import SecretStr

from app.analysis import Report
from app.errors import AppError, Refused
from app.proof.problem import Cancelled, told, without_secrets
from app.proof.types import Proof
from app.storage import proofs
from app.storage.engine import Database
from app.storage.proofs import Run, Wanted
from app.storage.tables import now
from app.stores import STORES

log = logging.getLogger(__name__)
CLOSING_SECONDS = 15
"""How long a stopping server waits for a proof to drop what it made."""


class Occupied(AppError):
    """Another proof runs; this one was not started."""

    status = 409
    title = "A proof is running already"


class Step(Protocol):
    """Where a proof stands."""

    @property
    def step(self) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


class Missing(Protocol):
    """Whether models of a store can be proved; `why`: what is missing, or empty."""

    @property
    def why(self) -> str: ...


class Door(Protocol):
    """What is used of `app.proof.run`; tests hand in another."""

    engines: Callable[[], Mapping[str, Any]]
    prove: Callable[..., Proof]


@dataclass(eq=False)
class Live:
    """The proof that runs."""

    run: Run
    report: Report
    at: Step | None = None
    stopping: threading.Event = field(default_factory=threading.Event)

    def note(self, step: Step) -> None:
        self.at = step


class Prover:
    """Starts, shows and stops proofs. One per process; what ran when it is made is marked as interrupted."""

    def __init__(self, db: Database, engines: Mapping[str, SecretStr], door: Door | None = None) -> None:
        self.db = db
        self._engines = engines
        self._door = door
        self._live: Live | None = None
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()
        self._closing = False
        proofs.interrupt(db)

    @property
    def door(self) -> Door:
        """Drivers and data makers are loaded at the first proof, not when the studio starts."""
        if self._door is None:
            from app.proof import run  # noqa: PLC0415

            self._door = run
        return self._door

    @property
    def live(self) -> Live | None:
        return self._live

    def configured(self, store: str) -> bool:
        """Whether the operator named an engine for this store."""
        return store in self._engines

    def lacking(self, store: str) -> str:
        """Why a configured engine cannot be used all the same; empty: it can."""
        found: Missing | None = self.door.engines().get(store)
        return found.why if found else f"Models of {store} cannot be proved yet."

    def start(self, wanted: Wanted, report: Report, author: str) -> Run:
        """Begin a proof and come back at once.

        Raises:
            Refused: no engine is configured for the store, or its driver is missing.
            Occupied: one runs already. NotFound: no such project.
        """
        if not self.configured(wanted.store):
            raise Refused(
                f"No engine is configured for {wanted.store} here.",
                fix=f"Whoever runs this server sets KEYWRIGHT_PROVE_{wanted.store.upper()}.",
            )
        if why := self.lacking(wanted.store):
            raise Refused(why)
        with self._turn:
            if self._live is not None:
                raise Occupied(occupied(self._live.run, wanted.project_id), fix="Wait for it, or cancel it.")
            if self._closing:
                raise Refused("The server is stopping.")
            live = Live(proofs.begin(self.db, wanted, author), report)
            self._live = live
        self._thread = threading.Thread(target=self._work, args=(live,), name=f"proof-{live.run.id}", daemon=True)
        self._thread.start()
        return live.run

    def running(self, run_id: int) -> Live | None:
        """The proof with this number, while it runs here."""
        live = self._live
        return live if live is not None and live.run.id == run_id else None

    def cancel(self, project_id: int, run_id: int = 0) -> bool:
        """Stop the proof of a project, or only the one with that number. False: it does not run."""
        live = self._live
        if live is None or live.run.project_id != project_id or run_id not in {0, live.run.id}:
            return False
        live.stopping.set()
        return True

    def close(self) -> None:
        """Stop what runs and give it time to drop what it made."""
        with self._turn:
            self._closing = True
            live, thread = self._live, self._thread
        if live is not None and thread is not None:
            live.stopping.set()
            thread.join(CLOSING_SECONDS)

    def _work(self, live: Live) -> None:
        run = live.run
        url = self._engines[run.store].get_secret_value()
        try:
            proof = self.door.prove(
                live.report, run.model, url, scale=run.scale or None, seed=run.seed, change=run.change,
                date=now().date().isoformat(), progress=live.note, cancelled=live.stopping.is_set,
            )  # fmt: skip
            proofs.finish(self.db, run.id, proof)
        except Cancelled:
            if self._closing:
                proofs.stop(self.db, run.id, "interrupted", "The server was stopped while this proof ran.")
            else:
                proofs.stop(self.db, run.id, "cancelled", "Cancelled; what it had made in the engine is dropped.")
        except AppError as error:
            proofs.stop(self.db, run.id, "failed", told(error, url))
        except Exception as error:  # noqa: BLE001 - nobody above a thread would hear of it
            trace = without_secrets("".join(traceback.format_exception(error)), url)
            log.error("proof %s of %s broke:\n%s", run.id, run.store, trace)
            said = "The studio made a mistake; the log of the server says which. The project is as it was."
            proofs.stop(self.db, run.id, "failed", said)
        finally:
            with self._turn:
                self._live = None


def occupied(run: Run, project_id: int) -> str:
    """Which proof is in the way, and for how long already."""
    title = STORES[run.store].title if run.store in STORES else run.store
    where = "" if run.project_id == project_id else " of another project"
    return f"{run.model}{where} is being proved on {title}, since {clock(run.seconds)}; one runs at a time."


def clock(seconds: float) -> str:
    """`48 s`, `2 min 5 s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


__all__ = ["Live", "Occupied", "Prover", "clock", "occupied"]
