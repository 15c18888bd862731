"""The clauses of a SELECT: tables joined, conditions, what is returned, order and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.model.conditions import Comparison, Conditions, Term
from app.model.terms import AnyOf, Has
from app.plan.types import NeedNode
from app.stores.common_query import after, comparisons, last
from app.stores.postgresql.blocks import Block, Plot, ref_at
from app.stores.postgresql.names import quoted
from app.stores.postgresql.tables import Ref, inside
from app.stores.postgresql.where import Find, Spot, texts

Order = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT, clause by clause."""

    columns: Sequence[str]
    source: Sequence[str]
    """The first table, then a line for each join."""
    where: Sequence[str] = ()
    group: str = ""
    order: str = ""
    limit: str = ""

    def lines(self) -> Iterator[str]:
        yield from _wrapped("SELECT", self.columns)
        yield f"FROM {self.source[0]}"
        yield from self.source[1:]
        yield from (f"{'WHERE' if not i else '  AND'} {w}" for i, w in enumerate(self.where))
        if self.group:
            yield f"GROUP BY {self.group}"
        if self.order:
            yield f"ORDER BY {self.order}"
        if self.limit:
            yield self.limit


def _wrapped(word: str, parts: Sequence[str]) -> Iterator[str]:
    """A list on one line where it fits, else one part a line."""
    flat = ", ".join(parts)
    if len(flat) <= 100 and "\n" not in flat:
        yield f"{word} {flat}".rstrip()
        return
    yield word
    for i, part in enumerate(parts):
        lines = part.splitlines()
        yield from (f"  {line}" for line in lines[:-1])
        yield f"  {lines[-1]}{',' if i < len(parts) - 1 else ''}"


# ---------------------------------------------------------------- tables


def source(plot: Plot, block: Block) -> list[str]:
    """A table with those joined to it; a list inside it whose elements are asked for stands beside it."""
    out = [_named(block)]
    out += _elements(plot, block)
    for other in plot.inline(block):
        needed = bool(conditions(plot, other)) or _leads_to_root(plot, other) or not _optional(plot, other)
        out.append(
            f"{'JOIN' if needed else 'LEFT JOIN'} {_named(other)} ON {' AND '.join(joins(plot, other)) or 'true'}"
        )
        out += _elements(plot, other)
    return out


def _named(block: Block) -> str:
    return f"{block.table.name} AS {block.alias}" if block.alias else block.table.name


def _elements(plot: Plot, block: Block) -> list[str]:
    column = asked_list(plot, block)
    if not column:
        return []
    whole = f"{block.alias}.{quoted(column)}" if block.alias else quoted(column)
    return [f"CROSS JOIN LATERAL jsonb_array_elements({whole}) AS {block.element}"]


def asked_list(plot: Plot, block: Block) -> str:
    """The list in a table whose elements are what the read asks for; empty where its rows are."""
    at = block.nodes.get(0)
    if at == 0 and block.table.bucket:
        return block.table.bucket
    if not at or plot.holder(0, plot.query.root.entity) is None:
        return ""
    first = next((b for b in plot.blocks if 0 in b.nodes), None)
    return block.table.list_of(block.table.record.shape[at]) if first is block else ""


def _leads_to_root(plot: Plot, block: Block) -> bool:
    root = next((b for b in plot.blocks if 0 in b.nodes), None)
    while root is not None and root is not block:
        root = root.up
    return root is block


def _optional(plot: Plot, block: Block) -> bool:
    """May a row have no partner there?"""
    edge = block.edge
    if edge is None or edge.down:
        return True
    stats = plot.here.world.stats
    return edge.rel.up.avg < 1 or any(stats[a].present < 1 for a in edge.near if a in stats)


def joins(plot: Plot, block: Block) -> list[str]:
    """What ties a table to the one above it."""
    if block.up is None:
        return []
    out = []
    for need, attr, there_need, there_attr in block.tied:
        one, other = of_block(plot, block, need, attr), of_block(plot, block.up, there_need, there_attr)
        if one is not None and other is not None:
            out.append(_tied(one, other))
    if block.edge is None:
        return out
    for near, far in zip(block.edge.near, block.edge.far, strict=False):
        there = of_block(plot, block.up, block.via, near) or plot.spot(block.via, near)
        here = of_block(plot, block, block.need, far)
        if there is not None and here is not None:
            out.append(_tied(here, there))
    return out


def of_block(plot: Plot, block: Block, need: int, attr: str) -> Spot | None:
    at = block.nodes.get(need)
    if at is None:
        return None
    column = asked_list(plot, block)
    ref = ref_at(block, at, attr)
    if column and ref.column == column:
        return Spot("", Ref(block.element, ref.type, ref.path), block.table)
    return Spot(block.alias, ref, block.table)


def _tied(here: Spot, there: Spot) -> str:
    """Equality of two values; one of them may be in a list."""
    if here.ref.stored.endswith("[]") and not there.ref.stored.endswith("[]"):
        return f"{here.sql} @> ARRAY[{there.sql}]"
    if there.ref.stored.endswith("[]") and not here.ref.stored.endswith("[]"):
        return f"{here.sql} = ANY ({there.sql})"
    if there.ref.each:
        element = inside("item", there.ref.path, there.ref.type)
        return f"{here.sql} IN (SELECT {element} FROM jsonb_array_elements({there.column}) AS item)"
    return f"{here.sql} = {there.sql}"


# ---------------------------------------------------------------- conditions


def conditions(plot: Plot, block: Block) -> list[str]:
    """What a table's rows must meet: the conditions of the needs it is the first to hold."""
    out: list[str] = []
    for n, need in enumerate(plot.query.needs):
        terms = [t for t in _terms(need) if _mine(plot, block, n, t)]
        if terms:
            out += texts(terms, finder(plot, block, n))
    return list(dict.fromkeys(out))


def _terms(need: NeedNode) -> Iterator[Term]:
    yield from (c.source for c in need.where if c.source is not None)
    if need.any_of:
        branches = tuple(tuple(c.source for c in b if c.source is not None) for b in need.any_of)
        yield AnyOf(branches)


def _mine(plot: Plot, block: Block, n: int, term: Term) -> bool:
    """Is this the first table that can judge the condition of a need?"""
    path = next((c.path for c in comparisons([term])), "")
    found = plot.holder(n, _attr(plot, n, path))
    if found is None:
        found = next(((b, b.nodes[n]) for b in plot.blocks if n in b.nodes), None)
    return found is not None and found[0] is block


def _attr(plot: Plot, n: int, path: str) -> str:
    entity = plot.query.needs[n].entity
    conds = [*plot.query.needs[n].where, *(c for b in plot.query.needs[n].any_of for c in b)]
    named = next((c.attr for c in conds if c.source is not None and c.source.path == path), "")
    return named or f"{entity}.{path.rpartition('.')[2]}"


def finder(plot: Plot, block: Block, n: int) -> Find:
    """Where the paths of a need's conditions are, inside this table's part of the statement."""

    def find(path: str) -> Spot:
        attr = _attr(plot, n, path)
        own = of_block(plot, block, n, attr)
        found = own if own is not None and block.table.refs.get(attr) is not None else plot.spot(n, attr)
        return found or own or Spot(block.alias, block.table.ref(attr), block.table)

    return find


def exists(plot: Plot, block: Block, where: Conditions | None) -> list[str]:
    """Conditions of the pattern itself on what is listed inside its rows: one of the list must meet them."""
    asked = {id(c) for c in _every(where.terms if where is not None else ())}
    out = []
    for other in plot.below(block):
        if not other.listed:
            continue
        mine = [c for n in other.nodes for c in plot.query.needs[n].where if c.source is not None]
        if any(id(c.source) in asked for c in mine):
            tests = [*joins(plot, other), *conditions(plot, other)]
            out.append(f"EXISTS (SELECT FROM {_named(other)} WHERE {' AND '.join(tests)})")
    return out


def _every(terms: Sequence[Term]) -> Iterator[Comparison]:
    for term in terms:
        if isinstance(term, Has):
            yield from comparisons(term.terms)
        else:
            yield from comparisons([term])


def block_conditions(plot: Plot, block: Block) -> list[str]:
    """Conditions of a table and of all that is joined to it row by row."""
    return list(dict.fromkeys(c for b in (block, *plot.inline(block)) for c in conditions(plot, b)))


# ---------------------------------------------------------------- order and pages


def ordered(plot: Plot, need: int, order: Order) -> str:
    out = []
    for attr, way in order:
        spot = order_spot(plot, need, attr)
        if spot is not None:
            out.append(spot.sql + (" DESC" if way < 0 else ""))
    return ", ".join(out)


def order_spot(plot: Plot, need: int, attr: str) -> Spot | None:
    """Where an order's attribute is, at the need it belongs to or the nearest that has it."""
    entity = attr.removeprefix("=").partition(".")[0]
    mine = [need, *(i for i, n in enumerate(plot.query.needs) if n.entity == entity)]
    for n in dict.fromkeys(mine):
        if plot.query.needs[n].entity != entity:
            continue
        found = plot.holder(n, attr)
        spot = of_block(plot, found[0], n, attr) if found is not None else plot.spot(n, attr)
        if spot is not None:
            return spot
    return None


def plain_name(name: str) -> str:
    return "_".join(w for w in "".join(c if c.isalnum() else " " for c in name).split())


def beyond(plot: Plot, ask: Order) -> str:
    """The rows behind the last one seen: one comparison of rows where all directions agree, else branch by branch."""
    spots = [(s.sql, f":last_{plain_name(last(a))}", w) for a, w in ask if (s := order_spot(plot, 0, a)) is not None]
    if not spots:
        return ""
    ways = {w for _, _, w in spots}
    if len(spots) == 1:
        return f"{spots[0][0]} {'<' if spots[0][2] < 0 else '>'} {spots[0][1]}"
    if len(ways) == 1:
        left, right = ", ".join(s for s, _, _ in spots), ", ".join(p for _, p, _ in spots)
        return f"({left}) {'<' if ways == {-1} else '>'} ({right})"
    given = {s: p for s, p, _ in spots}
    branches = after([(s, w) for s, _, w in spots])
    each = (" AND ".join(f"{s} {op} {given[s]}" for s, op in branch) for branch in branches)
    first, param, way = spots[0]
    # the first comparison by itself also bounds the index
    return f"{first} {'<=' if way < 0 else '>='} {param} AND (" + " OR ".join(f"({e})" for e in each) + ")"
