"""A read plan as DynamoDB requests: GetItem, BatchGetItem, Query and Scan as JSON, pages written out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from app.plan import lay
from app.plan.match import lacking, unseen
from app.plan.types import Cond, Step, World
from app.stores.common_query import field_of
from app.stores.common_steps import Context, asked_apart, origin, source
from app.stores.dynamodb.keys import KeyAttribute, things
from app.stores.dynamodb.names import table_name
from app.stores.dynamodb.spots import Body, Spot, base_spot, columns, conds_of, key_of, spot_of
from app.stores.dynamodb.values import (
    LAST,
    Bound,
    Interval,
    condition,
    filter_text,
    interval,
    placeholder,
    typed,
    value_text,
)


def read_lines(here: Context) -> Iterable[str]:
    """Headings and requests, step by step; steps in other stores in their own language."""
    for number, step in enumerate(here.plan.steps, 1):
        if step.store != "dynamodb":
            yield from (f"# {number}. In {step.store}", *here.lines_elsewhere(step), "")
            continue
        for branch in asked_apart(step):
            yield from _step(number, branch, here)


def _step(number: int, step: Step, here: Context) -> Iterable[str]:
    spot = spot_of(step, here)
    if spot is None:
        yield f"# {number}. {step.path}: no key leads there"
        return
    earlier, conds = here.plan.steps[: number - 1], conds_of(step)
    at = source(conds, earlier, here.world)
    before = f"step {at}" if at else ""
    bound = Bound(conds, lambda cond: _origin(cond, earlier, here))
    name, body = request(step, spot, bound, here, first=number == 1)
    yield f"# {number}. {name} {step.path.removesuffix(' scan')}{_purpose(step, before)}"
    yield from (f"# {note}" for note in notes(step, bound, here))
    yield from json_lines(body)
    if number == 1 and name in ("Query", "Scan") and here.pattern.paging == "cursor":
        yield "# next page: the same request, starting behind the last item of the page before"
        yield from json_lines({**body, "ExclusiveStartKey": start_key(spot, here.world)})
    yield ""


def _origin(cond: Cond, earlier: Sequence[Step], here: Context) -> str:
    """`id of step 2`: where the value of a link comes from."""
    field, number = origin(cond, earlier, here.world)
    return f"{field} of step {number}" if number else field


def _purpose(step: Step, before: str) -> str:
    if step.how == "list":
        return f", one key for each item of {before}, at most 100 in a request"
    if step.how == "each":
        return f", once for each item of {before}" if before else ", once for each item reached"
    return ""


def json_lines(body: Body) -> Iterable[str]:
    return json.dumps(body, indent=2, ensure_ascii=False).replace("\uffff", "\\uffff").splitlines()


# ---------------------------------------------------------------- one request


def request(step: Step, spot: Spot, bound: Bound, here: Context, *, first: bool) -> tuple[str, Body]:
    """The operation's name and body."""
    table = table_name(spot.structure.name)
    match = step.match
    strong = {"ConsistentRead": True} if match is not None and match.single.strong and match.path.strong else {}
    key = key_of(spot, bound, here.world) if not spot.index else None
    if key is not None and step.how == "list":
        return "BatchGetItem", {"RequestItems": {table: {"Keys": [key], **strong}}}
    if key is not None and not _collection(step):
        return "GetItem", {"TableName": table, "Key": key, **strong}
    body: Body = {"TableName": table}
    if spot.index:
        body["IndexName"] = table_name(spot.index)
        if match is not None and match.path.fetches and lacking(match):
            body["Select"] = "ALL_ATTRIBUTES"
    condition_ = _key_condition(spot, bound, here.world)
    if _collection(step) and condition_ and not spot.index:
        condition_ = _hull(step, spot, bound, here) or condition_
    name = "Query" if condition_ else "Scan"
    body |= condition_
    _add_filter(body, step, spot, here)
    body |= strong
    body |= _ending(step, here, name, first=first)
    return name, body


def _collection(step: Step) -> bool:
    return step.how == "collection" or len(step.records_of) > 1


def _key_condition(spot: Spot, bound: Bound, world: World) -> Body:
    """KeyConditionExpression with its names and values; empty where the partition key is not bound."""

    def own(path: str) -> str:
        return lay.column(spot.record.of, path, world)

    texts, values, names = [], dict[str, Any](), dict[str, str]()
    for attribute, parts in columns(spot):
        found = interval(parts, bound, own)
        if attribute.role == "HASH" and found.op != "=":
            return {}
        if not found.op:
            break
        text, mine = condition(attribute, found)
        texts.append(text)
        values |= mine
        names[placeholder(attribute.name)] = attribute.name
        if found.op != "=":
            break
    return {
        "KeyConditionExpression": " AND ".join(texts),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def _hull(step: Step, spot: Spot, bound: Bound, here: Context) -> Body:
    """One interval of the sort key over several kinds of item, whatever lies between them included."""
    lows, highs = [], []
    for part in step.branches or (step,):
        mine = spot_of(part, here)
        if mine is None or not mine.way.sk:
            return {}
        of = mine.record.of
        asked = Bound(conds_of(part), bound.origin)
        found = interval(mine.way.sk[0], asked, lambda path, of=of: lay.column(of, path, here.world))  # type: ignore[misc]
        if found.op not in ("=", "begins_with", "between"):
            return {}
        lows.append(found.values[0])
        highs.append(found.values[-1] + ("" if found.op == "=" else LAST))
    hash_key = replace(spot, keys=spot.keys[:1], way=replace(spot.way, sk=()))
    body = _key_condition(hash_key, bound, here.world)
    sort = next((k for k in spot.keys if k.role == "RANGE"), None)
    if not body or sort is None or not lows:
        return {}
    text, values = condition(sort, Interval("between", (min(lows), max(highs))))
    body["KeyConditionExpression"] += f" AND {text}"
    body["ExpressionAttributeNames"][placeholder(sort.name)] = sort.name
    body["ExpressionAttributeValues"] |= values
    return body


def _add_filter(body: Body, step: Step, spot: Spot, here: Context) -> None:
    """FilterExpression for what the key does not answer; it is billed before it filters."""
    residual = _answered(step)
    kind = [] if "KeyConditionExpression" in body else list(_kind(spot))
    if not residual and not kind:
        return
    names, texts = spot.names(here.world), []
    taken_names = body.setdefault("ExpressionAttributeNames", {})
    taken_values = body.setdefault("ExpressionAttributeValues", {})
    for key, start in kind:
        text, values = condition(key, Interval("begins_with", (start,)))
        texts.append(text)
        taken_names[placeholder(key.name)] = key.name
        taken_values |= values
    for cond in residual:
        either = []
        for attr in _named(cond, spot, here):
            stored = names(attr)
            text, mine = filter_text(replace(cond, attr=attr), stored, here.world)
            either.append(text)
            taken_names[placeholder(stored)] = stored
            taken_values |= mine
        texts.append(f"({' OR '.join(either)})" if len(either) > 1 else either[0])
    body["FilterExpression"] = " AND ".join(texts)
    if not taken_values:
        del body["ExpressionAttributeValues"]


def _named(cond: Cond, spot: Spot, here: Context) -> Iterable[str]:
    """The attributes a condition names: words may stand in one of several."""
    more = cond.source.more if cond.source is not None else ()
    return dict.fromkeys([cond.attr, *(lay.column(spot.record.of, path, here.world) for path in more)])


def _answered(step: Step) -> tuple[Cond, ...]:
    """Conditions a filter can answer: what an index does not project is absent there and meets nothing, and no filter
    measures a distance."""
    match = step.match
    if match is None:
        return ()
    absent = () if match.path.fetches else unseen(match)
    return tuple(c for c in match.residual if c not in absent and c.op != "near")


def _kind(spot: Spot) -> Iterable[tuple[KeyAttribute, str]]:
    """What tells one kind of item from the others in a Scan: the texts their keys start with."""
    if len(things(spot.structure)) > 1:
        for attribute, parts in columns(spot):
            if parts and parts[0].literal:
                yield attribute, parts[0].literal


def _ending(step: Step, here: Context, name: str, *, first: bool) -> Body:
    """Order, limit and counting of a Query."""
    body: Body = {}
    if name == "Query" and step.order == "reversed":
        body["ScanIndexForward"] = False
    limit = here.pattern.limit.value if here.pattern.limit is not None else None
    if first and here.pattern.counts:
        body["Select"] = "COUNT"
    elif first and limit and step.order != "client" and not here.drops:
        body["Limit"] = int(limit)
    return body


def start_key(spot: Spot, world: World) -> Body:
    """LastEvaluatedKey of the page before: the key of the table and, on an index, of the index too."""
    base = base_spot(spot.structure, spot.thing, spot.record, world)
    keys = (*(base.keys if base else ()), *spot.keys)
    return {k.name: typed(f"{{{k.name} of the last item}}", k.type) for k in keys}


def notes(step: Step, bound: Bound, here: Context) -> Iterable[str]:
    """What the request alone does not say: loops, merges, sorting, billing."""
    yield from bound.several
    yield from bound.ends
    if bound.several and step.order == "merged":
        yield "merge the answers by " + _asked(step) + ", and keep a LastEvaluatedKey for each request"
    if step.order == "client":
        yield f"the key does not give this order: read all of it and sort by {_asked(step)}"
    left_over = [c for c in step.match.residual if c not in _answered(step)] if step.match is not None else []
    for cond in (c for c in left_over if c.op == "near"):
        yield f"no filter measures a distance: leave out in the application what is not {_shown(cond)}"
    if absent := [c for c in left_over if c.op != "near"]:
        left = ", ".join(dict.fromkeys(field_of(c.attr) for c in absent))
        yield f"{step.path} does not project {left}: read each item found by the table's key (BatchGetItem, 100 at a"
        yield f"time) and leave out what does not meet {' and '.join(_shown(c) for c in absent)}"
    if residual := _answered(step):
        left = ", ".join(dict.fromkeys(field_of(c.attr) for c in residual))
        yield f"the filter on {left} runs after the read: Limit and the bill count items before it,"
        yield "and a page may come back empty: go on until LastEvaluatedKey is missing or enough are found"
        if any(c.op == "match" for c in residual):
            yield "contains() compares letters, their case included: no words, no stems, no ranking"
    if _collection(step):
        held = ", ".join(step.records_of)
        yield f"one item collection answers for {held}"
    if here.pattern.figures:
        yield f"{here.pattern.compute or 'the figure'} is worked out in the application from every item read"


def _shown(cond: Cond) -> str:
    source = cond.source
    words = ", ".join(value_text(o) for o in source.operands) if source is not None else ""
    return f"{field_of(cond.attr)} {cond.op} {words}".strip()


def _asked(step: Step) -> str:
    ask = step.ask or (step.match.single.order if step.match is not None else ())
    words = [f"{field_of(a)}{' descending' if way < 0 else ''}" for a, way in ask]
    return ", ".join(words) or "the sort key"
