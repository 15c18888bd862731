"""What came back from a SELECT, as records: a row holds the values of several, under the names of their roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.plan.lower_read import lower_read
from app.plan.types import NeedNode, Query, Record
from app.proof.build import Node, Seen
from app.proof.engines.engine import Job, Question
from app.proof.engines.postgresql_rows import Rows, decoded
from app.stores.common_query import last
from app.stores.postgresql.blocks import wanted
from app.stores.postgresql.statement import plain_name


class Answers:
    """Reads rows of one pattern."""

    def __init__(self, question: Question, job: Job, tables: Mapping[str, Rows]) -> None:
        self.job, self.tables = job, tables
        self.query: Query = lower_read(question.pattern, job.world)
        self.root = self._kind(self.query.root.entity, question)

    def _kind(self, entity: str, question: Question) -> Record:
        """The kind of record that rows stand for; one made up where the entity lies inside others only."""
        read = [s.structure for s in question.plan.steps]
        mine = [r.kind for r in self.tables.values() if r.kind.of == entity]
        mine.sort(key=lambda k: (k.structure not in read, not k.truth))
        if mine:
            return mine[0]
        for rows in self.tables.values():
            held = next((h for h in rows.kind.shape if h.entity == entity), None)
            if held is not None:
                return replace(rows.kind, of=entity, shape=(replace(held, up=-1, edge=None, how="own"),))
        return next(iter(self.tables.values())).kind

    def seen(self, row: Mapping[str, Any]) -> list[Seen]:
        """The record a row stands for, and what came with it."""
        kids: Mapping[int, tuple[Node, ...]] = {}
        mine = self.tables.get(self.root.name)
        if mine is not None and mine.kind is self.root and not mine.table.bucket:
            kids = mine.listed(row)
        found = [Seen(self.root, Node(0, self._values(0, row, ""), kids))]
        # what belongs to others is no record of its own here
        beside = replace(self.root, of="", shape=(replace(self.root.shape[0], entity=""),))
        found += [Seen(beside, Node(0, v)) for v in self._below(0, row) if v]
        return found

    def _values(self, n: int, row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        """What a row holds of one need."""
        need = self.query.needs[n]
        found = {}
        for attr in self._attrs(need):
            name = plain_name(prefix + last(attr))
            for column in (prefix + last(attr), name):
                if column in row:
                    found[attr] = decoded(row[column], self._type(attr))
        return found

    def _attrs(self, need: NeedNode) -> list[str]:
        attrs = wanted(need, self.job.world.fields.get(need.entity, ()))
        keys = self.job.world.keys.get(need.entity, ())
        ordered = [a for a, _ in need.order if a.removeprefix("=").partition(".")[0] == need.entity]
        return list(dict.fromkeys((*attrs, *keys, *ordered)))

    def _type(self, attr: str) -> str:
        stat = self.job.world.stats.get(attr)
        return stat.type if stat is not None else ""

    def _below(self, up: int, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """What a row holds of the needs below one: parents beside it, children in lists."""
        for n, need in enumerate(self.query.needs):
            if not n or need.up != up or need.edge is None:
                continue
            rel = need.edge.rel
            if not need.edge.down:
                yield self._values(n, row, f"{rel.role}_")
                yield from self._below(n, row)
                continue
            elements = self._elements(need, rel.children_as or rel.child, row)
            for element in elements:
                if isinstance(element, Mapping):
                    yield self._values(n, element, "")
                    yield from self._below(n, element)
            if not elements:
                yield from self._below(n, row)

    def _elements(self, need: NeedNode, label: str, row: Mapping[str, Any]) -> list[Any]:
        """A list of children: under the name of the relationship, or that of their table."""
        tables = (r.table.structure.name for r in self.tables.values() if r.kind.of == need.entity)
        return next((row[name] for name in (label, *tables) if isinstance(row.get(name), list)), [])


__all__ = ["Answers"]
