"""The condition of one step as a query document: typed conditions, links to records read before, the next page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.plan import lay
from app.plan.types import Cond, Edge, World
from app.stores.common_query import after, entity_of, linked
from app.stores.mongodb.filters import Fields, put, query
from app.stores.mongodb.js import Raw, operand
from app.stores.mongodb.located import Read, ReadContext, inside
from app.stores.mongodb.records import template_parts

ROW = "d"


def where(read: Read, here: ReadContext, done: list[Read]) -> dict[str, Any]:
    step = read.step
    if step.branches:
        branches = [_query(b.conds, read, here, done) for b in step.branches]
        return {"$or": branches}
    return _query(step.conds, read, here, done)


def _query(conds: Iterable[Cond], read: Read, here: ReadContext, done: list[Read]) -> dict[str, Any]:
    which = {lay.column(read.record.of, k, read.world) for k in template_parts(read.structure)}
    kept = [c for c in conds if c.attr not in which]
    words = [c for c in kept if c.op == "match" and is_text(read)]
    kept = [c for c in kept if c not in words]
    found = query(kept, read.fields, _links(kept, read, here, done))
    if words and words[0].source is not None and words[0].source.operands:
        found = {"$text": {"$search": operand(words[0].source.operands[0])}, **found}
    if read.fields.text_id and read.structure.bucket is not None and read.by_id:
        found = bucket(read, found)
    return _elements(read.fields.fold(found, ranges=read.by_id), read.fields)


def _links(conds: Iterable[Cond], read: Read, here: ReadContext, done: list[Read]) -> Mapping[str, Any]:
    """Values that come from records read before."""
    found: dict[str, Any] = {}
    met = [e for r in done for e in (r.record.of, *inside(r))]
    role = here.role(read.step)
    for cond in conds:
        if cond.source is not None:
            continue
        source = near(cond, role, met, here.world)
        holder = next((r for r in done if source and entity_of(source) in (r.record.of, *inside(r))), None)
        if holder is None:
            continue
        path = holder.fields(source)
        if not holder.many and not _in_list(path, holder):
            found[cond.attr] = Raw(f"{holder.var}.{path}")
            continue
        head, _, rest = path.partition(".")
        values = f"{holder.var}.map({ROW} => {ROW}.{path})"
        if not holder.many:
            values = f"{holder.var}.{head}.map({ROW} => {ROW}.{rest})"
        elif _in_list(path, holder):
            values = f"{holder.var}.flatMap({ROW} => {ROW}.{head}.map(e => e.{rest}))"
        found[cond.attr] = {"$in": Raw(values)} if cond.op != "in" else Raw(values)
    return found


def near(cond: Cond, role: tuple[str, Edge] | None, met: list[str], world: World) -> str:
    """The attribute read before that a link's value comes from."""
    if role is not None and cond.attr in role[1].far:
        return role[1].near[role[1].far.index(cond.attr)]
    return linked(cond, met, world)


def _in_list(path: str, read: Read) -> bool:
    return any(path.startswith(f"{stored}.") for stored in read.fields.names.lists)


def _elements(found: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Several conditions on one list must be met by one element."""
    for stored in sorted(fields.names.lists):
        inside = {k: v for k, v in found.items() if k.startswith(f"{stored}.")}
        if len(inside) > 1:
            found = {k: v for k, v in found.items() if k not in inside}
            element = {k.removeprefix(f"{stored}."): v for k, v in inside.items()}
            found[stored] = {"$elemMatch": element}
    return found


def bucket(read: Read, found: dict[str, Any]) -> dict[str, Any]:
    """A bucket is found by its made-up key: one value, or one per time bucket."""
    inside = next(iter(sorted(read.fields.names.lists)), "")
    rest = {k: v for k, v in found.items() if k.startswith(f"{inside}.")}
    outer = {k: v for k, v in found.items() if k not in rest}
    if not outer and not rest:
        return found
    return {"_id": {"$in": Raw("p.buckets")}, **rest}


def behind(found_before: dict[str, Any], read: Read) -> dict[str, Any]:
    """The same condition, behind the last record seen. The first part also bounds the index."""
    found = dict(found_before)
    ask = read.ask()
    branches = []
    for branch in after(ask):
        one: dict[str, Any] = {}
        for path, op in branch:
            last_seen = Raw(f"last.{path}")
            put(one, path, last_seen if op == "=" else {"$lt" if op == "<" else "$gt": last_seen})
        branches.append(one)
    if len(branches) == 1:
        for path, value in branches[0].items():
            put(found, path, value)
        return found
    path, turn = ask[0]
    if path not in found:
        found[path] = {"$lte" if turn < 0 else "$gte": Raw(f"last.{path}")}
    if "$or" in found:
        return {**found, "$and": [{"$or": found.pop("$or")}, {"$or": branches}]}
    found["$or"] = branches
    return found


def is_text(read: Read) -> bool:
    return any(p.name == read.step.path and p.kind == "text" for p in read.record.paths)
