"""Did the right records come back? What an engine returned, held against what the conditions mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isclose
from typing import Any

from app.plan.types import Kind, Match, Plan, Record
from app.proof.build import MEMBERS, Builder, Node, Seen, Stored
from app.proof.conditions import meets
from app.proof.data import Data, Row
from app.proof.engines.engine import Answer
from app.proof.expected import Expected, Oracle


def read_right(answer: Answer, expected: Expected, oracle: Oracle, plan: Plan, builder: Builder) -> str:
    """What is wrong with an answer, as a sentence; empty where it is right."""
    if oracle.pattern.counts:
        return _counted(answer, expected)
    if oracle.pattern.figures and answer.groups:
        return _grouped(answer, expected)
    checker = _Checker(oracle, expected, builder, plan)
    wrong = checker.page(answer.found, expected.rows, expected.skip)
    checker.rows = checker.last
    if not wrong and not oracle.pattern.figures:
        wrong = checker.complete(answer.found)
    if not wrong and answer.paged and expected.most:
        following = checker.page(answer.further, expected.rows, expected.most)
        wrong = f"on the second page, {following}" if following else ""
    return wrong


def _counted(answer: Answer, expected: Expected) -> str:
    number = answer.number if answer.number is not None else float(len(answer.found))
    right = len(expected.rows)
    return "" if number == right else f"it counts {number:g}, and {right:,} records meet the conditions"


def _grouped(answer: Answer, expected: Expected) -> str:
    if expected.groups is None:
        return ""
    found = sorted(n for group in answer.groups for n in _numbers(group))
    if len(found) != len(expected.groups):
        return f"{len(found)} groups came back, and there are {len(expected.groups)}"
    wrong = next((f"{a:g} instead of {b:g}" for a, b in zip(found, expected.groups, strict=True) if not same(a, b)), "")
    return f"a figure is {wrong}" if wrong else ""


def _numbers(group: Mapping[str, Any]) -> list[float]:
    """The figures of a group: its values that are numbers, what it is grouped by left out."""
    return [float(v) for k, v in group.items() if k != "_id" and isinstance(v, int | float | Decimal)]


def coarse(match: Match) -> bool:
    """Is a range laid over a part of the key that keeps less than the attribute: the hours that a time falls into?"""
    spans = [w.part for w in (*match.partition, *match.order) if w.kind in (Kind.SPAN, Kind.SPANS) and w.part.attr]
    exact = {p.attr for p in spans if p.kept.exact}
    return any(not p.kept.exact and p.attr not in exact for p in spans)


class _Checker:
    """Holds one answer against one expectation."""

    def __init__(self, oracle: Oracle, expected: Expected, builder: Builder, plan: Plan) -> None:
        self.oracle, self.expected, self.builder = oracle, expected, builder
        self.data: Data = oracle.data
        # what the store leaves to the application, the application does
        steps = plan.every_step
        self.rows: list[Row] = []
        """The rows of the first page that came back."""
        self.last: list[Row] = []
        self.trims = any(
            s.match is not None and (coarse(s.match) or (s.match.residual and not s.residual)) for s in steps
        )
        self.sorts = any(s.order in ("client", "merged") for s in steps)

    def page(self, found: Sequence[Seen], every: Sequence[Row], skip: int) -> str:
        """One page: each record a right one, as many as there are, in an order that is right."""
        rows: list[Row] = []
        taken: set[int] = set()
        met = [(seen, node) for seen in found for node in self._asked(seen)]
        for seen, node in met:
            row = self._identified(seen, node, every, taken)
            if row is None:
                return f"a record came back that was never stored: {_shown(seen)}"
            if id(row) in taken:
                continue  # a second step read the same record again
            if wrong := _node_wrong(seen.kind, node, self.builder.node(seen.kind, node.at, row, {}), self.data, row):
                return wrong
            taken.add(id(row))
            rows.append(row)
        terms, values = self.oracle.terms, self.expected.values
        fits = [meets(self.data, self.oracle.entity, r, terms, values) for r in rows]
        if not all(fits) and not self.trims:
            return f"a record came back that does not meet the conditions: {_shown(met[fits.index(False)][0])}"
        rows = [r for r, yes in zip(rows, fits, strict=True) if yes]
        return self._sequence(rows, every, skip)

    def _sequence(self, rows: list[Row], every: Sequence[Row], skip: int) -> str:
        most, order = self.expected.most, self.expected.order
        if self.sorts or (self.trims and most):
            rows = sorted(rows, key=lambda r: next(i for i, e in enumerate(every) if e is r))
        right = every[skip : skip + most] if most else every[skip:]
        rows = rows[:most] if most and (self.sorts or self.trims) else rows
        self.last = rows
        if len(rows) != len(right):
            return f"{len(rows):,} records came back, and {len(right):,} are right"
        for at, (row, one) in enumerate(zip(rows, right, strict=True)):
            if order and self.oracle.compare(row, one, order):
                return f"record {at + 1} stands in a wrong place of the order"
        return ""

    def _asked(self, seen: Seen) -> list[Node]:
        """The records asked for in one that came back: itself, or what lies inside it."""
        if seen.kind.of == self.oracle.entity:
            return [seen.root]
        found: list[Node] = []
        left = [seen.root]
        while left:
            node = left.pop(0)
            if seen.kind.shape[node.at].entity == self.oracle.entity:
                found.append(node)
            left += [k for kids in node.kids.values() for k in kids]
        return found

    def _identified(self, seen: Seen, node: Node, every: Sequence[Row], taken: set[int]) -> Row | None:
        """The logical record that was returned: by its key, else one that agrees in all that is visible."""
        values, of = node.values, seen.kind.shape[node.at].entity
        keys = self.data.world.keys.get(of, ())
        if keys and all(values.get(k) is not None for k in keys):
            found = self.data.find(keys, tuple(values[k] for k in keys))
            return found[0] if found else None
        alike = [r for r in every if id(r) not in taken and self._agrees(values, r)]
        if alike:
            return alike[0]
        alike = [r for r in self.data.rows.get(of, ()) if self._agrees(values, r)]
        return next((r for r in alike if id(r) not in taken), alike[0] if alike else None)

    def _agrees(self, values: Mapping[str, Any], row: Row) -> bool:
        return all(_fits(v, self.data.value(row, a)) for a, v in values.items())

    # ------------------------------------------------------------ all that is needed

    def complete(self, found: Sequence[Seen]) -> str:
        """Is every needed value among what was read?"""
        met: dict[str, set[Any]] = {}
        for seen in found:
            self._gather(seen.kind, seen.root, None, met)
        for attr, value in self.oracle.bound(self.expected.values):
            met.setdefault(attr, set()).add(plain(value))  # who asks for it knows it
        for need, rows in self.oracle.needed(self.rows, self.expected.values):
            for attr in sorted(need.attrs):
                for row in rows:
                    value = self.data.value(row, attr)
                    if value is None or value in ({}, []):
                        continue
                    if plain(value) not in met.get(attr, ()):
                        return f"{attr.removeprefix('=')} {_short(value)} is needed and did not come back"
        return ""

    def _gather(self, kind: Record, node: Node, above: Node | None, met: dict[str, set[Any]]) -> None:
        held = kind.shape[node.at]
        values = dict(node.values)
        if above is not None and held.edge is not None:
            for near, far in zip(held.edge.near, held.edge.far, strict=True):
                if near in above.values:
                    values.setdefault(far, above.values[near])
        for attr, value in values.items():
            met.setdefault(attr, set()).add(plain(value))
            for rel in self.data.world.rels:
                for key, via in zip(rel.key, rel.via, strict=True):
                    if attr in (key, via):
                        met.setdefault(via if attr == key else key, set()).add(plain(value))
        for kids in node.kids.values():
            for kid in kids:
                self._gather(kind, kid, Node(node.at, values), met)


def record_right(seen: Node | None, right: Stored, data: Data) -> str:
    """Is a stored record as it must be after a write, all of it? A sentence where it is not."""
    if seen is None:
        return "a record is missing"
    wrong = _node_wrong(right.kind, seen, right.root, data, right.root.row or {}, whole=not right.members)
    if wrong or not right.members:
        return wrong
    members = list(right.members)
    elements = seen.kids.get(MEMBERS, ())
    if MEMBERS in seen.kids and len(elements) != len(members):
        return f"it holds {len(elements)} records instead of {len(members)}"
    for element in elements:
        match = next((m for m in members if not _node_wrong(right.kind, element, m, data, m.row or {})), None)
        if match is None:
            return f"it holds what it should not: {_short(dict(element.values))}"
        members.remove(match)
    return ""


def _node_wrong(kind: Record, node: Node, right: Node, data: Data, row: Row, *, whole: bool = False) -> str:
    for attr, value in node.values.items():
        true = right.values[attr] if attr in right.values else data.value(row, attr)
        if not _fits(value, true):
            return f"{attr.removeprefix('=')} is {_short(value)} instead of {_short(true)}"
    if whole:
        held = kind.shape[right.at]
        linked = held.edge.far if held.edge is not None and held.edge.down else ()
        there = [a for a, v in right.values.items() if v not in (None, [], {}) and a not in linked]
        lacking = [a for a in there if node.values.get(a) is None]
        if lacking:
            return f"{lacking[0].removeprefix('=')} is missing"
    for at, kids in node.kids.items():
        if at == MEMBERS:
            continue
        true_kids = list(right.kids.get(at, ()))
        if whole and len(kids) != len(true_kids):
            return f"{len(kids)} records lie inside instead of {len(true_kids)}"
        for kid in kids:
            match = next((t for t in true_kids if not _node_wrong(kind, kid, t, data, t.row or {}, whole=whole)), None)
            if match is None:
                return f"what lies inside is wrong: {_short(dict(kid.values))}"
            true_kids.remove(match)
    if whole and any(right.kids[at] and at not in node.kids for at in right.kids):
        return "what lies inside is missing"
    return ""


def same(one: Any, other: Any) -> bool:
    """Are two values the same, whatever the driver makes of their type?"""
    return bool(plain(one) == plain(other)) or (
        isinstance(one, float | Decimal) and isinstance(other, int | float | Decimal)
        and isclose(float(one), float(other), rel_tol=1e-6)
    )  # fmt: skip


def _fits(value: Any, true: Any) -> bool:
    """The same; or one element of an array, where a key is made of each."""
    if isinstance(true, list) and not isinstance(value, list | tuple):
        return any(same(value, t) for t in true) or (value is None and not true)
    if value in (None, [], {}) and true in (None, [], {}):
        return True
    return same(value, true)


def plain(value: Any) -> Any:
    """A value as it can be compared and put into a set."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float | Decimal):
        return round(float(value), 6)
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    if isinstance(value, date):
        return round(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp() * 1000)
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, Mapping):
        return tuple(sorted((str(k), plain(v)) for k, v in value.items()))
    return str(value) if value is not None else None


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _shown(seen: Seen) -> str:
    return _short({a.partition(".")[2]: str(v) for a, v in seen.root.values.items()})


__all__ = ["plain", "read_right", "record_right", "same"]
