"""One proof from beginning to end: namespace, structures, data, every pattern, and everything dropped again."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from app.analysis import Report, analyse
from app.errors import AppError
from app.memory import Memory
from app.model.project import Project
from app.plan.types import Record
from app.proof.build import Builder, Stored
from app.proof.card import skipped
from app.proof.data import Data
from app.proof.engines.engine import Engine, Job, Refusal, Server, Space
from app.proof.generate import Generator
from app.proof.measure import Measured, Measuring
from app.proof.problem import ProofError, told, without_secrets
from app.proof.scale import counts_at, default_scale, scaled
from app.proof.types import Card, Proof

log = logging.getLogger("app.proof")
PREFIX = "keywright_proof_"
PIECE = 2_000
"""Records loaded before it is asked again whether somebody cancelled."""
AHEAD = timedelta(minutes=30)
"""How far the proof's own now lies ahead of the clock, so that nothing the engine expires is expired while it runs."""
Stand = Callable[[str, int, int], None]


class Proving:
    """One model on one engine. `stand(step, done, total)` is told of every step, and raises where it was cancelled."""

    def __init__(
        self, project: Project, model: str, engine: Engine, *, seed: int, runs: int, stand: Stand
    ) -> None:  # fmt: skip
        self.project, self.model, self.engine = project, model, engine
        self.seed, self.runs, self.stand = seed, runs, stand
        self.done = 0
        self.total = 1
        self.text = ""

    def on(self, url: str, *, scale: float | None, date: str, change: int) -> Proof:
        """The proof. Raises ProofError and Cancelled; whatever happens, what was made is dropped."""
        report = analyse(self.project, Memory())
        made = report.model(self.model)
        if made is None:
            raise ProofError(f"There is no model called {self.model!r}.")
        mine = tuple(r for r in made.records if r.dialect.store == made.model.store)
        part = default_scale(report.world, _sizes(mine)) if scale is None else scale
        self.total = 2 + len(mine) + len(self.project.patterns)
        self._step(f"connecting to {self.engine.title}")
        try:
            with self._server(url) as server:
                return self._proof(server, url, report, mine, part, date=date, change=change)
        except AppError:
            raise
        except Exception as wrong:  # a driver's own, or a mistake of the studio: a sentence all the same
            log.info("a proof broke:\n%s", without_secrets("".join(traceback.format_exception(wrong)), url))
            raise ProofError(
                f"It broke at the step “{self.text}”: {type(wrong).__name__}: {told(wrong, url)}.",
                place=f"models/{self.model}",
                fix="What it had made is dropped. Try again; if it breaks again, report it with this sentence.",
            ) from wrong

    def _proof(
        self, server: Server, url: str, report: Report, mine: tuple[Record, ...], part: float, *, date: str, change: int
    ) -> Proof:
        made = report.models[next(i for i, m in enumerate(report.models) if m.model.name == self.model)]
        self._step("making data")
        moment = datetime.now(UTC).replace(microsecond=0) + AHEAD
        generator = Generator(
            self.project, report.world, counts_at(report.world, part), part, self.seed, moment,
            getattr(self.engine, "time_uuid", 6),
        )  # fmt: skip
        data = generator.all(self._again)
        builder = Builder(data, made.model, mine, getattr(self.engine, "holds", lambda *_: True))
        loads: dict[str, list[Stored]] = {}
        for kind in self._unique(builder, data, mine):
            loads[kind.name] = builder.all(kind, self._again)
        small = analyse(scaled(self.project, data, part), Memory())
        job = Job(self.project, made.model, report.world, tuple(mine), made.plans, moment)
        with self._space(server, url) as space:
            self._build(space, job, report)
            self._load(space, mine, loads)
            cards = self._cards(report, small, Measuring(generator, builder, space, job, self.runs, url))
            return Proof(
                model=self.model, store=made.model.store, engine=server.engine, version=server.version, date=date,
                scale=part, seed=self.seed, records=_loaded(mine, loads), change=change, cards=tuple(cards),
            )  # fmt: skip

    def _step(self, text: str) -> None:
        self.text = text
        self.stand(text, min(self.done, self.total), self.total)
        self.done += 1

    def _again(self) -> None:
        """Within a step: has somebody cancelled?"""
        self.stand(self.text, min(self.done - 1, self.total), self.total)

    @contextmanager
    def _server(self, url: str) -> Iterator[Server]:
        server = self.engine.open(url)
        try:
            yield server
        finally:
            server.close()

    @contextmanager
    def _space(self, server: Server, url: str) -> Iterator[Space]:
        """A namespace of its own, dropped at the end whatever happened."""
        space = server.create(PREFIX + secrets.token_hex(6))
        try:
            yield space
        finally:
            try:
                space.drop()
            except Exception as wrong:  # whatever a driver raises
                log.error("the namespace of a proof could not be dropped: %s", told(wrong, url))
                raise ProofError(
                    f"What the proof made could not be dropped: {told(wrong, url)}.",
                    fix=f"Drop what begins with {PREFIX} yourself.",
                ) from wrong

    def _unique(self, builder: Builder, data: Data, kinds: Sequence[Record]) -> Sequence[Record]:
        """Values inside their parent have no key: of those that would be stored under one key, one is kept."""
        for kind in kinds:
            repeats = not kind.truth and any(k.truth and k.of == kind.of for k in kinds)
            if data.world.keys.get(kind.of) or kind.group > 1 or repeats or not kind.key_attrs:
                continue
            seen: set[Hashable] = set()
            kept = []
            for row in data.rows.get(kind.of, ()):
                keys = {self.engine.key_of(stored, builder.world) for stored in builder.of(kind, (row,))}
                if not keys & seen:
                    kept.append(row)
                    seen |= keys
            data.replace(kind.of, kept)
        return kinds

    def _build(self, space: Space, job: Job, report: Report) -> None:
        made = report.model(self.model)
        if made is None:
            raise ProofError(f"There is no model called {self.model!r}.")
        try:
            space.build(job, made.store.script(made.model, self.project, report.world))
        except Refusal as no:
            raise ProofError(
                f"{self.engine.title} does not take the model's script: {no}.",
                place=f"models/{self.model}",
                fix="See the findings of its structures.",
            ) from no

    def _load(self, space: Space, kinds: Sequence[Record], loads: dict[str, list[Stored]]) -> None:
        for kind in kinds:
            stored = loads[kind.name]
            self._step(f"loading {len(stored):,} records of {kind.name}")
            try:
                for at in range(0, len(stored), PIECE):
                    self._again()
                    space.load(kind, stored[at : at + PIECE])
            except Refusal as no:
                raise ProofError(
                    f"{self.engine.title} does not take a record of {kind.name}: {no}.", place=f"models/{self.model}"
                ) from no
        space.ready()

    def _cards(self, report: Report, small: Report, measuring: Measuring) -> list[Card]:
        """Reads first, while everything is as it was loaded; then writes, each undone after it was looked at."""
        made, scaled_model = report.model(self.model), small.model(self.model)
        found: dict[str, Card] = {}
        if made is None or scaled_model is None:
            return []
        patterns = sorted(self.project.patterns, key=lambda p: p.is_write)
        for pattern in patterns:
            self._step(pattern.operation)
            plan, planned = made.plans[pattern.operation], scaled_model.plans[pattern.operation]
            text = made.store.query(pattern, plan, made.model, report.world)
            case = Measured(pattern, plan, planned, text)
            why = measuring.cannot(case)
            found[pattern.operation] = skipped(case, why) if why else measuring.card(case, self._again)
        return [found[p.operation] for p in self.project.patterns]


def _sizes(kinds: Sequence[Record]) -> dict[str, float]:
    """Bytes of the largest record of each entity."""
    found: dict[str, float] = {}
    for kind in kinds:
        found[kind.of] = max(found.get(kind.of, 0.0), kind.size.avg / max(1.0, kind.group))
    return found


def _loaded(kinds: Sequence[Record], loads: dict[str, list[Stored]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind in kinds:
        found[kind.structure] = found.get(kind.structure, 0) + len(loads[kind.name])
    return found
