"""A write plan as DynamoDB requests: one Put, Update or Delete, or all of them in TransactWriteItems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.model.conditions import Comparison, Conditions
from app.model.workload import AlsoWrite, Pattern
from app.plan import lay
from app.plan.judge import cond
from app.plan.types import Cond, Touch, World
from app.stores.common_query import entity_of, field_of
from app.stores.dynamodb.names import table_name
from app.stores.dynamodb.reads import json_lines
from app.stores.dynamodb.records import kinds
from app.stores.dynamodb.spots import Body, Context, Spot, base_spot, key_of
from app.stores.dynamodb.values import Bound, filter_text, placeholder, scalar, typed

SAME_ON_RETRY = "{a token of the operation, the same on a retry}"


def write_lines(here: Context) -> Iterable[str]:
    """Requests that belong together first, then what is refreshed later."""
    mine = [t for t in here.plan.touches if t.store == "dynamodb"]
    now = [t for t in mine if t.when == "same"]
    requests = [(t, found) for t in now if (found := action(t, here)) is not None]
    for touch, _ in requests:
        yield from _support(touch)
    if len(requests) > 1 and here.plan.scope in ("transaction", ""):
        yield "# TransactWriteItems: all or nothing, each item once, at most 100"
        items = [{name: body} for _, (name, body) in requests]
        yield from json_lines({"TransactItems": items, "ClientRequestToken": SAME_ON_RETRY})
        yield ""
    else:
        for touch, (name, body) in requests:
            yield from _single(touch, name, body)
    for touch in mine:
        later = action(touch, here) if touch.when == "async" else None
        if later is not None:
            within = f" within {touch.within:g} s" if touch.within else ""
            yield f"# later{within}, from the stream or a queue: {touch.why} in {touch.structure}"
            yield from _single(touch, *later)


def _single(touch: Touch, name: str, body: Body) -> Iterable[str]:
    many = f", for each of {touch.count.avg:,.3g} items" if touch.count.avg > 1 else ""
    yield f"# {name}Item {touch.structure} ({touch.why}){many}"
    yield from json_lines(body)
    yield ""


def _support(touch: Touch) -> Iterable[str]:
    if touch.find == "key":
        if touch.reads:
            yield f"# before it: {touch.reads:g} read(s) for what {touch.record} copies or replaces"
    elif touch.find:
        yield f"# before it: find the items of {touch.record} by {touch.find}"
    else:
        yield f"# no key or index finds the items of {touch.record}: only a Scan does"


def action(touch: Touch, here: Context) -> tuple[str, Body] | None:
    """The request for one touch: (`Put`, `Update` or `Delete`, body)."""
    spot = _spot(touch, here)
    if spot is None:
        return None
    bound = Bound(tuple(_known(spot, here)), "the item found" if touch.find != "key" else "")
    key = key_of(spot, bound, here.world)
    if key is None:
        return None
    table = table_name(spot.structure.name)
    if touch.op in ("put", "move"):
        return "Put", _put(touch, spot, key, table, here)
    if touch.op in ("remove", "delete key"):
        return "Delete", {"TableName": table, "Key": key} | _condition(touch, spot, here)
    return "Update", _update(touch, spot, key, table, here)


def _spot(touch: Touch, here: Context) -> Spot | None:
    structure = here.model.structure(touch.structure)
    for thing, record in kinds(structure, here.model, here.world) if structure is not None else ():
        if record.name == touch.record:
            return base_spot(structure, thing, record, here.world) if structure is not None else None
    return None


def _known(spot: Spot, here: Context) -> Iterable[Cond]:
    """What names the item: `where` of the operation, else the value of the record in hand, attribute by attribute."""
    of, world = spot.record.of, here.world
    given = {c.attr: c for where in _wheres(here.pattern) for c in lay.conds(where, of, world) if c.op == "="}
    for part in (*spot.record.primary.partition, *spot.record.primary.order):
        if part.attr:
            yield given.get(part.attr, Cond(part.attr))


def _wheres(pattern: Pattern) -> Iterable[Conditions | None]:
    yield pattern.where
    yield from (also.where for also in pattern.also)


def values_of(pattern: Pattern, of: str, world: World) -> Mapping[str, Any]:
    """Own column → what the operation sets it to, as typed."""
    parts: tuple[Pattern | AlsoWrite, ...] = (pattern, *pattern.also)
    return {lay.column(of, path, world): value for part in parts for path, value in part.set.items()}


def _text(value: object, attr: str) -> str:
    text = str(value)
    if value is None or text == "":
        return "{" + field_of(attr) + "}"
    if text.startswith(":"):
        return "{" + text[1:] + "}"
    return "{now}" if text in ("now", "now()") else text


def _put(touch: Touch, spot: Spot, key: Body, table: str, here: Context) -> Body:
    """The whole item: its key, own fields, embeds and copies under their stored names."""
    world, names = here.world, spot.names(here.world)
    given = values_of(here.pattern, spot.record.of, world)
    item: Body = dict(key)
    for held in spot.record.shape:
        attrs = held.attrs if held.attrs is not None else world.fields.get(held.entity, ())
        for attr in (*sorted(attrs), *sorted(held.computed)):
            stored = names(attr)
            top = stored.partition(".")[0]
            if top != stored:
                item.setdefault(top, {"L": [f"one map for each {held.entity}"]})
            elif stored not in item:
                item[stored] = typed(_text(given.get(attr), attr), scalar(attr, world))
    body: Body = {"TableName": table, "Item": item}
    if here.pattern.action != "insert" and touch.why != "unique":
        return body | _condition(touch, spot, here)
    name = next(iter(key))
    return body | {
        "ConditionExpression": f"attribute_not_exists({placeholder(name)})",
        "ExpressionAttributeNames": {placeholder(name): name},
    }


def _update(touch: Touch, spot: Spot, key: Body, table: str, here: Context) -> Body:
    """SET with counters added to and lists appended to; a condition where the operation has one."""
    world, names = here.world, spot.names(here.world)
    given = values_of(here.pattern, spot.record.of, world)
    texts: list[str] = []
    taken: dict[str, str] = {}
    values: Body = {}
    for attr in sorted(touch.attrs):
        stored = names(attr)
        top = stored.partition(".")[0] if touch.op in ("push", "pull") else stored
        name = placeholder(top)
        if name in taken:
            continue
        taken[name] = top
        word = name.replace("#", ":")
        value = str(given.get(attr, ""))
        if touch.op == "push":
            texts.append(f"{name} = list_append(if_not_exists({name}, :empty), {word})")
            values |= {word: {"L": [f"the new {entity_of(attr)}"]}, ":empty": {"L": []}}
        elif touch.op == "add" or (value[:1] in "+-" and value[1:].isdigit()):
            texts.append(f"{name} = if_not_exists({name}, :zero) + {word}")
            values |= {word: {"N": value.lstrip("+") or "{change}"}, ":zero": {"N": "0"}}
        else:
            texts.append(f"{name} = {word}")
            values[word] = typed(_text(given.get(attr), attr), scalar(attr, world))
    body: Body = {"TableName": table, "Key": key}
    if not texts:
        return body
    extra = _condition(touch, spot, here)
    body["UpdateExpression"] = "SET " + ", ".join(texts)
    if "ConditionExpression" in extra:
        body["ConditionExpression"] = extra["ConditionExpression"]
    body["ExpressionAttributeNames"] = taken | extra.get("ExpressionAttributeNames", {})
    body["ExpressionAttributeValues"] = values | extra.get("ExpressionAttributeValues", {})
    return body


def _condition(touch: Touch, spot: Spot, here: Context) -> Body:
    """`only if`, and whatever `where` says beyond the key: both are checked with the write."""
    if touch.why not in ("truth", ""):
        return {}
    world, of = here.world, spot.record.of
    keys = {p.attr for p in (*spot.record.primary.partition, *spot.record.primary.order)}
    stored = spot.names(world)
    texts: list[str] = []
    taken: dict[str, str] = {}
    values: Body = {}
    for comparison in _checks(here.pattern):
        attr = lay.column(of, comparison.path, world)
        if attr in keys or entity_of(attr) != of:
            continue
        name = stored(attr)
        text, mine = filter_text(cond(comparison, attr, world), f"old {name}", world)
        texts.append(text.replace("#old_", "#"))
        taken[placeholder(name)] = name
        values |= mine
    if not texts:
        return {}
    found: Body = {
        "ConditionExpression": " AND ".join(texts),
        "ExpressionAttributeNames": taken,
    }
    return found | ({"ExpressionAttributeValues": values} if values else {})


def _checks(pattern: Pattern) -> Iterable[Comparison]:
    for where in (pattern.where, pattern.only_if):
        for term in where.terms if where is not None else ():
            if isinstance(term, Comparison):
                yield term
