"""One run of one emitted SQL text on PostgreSQL: sent, timed, explained."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from app.plan.types import Level
from app.proof.build import Seen
from app.proof.engines.engine import Answer, Evidence, Job, Question
from app.proof.engines.postgresql_answer import Answers
from app.proof.engines.postgresql_explain import Explained, explained
from app.proof.engines.postgresql_names import Names
from app.proof.engines.postgresql_rows import Rows
from app.proof.engines.postgresql_text import Statement, statements
from app.stores.postgresql.script import KEYS

EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "
HELD = "keywright_held"
FEW = 1_000.0
"""Rows up to which a table is read from end to end because it has no more."""
MERE = 0.05
"""Share of the rows read from which on the server reads all of a table at any size, since pages are read as wholes."""


class Session(Protocol):
    """What a run needs of its schema. `sizes`: rows by table and partition."""

    connection: Any
    tables: Mapping[str, Rows]
    sizes: Mapping[str, float]

    def execute(self, statement: str, values: Any = None) -> Any: ...


class Running:
    """One run. A small table is read from end to end because it is small: such a plan is made once more without that,
    and the card says both."""

    def __init__(self, space: Session, job: Job, question: Question) -> None:
        self.space, self.job, self.question = space, job, question
        self.names = Names(question, job, space.tables)
        self.evidence: list[Evidence] = []
        self.seconds = 0.0

    def answer(self) -> Answer:
        found = statements(self.question.text)
        if self.question.pattern.is_write:
            for one in found:
                self._write(one)
            return Answer(requests=tuple(self.evidence), seconds=self.seconds)
        if any(s.writes for s in found):  # what is read is taken away
            with self._held():
                return self._read(found)
        return self._read(found)

    # ------------------------------------------------------------ reads

    def _read(self, found: Sequence[Statement]) -> Answer:
        pattern = self.question.pattern
        rows = [r for one in found if not one.following for r in self._asked(one)]
        if pattern.counts:
            number = float(next(iter(rows[0].values()))) if rows else None
            return Answer(number=number, requests=tuple(self.evidence), seconds=self.seconds)
        if pattern.figures:
            by = len([p for p in pattern.group_by.split(",") if p.strip()])
            groups = tuple(dict(list(r.items())[by:]) for r in rows)
            return Answer(groups=groups, requests=tuple(self.evidence), seconds=self.seconds)
        answers = Answers(self.question, self.job, self.space.tables)
        seen = tuple(s for r in rows for s in answers.seen(r))
        further, paged = self._further(found, rows, answers)
        return Answer(seen, further, paged, requests=tuple(self.evidence), seconds=self.seconds)

    def _further(
        self, found: Sequence[Statement], rows: Sequence[Mapping[str, Any]], answers: Answers
    ) -> tuple[tuple[Seen, ...], bool]:
        """The page behind the last row, where the text has one for it."""
        pages = [s for s in found if s.following]
        if not pages or not rows:
            return (), False
        seconds, sent = self.seconds, len(self.evidence)
        self.names.last = rows[-1]
        seen = tuple(s for one in pages for r in self._asked(one) for s in answers.seen(r))
        self.seconds = seconds  # a run's time is that of its first page
        self.evidence[sent:] = [replace(e, further=True) for e in self.evidence[sent:]]
        return seen, True

    def _asked(self, one: Statement) -> list[dict[str, Any]]:
        values = self.names.of_read(one)
        judged = self._explained(one, values) if self.question.explain else None
        began = time.perf_counter()
        cursor = self.space.execute(one.bound, values)
        rows = cursor.fetchall()
        self.seconds += time.perf_counter() - began
        names = [c.name for c in cursor.description]
        self._tell(one, judged, returned=float(len(rows)))
        return [dict(zip(names, row, strict=True)) for row in rows]

    # ------------------------------------------------------------ writes

    def _write(self, one: Statement) -> None:
        if one.around:
            self._sent(one, {})
            return
        for values in self.names.of_write(one):
            judged = self._explained(one, values) if one.verb != "INSERT" else None
            changed = self._sent(one, values)
            if one.table != KEYS:
                self._tell(one, judged, changed=changed)

    def _sent(self, one: Statement, values: Mapping[str, Any]) -> float:
        began = time.perf_counter()
        cursor = self.space.execute(one.bound, values)
        self.seconds += time.perf_counter() - began
        return float(max(0, cursor.rowcount)) if one.writes else 0.0

    # ------------------------------------------------------------ evidence

    def _tell(
        self, one: Statement, judged: tuple[Explained, str] | None, *, returned: float | None = None, changed: float = 0
    ) -> None:
        if judged is None:
            self.evidence.append(Evidence(one.text, returned=returned, changed=changed))
            return
        plan, said = judged
        self.evidence.append(
            Evidence(
                one.text,
                said,
                examined=plan.examined,
                returned=returned,
                scan=plan.scan,
                sort=plan.sort,
                changed=changed,
                path=plan.path,
            )
        )

    def _explained(self, one: Statement, values: Mapping[str, Any]) -> tuple[Explained, str]:
        """The plan that is judged, and the text of all that were made. What a statement changes is undone."""
        first = self._plan(one, values, ())
        if self.question.plan.level >= Level.SCAN:
            return first, first.text
        stored = any(s.order in ("stored", "reversed") for s in self.question.plan.every_step)
        off = [w for w, yes in (("seqscan", first.sequential is not None), ("sort", first.sort and stored)) if yes]
        if not off:
            return first, first.text
        if "sort" in off:
            off.append("bitmapscan")
        second = self._plan(one, values, off)
        without = " and ".join(f"enable_{w} = off" for w in off)
        both = f"{first.text}\nwith {without}: {second.text}"
        return (second if _by_size(first, second) else first), both

    def _plan(self, one: Statement, values: Mapping[str, Any], off: Sequence[str]) -> Explained:
        with self._held():
            for word in off:
                self.space.execute(f"SET LOCAL enable_{word} = off")
            said = self.space.execute(EXPLAIN + one.bound, values).fetchone()[0]
        return explained(said[0], self.space.sizes)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Whatever is done inside is undone: in a transaction of its own, or in a part of the one that is under way."""
        within = bool(self.space.connection.info.transaction_status)
        self.space.execute(f"SAVEPOINT {HELD}" if within else "BEGIN")
        yield
        self.space.execute(f"ROLLBACK TO SAVEPOINT {HELD}" if within else "ROLLBACK")


def _by_size(first: Explained, second: Explained) -> bool:
    """Was a table read from end to end only because the proof's copy of it is small? Else a larger one would be too."""
    if second.sequential is not None:
        return second.examined < first.examined
    return (first.sequential or 0.0) <= FEW or second.examined <= MERE * first.examined


__all__ = ["Running"]
