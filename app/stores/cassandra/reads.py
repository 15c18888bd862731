"""A read plan as CQL: one SELECT per step, buckets and shards spelled out, pages by the clustering key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.plan import lay
from app.plan.types import Cond, Step, World
from app.stores.cassandra.dialect import tuples_behind_equality
from app.stores.cassandra.types import key_column, quoted
from app.stores.cassandra.where import Spot, Where, spot_of
from app.stores.common_query import after, field_of
from app.stores.common_steps import Context, asked_apart, source


def read_lines(here: Context) -> Iterable[str]:
    """Statements step by step; steps in other stores in their own language."""
    for number, step in enumerate(here.plan.steps, 1):
        if step.store != "cassandra":
            yield from (f"-- {number}. In {step.store}", *(f"-- {line}" for line in here.lines_elsewhere(step)), "")
            continue
        for branch in asked_apart(step):
            yield from _step(number, branch, here)


# ---------------------------------------------------------------- one step


def _step(number: int, step: Step, here: Context) -> Iterable[str]:
    spot = spot_of(step, here)
    if spot is None:
        yield f"-- {number}. {step.path}: no key leads there"
        return
    conds = _conds(step)
    at = source(conds, here.plan.steps[: number - 1], here.world)
    before = f"row of step {at}" if at else "row reached"
    where = Where(spot, conds, here.world, turned=_turned(spot, step, here.world))
    parts = where.texts()
    loop = f", once for each {before}" if step.how in ("each", "list") else ""
    yield f"-- {number}. {step.path}{loop}"
    yield from (f"-- {note}" for note in _notes(where, step, here, first=number == 1))
    yield from _select(where, parts, step, here, first=number == 1)
    if number == 1 and here.pattern.paging == "cursor":
        yield from _next_pages(where, parts, step, here)
    yield ""


def _conds(step: Step) -> Sequence[Cond]:
    found = list(step.conds)
    for part in (step, *step.branches):
        if part.match is not None:
            found += [c for c in part.match.single.where if c not in found]
    return found


def _turned(spot: Spot, step: Step, world: World) -> bool:
    """Are rows wanted in the reverse of the order they lie in?"""
    of = spot.record.of
    lies = {lay.column(of, k.attr, world): k.desc for k in reversed(spot.order)}
    return next((lies[a] is not (way < 0) for a, way in step.ask if a in lies), False)


def _select(where: Where, parts: Sequence[str], step: Step, here: Context, *, first: bool) -> Iterable[str]:
    spot = where.spot
    yield f"SELECT {_columns(spot, here, first=first)}"
    lines = [f"  FROM {quoted(spot.table.name)}"]
    if parts:
        lines.append(" WHERE " + "\n   AND ".join(parts))
    if where.turned or (where.listed and step.order == "merged"):
        lines.append(f" ORDER BY {_order_by(spot, here.world, turned=where.turned)}")
    limit = here.pattern.limit.value if here.pattern.limit is not None else None
    if first and limit and here.pattern.action == "list" and not here.drops:
        lines.append(f" LIMIT {limit:.0f}")
    yield from (*lines[:-1], f"{lines[-1]};")


def _columns(spot: Spot, here: Context, *, first: bool) -> str:
    """The columns a pattern names where it names columns only, else all of them."""
    pattern = here.pattern
    if first and pattern.counts:
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
        kept = f"keep the first {limit:.0f} rows of all of them, in order"
        yield kept if step.order == "merged" else f"stop as soon as {limit:.0f} rows are found"
    if step.order == "merged" and where.listed:
        yield "the driver's own paging is turned off: a page of IN with ORDER BY is refused by the server"
    left = step.match.residual if step.match is not None else ()
    if left and not step.residual:
        yield f"{', '.join(dict.fromkeys(field_of(c.attr) for c in left))}: the rest is trimmed by the application"
    spans = {c for c, _, _ in where.span}
    for part in where.spot.order:
        if part.filters and key_column(part, where.spot.table.of, here.world).name in spans:
            cut = part.filters[0].name
            yield f"the {cut} at an end of the range holds rows beyond it too: the application leaves them out"
    if here.pattern.figures and first:
        yield f"{here.pattern.compute or 'the figure'} is worked out by the application from the rows read"


# ---------------------------------------------------------------- pages


def _next_pages(where: Where, parts: Sequence[str], step: Step, here: Context) -> Iterable[str]:
    """The rows behind the last one seen: one comparison of tuples, or one statement for each direction."""
    spot = where.spot
    ask = [(a, way) for a, way in step.ask if any(where.attr(p) == a for p in spot.order)]
    if not ask:
        yield "-- next page: the same statement with the paging state of this answer"
        return
    kept = [p for p in parts if not any(p == f"{c} {op} {v}" for c, op, v in where.span)]
    yield "-- next page: last_… are the values of the last row of the page before"
    if where.several:
        yield "-- first in the bucket or shard of that row, then in those that follow"
    # The key's own columns: the same attribute may be kept beside it, under another name.
    names = {where.attr(p): key_column(p, spot.table.of, here.world).name for p in spot.order}
    first = where.attr(spot.order[0]) == ask[0][0] or tuples_behind_equality(here.model.version)
    if len({way for _, way in ask}) == 1 and (first or len(ask) == 1):
        columns = ", ".join(quoted(names[a]) for a, _ in ask)
        values = ", ".join(_last(names[a]) for a, _ in ask)
        op = "<" if ask[0][1] < 0 else ">"
        behind = [f"({c}) {sign} ({v})" for c, sign, v in _across(where, op)]
        line = f"({columns}) {op} ({values})" if first else f"{columns} {op} {values}"
        if not first:
            behind = [f"{c} {sign} {v}" for c, sign, v in _across(where, op)]
        yield from _select(where, [*kept, *behind, line], step, here, first=True)
        return
    yield "-- no one comparison says it here, so it takes several statements, in this order, until the page is full"
    for branch in reversed(after(ask)):
        ranges = [f"{c} {sign} {v}" for c, sign, v in _across(where, branch[0][1])]
        behind = [f"{quoted(names[a])} {op} {_last(names[a])}" for a, op in branch]
        yield from _select(where, [*kept, *ranges, *behind], step, here, first=True)


def _last(column: str) -> str:
    """The value of a column in the last row of the page before; a column named like that keeps its name."""
    return f":{column}" if column.startswith("last_") else f":last_{column}"


def _across(where: Where, op: str) -> list[tuple[str, str, str]]:
    """The bounds on the other side: those on this side are met by all that comes behind the last row."""
    return [b for b in where.span if op != "=" and b[1][0] != op]
