"""A read plan as the mongosh text an engineer would paste: find, aggregate, pages, joins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.model.candidate import Candidate, Index
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Plan, Step, World
from app.stores.common_write import asked
from app.stores.mongodb.js import call, collection, js, operand
from app.stores.mongodb.located import Read, ReadContext, located, roles_of, variable
from app.stores.mongodb.records import index_name, template_parts
from app.stores.mongodb.script import index_keys
from app.stores.mongodb.stages import pipeline, projection
from app.stores.mongodb.where import behind, is_text, where


def read_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World, *, kept: bool = False) -> Iterable[str]:
    """The lines of a read, steps in other stores included. `kept`: what is read is changed by the lines behind, which
    know its keys as `p.taken`."""
    here = ReadContext(pattern, plan, model, world, roles_of(pattern, world))
    done: list[Read] = []
    steps = list(plan.steps)
    for at, step in enumerate(steps):
        if step.store != "mongodb":
            yield from (f"// {line}" if line else "//" for line in here.lines_elsewhere(step))
            continue
        found = located(step, model, world)
        if found is None or step.how == "server":
            continue
        structure, record, fields = found
        single = pattern.action == "get" and step.how == "first"
        read = Read(step, structure, record, fields, variable(structure.name, done), not single, world)
        joined = _joined(steps, at)
        yield from _read(read, joined, here, done, alone=len(steps) == 1 + len(joined) and not kept)
        done.append(read)
    if kept and done:
        yield _kept(done[0], world)


def _kept(read: Read, world: World) -> str:
    """The keys of what was read, for the change behind it."""
    keys = world.keys.get(read.record.of, ())
    if len(keys) > 1:
        return f"// once for each document of {read.var}, whose key is p.taken_…"
    path = read.fields(keys[0]) if keys else "_id"
    return f"p.taken = {read.var}.map(d => d.{path});" if read.many else f"p.taken = [{read.var}.{path}];"


def take_lines(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Iterable[str]:
    """One document found and deleted in one request, so that nobody else gets it; nothing where the text needs more."""
    here = ReadContext(pattern, plan, model, world, roles_of(pattern, world))
    changes = asked(pattern)
    one = pattern.action == "get" or (pattern.limit is not None and pattern.limit.value == 1)
    alone = len(changes) == len(plan.steps) == len({t.structure for t in plan.touches}) == 1
    found = located(plan.steps[0], model, world) if alone and one else None
    if found is None or not changes[0].taken or changes[0].kind != "delete" or pattern.entity in world.soft_delete:
        return
    structure, record, fields = found
    if plan.touches[0].structure != structure.name or record.of != pattern.entity or plan.steps[0].how == "server":
        return
    read = Read(plan.steps[0], structure, record, fields, variable(structure.name, []), True, world)
    options = {"sort": dict(read.ask())} if read.step.ask else {}
    arguments = [js(where(read, here, [])), *([js(options)] if options else [])]
    yield from call(f"{_source(read)}.findOneAndDelete", arguments).splitlines()


def _joined(steps: list[Step], at: int) -> tuple[Step, ...]:
    """The server joins that follow a step."""
    found = []
    for step in steps[at + 1 :]:
        if step.how != "server":
            break
        found.append(step)
    return tuple(found)


def _read(read: Read, joined: tuple[Step, ...], here: ReadContext, done: list[Read], *, alone: bool) -> Iterable[str]:
    found = where(read, here, done)
    head = "" if alone else f"const {read.var} = "
    tail = "" if alone or not read.many else ".toArray()"
    each = read.step.how == "each"
    if each:
        yield "// once per record of the step before"
    stages = pipeline(read, found, joined, here)
    source = _source(read)
    if stages:
        yield f"{head}{source}.aggregate({js(stages)}){tail};"
        if here.pattern.paging == "cursor" and not done and read.step.ask:
            following = pipeline(read, behind(found, read), joined, here)
            yield "// next page: last is the last record of the page before"
            yield f"{head}{source}.aggregate({js(following)}){tail};"
        return
    yield from _find(read, found, head, tail, here, first=not done)


def _source(read: Read) -> str:
    """The collection; one per value is named after the value asked for."""
    if "{" not in read.structure.name:
        return collection(read.structure.name)
    given = {}
    for key in template_parts(read.structure):
        own = lay.column(read.record.of, key, read.world)
        for cond in read.step.conds:
            if cond.attr == own and cond.source is not None and cond.source.operands:
                given[key] = js(operand(cond.source.operands[0]))
    return collection(read.structure.name, given)


def _find(read: Read, found: dict[str, Any], head: str, tail: str, here: ReadContext, *, first: bool) -> Iterable[str]:
    pattern, step = here.pattern, read.step
    source = _source(read)
    if pattern.counts and first:
        yield f"{head}{source}.countDocuments({js(found)});"
        return
    shown = projection(read, here)
    more = [js(shown)] if shown else []
    if not read.many:
        yield from call(f"{head}{source}.findOne", [js(found), *more]).splitlines()
        return
    ending = _ending(read, here, first=first) + tail
    yield from call(f"{head}{source}.find", [js(found), *more], ending).splitlines()
    if pattern.paging == "cursor" and first and step.ask:
        yield "// next page: last is the last document of the page before"
        following = js(behind(found, read))
        yield from call(f"{head}{source}.find", [following, *more], ending).splitlines()


def _ending(read: Read, here: ReadContext, *, first: bool) -> str:
    step, pattern = read.step, here.pattern
    text = ""
    if any(c.op == "match" for c in step.conds) and is_text(read):
        text += '.sort({ score: { $meta: "textScore" } })'
    elif step.ask:
        text += f".sort({js(dict(read.ask()))})"
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
