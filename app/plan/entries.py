"""Which index entries does a change write? A difference of sets: entries before, entries after.

What each engine makes of it stands in its `Writing`: one that keeps row versions writes a new entry in every index as
soon as one indexed attribute changed; one that bills by units bills every entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from app.model.conditions import Comparison, Literal
from app.plan.judge import literal
from app.plan.types import AccessPath, Change, Cond, Record, World

Entries = tuple[float, float, float]
"""Entries added, removed and rewritten for one record."""
NONE: Entries = (0.0, 0.0, 0.0)
WORD = 6.0
"""Bytes of a word and what follows it, in a text of which nothing else is known: each has an entry in a text index."""
Written = Mapping[str, tuple[AccessPath, Entries]]
"""What is written in each path, by the path's name."""


def entries_of(
    record: Record, op: str, touched: frozenset[str], change: Change, world: World, pushed: float = 1.0
) -> Written:
    """What one record's change writes in each path, by the path's name; paths it leaves alone are not listed.

    `op` is what is done with the record, `touched` the attributes it changes, `pushed` the elements added to or
    taken from its arrays.
    """
    paths = [p for p in record.paths if not p.scan and p.kind != "scan"]
    same = frozenset(a for a, old in change.before.items() if a in touched and change.literals.get(a) == old)
    if same and same == touched and op == "set":
        return {}
    touched -= same
    keyed = frozenset(p.attr for p in (*record.primary.partition, *record.primary.order))
    found = {p.name: (p, _of_path(p, op, touched, change, record, world, pushed, keyed)) for p in paths}
    rewrite = record.dialect.writing.all_indexes and op not in ("put", "remove")
    if rewrite and any(touched & named(p) for p in paths):
        # a new version of the row, off the page chain of the old one: an entry in every index that holds it
        found = {p.name: (p, (inside(p, change), 0.0, 0.0)) for p in paths}
    return {name: (path, e) for name, (path, e) in found.items() if e != NONE}


def named(path: AccessPath) -> frozenset[str]:
    """Attributes that an index knows, whether or not the record is in it."""
    parts = frozenset(p.attr for p in (*path.partition, *path.order) if p.attr)
    return parts | frozenset(c.attr for c in path.only) | (path.holds or frozenset())


def inside(path: AccessPath, change: Change) -> float:
    """Share of the records that are in the index after the change."""
    return within(path.only, change, after=True)


def within(gates: Sequence[Cond], change: Change, *, after: bool) -> float:
    """Share of the records that meet conditions before or after a change; what is not known counts on average."""
    kept = 1.0
    for c in gates:
        met = state(c, change, after=after)
        kept *= likely(c) if met is None else float(met)
    return kept


def state(cond: Cond, change: Change, *, after: bool) -> bool | None:
    """Whether the record meets a predicate before or after the change; None: not known.

    A new record has what is written; an optional attribute that is not written is absent.
    """
    attr = cond.attr
    if attr in (change.enters if after else change.leaves):
        return True
    if attr in (change.leaves if after else change.enters):
        return False
    if change.kind == "insert" and not after:
        return False
    if cond.op in ("null", "not null"):
        absent = _absent(attr, change, after)
        return None if absent is None else absent == (cond.op == "null")
    values = {**change.before, **(change.literals if after else {})}
    value = values.get(attr)
    if after and attr in change.sets and attr not in change.literals:
        return None  # set to something not known here
    if after and change.kind == "insert" and attr not in change.sets:
        return False  # not written, and nothing equals what is absent
    return None if value is None else _meets(cond, value)


def entry_bytes(path: AccessPath, record: Record, world: World) -> float:
    """Bytes of one index entry: its key and what it holds, or the whole record."""
    if path.entry or path.holds is None:
        return path.entry or record.size.avg
    encoding = record.dialect.encoding
    total = 0.0
    for attr in sorted(named(path)):
        stat = world.stats.get(attr)
        kind, size = (stat.type, stat.bytes.avg) if stat else ("string", 8.0)
        total += encoding.field(attr.rpartition(".")[2], kind, size)
    return total


def units_of(
    record: Record, written: Sequence[tuple[AccessPath, Entries]], world: World, *, moved: bool, grown: float = 0.0
) -> tuple[float, float]:
    """Write units of one record: (of the record itself, of its index entries).

    Updates bill the larger of the old and the new image: a record that grows by `grown` bytes its new one, a record
    that shrinks its old one.
    """
    unit = record.dialect.writing.unit
    if not unit:
        return 0.0, 0.0
    base = ceil((record.size.avg + grown) / unit) * (2 if moved else 1)
    more = 0.0
    for path, entries in written:
        if not path.primary:
            size = entry_bytes(path, record, world) + (grown if path.holds is None else 0.0)
            more += ceil(max(1.0, size) / unit) * sum(entries)
    return float(base), more


def _of_path(
    path: AccessPath,
    op: str,
    touched: frozenset[str],
    change: Change,
    record: Record,
    world: World,
    pushed: float,
    keyed: frozenset[str],
) -> Entries:
    """`keyed`: attributes of the record's own key; of an array among them each record has one element."""
    if path.primary:
        return {"put": (1.0, 0.0, 0.0), "remove": (0.0, 1.0, 0.0), "move": (1.0, 1.0, 0.0)}.get(op, NONE)
    each = _each(path, record, world, keyed)
    before, after = _share(path, change, op, after=False), _share(path, change, op, after=True)
    if op == "put":
        return each * after, 0.0, 0.0
    if op == "remove":
        return 0.0, each * before, 0.0
    if op == "move":
        return each * after, each * before, 0.0  # another record: its entries say where it is
    gates = frozenset(c.attr for c in path.only)
    keys = frozenset(p.attr for p in (*path.partition, *path.order) if p.attr)
    if gates & (touched | change.leaves | change.enters) and before != after:
        stays = min(before, after) if touched & keys else 0.0
        return each * (max(0.0, after - before) + stays), each * (max(0.0, before - after) + stays), 0.0
    kept = min(before, after)
    inside = frozenset(k for k in keys if change.entity != record.of and k.startswith(f"{change.entity}."))
    if op == "pull" and not touched:
        touched = inside
    if touched & keys:
        op = _of_array(op, touched & keys, change)
        many = any(p.many and p.attr in touched for p in path.order)
        n = (pushed if many and (op in ("push", "pull") or touched & inside) else each) * kept
        return {"push": (n, 0.0, 0.0), "pull": (0.0, n, 0.0)}.get(op, (n, n, 0.0))
    if path.holds is None or touched & path.holds:
        return 0.0, 0.0, kept  # the entry carries a copy of what changed
    return NONE


def _of_array(op: str, touched: frozenset[str], change: Change) -> str:
    """An update that only adds elements to the arrays of an index, or takes them out."""
    made = {change.sets.get(a) for a in touched}
    return str(made.pop()) if op == "set" and made in ({"push"}, {"pull"}) else op


def _each(path: AccessPath, record: Record, world: World, keyed: frozenset[str]) -> float:
    """Entries of one record: an array has one per element, a list inside one per child, a text one per word."""
    if path.kind == "text":
        return max(1.0, sum(world.stats[p.attr].bytes.avg / WORD for p in path.order if p.attr in world.stats))
    lists, each = set(), 1.0
    for part in path.order:
        if not part.many or part.attr in keyed:
            continue
        entity = part.attr.lstrip("=").partition(".")[0]
        each *= world.stats[part.attr].elements if part.attr in world.stats else 1.0
        if entity != record.of and entity not in lists:
            lists.add(entity)
            each *= _inside(entity, record)
    return each


def _inside(entity: str, record: Record) -> float:
    """Children of an entity that one record holds, on average."""
    at = next((i for i, h in enumerate(record.shape) if h.entity == entity), 0)
    found = 1.0
    while at > 0:
        held = record.shape[at]
        children = held.edge.rel.children.avg if held.edge is not None and held.edge.down else 1.0
        found *= min(children, held.first or children)
        at = held.up
    return found


def _share(path: AccessPath, change: Change, op: str, *, after: bool) -> float:
    """Share of the records in the index before or after; what is not known counts with its average."""
    if path.only and op == "put" and change.kind != "insert" and not after:
        return 0.0
    return within(path.only, change, after=after)


def likely(c: Cond) -> float:
    """Share of the records that meet a condition of which nothing else is known."""
    return 1.0 if c.share is None else c.share


def _absent(attr: str, change: Change, after: bool) -> bool | None:
    written = change.sets.get(attr)
    if after and written is not None:
        return change.literals.get(attr) == "null"
    if change.kind == "insert":
        return True
    old = change.before.get(attr)
    return None if old is None else old == "null"


def _meets(cond: Cond, value: str) -> bool | None:
    source = cond.source
    if not isinstance(source, Comparison) or not all(isinstance(o, Literal) for o in source.operands):
        return None
    listed = {literal(o.value) for o in source.operands if isinstance(o, Literal)}
    if cond.op in ("=", "in"):
        return value in listed
    return value not in listed if cond.op in ("!=", "not in") else None
