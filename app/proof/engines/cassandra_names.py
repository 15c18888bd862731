"""What stands for each `:name` of an emitted CQL text: parameters, buckets, rows of earlier steps, new columns."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import product
from typing import Any

from app.model.keys import KeyPart
from app.plan.types import Cond, Step
from app.proof.build import Node, Seen, Stored, part_value
from app.proof.data import Row
from app.proof.engines.cassandra_rows import Table, encoded, filtered, key_values
from app.proof.engines.cassandra_text import Statement
from app.proof.engines.engine import Job, Question, Refusal
from app.stores.cassandra.types import key_column
from app.stores.common_query import field_of
from app.stores.common_steps import asked_apart

SHIFT = re.compile(r"now_(minus|plus)_(\d+(?:\.\d+)?)s")
MISSING = object()
Rows = dict[tuple[str, ...], dict[str, Any]]


class Names:
    """The values of one run."""

    def __init__(self, question: Question, job: Job, tables: Mapping[str, Table]) -> None:
        self.question, self.job, self.tables = question, job, tables
        self.last: Row = {}
        self.called = time.time_ns() // 1000
        """Microseconds, as servers mark what they write."""
        self.before = self._rows(question.before)
        self.put = self._rows(question.put)

    def _rows(self, stored: tuple[Stored, ...]) -> dict[tuple[str, bool], Rows]:
        """By table (rows and static columns apart) and key: columns."""
        found: dict[tuple[str, bool], Rows] = {}
        for one in stored:
            table = self.tables[one.kind.name]
            key = key_values(table.structure, table.keys, one, table.world)
            found.setdefault((one.kind.structure, one.kind.static), {})[tuple(map(str, key.values()))] = table.row(one)
        return found

    # ------------------------------------------------------------ reads

    def of_read(
        self, one: Statement, wanted: list[str], steps: Mapping[int, list[Seen]]
    ) -> Iterator[Mapping[str, Any]]:
        """The values of each request of a statement."""
        parts = self._parts(one.table)
        fixed: dict[str, Any] = {}
        loops: list[tuple[str, list[Any]]] = []
        linked: list[str] = []
        for name in wanted:
            value = self._known(name, parts)
            bucket = next((p for p in parts if self._column(p, one.table) == name and (p.filters or p.kept.fan)), None)
            if value is not MISSING:
                fixed[name] = value
            elif bucket is not None:
                loops.append((name, self._buckets(bucket)))
            elif one.origin:
                linked.append(name)
            else:
                raise Refusal(f"nothing says what :{name} is", one.cql)
        rows = self._linked(one, linked, steps) if linked else [{}]
        met: set[str] = set()
        for row in rows:
            for chosen in product(*(values for _, values in loops)):
                made = {**fixed, **row, **dict(zip((n for n, _ in loops), chosen, strict=True))}
                if str(made) not in met:
                    met.add(str(made))
                    yield made

    def _parts(self, table: str) -> tuple[KeyPart, ...]:
        structure = self.job.model.structure(table)
        return (*(structure.partition_key or ()), *(structure.clustering_key or ())) if structure is not None else ()

    def sharded(self, one: Statement) -> bool:
        """Does every request give rows of the whole order, so that none may be left out?"""
        return any(p.kept.fan for p in self._parts(one.table))

    def _column(self, part: KeyPart, table: str) -> str:
        structure = self.job.model.structure(table)
        return key_column(part, structure.of if structure is not None else "", self.job.world).name

    def _known(self, name: str, parts: tuple[KeyPart, ...]) -> Any:
        """A value that needs no row: a parameter, also as a key part derives it, the time, the last row of a page."""
        values = self.question.values
        if name in values:
            return encoded(values[name])
        if name == "now":
            return self.job.moment
        if hit := SHIFT.fullmatch(name):
            return self.job.moment + timedelta(seconds=float(hit[2]) * (-1 if hit[1] == "minus" else 1))
        if name.startswith("last_") and (found := {name, name.removeprefix("last_")} & self.last.keys()):
            return self.last[name if name in found else name.removeprefix("last_")]
        if name.endswith("_end") and name.removesuffix("_end") in values:
            return f"{values[name.removesuffix('_end')]}\uffff"
        for part in parts:
            ending = "".join(f"_{f.name}" for f in part.filters)
            base = name.removesuffix(ending) if ending else name
            if base == name:
                continue
            known = self._known(base, ())
            if known is not MISSING:
                return filtered(part, known)
        return MISSING

    def _buckets(self, part: KeyPart) -> list[Any]:
        """Every bucket that may hold what is asked for, in the order of the answer; every shard."""
        if part.kept.fan and (part.kept.chosen or not part.attr):
            return list(range(part.kept.fan))
        of = self.question.pattern.entity
        met = [part_value(part, row, of, self.job.world) for row in self.question.rows]
        return list(dict.fromkeys(met)) or [filtered(part, self.job.moment)]

    def _linked(self, one: Statement, names: list[str], steps: Mapping[int, list[Seen]]) -> list[dict[str, Any]]:
        """Values out of the rows of the step before."""
        conds = [c for s in self._steps(one.step) for c in _conds(s) if c.source is None]
        found = []
        for seen in steps.get(one.origin, ()):
            for values in _visible(seen.root):
                row = {n: v for n in names if (v := self._link(n, conds, values)) is not None}
                if len(row) == len(names):
                    found.append(row)
        return found

    def _steps(self, number: int) -> tuple[Step, ...]:
        steps = self.question.plan.steps
        return asked_apart(steps[number - 1]) if 0 < number <= len(steps) else ()

    def _link(self, name: str, conds: list[Cond], values: Mapping[str, Any]) -> Any:
        for cond in conds:
            if field_of(cond.attr) != name:
                continue
            same = [cond.attr]
            for rel in self.job.world.rels:
                for key, via in zip(rel.key, rel.via, strict=True):
                    if cond.attr in (key, via):
                        same.append(via if cond.attr == key else key)
            found = next((values[a] for a in same if values.get(a) is not None), None)
            if found is not None:
                return encoded(found)
        return None

    # ------------------------------------------------------------ writes

    def of_write(self, one: Statement, wanted: list[str]) -> Iterator[Mapping[str, Any]]:
        """The values of each time a statement is sent: once for each row it is about."""
        place = (one.table, self._static(one))
        before, put = self.before.get(place, {}), self.put.get(place, {})
        rows: Rows
        if one.first:
            rows = {k: r for k, r in put.items() if k not in before}
        elif one.verb == "INSERT":
            rows = {k: r for k, r in put.items() if before.get(k) != r} or put
        elif one.second:
            rows = {k: r for k, r in put.items() if k in before}
        elif one.verb == "DELETE":
            rows = {k: r for k, r in before.items() if k not in put}
        else:
            rows = put or before
        met: set[str] = set()
        for key, row in rows.items():
            old = before.get(key, {})
            made = {n: self._of_row(n, one, row, old) for n in wanted}
            if str(made) not in met:
                met.add(str(made))
                yield made

    def _static(self, one: Statement) -> bool:
        """Does a statement write static columns only?"""
        structure = self.job.model.structure(one.table)
        if structure is None or one.verb == "DELETE" or not any(t == one.table and s for t, s in self.put):
            return False
        names = (self._column(p, one.table) for p in structure.clustering_key or ())
        return not any(re.search(rf"\b{re.escape(n)}\b", one.cql) for n in names)

    def _of_row(self, name: str, one: Statement, row: Mapping[str, Any], old: Mapping[str, Any]) -> Any:
        values = self.question.values
        if name in values:
            return encoded(values[name])
        if name == "now":
            return self.job.moment
        if name in ("time_of_call", "time_before"):
            return self.called - (name == "time_before")
        if name.startswith("new_"):
            return row.get(name.removeprefix("new_"))
        if name.startswith("old_"):
            return old.get(name.removeprefix("old_"))
        if name == "change":
            return next((v - (old.get(c) or 0) for c, v in row.items() if isinstance(v, int) and v != old.get(c)), 0)
        structure = self.job.model.structure(one.table)
        plain = name.removeprefix(f"{structure.of}_") if structure is not None else name
        if name in row or plain in row:
            return row.get(name, row.get(plain))
        for part in self._parts(one.table):
            ending = "".join(f"_{f.name}" for f in part.filters)
            base = name.removesuffix(ending)
            if field_of(part.attr) in (base, plain.removesuffix(ending)) or (
                ending and base != name and base in values
            ):
                return row.get(self._column(part, one.table))
        for made in self.question.made.values():
            for record in made:
                for attr, value in record.items():
                    if field_of(attr) == name:
                        return encoded(value)
        if name in self._columns(one.table):
            return None
        raise Refusal(f"nothing says what :{name} is", one.cql)

    def _columns(self, table: str) -> tuple[str, ...]:
        return next((t.columns for t in self.tables.values() if t.structure.name == table), ())


def _conds(step: Step) -> list[Cond]:
    found = list(step.conds)
    for part in (step, *step.branches):
        if part.match is not None:
            found += [c for c in part.match.single.where if c not in found]
    return found


def _visible(node: Node) -> Iterator[Mapping[str, Any]]:
    """The values of a record, and of each that lies inside it together with those around it."""
    yield node.values
    for kids in node.kids.values():
        for kid in kids:
            for values in _visible(kid):
                yield {**node.values, **values}
