"""A write plan as DynamoDB requests: one Put, Update or Delete, or all of them in TransactWriteItems."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.conditions import Comparison, Conditions
from app.model.workload import Pattern
from app.plan import lay
from app.plan.judge import cond
from app.plan.types import Cond, Touch
from app.stores.common_query import entity_of, field_of
from app.stores.common_steps import Context
from app.stores.common_write import asked
from app.stores.dynamodb.items import index_keys, left, packed_keys, part_text, text_of, values_of
from app.stores.dynamodb.names import table_name, ttl_attribute
from app.stores.dynamodb.reads import json_lines
from app.stores.dynamodb.records import kinds
from app.stores.dynamodb.spots import Body, Spot, base_spot, columns, key_of
from app.stores.dynamodb.values import Bound, filter_text, placeholder, typed, whole_value

SAME_ON_RETRY = "{a token of the operation, the same on a retry}"


def write_lines(here: Context) -> Iterable[str]:
    """Requests that belong together first, then what is refreshed later."""
    mine = [t for t in here.plan.touches if t.store == "dynamodb"]
    requests = [(t, found) for t in mine if t.when == "same" for found in actions(t, here)]
    met = {id(t) for t, _ in requests}
    for touch in (t for t in mine if id(t) in met):
        yield from _support(touch, here)
    if len(requests) > 1 and here.plan.scope in ("transaction", ""):
        yield "# TransactWriteItems: all or nothing, each item once, at most 100"
        yield from (f"# {touch.structure} ({touch.why}){_times(touch)}" for touch, _ in requests if _times(touch))
        items = [{name: body} for _, (name, body) in requests]
        yield from json_lines({"TransactItems": items, "ClientRequestToken": SAME_ON_RETRY})
        yield ""
    else:
        for touch, (name, body) in requests:
            yield from _single(touch, name, body)
    for touch in mine:
        later = actions(touch, here) if touch.when == "async" else ()
        if later:
            within = f" within {touch.within:g} s" if touch.within else ""
            yield f"# later{within}, from the stream or a queue: {touch.why} in {touch.structure}"
            yield from _support(touch, here)
            for name, body in later:
                yield from _single(touch, name, body)


def _times(touch: Touch) -> str:
    return f", one for each of {touch.count.avg:,.3g} items" if touch.count.avg > 1 else ""


def _single(touch: Touch, name: str, body: Body) -> Iterable[str]:
    yield f"# {name}Item {touch.structure} ({touch.why}){_times(touch)}"
    yield from json_lines(body)
    yield ""


def _support(touch: Touch, here: Context) -> Iterable[str]:
    if touch.find == "key":
        if touch.reads:
            yield f"# before it: {touch.reads:g} read(s) for what {touch.record} copies or replaces"
    elif touch.find:
        yield f"# before it: find the items of {touch.record}, or their keys, in {touch.find}"
    else:
        yield f"# no key or index finds the items of {touch.record}: only a Scan does"
    spot = _spot(touch, here)
    lists = _lists(touch, spot, here) if spot is not None and touch.op in ("set", "add", "pull") else ()
    for stored in lists:
        yield f"# {stored} is a list: read it, change the element, write it back on condition that it is unchanged"


def _lists(touch: Touch, spot: Spot, here: Context) -> tuple[str, ...]:
    """Stored names of the embedded lists in which a touch changes or removes an element."""
    names = spot.names(here.world)
    met = {names(a).partition(".")[0] for a in touch.attrs if "." in names(a)}
    if touch.op == "pull" and not met:
        changed = {a.entity for a in asked(here.pattern)}
        inside = (h for h in spot.record.shape[1:] if h.how == "embed" and h.entity in changed)
        met = {h.name or h.entity for h in inside}
    return tuple(sorted(met))


def actions(touch: Touch, here: Context) -> tuple[tuple[str, Body], ...]:
    """The requests of one touch: where its key changes, the item leaves the old one first."""
    found = action(touch, here)
    gone = _left(touch, here) if touch.op == "move" else None
    return tuple(r for r in (gone, found) if r is not None)


def _left(touch: Touch, here: Context) -> tuple[str, Body] | None:
    """The deletion of an item under the key it had before."""
    spot = _spot(touch, here)
    if spot is None:
        return None
    given = {lay.column(spot.record.of, p, here.world) for a in asked(here.pattern) for p in a.set}
    changed = {a.removeprefix("=") for a in (*touch.attrs, *given)}

    def origin(cond: Cond) -> str:
        return f"{'old ' if cond.attr.removeprefix('=') in changed else ''}{field_of(cond.attr)}"

    key = key_of(spot, Bound(tuple(_known(spot, here)), origin), here.world)
    if key is None:
        return None
    body: Body = {"TableName": table_name(spot.structure.name), "Key": key}
    return "Delete", body | (_condition(touch, spot, here) if here.pattern.action == "update" else {})


def action(touch: Touch, here: Context) -> tuple[str, Body] | None:
    """The request for one touch: (`Put`, `Update` or `Delete`, body)."""
    spot = _spot(touch, here)
    if spot is None:
        return None
    found = touch.find != "key"
    bound = Bound(tuple(_known(spot, here)), (lambda c: f"{field_of(c.attr)} of the item found") if found else None)
    key = key_of(spot, bound, here.world)
    if key is None:
        return None
    table = table_name(spot.structure.name)
    if touch.op in ("put", "move"):
        return "Put", _put(touch, spot, table, here)
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


def _put(touch: Touch, spot: Spot, table: str, here: Context) -> Body:
    """The whole item: its keys, own fields, embeds and copies under their stored names."""
    world, names, of = here.world, spot.names(here.world), spot.record.of
    given = values_of(here.pattern, of, world)
    bound = Bound(tuple(_known(spot, here)))
    item: Body = {}
    for attribute, parts in columns(spot):
        texts = (part_text(p, given, of, world, bound) for p in parts)
        item[attribute.name] = typed("".join(texts), attribute.type)
    item |= dict(index_keys(spot, given, here))
    for held in spot.record.shape:
        attrs = held.attrs if held.attrs is not None else world.fields.get(held.entity, ())
        for attr in (*sorted(attrs), *sorted(held.computed)):
            stored = names(attr)
            top = stored.partition(".")[0]
            if held.how == "for each":
                continue
            if top != stored:
                item.setdefault(top, {"L": [f"one map for each {held.entity}"]})
            elif stored not in item:
                item[stored] = whole_value(attr, text_of(attr, given, of, world)[1], world)
    expiry = ttl_attribute(spot.structure) if spot.record.ttl_text else ""
    if expiry:
        item[expiry] = typed("{when it expires, in seconds since 1970}", "N")
    body: Body = {"TableName": table, "Item": item}
    if touch.op == "move":
        return body  # the place is new: what must be true of the item is checked where it leaves
    if here.pattern.action != "insert" and touch.why != "unique":
        return body | _condition(touch, spot, here)
    name = next(iter(item))
    return body | {
        "ConditionExpression": f"attribute_not_exists({placeholder(name)})",
        "ExpressionAttributeNames": {placeholder(name): name},
    }


def _update(touch: Touch, spot: Spot, key: Body, table: str, here: Context) -> Body:
    """SET with numbers added to and lists appended to; a condition where the operation has one."""
    world, names, of = here.world, spot.names(here.world), spot.record.of
    given = values_of(here.pattern, of, world)
    lists = () if touch.op == "push" else _lists(touch, spot, here)
    texts: list[str] = []
    taken: dict[str, str] = {}
    values: Body = {}

    def assign(stored: str, text: str, value: Body) -> None:
        name = placeholder(stored)
        if name not in taken:
            taken[name] = stored
            texts.append(f"{name} = {text.format(name, word := name.replace('#', ':'))}")
            values[word] = value

    for stored in lists:
        assign(stored, "{1}", {"L": ["the list with the change made"]})
    for attr in sorted(touch.attrs):
        stored = names(attr)
        top = stored.partition(".")[0]
        kind, text = text_of(attr, given, of, world)
        if touch.op == "push" and (top != stored or entity_of(attr) != of):
            assign(top, "list_append(if_not_exists({0}, :empty), {1})", {"L": [f"the new {entity_of(attr)}"]})
            values[":empty"] = {"L": []}
        elif top in lists:
            continue
        elif touch.op == "add" or kind == "add":
            assign(stored, "if_not_exists({0}, :zero) + {1}", {"N": text if kind == "add" else "{change}"})
            values[":zero"] = {"N": "0"}
        else:
            assign(stored, "{1}", whole_value(attr, text, world))
    for stored, value in index_keys(spot, given, here, touch.attrs):
        assign(stored, "{1}", value)
    gone = [k.name for where, k, _ in packed_keys(spot, world) if left(where, given, world)]
    taken |= {placeholder(n): n for n in gone}
    body: Body = {"TableName": table, "Key": key}
    if not texts:
        return body
    extra = _condition(touch, spot, here)
    removed = f" REMOVE {', '.join(map(placeholder, gone))}" if gone else ""
    body["UpdateExpression"] = "SET " + ", ".join(texts) + removed
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
    if not texts and _must_exist(touch, of, here.pattern):
        # Without it the request makes an item of what it sets, under a key that nothing had.
        name = next(k.name for k, _ in columns(spot))
        texts, taken = [f"attribute_exists({placeholder(name)})"], {placeholder(name): name}
    if not texts:
        return {}
    found: Body = {
        "ConditionExpression": " AND ".join(texts),
        "ExpressionAttributeNames": taken,
    }
    return found | ({"ExpressionAttributeValues": values} if values else {})


def _must_exist(touch: Touch, of: str, pattern: Pattern) -> bool:
    """Is this an update of something that is there, rather than one that may make it?"""
    kinds_ = {a.kind for a in asked(pattern) if a.entity == of}
    return touch.op in ("set", "add", "push", "pull", "move") and kinds_ == {"update"}


def _checks(pattern: Pattern) -> Iterable[Comparison]:
    for where in (pattern.where, pattern.only_if):
        for term in where.terms if where is not None else ():
            if isinstance(term, Comparison):
                yield term
