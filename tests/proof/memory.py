"""An engine that is a dictionary: what a proof asks of an adapter, without a server. It can be made to go wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.plan.types import Record, World
from app.proof.build import Node, Seen, Stored
from app.proof.engines.engine import Answer, Evidence, Job, Question
from app.proof.problem import ProofError


def key_of(stored: Stored) -> Hashable:
    return (
        stored.kind.name,
        str(sorted(stored.kind.key_attrs)),
        *(str(stored.root.values.get(a)) for a in sorted(stored.kind.key_attrs)),
    )


@dataclass
class MemoryEngine:
    """`answer`: what a read gives instead of the right rows. `examined`: per row that comes back. `log`: calls."""

    store: str = "mongodb"
    title: str = "Memory"
    modules: tuple[str, ...] = ("json",)
    example: str = "memory://here"
    time_uuid: int = 6
    there: set[str] = field(default_factory=set)
    log: list[str] = field(default_factory=list)
    answer: Callable[[Question, list[Seen]], list[Seen]] = lambda _, found: found
    write: bool = True
    examined: float = 1.0
    scan: bool = False
    sort: bool = False
    requests: int = 1
    changed: float = 1
    fails_at: str = ""
    error: Exception = field(default_factory=lambda: RuntimeError("it went wrong"))

    def may(self, what: str) -> None:
        self.log.append(what)
        if self.fails_at == what:
            raise self.error

    def open(self, url: str) -> MemoryServer:
        self.may("open")
        return MemoryServer(self)

    def key_of(self, stored: Stored, _world: World, /) -> Hashable:
        return key_of(stored)


class MemoryServer:
    engine, version = "Memory", "1.0"

    def __init__(self, made: MemoryEngine) -> None:
        self.made = made

    def create(self, name: str) -> MemorySpace:
        self.made.may("create")
        if name in self.made.there:
            raise ProofError(f"The space {name} exists.")
        self.made.there.add(name)
        return MemorySpace(self.made, name)

    def close(self) -> None:
        self.made.log.append("close")


class MemorySpace:
    def __init__(self, made: MemoryEngine, name: str) -> None:
        self.made, self.name = made, name
        self.held: dict[Hashable, Stored] = {}
        self.job: Job | None = None

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        self.job = job
        self.made.may("build")

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        self.made.may("load")
        self.held.update({key_of(s): s for s in stored})

    def ready(self) -> None:
        self.made.may("ready")

    def key(self, stored: Stored) -> Hashable:
        return key_of(stored)

    def run(self, question: Question) -> Answer:
        self.made.may("run")
        if question.pattern.is_write:
            if self.made.write:
                for stored in question.before:
                    self.held.pop(key_of(stored), None)
                self.held.update({key_of(s): s for s in question.put})
            return Answer(requests=(Evidence("write", changed=self.made.changed),))
        wanted = {id(r) for r in question.rows}
        right = {id(s.root.row): Seen(s.kind, s.root) for s in self.held.values() if id(s.root.row) in wanted}
        found = self.made.answer(question, [right[id(r)] for r in question.rows if id(r) in right])
        n = float(len(found))
        share = n / self.made.requests
        evidence = Evidence(
            "read", "a plan", examined=share * self.made.examined, returned=share, scan=self.made.scan,
            sort=self.made.sort,
        )  # fmt: skip
        return Answer(tuple(found), requests=(evidence,) * self.made.requests, seconds=0.001)

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        self.made.may("look")
        found = [self.held.get(key_of(s)) for s in stored]
        return [s.root if s is not None else None for s in found]

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        self.made.may("restore")
        for stored in after:
            self.held.pop(key_of(stored), None)
        self.held.update({key_of(s): s for s in before})

    def drop(self) -> None:
        self.made.log.append("drop")
        self.made.there.discard(self.name)


def values(seen: Seen, **changed: Any) -> Seen:
    """The same record with other values."""
    return Seen(seen.kind, Node(0, {**seen.root.values, **changed}, seen.root.kids))
