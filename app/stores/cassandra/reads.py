"""A read plan as CQL: one SELECT per step, buckets and shards spelled out, pages by the clustering key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.model.candidate import Candidate, Structure
from app.model.conditions import Literal, Now, Operand, Param
from app.model.keys import KeyPart
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Cond, Plan, Record, Step, World
from app.stores.cassandra.records import records, views_of
from app.stores.cassandra.types import key_column, quoted
from app.stores.common_query import Names, after, elsewhere, field_of, names_of

SPANS = (">", ">=", "<", "<=", "between", "prefix")


@dataclass(frozen=True, slots=True)
class Context:
    """What every statement of one query needs to know."""

    pattern: Pattern
    plan: Plan
    model: Candidate
    world: World


@dataclass(frozen=True, slots=True)
class Spot:
    """The table or view a step reads, with its key as typed."""

    structure: Structure
    table: Structure
    """The view itself where a view is read, else the structure."""
    record: Record
    index: bool = False

    def names(self, world: World) -> Names:
        return names_of(self.structure, self.record, world)

    @property
    def partition(self) -> tuple[KeyPart, ...]:
        return tuple(self.table.partition_key or ())

    @property
    def order(self) -> tuple[KeyPart, ...]:
        return tuple(self.table.clustering_key or ())


def read_lines(here: Context) -> Iterable[str]:
    """Statements step by step; steps in other stores in their own language."""
    for number, step in enumerate(here.plan.steps, 1):
        if step.store != "cassandra":
            part = replace(here.plan, steps=(step,))
            text = elsewhere(here.pattern, part, here.model, here.world, step.store)
            yield from (f"-- {number}. In {step.store}", *(f"-- {line}" for line in text.splitlines()), "")
            continue
        several = () if step.how == "collection" else step.branches
        for branch in several or (step,):
            yield from _step(number, branch, here)


def spot_of(step: Step, here: Context) -> Spot | None:
    """The table a step reads; rows rather than static columns where both are asked for."""
    structure = here.model.structure(step.structure)
    if structure is None:
        return None
    found = [r for r in records(structure, here.model, here.world) if not step.records_of or r.name in step.records_of]
    if not found:
        return None
    record = next((r for r in found if not r.static), found[0])
    view = next((v for v in views_of(structure, here.model) if v.name == step.path), None)
    index = step.match is not None and step.match.path.kind in ("index", "sai")
    return Spot(structure, view or structure, record, index)


# ---------------------------------------------------------------- one step


def _step(number: int, step: Step, here: Context) -> Iterable[str]:
    spot = spot_of(step, here)
    if spot is None:
        yield f"-- {number}. {step.path}: no key leads there"
        return
    before = f"step{number - 1}" if number > 1 else ""
    where = Where(spot, _conds(step), before, here.world)
    parts = where.texts()
    loop = f", once for each row of {before}" if step.how in ("each", "list") else ""
    yield f"-- {number}. {step.path}{loop}"
    yield from (f"-- {note}" for note in _notes(where, step, here, first=number == 1))
    yield from _select(spot, parts, step, here, first=number == 1)
    if number == 1 and here.pattern.paging == "cursor" and step.ask:
        yield from _next_pages(where, parts, step, here)
    yield ""


def _conds(step: Step) -> Sequence[Cond]:
    found = list(step.conds)
    for part in (step, *step.branches):
        if part.match is not None:
            found += [c for c in part.match.single.where if c not in found]
    return found


def _select(spot: Spot, where: Sequence[str], step: Step, here: Context, *, first: bool) -> Iterable[str]:
    yield f"SELECT {_columns(spot, here, first=first)}"
    yield f"  FROM {quoted(spot.table.name)}"
    if where:
        yield " WHERE " + "\n   AND ".join(where)
    tail = []
    if step.order == "reversed":
        tail.append(f" ORDER BY {_order_by(spot, here.world, turned=True)}")
    limit = here.pattern.limit.value if here.pattern.limit is not None else None
    if first and limit and here.pattern.action == "list":
        tail.append(f" LIMIT {limit:.0f}")
    yield from [*tail[:-1], f"{tail[-1]};"] if tail else [";"]


def _columns(spot: Spot, here: Context, *, first: bool) -> str:
    """The columns a pattern names where it names columns only, else all of them."""
    pattern = here.pattern
    if first and pattern.action == "count":
        return "count(*)"
    names = spot.names(here.world)
    wanted: list[str] = []
    for need in pattern.needs:
        own = lay.column(spot.record.of, need.what, here.world)
        if "." not in need.what or not names.knows(own):
            return "*"
        wanted.append(quoted(names(own).partition(".")[0]))
    if first and pattern.compute and not wanted:
        return "*"
    asked = [quoted(names(a)) for a, _ in (here.plan.steps[0].ask if first else ()) if names.knows(a)]
    return ", ".join(dict.fromkeys([*wanted, *asked])) if wanted else "*"


def _order_by(spot: Spot, world: World, *, turned: bool) -> str:
    of = spot.record.of
    each = (f"{quoted(key_column(k, of, world).name)} {'DESC' if k.desc is not turned else 'ASC'}" for k in spot.order)
    return ", ".join(each)


def _notes(where: Where, step: Step, here: Context, *, first: bool) -> Iterable[str]:
    yield from where.several
    limit = here.pattern.limit.value if here.pattern.limit is not None else None
    if where.several and first and limit:
        yield f"stop as soon as {limit:.0f} rows are found"
    if step.order == "merged":
        yield "the answers are merged by the application: a page of IN with ORDER BY is refused by the server"
    left = step.match.residual if step.match is not None else ()
    if left and not step.residual:
        yield f"{', '.join(dict.fromkeys(field_of(c.attr) for c in left))}: the rest is trimmed by the application"
    if here.pattern.action == "aggregate" and first:
        yield f"{here.pattern.compute or 'the figure'} is worked out by the application from the rows read"


# ---------------------------------------------------------------- conditions


def value_text(operand: Operand) -> str:
    """`:user`, a literal, or the time of the call as a parameter."""
    if isinstance(operand, Param):
        return f":{operand.name}"
    if isinstance(operand, Literal):
        value = operand.value
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        return f"{value:g}" if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"
    if isinstance(operand, Now):
        return (
            ":now"
            if not operand.offset
            else f":now_{'minus' if operand.offset < 0 else 'plus'}_{abs(operand.offset):g}s"
        )
    return operand.path


class Where:
    """The WHERE of one statement, key column by key column."""

    def __init__(self, spot: Spot, conds: Sequence[Cond], before: str, world: World) -> None:
        self.spot, self.conds, self.before, self.world = spot, conds, before, world
        self.several: list[str] = []
        """Which values are asked for one request at a time."""
        self.span: list[tuple[str, str, str]] = []
        """(column, operator, value) of the range on the last clustering column."""

    def texts(self) -> list[str]:
        found: list[str] = []
        for part in self.spot.partition if not self.spot.index else ():
            text = self._partition(part)
            if text:
                found.append(text)
        found += self._indexed() if self.spot.index else []
        for part in self.spot.order if found and not self.spot.index else ():
            mine = self._clustering(part)
            found += mine
            if self.span or not mine:
                break
        return found

    def _attr(self, part: KeyPart) -> str:
        return lay.column(self.spot.record.of, part.attr, self.world)

    def _of(self, attr: str) -> list[Cond]:
        return [
            c for c in self.conds if c.attr == attr or (self.spot.record.static and field_of(c.attr) == field_of(attr))
        ]

    def _value(self, cond: Cond, at: int = 0) -> str:
        operands = cond.source.operands if cond.source is not None else ()
        if at < len(operands):
            return value_text(operands[at])
        return f":{self.before + '.' if self.before else ''}{field_of(cond.attr)}"

    def _partition(self, part: KeyPart) -> str:
        """Equality, IN, or one request for each bucket or shard; empty where nothing binds the column."""
        attr = self._attr(part)
        name = key_column(part, self.spot.record.of, self.world).name
        column = quoted(name)
        for cond in self._of(attr):
            if cond.op in ("=", "in") and not part.filters:
                return f"{column} = {self._value(cond)}" if cond.op == "=" else self._in(column, cond)
            if cond.op in ("=", "contains"):
                return f"{column} = {_filtered(self._value(cond), part)}"
        if part.kept.chosen or part.kept.fan:
            self.several.append(f"one request for each {name} from 0 to {part.kept.fan - 1}, merged by the application")
            return f"{column} = :{name}"
        if part.kept.bucket:
            self.several.append(self._buckets(name, attr))
            return f"{column} = :{name}"
        return ""

    def _buckets(self, name: str, attr: str) -> str:
        spans = [c for c in self._of(attr) if c.op in SPANS]
        newest = any(p.desc for p in self.spot.order if self._attr(p) == attr)
        first, then = ("newest", "oldest") if newest else ("oldest", "newest")
        limits = " and ".join(f"{c.op} {self._value(c)}" for c in spans)
        if limits:
            return f"one request for each {name} that {field_of(attr)} {limits} meets, {first} before {then}"
        return f"one request for each {name} in which there are rows, {first} before {then}"

    def _in(self, column: str, cond: Cond) -> str:
        operands = cond.source.operands if cond.source is not None else ()
        if len(operands) == 1 and isinstance(operands[0], Param):
            return f"{column} IN :{operands[0].name}"
        return f"{column} IN ({', '.join(value_text(o) for o in operands)})"

    def _indexed(self) -> list[str]:
        """Any column the index or the key answers, in the order of the conditions."""
        names = self.spot.names(self.world)
        found = []
        for cond in self.conds:
            column = quoted(names(cond.attr))
            op = "CONTAINS" if cond.op == "contains" or names(cond.attr) in names.lists else cond.op
            found.append(self._in(column, cond) if cond.op == "in" else f"{column} {op} {self._value(cond)}")
        return found

    def _clustering(self, part: KeyPart) -> list[str]:
        attr = self._attr(part)
        column = quoted(key_column(part, self.spot.record.of, self.world).name)
        found = []
        for cond in self._of(attr):
            if cond.op == "=":
                return [f"{column} = {_filtered(self._value(cond), part)}"]
            if cond.op == "in" and not part.filters:
                return [self._in(column, cond)]
            found += self._spans(column, cond, part)
        self.span = found
        return [f"{c} {op} {value}" for c, op, value in found]

    def _spans(self, column: str, cond: Cond, part: KeyPart) -> list[tuple[str, str, str]]:
        if cond.op == "between":
            low, high = self._value(cond), self._value(cond, 1)
            return [(column, ">=", _filtered(low, part)), (column, "<=", _filtered(high, part))]
        if cond.op == "prefix":
            value = self._value(cond)
            return [(column, ">=", value), (column, "<", f"{value}_end")]
        if cond.op not in SPANS:
            return []
        op = {">": ">=", "<": "<="}.get(cond.op, cond.op) if part.filters else cond.op
        return [(column, op, _filtered(self._value(cond), part))]


def _filtered(value: str, part: KeyPart) -> str:
    """`:at` under `|hour` is `:at_hour`: the application derives it as it does on writing."""
    return "_".join([value, *(f.name for f in part.filters)]) if value.startswith(":") else value


# ---------------------------------------------------------------- pages


def _next_pages(where: Where, parts: Sequence[str], step: Step, here: Context) -> Iterable[str]:
    """The rows behind the last one seen: one comparison of tuples, or one statement for each direction."""
    spot, names = where.spot, where.spot.names(here.world)
    ask = [(a, way) for a, way in step.ask if any(where._attr(p) == a for p in spot.order)]  # noqa: SLF001
    if not ask:
        return
    kept = [p for p in parts if not any(p == f"{c} {op} {v}" for c, op, v in where.span)]
    ranges = [f"({c}) {op} ({v})" for c, op, v in where.span]
    yield "-- next page: last_… are the values of the last row of the page before"
    if len({way for _, way in ask}) == 1:
        columns = ", ".join(quoted(names(a)) for a, _ in ask)
        values = ", ".join(f":last_{names(a)}" for a, _ in ask)
        behind = [f"({columns}) {'<' if ask[0][1] < 0 else '>'} ({values})"]
        yield from _select(spot, [*kept, *ranges, *behind], step, here, first=True)
        return
    yield "-- the directions differ, so it takes several statements, in this order, until the page is full"
    for branch in reversed(after(ask)):
        behind = [f"{quoted(names(a))} {op} :last_{names(a)}" for a, op in branch]
        yield from _select(spot, [*kept, *ranges, *behind], step, here, first=True)
