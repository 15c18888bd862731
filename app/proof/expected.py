"""What a read must return: parameters drawn from the data as often as life meets them, and the records they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cmp_to_key
from itertools import accumulate
from random import Random
from typing import Any
from uuid import UUID

from app.model.conditions import AnyOf, Comparison, Has, OrderItem, Param, Term
from app.model.key_values import part_example
from app.model.keys import parse_key_part
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Edge, NeedNode, Query
from app.plan.ways import place
from app.proof.build import as_text, ordered
from app.proof.conditions import NotUnderstood, meets, values_of
from app.proof.data import Data, Long, Oid, Row, entity_of
from app.proof.formula import worked_out

NONE_OF = 10
"""One run in so many asks for what is not there."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The answer to one run. `rows`: all that the conditions mean, in order; `most`: how many may come (0: all)."""

    values: Mapping[str, Any]
    rows: tuple[Row, ...]
    most: int = 0
    skip: int = 0
    order: tuple[OrderItem, ...] = ()
    groups: tuple[float, ...] | None = None
    """Of an aggregate: its figures, sorted."""

    @property
    def page(self) -> tuple[Row, ...]:
        """The rows of the first page."""
        rows = self.rows[self.skip :]
        return rows[: self.most] if self.most else rows


class Oracle:
    """Knows the right answer of one pattern."""

    def __init__(self, data: Data, pattern: Pattern, query: Query | None) -> None:
        self.data, self.world, self.pattern, self.query = data, data.world, pattern, query
        self.entity = query.root.entity if query is not None else pattern.entity
        self.extra: tuple[Term, ...] = ()
        """Conditions beside those of the pattern."""

    def _all(self) -> list[Row]:
        return self.data.rows.get(self.entity, [])

    @property
    def terms(self) -> tuple[Term, ...]:
        found = (*(self.pattern.where.terms if self.pattern.where else ()), *self.extra)
        mark = self.world.soft_delete.get(self.entity)
        said = any(mark == t.path for t in found if isinstance(t, Comparison)) if mark else True
        return found if said or not mark or self.query is None else (*found, Comparison(mark, "null"))

    # ------------------------------------------------------------ parameters

    def draw(self, rng: Random, at: int) -> dict[str, Any]:
        """Values for every parameter: those of a record met at random, so that busy values are asked for as often as
        they are met; now and then something that is not there."""
        stranger = at % NONE_OF == NONE_OF - 1
        rows = self._all()
        if not rows:
            return {}
        row = self._met(rng, rows)
        found: dict[str, Any] = {}
        for need in (self.terms, *(n.where.terms for n in self.pattern.needs if n.where)):
            for comparison in _comparisons(need):
                for n, source in enumerate(comparison.operands):
                    if isinstance(source, Param) and source.name not in found:
                        found[source.name] = self._value(rng, row, comparison, n, stranger=stranger)
        return found

    def _met(self, rng: Random, rows: list[Row]) -> Row:
        """A record; where the pattern says that some are met more often than others, as often as it says.

        It is one that meets what the condition says without parameters, where one can be found quickly.
        """
        for _ in range(200):
            row = self._skewed(rng, rows)
            fixed = [t for t in self.terms if not any(_params((t,)))]
            try:
                if meets(self.data, self.entity, row, fixed, {}):
                    return row
            except NotUnderstood:
                return row
        return self._skewed(rng, rows)

    def _skewed(self, rng: Random, rows: list[Row]) -> Row:
        for path, shares in self.pattern.skew.items():
            own = lay.column(self.entity, path.partition(",")[0], self.world)
            if own in self.world.keys.get(self.entity, ()) and shares.kind == "zipf":
                edges = list(accumulate(k**-shares.s for k in range(1, len(rows) + 1)))
                return rng.choices(rows, cum_weights=edges)[0]
        return rows[rng.randrange(len(rows))]

    def _value(self, rng: Random, row: Row, term: Comparison, at: int, *, stranger: bool) -> Any:
        values = [v for v in values_of(self.data, self.entity, row, term.path) if v is not None]
        example = values[rng.randrange(len(values))] if values else self._any(rng, term.path)
        if term.op in ("<", "<=", ">", ">=", "between"):
            return self._bound(rng, term, at, example)
        if term.op == "near":
            return example if at == 0 else 500.0
        if term.op == "match":
            return "nothingofthekind" if stranger else str(example).split()[0].lower()  # a rare one: see `values.rare`
        if stranger and term.op in ("=", "contains"):
            return stranger_of(example, rng)
        if term.op == "prefix":
            return str(example)[:3]
        if term.op in ("in", "not in") and len(term.operands) == 1:
            return list(dict.fromkeys([example, *(self._any(rng, term.path) for _ in range(4))]))
        return example

    def _any(self, rng: Random, path: str) -> Any:
        """The value of some record."""
        rows = self._all()
        for _ in range(100):
            found = [
                v for v in values_of(self.data, self.entity, rows[rng.randrange(len(rows))], path) if v is not None
            ]
            if found:
                return found[0]
        return None

    def _bound(self, rng: Random, term: Comparison, at: int, example: Any) -> Any:
        """The end of a range: as wide as `span` says, up to now."""
        span = self.pattern.span.get(term.path)
        width = span.value if span is not None else None
        if not width or not isinstance(example, datetime | date):
            if term.op == "between":
                other = self._any(rng, term.path)
                return (min if at == 0 else max)(example, other)
            return example
        moment = self.data.moment
        step = timedelta(seconds=width)
        if not isinstance(example, datetime):
            return (moment - step if term.op in (">", ">=") or (term.op == "between" and at == 0) else moment).date()
        if term.op in (">", ">="):
            return moment - step
        if term.op == "between":
            return moment - step if at == 0 else moment
        return moment

    # ------------------------------------------------------------ answers

    def answer(self, values: Mapping[str, Any]) -> Expected:
        """What these parameters mean. Raises NotUnderstood."""
        rows = [r for r in self._near(values) if meets(self.data, self.entity, r, self.terms, values)]
        order = self.pattern.order_by.items if self.pattern.order_by else ()
        order = tuple(o for o in order if "." in o.path or self._known(o.path))
        rows.sort(key=cmp_to_key(lambda a, b: self.compare(a, b, order)))
        limit = int(self.query.limit) if self.query is not None else 0
        most = 1 if self.pattern.action == "get" and not self.pattern.more else limit
        groups = self._groups(rows) if self.pattern.figures else None
        return Expected(values, tuple(rows), most, 0, order, groups)

    def _known(self, path: str) -> bool:
        return not place(self.world, self.entity, path).why

    def compare(self, a: Row, b: Row, order: Iterable[OrderItem]) -> int:
        """Which of two rows comes first: -1, 0, 1."""
        for item in order:
            one, other = ([ordered(v) for v in values_of(self.data, self.entity, r, item.path)] for r in (a, b))
            first, then = (max(x, default=(0, 0)) if item.desc else min(x, default=(0, 0)) for x in (one, other))
            if first != then:
                return (1 if first > then else -1) * (-1 if item.desc else 1)
        return 0

    def _near(self, values: Mapping[str, Any]) -> Iterable[Row]:
        """The rows among which the answer lies: by an index where an own attribute must equal one value."""
        for term in self.terms:
            if isinstance(term, Comparison) and term.op == "=" and isinstance(term.operands[0], Param):
                own = lay.column(self.entity, term.path, self.world)
                mine = entity_of(own) == self.entity and own in self.world.stats and not own.startswith("=")
                if mine and not self.world.stats[own].type.endswith("[]"):
                    return self.data.find((own,), (values.get(term.operands[0].name),))
        return self._all()

    def bound(self, values: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        """Attributes that the conditions fix to one value."""
        for term in self.terms:
            if isinstance(term, Comparison) and term.op == "=" and isinstance(term.operands[0], Param):
                yield lay.column(self.entity, term.path, self.world), values.get(term.operands[0].name)

    def needed(self, page: Sequence[Row], values: Mapping[str, Any]) -> tuple[tuple[NeedNode, tuple[Row, ...]], ...]:
        """By needed entity: the rows that come with these rows."""
        if self.query is None:
            return ()
        nodes = self.query.needs
        met: list[list[Row]] = [list(page)]
        for need in nodes[1:]:
            rows: list[Row] = []
            for parent in met[need.up]:
                if need.edge is not None:
                    rows += self._below(need, need.edge, parent, values)
            met.append(list({id(r): r for r in rows}.values()))
        return tuple((need, tuple(rows)) for need, rows in zip(nodes, met, strict=True))

    def _below(self, need: NeedNode, edge: Edge, parent: Row, values: Mapping[str, Any]) -> list[Row]:
        asked = [n.where.terms for n in self.pattern.needs if n.where is not None and _means(n.what, need, edge)]
        rows = [
            r
            for r in self.data.follow(parent, edge)
            if all(meets(self.data, need.entity, r, terms, values) for terms in asked)
        ]
        for attr, way in reversed(need.order):
            rows.sort(key=lambda r: ordered(self.data.value(r, attr)), reverse=way < 0)
        return rows[: int(need.first)] if need.first else rows

    # ------------------------------------------------------------ figures

    def _groups(self, rows: list[Row]) -> tuple[float, ...] | None:
        """The figures of an aggregate, one per group, sorted; None where the formula is not understood."""
        parts = [p.strip() for p in self.pattern.group_by.split(",") if p.strip()]
        keys = [parse_key_part(p) for p in parts]
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            key = []
            for part in keys:
                found = values_of(self.data, self.entity, row, part.attr)
                key.append(part_example(part, as_text(found[0] if found else "")))
            groups.setdefault(tuple(key), []).append(row)
        if not self.pattern.compute:
            return tuple(sorted(float(len(g)) for g in groups.values()))
        made = [worked_out(self.pattern.compute, g) for g in groups.values()]
        return None if None in made else tuple(sorted(float(m) for m in made if m is not None))


def _means(what: str, need: NeedNode, edge: Edge) -> bool:
    head = what.partition(".")[0]
    return head in (need.entity, edge.rel.role if not edge.down else edge.rel.children_as or edge.rel.child)


def _comparisons(terms: Iterable[Term]) -> Iterable[Comparison]:
    for term in terms:
        if isinstance(term, Comparison):
            yield term
        elif isinstance(term, AnyOf):
            for branch in term.branches:
                yield from _comparisons(branch)
        elif isinstance(term, Has):
            yield from _comparisons(term.terms)


def _params(terms: Iterable[Term]) -> Iterable[str]:
    for comparison in _comparisons(terms):
        yield from (o.name for o in comparison.operands if isinstance(o, Param))


def stranger_of(value: Any, rng: Random) -> Any:
    """A value of the same kind that no record has."""
    if isinstance(value, UUID):
        kept = 0xF << 76 | 0x3 << 62  # version and variant
        return UUID(int=rng.getrandbits(128) & ~kept | value.int & kept)
    if isinstance(value, Oid):
        return Oid("f" * 24)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return type(value)(2_000_000_000)
    if isinstance(value, Long):
        return Long(2_000_000_000)
    return f"~{value}"[: max(2, len(value))] if isinstance(value, str) else value


__all__ = ["Expected", "NotUnderstood", "Oracle", "stranger_of"]
