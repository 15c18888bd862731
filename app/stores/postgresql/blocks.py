"""How one SQL statement answers a read: which table holds which need, and how the tables hang together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.plan.cover import laid, neighbours, same
from app.plan.types import Edge, NeedNode, Query, Step
from app.stores.common_query import last, many
from app.stores.common_steps import Context
from app.stores.postgresql.tables import Ref, Table, table_of
from app.stores.postgresql.where import Spot


@dataclass(eq=False, slots=True)
class Block:
    """One table of a statement. `need`: what it was read for; `nodes`: need → node of the table's shape. `up`: the
    table its rows belong to, by `edge` from that one's need `via`. `listed`: its rows are a list in a row of `up`."""

    step: Step
    table: Table
    alias: str
    need: int
    nodes: dict[int, int] = field(default_factory=dict)
    up: Block | None = None
    via: int = 0
    edge: Edge | None = None
    listed: bool = False
    tied: list[tuple[int, str, int, str]] = field(default_factory=list)
    """Where a table between is not read: need and attribute here, need and attribute in `up`, that are equal."""

    @property
    def element(self) -> str:
        """What an element of the list is called that this table's rows are asked for."""
        return f"{self.alias}_item" if self.alias else "item"


@dataclass(frozen=True)
class Plot:
    """The blocks of a statement, the first first, with the needs they answer."""

    query: Query
    blocks: tuple[Block, ...]
    here: Context

    def below(self, block: Block) -> Iterator[Block]:
        return (b for b in self.blocks if b.up is block)

    def inline(self, block: Block) -> Iterator[Block]:
        """Tables joined to this one, row by row, in the order of their joins."""
        for other in self.below(block):
            if not other.listed:
                yield other
                yield from self.inline(other)

    def holder(self, need: int, attr: str) -> tuple[Block, int] | None:
        """The first table that holds an attribute of a need, and where in its shape."""
        for block in self.blocks:
            at = block.nodes.get(need)
            if at is not None and _holds(block, at, attr):
                return block, at
        return None

    def spot(self, need: int, attr: str) -> Spot | None:
        """Where a statement finds an attribute of a need; None where no table holds it."""
        found = self.holder(need, attr)
        if found is None:
            return self._equal(need, attr)
        block, at = found
        return Spot(block.alias, ref_at(block, at, attr), block.table)

    def _equal(self, need: int, attr: str) -> Spot | None:
        """The same value on the other side of a link."""
        for n, edge in neighbours(self.query, need):
            back = edge.back()
            if attr in back.far:
                other = back.near[back.far.index(attr)]
                found = self.holder(n, other)
                if found is not None:
                    return Spot(found[0].alias, ref_at(found[0], found[1], other), found[0].table)
        return None


def ref_at(block: Block, at: int, attr: str) -> Ref:
    """Where a node of a table's shape has an attribute: two roles may lead to one entity."""
    table, held = block.table, block.table.record.shape[at]
    if at and held.how == "copy" and not many(held.edge):
        name = dict(held.names).get(attr)
        column = table.column(name) if name else None
        if column is not None:
            return Ref(column.name, column.type, stored=column.type)
    return table.ref(attr)


def _holds(block: Block, at: int, attr: str) -> bool:
    held, record = block.table.record.shape[at], block.table.record
    if attr in held.computed or (at == 0 and attr in record.key_attrs):
        return True
    if attr.startswith("="):
        return False
    if held.attrs is None:
        return attr.partition(".")[0] == held.entity
    return attr in held.attrs


def plot(query: Query, steps: Sequence[Step], here: Context) -> Plot | None:
    """The tables of these steps as one statement; None where a step's table is not known."""
    blocks: list[Block] = []
    for step in steps:
        structure = here.model.structure(step.structure)
        table = table_of(structure, here.model, here.world) if structure is not None else None
        if table is None:
            continue
        need = _need(step, query, blocks)
        at = next((i for i, h in enumerate(table.record.shape) if h.entity == query.needs[need].entity), 0)
        block = Block(step, table, _alias(table, blocks, len(steps)), need)
        for s, n, enough in laid(table.record, at, query, need):
            if enough:
                block.nodes.setdefault(n, s)
        blocks.append(block)
    if not blocks:
        return None
    _hang(query, blocks)
    return Plot(query, tuple(blocks), here)


def _need(step: Step, query: Query, done: Sequence[Block]) -> int:
    """The need a step was planned for: by its entity and the link it follows, and not read yet."""
    mine = [i for i, n in enumerate(query.needs) if n.entity == step.entity]
    taken = {b.need for b in done}
    held = {n for b in done for n in b.nodes}
    fit = [i for i in mine if i not in taken and (step.by in ("where", "key") or _linked(query, i, step.by))]
    if step.by == "where":
        bound = [i for i in fit if query.needs[i].where or query.needs[i].any_of]
        return next(iter([*bound, *fit, *mine]), 0)
    return next(iter([*(i for i in fit if i not in held), *fit, *mine]), 0)


def _linked(query: Query, need: int, by: str) -> bool:
    return any(",".join(edge.back().far) == by for _, edge in neighbours(query, need))


def _alias(table: Table, done: Sequence[Block], steps: int) -> str:
    """A short name; none where the statement has one table."""
    if steps == 1:
        return ""
    words = [
        w for w in "".join(c if c.isalnum() else " " for c in table.structure.name.lower()).split() if w[0].isalpha()
    ]
    base = "".join(w[0] for w in words) or "t"
    base = base if base not in ("as", "in", "is", "on", "or", "to", "do") else f"{base}_"
    taken = {b.alias for b in done}
    return next(a for a in (base, *(f"{base}{n}" for n in range(2, 99))) if a not in taken)


def _hang(query: Query, blocks: list[Block]) -> None:
    """Each table under the one its rows are found by; those on the way to what is asked for are joined row by row."""
    for at, block in enumerate(blocks[1:], 1):
        found = _above(query, block, blocks[:at])
        if found is None:
            _bridge(query, block, blocks[:at])
            continue
        block.up, block.via, block.edge = found
        block.listed = block.edge.down and many(block.edge)
    root = next((b for b in blocks if 0 in b.nodes), blocks[0])
    way: Block | None = root
    while way is not None:
        way.listed = False
        way = way.up


def _bridge(query: Query, block: Block, before: Sequence[Block]) -> None:
    """Tie a table over needs that no table is read for: what joins them is the same value on both sides."""
    for other in before:
        there = {same(query, n, a): (n, a) for n, a in _ends(query, other)}
        block.tied = [(n, a, *there[cls]) for n, a in _ends(query, block) if (cls := same(query, n, a)) in there]
        if block.tied:
            block.up = other
            keys = {a for _, a, _, _ in block.tied}
            unique = (p for p in block.table.record.paths if p.unique and p.order)
            block.listed = not any({x.attr for x in p.order} <= keys for p in unique)
            return


def _ends(query: Query, block: Block) -> Iterator[tuple[int, str]]:
    """Attributes of a table by which its needs are linked to others."""
    for need, at in block.nodes.items():
        for _, edge in neighbours(query, need):
            yield from ((need, a) for a in edge.near if _holds(block, at, a))


def _above(query: Query, block: Block, before: Sequence[Block]) -> tuple[Block, int, Edge] | None:
    """The nearest table read before that a link leads from: table, its need, the edge."""
    for need in dict.fromkeys((block.need, *block.nodes)):
        for n, edge in neighbours(query, need):
            other = next((b for b in before if n in b.nodes), None)
            if other is not None:
                block.need = need
                return other, n, edge.back()
    return None


def wanted(need: NeedNode, fields: Sequence[str]) -> list[str]:
    """Attributes of a need in the order of the entity's fields, figures last."""
    own = [a for a in fields if a in need.attrs]
    return [*own, *sorted(a for a in need.attrs if a not in own)]


def column_name(attr: str) -> str:
    return last(attr)
