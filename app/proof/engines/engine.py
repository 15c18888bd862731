"""What an engine's adapter has to do: the whole interface between the proof and a database.

An adapter is one module in this package that defines `ENGINE`; it is found by its name, which is that of the store.
Drivers are imported inside functions only, so that the studio runs without them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from app.model.candidate import Candidate
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.types import Plan, Record, World
from app.proof.build import Node, Seen, Stored
from app.proof.data import Row


class Refusal(Exception):
    """The engine does not take a statement. The text is the engine's own; `statement` what it was asked."""

    def __init__(self, said: str, statement: str = "") -> None:
        super().__init__(said)
        self.statement = statement


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be proved: the model with the project at the proof's scale, its kinds of record and plans."""

    project: Project
    model: Candidate
    world: World
    records: tuple[Record, ...]
    """Of the engine's own store only."""
    plans: Mapping[str, Plan]
    moment: datetime
    """The time that counts as now: what `now()` and `:now` mean."""

    def of(self, structure: str) -> tuple[Record, ...]:
        return tuple(r for r in self.records if r.structure == structure)


@dataclass(frozen=True, slots=True)
class Question:
    """One run of one pattern.

    `text`: the emitted query text. `values`: what the caller brings, by the name it has in the text. Of a read, `rows`
    are the logical records of the right page: an adapter may tell from them which buckets to ask for, as the
    application does. Of a write, `made` are the logical records it makes or changes, by entity, as they are afterwards;
    `put` the stored records as they must stand afterwards, `before` as they stood: an adapter finds there what `values`
    does not name (fields of a new record, a copied name, the key of a bucket). `explain`: the engine's own plan is
    wanted with it.
    """

    pattern: Pattern
    plan: Plan
    text: str
    values: Mapping[str, Any]
    rows: tuple[Row, ...] = ()
    made: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    put: tuple[Stored, ...] = ()
    before: tuple[Stored, ...] = ()
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """One request as it was sent. `examined`: records (or index entries where none was read) the engine went through;
    None: it does not tell. `scan`: it went through a whole structure. `sort`: it sorted in memory. `changed`: records
    it modified. `path`: the index or key it used, as the engine calls it. `further`: a page after the first,
    shown, and counted for nothing."""

    text: str
    plan: str = ""
    examined: float | None = None
    returned: float | None = None
    units: float | None = None
    scan: bool = False
    sort: bool = False
    changed: float = 0
    path: str = ""
    further: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `found`: records in the order they came, decoded (see `Seen`), after what the text leaves to the
    application was done. `further`: pages after the first, where the text pages. `number`: of a count. `groups`: of an
    aggregate worked out by the engine. `seconds`: spent waiting for the engine."""

    found: tuple[Seen, ...] = ()
    further: tuple[Seen, ...] = ()
    paged: bool = False
    number: float | None = None
    groups: tuple[Mapping[str, Any], ...] = ()
    requests: tuple[Evidence, ...] = ()
    seconds: float = 0.0


class Space(Protocol):
    """A fresh namespace on a server, and what is done in it. `drop` removes all of it, and nothing else."""

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        """Create the structures from the emitted script (file name → text). Raises Refusal."""

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        """Store records of one kind."""

    def ready(self) -> None:
        """Called once after loading: refresh statistics, wait for indexes."""

    def run(self, question: Question) -> Answer:
        """Run the emitted text of a read or write. Raises Refusal."""

    def key(self, stored: Stored) -> Hashable:
        """What the record is stored under: equal for two that are one and the same stored record."""

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        """What is stored now under the keys of these records, decoded; None where there is nothing. A bucket is a node
        of the values it holds itself, with its elements as `kids[-1]`."""

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        """Undo a write: records of `after` that are not in `before` go, those of `before` are put back."""

    def drop(self) -> None: ...


class Server(Protocol):
    """A connection. `engine` and `version` as the server tells them."""

    engine: str
    version: str

    def create(self, name: str) -> Space:
        """A namespace that did not exist. Raises ProofError where it does, or where it may not be made."""

    def close(self) -> None: ...


class Engine(Protocol):
    """`store`: the module's name. `modules`: what must be importable. `example`: a URL as one would type it."""

    store: str
    title: str
    modules: tuple[str, ...]
    example: str
    time_uuid: int
    """Version of identifiers in time order the store sorts by time: 1, or 6 where it compares bytes."""

    def key_of(self, stored: Stored, world: World, /) -> Hashable:
        """As `Space.key`, before there is a space."""

    def open(self, url: str) -> Server:
        """Connect. Raises ProofError when the server does not answer."""


__all__ = ["Answer", "Engine", "Evidence", "Job", "Question", "Refusal", "Server", "Space"]
