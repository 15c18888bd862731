"""Writes: what an operation does to the logical records, run on the engine, looked at, and undone on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from app.model.conditions import Comparison, Conditions, Param
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Edge, Record
from app.plan.ways import place
from app.proof.build import Builder, Stored
from app.proof.card import Case, Tally
from app.proof.check import record_right
from app.proof.conditions import NotUnderstood, operand
from app.proof.data import Data, Long, Row, entity_of
from app.proof.engines.engine import Job, Question, Space
from app.proof.expected import Oracle
from app.proof.generate import Generator
from app.proof.values import seeded
from app.stores.common_write import Asked, asked, value_of

CHILDREN = 3
"""Children that are born with a record."""
TRIES = 50


@dataclass(slots=True)
class Doing:
    """One run of a write: the values it brings, and the rows it adds, changes and removes."""

    values: dict[str, Any] = field(default_factory=dict)
    ops: list[tuple[str, str, Row, Row]] = field(default_factory=list)
    """(add, change or remove; entity; row; new values)"""
    made: dict[str, list[Row]] = field(default_factory=dict)
    """By entity: the rows the operation makes or changes."""

    def add(self, entity: str, row: Row) -> None:
        self.ops.append(("add", entity, row, {}))
        self.made.setdefault(entity, []).append(row)

    def change(self, entity: str, row: Row, values: Row) -> None:
        self.ops.append(("change", entity, row, values))
        self.made.setdefault(entity, []).append(row)

    def remove(self, entity: str, row: Row) -> None:
        self.ops.append(("remove", entity, row, {}))


class Writer:
    """Runs one write pattern after another."""

    def __init__(self, generator: Generator, builder: Builder, space: Space, job: Job) -> None:
        self.generator, self.builder, self.space, self.job = generator, builder, space, job
        self.data: Data = generator.data
        self.world = generator.data.world

    def runs(self, case: Case, tally: Tally, runs: int, between: Callable[[], None]) -> None:
        rng = seeded(self.generator.seed, "writes", case.pattern.operation)
        for at in range(runs):
            between()
            wrong = self._run(case, tally, self._doing(case.pattern, rng))
            if wrong:
                tally.wrong = f"Run {at + 1}: {wrong}."
                return

    # ------------------------------------------------------------ one run

    def _run(self, case: Case, tally: Tally, doing: Doing) -> str:
        touched = {t.record for t in case.plan.touches if t.when != "never"}
        kinds = [k for k in self.builder.records if k.name in touched]
        roots: dict[str, dict[int, Row]] = {k.name: {} for k in kinds}
        self._reach(kinds, doing, roots, ("change", "remove"))
        undo = [self._apply(op) for op in doing.ops]
        self._reach(kinds, doing, roots, ("add", "change"))
        for back in reversed(undo):
            back()
        before = {k.name: self.builder.of(k, self._there(k, roots)) for k in kinds}
        self.builder.past = {id(r): {a: r.get(a) for a in v} for verb, _, r, v in doing.ops if verb == "change"}
        undo = [self._apply(op) for op in doing.ops]
        try:
            after = {k.name: self.builder.of(k, self._there(k, roots)) for k in kinds}
            asked_ = Question(
                case.pattern, case.plan, case.text, doing.values,
                made={e: tuple(rows) for e, rows in doing.made.items()},
                put=tuple(s for k in kinds for s in after[k.name]),
                before=tuple(s for k in kinds for s in before[k.name]),
            )  # fmt: skip
            try:
                answer = self.space.run(asked_)
                tally.answers.append(answer)
                tally.expected.append(len(doing.ops))
                return next((w for k in kinds if (w := self._wrong(k, before[k.name], after[k.name]))), "")
            finally:
                for k in kinds:
                    self.space.restore(k, before[k.name], after[k.name])
        finally:
            self.builder.past = {}
            for back in reversed(undo):
                back()

    def _reach(
        self, kinds: Iterable[Record], doing: Doing, roots: dict[str, dict[int, Row]], what: tuple[str, ...]
    ) -> None:
        for verb, entity, row, _ in doing.ops:
            if verb in what:
                for kind in kinds:
                    for top in self.builder.reached(kind, entity, row):
                        roots[kind.name][id(top)] = top

    def _there(self, kind: Record, roots: Mapping[str, Mapping[int, Row]]) -> list[Row]:
        """Those of the rows met that exist now, in the order of the data."""
        mine = roots[kind.name]
        if not mine:
            return []
        if self.builder.shared(kind):
            return list(mine.values())  # the records they share are found by what they say
        keys = self.world.keys.get(kind.of) or self.world.fields.get(kind.of, ())
        found = {id(r): r for one in mine.values() for r in self.data.find(keys, tuple(one.get(k) for k in keys))}
        return [r for n, r in found.items() if n in mine]

    def _apply(self, op: tuple[str, str, Row, Row]) -> Callable[[], None]:
        verb, entity, row, values = op
        if verb == "add":
            return self.data.add(entity, row)
        return self.data.remove(entity, row) if verb == "remove" else self.data.change(entity, row, values)

    def _wrong(self, kind: Record, before: list[Stored], after: list[Stored]) -> str:
        """What is wrong with the records of a kind afterwards."""
        key = self.space.key
        seen = self.space.look(kind, after)
        for one, right in zip(seen, after, strict=True):
            if one is None and kind.purpose == "cache":
                continue  # a key that was deleted is filled again by the next read
            wrong = record_right(one, right, self.data)
            if wrong:
                return f"in {kind.structure}, {wrong}"
        left = {key(s) for s in after}
        gone = [s for s in before if key(s) not in left]
        if any(one is not None for one in self.space.look(kind, gone)):
            return f"in {kind.structure}, a record is still there that should be gone"
        return ""

    # ------------------------------------------------------------ what it does

    def _doing(self, pattern: Pattern, rng: Random) -> Doing:
        """The operation with values of its own. Raises NotUnderstood."""
        if pattern.batch is not None and (pattern.batch.value or 1) > 1:
            raise NotUnderstood("writes of many records at once are not run")
        doing = Doing()
        for one in asked(pattern):
            if one.loop:
                raise NotUnderstood(f"a change for each {one.loop} is not run")
            self._one(pattern, one, doing, rng)
        return doing

    def _one(self, pattern: Pattern, one: Asked, doing: Doing, rng: Random) -> None:
        if one.part:
            parent = doing.made[pattern.entity][0]
            rel = next((r for r in self.world.rels if r.child == one.entity and r.parent == pattern.entity), None)
            for _ in range(CHILDREN if rel is not None else 0):
                known = {v: parent.get(k) for k, v in zip(rel.key, rel.via, strict=True)} if rel is not None else {}
                self._insert(one, known, doing, rng)
        elif one.kind == "insert" or (one.kind == "upsert" and rng.random() < self._inserts(pattern)):
            self._insert(one, self._fixed(one, doing, rng), doing, rng)
        else:
            self._change(pattern, one, doing, rng)

    def _inserts(self, pattern: Pattern) -> float:
        given = pattern.inserts.value if pattern.inserts else None
        return 0.5 if given is None else given

    def _insert(self, one: Asked, known: Row, doing: Doing, rng: Random) -> None:
        row = self.generator.new(one.entity, rng, known)
        row.update(self._set(one, row, doing, rng, born=True))
        doing.add(one.entity, row)

    def _fixed(self, one: Asked, doing: Doing, rng: Random) -> Row:
        """What a condition says of a record that is about to be made: its parent is one that is there."""
        if one.where is None:
            return {}
        like = self.generator.new(one.entity, rng, {})
        found: Row = {}
        for term in one.where.terms:
            if isinstance(term, Comparison) and term.op == "=":
                own = lay.column(one.entity, term.path, self.world)
                source = term.operands[0]
                if isinstance(source, Param):
                    found[own] = doing.values.setdefault(source.name, like.get(own))
                else:
                    found[own] = operand(source, self.data, one.entity, like, doing.values)
        return found

    def _change(self, pattern: Pattern, one: Asked, doing: Doing, rng: Random) -> None:
        """An update or delete of all records that the condition means."""
        for entity, row in self._targets(pattern, one, doing, rng):
            if one.kind == "delete":
                self._delete(entity, row, doing)
            else:
                doing.change(entity, row, self._set(one, row, doing, rng))

    def _targets(self, pattern: Pattern, one: Asked, doing: Doing, rng: Random) -> list[tuple[str, Row]]:
        if one.beside:
            mine = doing.made.get(one.beside, ())
            edges = place(self.world, one.beside, next(iter(one.set))).edges
            above = {id(r): r for m in mine for r in self._above(m, edges)}
            return [(one.entity, r) for r in above.values()]
        where = one.where or Conditions("", ())
        terms = (*where.terms, *(one.only_if.terms if one.only_if else ()))
        oracle = Oracle(self.data, Pattern(operation=pattern.operation, action="list", entity=one.entity), None)
        oracle.extra = terms
        for _ in range(TRIES):
            drawn = oracle.draw(rng, 0)
            said = self._said(pattern, doing)
            values = {n: doing.values.get(n, said.get(n, v)) for n, v in drawn.items()} | doing.values
            rows = oracle.answer(values).rows
            if rows or one.further:
                doing.values.update({n: v for n, v in values.items() if n not in doing.values})
                return [(one.entity, r) for r in rows]
        raise NotUnderstood("no record meets the conditions")

    def _said(self, pattern: Pattern, doing: Doing) -> dict[str, Any]:
        """What a parameter is that has the name of a field of the record just made: the texts bind both by one name."""
        made = doing.made.get(pattern.entity, ())
        return {a.partition(".")[2]: v for a, v in made[0].items()} if pattern.action == "insert" and made else {}

    def _above(self, row: Row, edges: tuple[Edge, ...]) -> list[Row]:
        return self.data.along(row, edges)

    def _delete(self, entity: str, row: Row, doing: Doing) -> None:
        mark = self.world.soft_delete.get(entity)
        if mark:
            doing.change(entity, row, {mark: self.data.moment})
            return
        for rel in self.world.rels:
            if rel.parent == entity and rel.on_delete == "cascade":
                for child in list(self.data.follow(row, Edge(rel, True))):
                    self._delete(rel.child, child, doing)
        doing.remove(entity, row)

    def _set(self, one: Asked, row: Row, doing: Doing, rng: Random, *, born: bool = False) -> Row:
        """The values an operation sets."""
        found: Row = {}
        for path, value in one.set.items():
            attr = lay.column(one.entity, path, self.world)
            if entity_of(attr) != one.entity or attr.startswith("="):
                continue
            kind, said = value_of(value, self.world.stats.get(attr))
            found[attr] = self._made(attr, kind, said, row, doing, rng, born=born)
        return found

    def _made(self, attr: str, kind: str, said: Any, row: Row, doing: Doing, rng: Random, *, born: bool) -> Any:
        typed = self.world.stats[attr].type if attr in self.world.stats else ""
        if kind == "now":
            return self.data.moment
        if kind == "param":
            return doing.values.setdefault(said, self._fresh(attr, rng))
        if kind == "push":
            return [*(row.get(attr) or []), self._made(attr, said[0], said[1], row, doing, rng, born=born)]
        if kind in ("add", "less"):
            if isinstance(said, str):
                raise NotUnderstood(f"a step of {said} is not run")
            step = -said if kind == "less" else said
            total = step if born else (row.get(attr) or 0) + step
            return Long(total) if typed == "int64" else total
        return Long(said) if typed == "int64" and isinstance(said, int) else said

    def _fresh(self, attr: str, rng: Random) -> Any:
        """A new value of an attribute."""
        row = self.generator.new(entity_of(attr), rng, {})
        found = row.get(attr)
        return found[0] if isinstance(found, list) and found else found


__all__ = ["Doing", "Writer"]
