"""A traversal as a recursive query: each round follows an index from the rows met in the round before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.plan.types import Course, Edge, Hop, Query
from app.stores.common_query import last
from app.stores.common_steps import Context
from app.stores.postgresql.names import quoted
from app.stores.postgresql.tables import Table, table_of
from app.stores.postgresql.where import finder, texts, value

ENDS = re.compile(r"^\s*\w+(?:\.\w+)+\s*=\s*(:\w+)\s*$")


def walk_lines(query: Query, course: Course, here: Context) -> Iterator[str]:
    """The recursive query of one traversal; nothing where a table it follows is not there."""
    tables = {h.name: _home(h.edges[0].to if len(h.edges) > 1 else h.edges[0].rel.child, here) for h in course.hops}
    nodes = _home(query.root.entity, here)
    if any(t is None for t in tables.values()):
        return
    rounds = max(1, course.most // len(course.hops)) if _returns(course) else 1
    least = max(1, course.least // len(course.hops)) if _returns(course) else 1
    kind = nodes.ref(nodes_key(query, here)).type if nodes is not None else "text"
    join = _round(course, {n: t for n, t in tables.items() if t is not None})
    yield from _head(query, here, nodes, (kind, rounds), join)
    *lines, last_line = _reached(query, here, nodes, least, course)
    yield from lines
    yield f"{last_line};"


def _head(
    query: Query, here: Context, nodes: Table | None, far: tuple[str, int], join: tuple[list[str], str]
) -> Iterator[str]:
    """The recursive part: the node it starts at, and one round more. `far`: type of a node, rounds at most."""
    kind, rounds = far
    start = _start(query, here, nodes)
    paths = "paths" in _words(here)
    yield "WITH RECURSIVE walk (node, depth) AS ("
    yield f"  SELECT CAST({start[0]} AS {kind}), 0{start[1]}"
    yield "  UNION ALL" if paths else "  UNION"
    yield f"  SELECT {join[1]}, w.depth + 1"
    yield "  FROM walk AS w"
    yield from (f"  {line}" for line in join[0])
    yield f"  WHERE w.depth < {rounds}"
    yield ")"


def nodes_key(query: Query, here: Context) -> str:
    return next(iter(here.world.keys.get(query.root.entity, ())), f"{query.root.entity}.id")


def _home(entity: str, here: Context) -> Table | None:
    """The table that has the truth of an entity or a link."""
    for structure in here.model.structures:
        if structure.of == entity and here.model.store_of(structure) == "postgresql":
            table = table_of(structure, here.model, here.world)
            if table is not None and table.record.truth:
                return table
    return None


def _words(here: Context) -> set[str]:
    return {i.path for i in here.pattern.order_by.items} if here.pattern.order_by is not None else set()


def _returns(course: Course) -> bool:
    """Does a whole round end where it began, so that it can be repeated?"""
    first, final = course.hops[0].edges[0], course.hops[-1].edges[-1]
    before = first.rel.parent if first.down else first.rel.child
    return before == final.to


def _start(query: Query, here: Context, nodes: Table | None) -> tuple[str, str]:
    """(value, FROM …) of the first row: its key as given, or looked up."""
    key = nodes_key(query, here)
    given = [c.source for c in query.root.where if c.source is not None]
    same = next((t for t in given if t.op == "=" and last(t.path) == last(key) and t.operands), None)
    if same is not None and len(given) == 1:
        return value(same.operands[0]), ""
    if nodes is None:
        return "NULL", ""
    where = texts(given, finder(nodes, here.world))
    tail = f" FROM {nodes.name}" + (f" WHERE {' AND '.join(where)}" if where else "")
    return quoted(nodes.ref(key).column), tail


def _round(course: Course, tables: dict[str, Table]) -> tuple[list[str], str]:
    """The joins of one round and the node it ends at."""
    hops = course.hops if _returns(course) or len(set(course.hops)) > 1 else course.hops[:1]
    if len({h.name + h.leaves for h in hops}) == 1:
        hops = hops[:1]
    lines: list[str] = []
    node = "w.node"
    for n, hop in enumerate(hops, 1):
        alias = f"h{n}"
        table = tables[hop.name]
        if hop.both:
            there, back = hop.edges[0], hop.edges[-1].back()
            lines.append("CROSS JOIN LATERAL (")
            lines += [f"  {_side(table, there, hop.edges[-1], node)}", "  UNION ALL"]
            lines += [f"  {_side(table, back, hop.edges[0].back(), node)}", f") AS {alias} (node)"]
            node = f"{alias}.node"
            continue
        enter, leave = _columns(hop, table)
        lines.append(f"JOIN {table.name} AS {alias} ON {alias}.{enter} = {node}")
        node = f"{alias}.{leave}"
    return lines, node


def _side(table: Table, leaves: Edge, enters: Edge, node: str) -> str:
    far = quoted(table.ref(leaves.far[0]).column)
    near = quoted(table.ref(enters.near[0]).column)
    return f"SELECT {near} FROM {table.name} WHERE {far} = {node}"


def _columns(hop: Hop, table: Table) -> tuple[str, str]:
    """The column a hop comes in by and the one it goes on with."""
    first = hop.edges[0]
    if len(hop.edges) > 1:
        return quoted(table.ref(first.far[0]).column), quoted(table.ref(hop.edges[1].near[0]).column)
    own, to = first.rel.via[0], first.rel.key[0]
    key = to if to.partition(".")[0] == table.record.of else own
    enter, leave = (own, key) if first.down else (key, own)
    return quoted(table.ref(enter).column), quoted(table.ref(leave).column)


def _reached(query: Query, here: Context, nodes: Table | None, least: int, course: Course) -> Iterator[str]:
    pattern = here.pattern
    own = query.root
    columns = []
    if nodes is not None:
        wanted = [a for a in here.world.fields.get(own.entity, ()) if a in own.attrs]
        columns = [f"n.{quoted(nodes.ref(a).column)}" for a in wanted]
    shown = columns or ["walk.node"]
    yield f"SELECT {', '.join([*shown, 'min(walk.depth) AS depth', 'count(*) AS paths'])}"
    yield "FROM walk"
    if nodes is not None and columns:
        yield f"JOIN {nodes.name} AS n ON n.{quoted(nodes.ref(nodes_key(query, here)).column)} = walk.node"
    where = [f"walk.depth >= {least}"]
    end = pattern.end.strip()
    named = ENDS.match(end)
    if named:
        where.append(f"walk.node = {named[1]}")
    elif end == "start":
        start, tail = _start(query, here, nodes)
        where.append(f"walk.node = {start}" if not tail else f"walk.node IN (SELECT {start}{tail})")
    yield f"WHERE {' AND '.join(where)}"
    if end and not named and end != "start":
        yield f"  -- and the end must be: {' '.join(end.split())}"
    yield f"GROUP BY walk.node{''.join(f', {c}' for c in columns)}"
    order = "depth" if course.shortest else "paths DESC" if "paths" in _words(here) else ""
    items = pattern.order_by.items if pattern.order_by is not None else ()
    attrs = [
        f"n.{quoted(nodes.ref(i.path).column)}{' DESC' if i.desc else ''}"
        for i in items
        if nodes is not None
        and columns
        and nodes.refs.get(i.path) is not None
        and f"n.{nodes.ref(i.path).column}" in columns
    ]
    order = order or ", ".join(attrs)
    if order:
        yield f"ORDER BY {order}"
    limit = query.limit or (1 if course.shortest else 0)
    if limit:
        yield f"LIMIT {limit:.0f}"
