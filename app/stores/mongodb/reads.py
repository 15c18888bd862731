"""A read plan as the mongosh text an engineer would paste: find, aggregate, pages, joins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.model.candidate import Candidate, Index, Structure
from app.model.workload import Need, Pattern
from app.plan.types import Cond, Plan, Record, Step, World
from app.plan.ways import place
from app.stores.common_query import after, elsewhere, entity_of, field_of, linked, things_of
from app.stores.mongodb.filters import Fields, fields_of, put, query
from app.stores.mongodb.js import Raw, collection, js
from app.stores.mongodb.records import index_name, records
from app.stores.mongodb.script import index_keys

ROW = "d"
FORMULA = re.compile(r"(count|sum|avg|min|max)\s*\(\s*([\w.*]*)\s*\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A step with the structure, record and names it reads, and the variable its answer goes into."""

    step: Step
    structure: Structure
    record: Record
    fields: Fields
    var: str
    many: bool


@dataclass(frozen=True, slots=True)
class Context:
    """What every part of one query needs to know."""

    pattern: Pattern
    plan: Plan
    model: Candidate
    world: World


def read_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """The lines of a read, steps in other stores included."""
    here = Context(pattern, plan, model, world)
    done: list[Read] = []
    steps = list(plan.steps)
    for at, step in enumerate(steps):
        if step.store != "mongodb":
            part = replace(plan, steps=(step,))
            text = elsewhere(pattern, part, model, world, step.store)
            yield from (f"// {line}" if line else "//" for line in text.splitlines())
            continue
        found = located(step, model, world)
        if found is None or step.how == "server":
            continue
        structure, record, fields = found
        single = pattern.action == "get" and step.how == "first"
        read = Read(step, structure, record, fields, _variable(structure.name, done), not single)
        joined = _joined(steps, at)
        yield from _read(read, joined, here, done, alone=len(steps) == 1 + len(joined))
        done.append(read)


def _joined(steps: list[Step], at: int) -> tuple[Step, ...]:
    """The server joins that follow a step."""
    found = []
    for step in steps[at + 1 :]:
        if step.how != "server":
            break
        found.append(step)
    return tuple(found)


def located(step: Step, model: Candidate, world: World) -> tuple[Structure, Record, Fields] | None:
    """The structure, kind of record and names a step reads."""
    structure = model.structure(step.structure)
    if structure is None:
        return None
    kinds = records(structure, model, world)
    things = [t for t in things_of(structure) if (t.of or structure.of) in {k.of for k in kinds}]
    for thing, kind in zip(things, kinds, strict=False):
        if not step.records_of or kind.name in step.records_of or kind.of in step.records_of:
            return structure, kind, fields_of(structure, thing, kind, world)
    return None


def _variable(name: str, done: list[Read]) -> str:
    word = re.sub(r"\W+", "_", name).strip("_") or "found"
    taken = {r.var for r in done}
    return word if word not in taken else f"{word}_{len(done) + 1}"


# ---------------------------------------------------------------- one step


def _read(read: Read, joined: tuple[Step, ...], here: Context, done: list[Read], *, alone: bool) -> Iterable[str]:
    where = _filter(read, here, done)
    head = "" if alone else f"const {read.var} = "
    tail = "" if alone or not read.many else ".toArray()"
    each = read.step.how == "each"
    if each:
        yield "// once per record of the step before"
    pipeline = _pipeline(read, where, joined, here)
    source = collection(read.structure.name)
    if pipeline:
        yield f"{head}{source}.aggregate({js(pipeline)}){tail};"
        if here.pattern.paging == "cursor" and not done and read.step.ask:
            following = _pipeline(read, _behind(where, read), joined, here)
            yield "// next page: last is the last record of the page before"
            yield f"{head}{source}.aggregate({js(following)}){tail};"
        return
    yield from _find(read, where, head, tail, here, first=not done)


def _find(read: Read, where: dict[str, Any], head: str, tail: str, here: Context, *, first: bool) -> Iterable[str]:
    pattern, step = here.pattern, read.step
    source = collection(read.structure.name)
    if pattern.action == "count" and first:
        yield f"{head}{source}.countDocuments({js(where)});"
        return
    shown = projection(read, here)
    inside = js(where) + (f", {js(shown)}" if shown else "")
    if not read.many:
        yield f"{head}{source}.findOne({inside});"
        return
    ending = _ending(read, here, first=first)
    yield f"{head}{source}.find({inside}){ending}{tail};"
    if pattern.paging == "cursor" and first and step.ask:
        inside = js(_behind(where, read)) + (f", {js(shown)}" if shown else "")
        yield "// next page: last is the last document of the page before"
        yield f"{head}{source}.find({inside}){ending}{tail};"


def _ending(read: Read, here: Context, *, first: bool) -> str:
    step, pattern = read.step, here.pattern
    text = ""
    if any(c.op == "match" for c in step.conds) and _is_text(read):
        text += '.sort({ score: { $meta: "textScore" } })'
    elif step.ask:
        text += f".sort({js(_sort(read))})"
    if first and pattern.paging == "offset":
        text += ".skip(p.skip)"
    limit = step.limit or (pattern.limit.value if first and pattern.limit is not None else 0)
    if limit:
        text += f".limit({int(limit)})"
    likely = here.plan.likely
    if likely is not None and likely.path != step.path and likely.structure == step.structure:
        index = _index(read)
        if index is not None:
            text += f".hint({js(index_keys(index, read.record, read.fields, here.world))})"
    serves = here.model.serves.get(pattern.operation)
    if serves is not None and serves.read_preference:
        text += f".readPref({js(serves.read_preference)})"
    return text


def _index(read: Read) -> Index | None:
    wanted = read.step.path.removeprefix(f"{read.structure.name}.")
    return next((i for i in read.structure.indexes if index_name(i, read.structure) == wanted), None)


def _is_text(read: Read) -> bool:
    return any(p.name == read.step.path and p.kind == "text" for p in read.record.paths)


def _sort(read: Read) -> dict[str, int]:
    return {read.fields(attr): way for attr, way in read.step.ask}


# ---------------------------------------------------------------- conditions


def _filter(read: Read, here: Context, done: list[Read]) -> dict[str, Any]:
    step = read.step
    if step.branches:
        branches = [_query(b.conds, read, here, done) for b in step.branches]
        return {"$or": branches}
    return _query(step.conds, read, here, done)


def _query(conds: Iterable[Cond], read: Read, here: Context, done: list[Read]) -> dict[str, Any]:
    kept = list(conds)
    if _is_text(read):
        words = [c for c in kept if c.op == "match"]
        kept = [c for c in kept if c.op != "match"]
        found = query(kept, read.fields, _links(kept, done, here.world))
        if words and words[0].source is not None:
            first = query(words[:1], read.fields)
            searched: Any = next(iter(first.values()), {})
            value = searched.get("$regex") if isinstance(searched, dict) else searched
            text = re.sub(r"^new RegExp\((.*), 'i'\)$", r"\1", str(value))
            found = {"$text": {"$search": Raw(text)}, **found}
    else:
        found = query(kept, read.fields, _links(kept, done, here.world))
    if read.fields.text_id and read.structure.bucket is not None:
        found = _bucket_filter(read, found)
    return _elements(found, read.fields)


def _links(conds: Iterable[Cond], done: list[Read], world: World) -> Mapping[str, Any]:
    """Values that come from records read before."""
    found: dict[str, Any] = {}
    met = [e for r in done for e in (r.record.of, *(h.entity for h in r.record.shape[1:]))]
    for cond in conds:
        if cond.source is not None:
            continue
        near = linked(cond, met, world)
        holder = next((r for r in done if near and entity_of(near) in (r.record.of, *_inside(r))), None)
        if holder is None:
            continue
        path = holder.fields(near)
        one = Raw(f"{holder.var}.{path}")
        many = Raw(f"{holder.var}.map({ROW} => {ROW}.{path})")
        found[cond.attr] = {"$in": many} if holder.many and cond.op != "in" else many
        if not holder.many:
            found[cond.attr] = one
    return found


def _inside(read: Read) -> tuple[str, ...]:
    return tuple(h.entity for h in read.record.shape[1:])


def _elements(found: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Several conditions on one list must be met by one element."""
    for stored in sorted(fields.names.lists):
        inside = {k: v for k, v in found.items() if k.startswith(f"{stored}.")}
        if len(inside) > 1:
            found = {k: v for k, v in found.items() if k not in inside}
            element = {k.removeprefix(f"{stored}."): v for k, v in inside.items()}
            found[stored] = {"$elemMatch": element}
    return found


def _bucket_filter(read: Read, found: dict[str, Any]) -> dict[str, Any]:
    """A bucket is found by its made-up key: one value, or one per time bucket."""
    inside = next(iter(sorted(read.fields.names.lists)), "")
    rest = {k: v for k, v in found.items() if k.startswith(f"{inside}.")}
    outer = {k: v for k, v in found.items() if k not in rest}
    if not outer and not rest:
        return found
    return {"_id": {"$in": Raw("p.buckets")}, **rest}


def _behind(where: dict[str, Any], read: Read) -> dict[str, Any]:
    """The same condition, behind the last record seen. The first part also bounds the index."""
    found = dict(where)
    ask = [(read.fields(a), way) for a, way in read.step.ask]
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
    path, way = ask[0]
    if path not in found:
        found[path] = {"$lte" if way < 0 else "$gte": Raw(f"last.{path}")}
    if "$or" in found:
        return {**found, "$and": [{"$or": found.pop("$or")}, {"$or": branches}]}
    found["$or"] = branches
    return found


# ---------------------------------------------------------------- projections and pipelines


def projection(read: Read, here: Context) -> dict[str, Any]:
    """What to return; empty: the whole document."""
    shown: dict[str, Any] = {}
    of, world = read.record.of, here.world
    if _is_text(read):
        shown["score"] = {"$meta": "textScore"}
    needs = here.pattern.needs
    own = [n for n in needs if _reaches(n, read, here)]
    if not own or any(n.what == of for n in own):
        sliced = {k: v for n in own for k, v in _sliced(n, read).items()}
        return {**shown, **sliced}
    for need in own:
        path = _stored(need.what, of, read.fields, world)
        shown[path] = _sliced(need, read).get(path, 1)
    for attr, _ in read.step.ask:  # the next page needs them
        if here.pattern.paging == "cursor":
            shown.setdefault(read.fields(attr), 1)
    if not any(k == "_id" or k.startswith("_id.") for k in shown):
        shown["_id"] = 0
    return shown


def _stored(what: str, of: str, fields: Fields, world: World) -> str:
    if fields.names.knows(what):
        return fields(what)
    return fields(place(world, of, what).attr) if "." in what else fields(what)


def _reaches(need: Need, read: Read, here: Context) -> bool:
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


def _pipeline(read: Read, where: dict[str, Any], joined: tuple[Step, ...], here: Context) -> list[dict[str, Any]]:
    """Stages, where one find is not enough: figures, elements of a list, joins. Empty: a find will do."""
    pattern = here.pattern
    inner = _list_asked(read, pattern)
    figures = pattern.action == "aggregate"
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
        stages.append({"$sort": _sort(read)})
    limit = read.step.limit or (pattern.limit.value if pattern.limit is not None else 0)
    if limit:
        stages.append({"$limit": int(limit)})
    if inner:
        stages.append({"$replaceWith": f"${inner}"})
    for step in joined:
        stages.extend(_lookup(step, read, here))
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
    by = pattern.group_by
    key: Any = f"${read.fields(by)}" if by else None
    figures: dict[str, Any] = {}
    for word, path in FORMULA.findall(pattern.compute or ""):
        name = f"{word.lower()}_{field_of(path)}".strip("_*") if path else word.lower()
        operator = word.lower()
        figures[name] = {"$sum": 1} if operator == "count" else {f"${operator}": f"${read.fields(path)}"}
    if not figures:
        figures["count"] = {"$sum": 1}
    stages: list[dict[str, Any]] = [{"$group": {"_id": key, **figures}}]
    if pattern.limit is not None and pattern.limit.value:
        stages += [{"$sort": {next(iter(figures)): -1}}, {"$limit": int(pattern.limit.value)}]
    return stages


def _lookup(step: Step, read: Read, here: Context) -> Iterable[dict[str, Any]]:
    found = located(step, here.model, here.world)
    if found is None:
        return
    structure, record, fields = found
    links = [c for c in step.conds if c.source is None]
    far = links[0].attr if links else ""
    near = linked(links[0], [read.record.of, *_inside(read)], here.world) if links else ""
    stage: dict[str, Any] = {
        "from": structure.name,
        "localField": read.fields(near) if near else "_id",
        "foreignField": fields(far) if far else "_id",
        "as": record.of,
    }
    inner: list[dict[str, Any]] = []
    typed = [c for c in step.conds if c.source is not None]
    if typed:
        inner.append({"$match": query(typed, fields)})
    if step.ask:
        inner.append({"$sort": {fields(a): way for a, way in step.ask}})
    if step.limit:
        inner.append({"$limit": int(step.limit)})
    if inner:
        stage["pipeline"] = inner
    yield {"$lookup": stage}
