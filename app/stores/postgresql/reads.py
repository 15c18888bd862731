"""A read plan as the SQL an engineer would paste: one statement, pages, figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.model.keys import BUCKETS
from app.plan import lay
from app.plan.figures import PATH
from app.plan.lower_read import lower_read
from app.plan.types import Query, Step
from app.stores.common_query import comparisons, last
from app.stores.common_steps import Context
from app.stores.common_write import asked as changes_of
from app.stores.postgresql.answer import returned
from app.stores.postgresql.blocks import Plot, plot
from app.stores.postgresql.names import quoted
from app.stores.postgresql.statement import (
    Order,
    Select,
    beyond,
    block_conditions,
    exists,
    order_spot,
    ordered,
    source,
)
from app.stores.postgresql.walks import walk_lines
from app.stores.postgresql.where import Find, Spot, asked, distance, value, words_of

FORMULA = re.compile(r"(count|sum|avg|min|max)\s*\(\s*([^)]*?)\s*\)", re.IGNORECASE)


def read_lines(here: Context) -> Iterator[str]:
    """The lines of a read, steps in other stores included."""
    query = lower_read(here.pattern, here.world)
    mine = [s for s in here.plan.steps if s.store == "postgresql"]
    for step in here.plan.steps:
        if step.store != "postgresql":
            yield from (f"-- {line}" if line else "--" for line in here.lines_elsewhere(step))
    if query.course is not None:
        yield from walk_lines(query, query.course, here)
        return
    found = plot(query, mine, here)
    if found is None:
        return
    yield from _statement(found, query, mine)


def _statement(found: Plot, query: Query, steps: Sequence[Step]) -> Iterator[str]:
    pattern = found.here.pattern
    first = found.blocks[0]
    where = [*block_conditions(found, first), *exists(found, first, pattern.where)]
    tables = source(found, first)
    if pattern.counts:
        yield from _ended(Select(["count(*)"], tables, where).lines())
        return
    if pattern.figures or pattern.group_by:
        yield from _ended(_figures(found, tables, where))
        return
    ask = order_of(found, query, steps)
    limit = _limit(query, found)
    shown = list(dict.fromkeys([*returned(found, first), *_cursor(found, ask)]))
    select = Select(shown, tables, where, order=_order(found, ask), limit=limit)
    taken = [c for c in changes_of(pattern) if c.taken and c.kind == "delete"]
    if any(c.entity not in found.here.world.soft_delete for c in taken):
        yield from _taken(found, select)
        return
    yield from _ended(select.lines())
    if pattern.paging == "cursor" and ask and limit:
        yield "-- next page: last_… are the values of the last row of the page before"
        following = [*where, beyond(found, ask)]
        yield from _ended(Select(select.columns, tables, following, order=select.order, limit=limit).lines())


def _cursor(found: Plot, ask: Order) -> Iterator[str]:
    """What the next page begins behind has to be among what is returned."""
    if found.here.pattern.paging != "cursor":
        return
    for attr, _ in ask:
        spot = order_spot(found, 0, attr)
        if spot is not None:
            plain = spot.ref.column == last(attr) and not spot.ref.path and not spot.ref.each
            yield spot.sql if plain else f"{spot.sql} AS {quoted(last(attr))}"


def _taken(found: Plot, select: Select) -> Iterator[str]:
    """Rows that are read and removed at once: others who take at the same time get the next ones."""
    table = found.blocks[0].table
    keys = [quoted(table.ref(a).column) for a in found.here.world.keys.get(table.record.of, ())] or ["ctid"]
    inner = Select(keys, [table.name], select.where, order=select.order, limit=select.limit)
    whole = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
    yield f"DELETE FROM {table.name}"
    yield f"WHERE {whole} IN ("
    yield from (f"  {line}" for line in inner.lines())
    yield "  FOR UPDATE SKIP LOCKED"
    yield ")"
    yield f"RETURNING {', '.join(select.columns)};"


def _ended(lines: Iterator[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:-1]
    yield f"{every[-1]};"


def order_of(found: Plot, query: Query, steps: Sequence[Step]) -> Order:
    """The order to write: without what the conditions fix, so that an index can give it."""
    fixed = {c.attr for n in query.needs for c in n.where if c.op == "="}
    out = []
    for attr, way in query.root.order:
        if attr in fixed:
            continue
        out.append((attr, way))
        stat = found.here.world.stats.get(attr)
        if stat is not None and stat.unique and attr.partition(".")[0] == query.root.entity:
            break
    single = len(steps) == 1 and steps[0].ask and steps[0].entity == query.root.entity
    return steps[0].ask if single else tuple(out)


def _order(found: Plot, ask: Order) -> str:
    said = ordered(found, 0, ask)
    if said:
        return said
    pattern = found.here.pattern
    words = {i.path for i in pattern.order_by.items} if pattern.order_by is not None else set()
    for term in comparisons(pattern.where.terms if pattern.where else ()):
        if term.op == "match" and (not words or words & {"relevance", "rank"}):
            find = _finder(found)
            return f"ts_rank({words_of(term, find)}, {asked(term, find)}) DESC"
        if term.op == "near" and "distance" in words:
            find = _finder(found)
            return distance(find(term.path).sql, f"(CAST({value(term.operands[0])} AS point))")
    return ""


def _finder(found: Plot) -> Find:
    def find(path: str) -> Spot:
        attr = lay.column(found.query.root.entity, path, found.here.world)
        spot = order_spot(found, 0, attr)
        first = found.blocks[0]
        return spot or Spot(first.alias, first.table.ref(attr), first.table)

    return find


def _limit(query: Query, found: Plot) -> str:
    if not query.limit:
        return ""
    return f"LIMIT {query.limit:.0f}" + (" OFFSET :skip" if found.here.pattern.paging == "offset" else "")


# ---------------------------------------------------------------- figures


def _figures(found: Plot, tables: Sequence[str], where: Sequence[str]) -> Iterator[str]:
    pattern = found.here.pattern
    if pattern.compute.strip().lower().startswith("rank by"):
        yield from _rank(found, tables, where)
        return
    keys = [_group(found, by.strip()) for by in pattern.group_by.split(",") if by.strip()]
    shown = [f"{word.lower()}({_inner(found, inner)}) AS {_named(word, inner)}" for word, inner in _formulas(found)]
    named = (quoted(name) if sql == quoted(name) else f"{sql} AS {quoted(name)}" for name, sql in keys)
    columns = [*named, *(shown or ["count(*) AS count"])]
    limit = f"LIMIT {pattern.limit.value:.0f}" if pattern.limit is not None and pattern.limit.value else ""
    order = ", ".join(str(i + 1) for i in range(len(keys)))
    if limit and keys:
        order = f"{len(keys) + 1} DESC"
    group = ", ".join(str(i + 1) for i in range(len(keys)))
    yield from Select(columns, tables, where, group, order, limit).lines()


def _formulas(found: Plot) -> list[tuple[str, str]]:
    return FORMULA.findall(found.here.pattern.compute or "")


def _inner(found: Plot, inner: str) -> str:
    """What is added up, with columns in place of attributes; a bare entity counts rows."""
    find = _finder(found)
    if not PATH.search(inner):
        return "*"
    return PATH.sub(lambda m: find(m[0]).sql, inner)


def _named(word: str, inner: str) -> str:
    paths = PATH.findall(inner)
    name = "_".join([word.lower(), *(last(p) for p in paths)])
    return quoted(name)


def _group(found: Plot, by: str) -> tuple[str, str]:
    """(name, SQL) of what is grouped by: an attribute, or one cut to a unit of time: `reading.at|day`."""
    path, *filters = [w.strip() for w in by.split("|")]
    column = _finder(found)(path).sql
    unit = next((f.split()[0] for f in filters if f.split()[:1] and f.split()[0] in BUCKETS), "")
    return (unit, f"date_trunc('{unit}', {column})") if unit else (last(path), column)


def _rank(found: Plot, tables: Sequence[str], where: Sequence[str]) -> Iterator[str]:
    """The place of one row among those it is compared with: how many are before it."""
    pattern, find = found.here.pattern, _finder(found)
    path, *rest = pattern.compute.strip()[len("rank by") :].split()
    column = find(path).sql
    keys = set(found.here.world.keys.get(pattern.entity, ())) or {f"{pattern.entity}.id"}
    named = list(comparisons(pattern.where.terms if pattern.where else ()))
    whole = list(where)
    group = [
        w
        for w, t in zip(where, named, strict=False)
        if lay.column(pattern.entity, t.path, found.here.world) not in keys
    ]
    group = group if 0 < len(group) < len(whole) else whole[:-1]
    sign = ">" if rest[:1] == ["desc"] else "<"
    inner = " ".join(Select([column], tables, whole).lines())
    yield from Select(["count(*) + 1 AS rank"], tables, [*group, f"{column} {sign} ({inner})"]).lines()
