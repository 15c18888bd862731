"""The stages of one read where a find is not enough: figures, elements of a list, joins; and what a read returns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from app.model.workload import Need, Pattern
from app.plan import lay
from app.plan.types import Cond, Step, World
from app.plan.ways import place
from app.stores.common_query import field_of
from app.stores.mongodb.filters import Fields, query
from app.stores.mongodb.located import Read, ReadContext, inside, located
from app.stores.mongodb.where import is_text, near

UNITS = ("year", "month", "week", "day", "hour", "minute")
FORMULA = re.compile(r"(count|sum|avg|min|max)\s*\(\s*([\w.*]*)\s*\)", re.IGNORECASE)


def projection(read: Read, here: ReadContext) -> dict[str, Any]:
    """What to return; empty: the whole document."""
    shown: dict[str, Any] = {}
    of, world = read.record.of, here.world
    if is_text(read):
        shown["score"] = {"$meta": "textScore"}
    needs = here.pattern.needs
    own = [n for n in needs if _reaches(n, read, here)]
    if not own or any(n.what == of for n in own):
        sliced = {k: v for n in own for k, v in _sliced(n, read).items()}
        return {**shown, **sliced}
    for need in own:
        path = _stored(need.what, of, read.fields, world)
        shown[path] = _sliced(need, read).get(path, 1)
    shown |= dict.fromkeys(_links(needs, read, world), 1)
    for path, _ in read.ask():  # the next page needs them
        if here.pattern.paging == "cursor" and not any(path.startswith(f"{k}.") for k in shown):
            shown = {k: v for k, v in shown.items() if not k.startswith(f"{path}.")}
            shown.setdefault(path, 1)
    if not any(k == "_id" or k.startswith("_id.") for k in shown):
        shown["_id"] = 0
    return shown


def _links(needs: Iterable[Need], read: Read, world: World) -> list[str]:
    """Where this document keeps the key of a parent that is needed as a whole."""
    parents = {n.what for n in needs if "." not in n.what and not read.fields.names.knows(n.what)}
    vias = [r.via for r in world.rels if r.child == read.record.of and r.role in parents]
    return [read.fields(a) for via in vias for a in via if read.fields.names.knows(a)]


def _stored(what: str, of: str, fields: Fields, world: World) -> str:
    if fields.names.knows(what):
        return fields(what)
    return fields(place(world, of, what).attr) if "." in what else fields(what)


def _reaches(need: Need, read: Read, here: ReadContext) -> bool:
    """Does this step's document hold what is needed?"""
    of, fields = read.record.of, read.fields
    if need.what == of or fields.names.knows(need.what):
        return True
    if "." not in need.what:
        return False
    attr = place(here.world, here.pattern.entity, need.what).attr
    return fields.names.knows(attr)


def _sliced(need: Need, read: Read) -> dict[str, Any]:
    """The first few of an embedded list; lists grow at their end."""
    path = read.fields.names.paths.get(need.what, "")
    if path not in read.fields.names.lists or need.limit is None or not need.limit.value:
        return {}
    held = next((h for h in read.record.shape if h.entity == need.what), None)
    return {path: {"$slice": int(need.limit.value) * (1 if held and held.first else -1)}}


def pipeline(read: Read, where: dict[str, Any], joined: tuple[Step, ...], here: ReadContext) -> list[dict[str, Any]]:
    """Stages, where one find is not enough: figures, elements of a list, joins. Empty: a find will do."""
    pattern = here.pattern
    inner = _list_asked(read, pattern)
    figures = pattern.figures
    if not (joined or figures or inner):
        return []
    stages: list[dict[str, Any]] = [{"$match": where}] if where else []
    if inner:
        stages.append({"$unwind": f"${inner}"})
        again = {k: v for k, v in where.items() if k.startswith(f"{inner}.")}
        if again:
            stages.append({"$match": again})
    if figures:
        return [*stages, *_group(read, pattern)]
    if read.step.ask:
        stages.append({"$sort": dict(read.ask())})
    limit = read.step.limit or (pattern.limit.value if pattern.limit is not None else 0)
    drops = any(step.required for step in joined)  # the limit counts what is left
    if limit and not drops:
        stages.append({"$limit": int(limit)})
    if inner:
        stages.append({"$replaceWith": f"${inner}"})
    for at, step in enumerate(joined):
        stages.extend(_lookup(step, read, here, joined[:at]))
    if limit and drops:
        last = max(i for i, stage in enumerate(stages) if "$match" in stage)
        stages.insert(last + 1, {"$limit": int(limit)})
    return stages


def _list_asked(read: Read, pattern: Pattern) -> str:
    """The list whose elements are asked for, where the pattern is about what is inside the document."""
    if read.structure.bucket is not None and pattern.entity == read.record.of:
        return next(iter(sorted(read.fields.names.lists)), "")
    if pattern.entity == read.record.of or read.step.how != "first":
        return ""
    path = read.fields.names.paths.get(pattern.entity, "")
    return path if path in read.fields.names.lists else ""


def _group(read: Read, pattern: Pattern) -> list[dict[str, Any]]:
    key = _group_key(read, pattern.group_by)
    figures: dict[str, Any] = {}
    for word, path in FORMULA.findall(pattern.compute or ""):
        operator = word.lower()
        if operator == "count":
            figures["count"] = {"$sum": 1}
            continue
        stored = read.fields(lay.column(read.record.of, path, read.world))
        figures[f"{operator}_{field_of(path)}"] = {f"${operator}": f"${stored}"}
    if not figures:
        figures["count"] = {"$sum": 1}
    stages: list[dict[str, Any]] = [{"$group": {"_id": key, **figures}}]
    if pattern.limit is not None and pattern.limit.value:
        stages += [{"$sort": {next(iter(figures)): -1}}, {"$limit": int(pattern.limit.value)}]
    return stages


def _group_key(read: Read, by: str) -> Any:
    """What is grouped by: nothing, a field, or a field cut to a unit of time (`reading.at|day`)."""
    path, *filters = [w.strip() for w in by.split("|")]
    if not path:
        return None
    stored = f"${read.fields(lay.column(read.record.of, path, read.world))}"
    unit = next((f for f in filters if f in UNITS), "")
    return {"$dateTrunc": {"date": stored, "unit": unit}} if unit else stored


def _lookup(step: Step, read: Read, here: ReadContext, before: tuple[Step, ...] = ()) -> Iterable[dict[str, Any]]:
    found = located(step, here.model, here.world)
    if found is None:
        return
    structure, record, fields = found
    links = [c for c in step.conds if c.source is None]
    far = links[0].attr if links else ""
    role = here.role(step)
    source = near(links[0], role, [read.record.of, *inside(read)], here.world) if links else ""
    label = role[0] if role is not None else record.of
    stage: dict[str, Any] = {"from": structure.name}
    if source and far:
        stage |= {"localField": read.fields(source), "foreignField": fields(far)}
    elif far and (path := _through(links[0], before, here)):
        stage |= {"localField": path, "foreignField": fields(far)}
    stage["as"] = label
    inner: list[dict[str, Any]] = []
    typed = [c for c in step.conds if c.source is not None]
    if typed:
        inner.append({"$match": query(typed, fields)})
    order = {fields(a): turn for a, turn in step.ask} or _child_order(label, record.of, fields, here)
    if order:
        inner.append({"$sort": order})
    if step.limit:
        inner.append({"$limit": int(step.limit)})
    if inner or "localField" not in stage:  # where all is bound by what the caller brings, nothing links the two
        stage["pipeline"] = inner
    yield {"$lookup": stage}
    if step.required:
        yield {"$match": {label: {"$ne": []}}}


def _through(link: Cond, before: tuple[Step, ...], here: ReadContext) -> str:
    """The field inside a list joined by a stage before that a link's value comes from; empty: none."""
    for step in reversed(before):
        found = located(step, here.model, here.world)
        source = near(link, None, [found[1].of], here.world) if found is not None else ""
        if found is not None and source:
            role = here.role(step)
            return f"{role[0] if role is not None else found[1].of}.{found[2](source)}"
    return ""


def _child_order(label: str, of: str, fields: Fields, here: ReadContext) -> dict[str, int]:
    """The order a needed list is asked in."""
    need = next((n for n in here.pattern.needs if n.what in (label, of)), None)
    items = need.order_by.items if need is not None and need.order_by is not None else ()
    return {fields(lay.column(of, i.path, here.world)): -1 if i.desc else 1 for i in items}
