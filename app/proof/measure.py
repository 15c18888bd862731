"""Running one pattern many times: parameters, the right answer, the engine's answer, evidence."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from app.errors import AppError
from app.plan.lower import lower
from app.plan.types import Level, Query
from app.proof.build import Builder
from app.proof.card import Case, Tally, card
from app.proof.change import Writer
from app.proof.check import read_right
from app.proof.conditions import NotUnderstood
from app.proof.engines.engine import Job, Question, Refusal, Space
from app.proof.expected import Oracle
from app.proof.generate import Generator
from app.proof.problem import told, without_secrets
from app.proof.types import Card
from app.proof.values import seeded

log = logging.getLogger("app.proof")
Measured = Case


class Measuring:
    """Runs the patterns of one proof."""

    def __init__(
        self, generator: Generator, builder: Builder, space: Space, job: Job, runs: int, url: str = ""
    ) -> None:
        self.generator, self.builder, self.space, self.job, self.runs = generator, builder, space, job, runs
        self.url = url
        self.data = generator.data

    def cannot(self, case: Case) -> str:
        """Why a pattern is not run, as a sentence; empty where it can be."""
        plan, store = case.plan, self.job.model.store
        if plan.level is Level.IMPOSSIBLE:
            reasons = "; ".join(dict.fromkeys(m.what.rstrip(".") for m in plan.misses)) or "; ".join(plan.questions)
            return f"The plan says that it is impossible{f': {reasons}' if reasons else ''}."
        others = {s.store for s in plan.every_step} | {t.store for t in plan.touches}
        if others - {store}:
            return f"A part of it is served by {', '.join(sorted(others - {store}))}; only {store} is proved here."
        if case.pattern.action == "traverse":
            return "Walks from record to record are not run."
        if case.pattern.also and not case.pattern.is_write:
            return "It changes records while it reads, and what such a read leaves behind is not compared."
        if not case.plan.steps and not case.plan.touches:
            return "The model has no statement for it."
        return ""

    def card(self, case: Case, between: Callable[[], None]) -> Card:
        """All runs of a pattern."""
        tally = Tally()
        try:
            if case.pattern.is_write:
                Writer(self.generator, self.builder, self.space, self.job).runs(case, tally, self.runs, between)
            else:
                self._reads(case, tally, between)
        except Refusal as no:
            tally.refused = f"The engine does not take it: {no}."
        except NotUnderstood as no:
            tally.uncompared = f"It was not run, since nothing says what is right: {no}."
        except AppError:
            raise
        except Exception as wrong:  # noqa: BLE001 - whatever a driver raises: the other patterns are run all the same
            log.info("%s broke:\n%s", case.pattern.operation, without_secrets(traceback.format_exc(), self.url))
            tally.refused = f"It could not be run: {type(wrong).__name__}: {told(wrong, self.url)}."
        return card(case, tally)

    def _reads(self, case: Case, tally: Tally, between: Callable[[], None]) -> None:
        lowered = lower(case.pattern, self.job.world, self.job.project)
        oracle = Oracle(self.data, case.pattern, lowered if isinstance(lowered, Query) else None)
        rng = seeded(self.generator.seed, "runs", case.pattern.operation)
        for at in range(self.runs):
            between()
            values = oracle.draw(rng, at)
            expected = oracle.answer(values)
            asked = Question(case.pattern, case.plan, case.text, values, rows=expected.page, explain=True)
            answer = self.space.run(asked)
            tally.answers.append(answer)
            tally.expected.append(len(expected.page))
            tally.matched.append(len(expected.rows))
            if wrong := read_right(answer, expected, oracle, case.plan, self.builder):
                tally.wrong = f"Run {at + 1}: {wrong}."
                return
