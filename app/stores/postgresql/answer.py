"""What a SELECT returns: columns of a row, those of parents under their role's name, lists of children as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.plan.types import NeedNode
from app.stores.common_query import last, many
from app.stores.postgresql.blocks import Block, Plot, wanted
from app.stores.postgresql.names import quoted
from app.stores.postgresql.statement import (
    Select,
    asked_list,
    block_conditions,
    joins,
    of_block,
    ordered,
    plain_name,
    source,
)
from app.stores.postgresql.tables import WHOLE, Ref
from app.stores.postgresql.where import Find, Spot, texts


def returned(plot: Plot, block: Block, listed: bool = False) -> list[str]:
    """The columns of a row: its own, those of parents under their role's name, lists of children as JSON."""
    out: dict[str, str] = {}
    blocks = [block, *plot.inline(block)]
    for n, need in enumerate(plot.query.needs):
        if not any(n in b.nodes for b in plot.blocks):
            for name, sql in _kept(plot, need, blocks):
                out.setdefault(name, sql)
        if not any(n in b.nodes for b in blocks) or _inside_list(plot, block, n):
            continue
        for name, sql in _values(plot, n, need, blocks, own=listed and n == block.need):
            out.setdefault(name, sql)
    for other in blocks:
        for inner in plot.below(other):
            if inner.listed:
                label = _label(plot, inner.need)
                label = inner.table.structure.name if label == inner.table.record.of else label
                out.setdefault(label, f"{_list(plot, inner)} AS {quoted(label)}")
    if not out and not listed:
        return ["1"]
    return list(out.values()) or ["1"]


def _kept(plot: Plot, need: NeedNode, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """(name, SQL) of a parent's key, where no table is read for the parent: its child keeps it."""
    edge = need.edge
    if edge is None or edge.down or _inside_list(plot, blocks[0], need.up):
        return
    for near, far in zip(edge.near, edge.far, strict=True):
        found = plot.holder(need.up, near) if far in need.attrs else None
        spot = of_block(plot, found[0], need.up, near) if found is not None and found[0] in blocks else None
        if spot is not None:
            name = last(near)
            yield name, spot.sql if spot.ref.column == name else f"{spot.sql} AS {quoted(plain_name(name))}"


def _values(plot: Plot, n: int, need: NeedNode, blocks: Sequence[Block], *, own: bool) -> Iterator[tuple[str, str]]:
    """(name, SQL) of what a need wants. `own`: of the rows that are listed, without their role's name."""
    world = plot.here.world
    role = _label(plot, n) if n and not own else ""
    for attr in wanted(need, world.fields.get(need.entity, ())):
        if attr.endswith(".*"):
            yield from ((WHOLE, b.alias + "." * bool(b.alias) + WHOLE) for b in blocks if b.table.column(WHOLE))
            continue
        found = plot.holder(n, attr)
        if found is None or found[0] not in blocks:
            continue
        block, at = found
        whole = _list_column(block, at)
        if whole and not asked_list(plot, block):
            yield whole, _inner_list(plot, block, n, whole)
            continue
        spot = of_block(plot, block, n, attr)
        if spot is None:
            continue
        name = f"{role}_{last(attr)}" if role else last(attr)
        plain = spot.ref.column == name and not spot.ref.path and not spot.ref.each
        yield name, spot.sql if plain else f"{spot.sql} AS {quoted(plain_name(name))}"


def _list_column(block: Block, at: int) -> str:
    """The column whose list holds this node of the shape; empty where each row has one."""
    shape = block.table.record.shape
    while at > 0:
        found = block.table.list_of(shape[at]) if many(shape[at].edge) else ""
        if found:
            return found.partition(".")[0]
        at = shape[at].up
    return ""


def _inside_list(plot: Plot, block: Block, n: int) -> bool:
    """Is the need answered by a list of its own below this table?"""
    listed = [b for o in (block, *plot.inline(block)) for b in plot.below(o) if b.listed]
    return any(n in b.nodes for b in listed) and not any(n in b.nodes for b in (block, *plot.inline(block)))


def _inner_list(plot: Plot, block: Block, n: int, column: str) -> str:
    """A list held in the row: all of it, or what is asked of its elements."""
    need = plot.query.needs[n]
    base = f"{block.alias}.{quoted(column)}" if block.alias else quoted(column)
    at = block.nodes[n]
    direct = block.table.list_of(block.table.record.shape[at]) == column
    conds = [c.source for c in need.where if c.source is not None]
    if not direct or not (need.first or conds):
        return base
    find = _element_finder(block)
    where = texts(conds, find)
    order = ", ".join(f"{find(a).sql}{' DESC' if d < 0 else ''}" for a, d in need.order)
    inner = f"SELECT item FROM jsonb_array_elements({base}) AS item"
    inner += f" WHERE {' AND '.join(where)}" if where else ""
    inner += f" ORDER BY {order}" if order else ""
    inner += f" LIMIT {need.first:.0f}" if need.first else ""
    return f"(SELECT coalesce(jsonb_agg(item), '[]') FROM ({inner}) AS items) AS {quoted(column)}"


def _element_finder(block: Block) -> Find:
    def find(path: str) -> Spot:
        ref = block.table.ref(path)
        return Spot("", Ref("item", ref.type, ref.path))

    return find


def _label(plot: Plot, n: int) -> str:
    """What a parent or a list of children is called: its role, or the name it was asked for by."""
    need = plot.query.needs[n]
    edge = need.edge
    if edge is None:
        return need.entity
    if not edge.down:
        return edge.rel.role
    return edge.rel.children_as or edge.rel.child


def _list(plot: Plot, block: Block) -> str:
    """Children of each row as one JSON list: at most so many, in their order."""
    need = plot.query.needs[block.need]
    inner = Select(
        returned(plot, block, listed=True),
        source(plot, block),
        [*joins(plot, block), *block_conditions(plot, block)],
        order=ordered(plot, block.need, need.order),
        limit=f"LIMIT {need.first:.0f}" if need.first else "",
    )
    body = "\n".join(f"  {line}" for line in inner.lines())
    return f"(SELECT coalesce(jsonb_agg(to_jsonb(one)), '[]') FROM (\n{body}\n) AS one)"
