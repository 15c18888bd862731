"""Reads: which records, in which order, how many, and what of them."""

from __future__ import annotations

import re
from typing import Any

from app.importers.reading.asides import Asides
from app.importers.reading.attributes import SEARCHED, TEXTY, TOTALS, is_attribute
from app.importers.reading.items import Item
from app.importers.reading.nouns import LABELS, PARTS, SERIES
from app.importers.reading.phrase import Noun
from app.importers.reading.reader import Reading, far_condition, noun_said, relate
from app.importers.reading.text import quoted
from app.importers.reading.things import PEOPLE, Thing, is_value, thing_of

_RANKED = ("points", "score", "rank", "rating", "votes", "count")
_SPAN_WORDS = {"day": "1 day", "time": "", "price": ""}


def read_conditions(r: Reading, thing: Thing) -> None:
    """Every `by`, `of`, `in`, `from`, `my` and owner of the noun becomes a condition."""
    if thing.owner and thing.owner != r.entity:
        bind(r, Noun((thing.owner,), said=thing.owner), "of")
    for link in r.phrase.links:
        if link.how in ("by", "of", "own", "from", "mine", "to"):
            for noun in link.nouns:
                bind(r, noun, link.how)
    for state in (*thing.states, *(r.phrase.head.states if r.phrase.head and not thing.states else ())):
        _state(r, state)
    _within_time(r)
    if r.phrase.asides.where:
        _literal(r, r.phrase.asides.where)


def bind(r: Reading, noun: Noun, how: str) -> None:
    """One condition by equality: on the key, on a field, or on the key of a parent."""
    thing = thing_of(noun, r.words)
    word = thing.entity or thing.attribute
    said = noun_said(noun)
    if not word or word[0].isdigit():
        return
    if word in ("id", r.entity) or (noun.by_id and thing.entity == r.entity):
        r.by_key()
        return
    if thing.entity and thing.attribute:
        _by_others_field(r, thing, said)
    elif noun.head in ("parent", "child", "root", "padre", "father"):
        _by_parent_of_own_kind(r, noun.head)
    elif not noun.by_id and how != "mine" and is_value(noun.name if not thing.entity else word, r.words, how=how):
        _by_value(r, noun.name, said)
    else:
        _by_other(r, thing, word, how, said)


def _by_value(r: Reading, name: str, said: str) -> None:
    if name in ("date", "time", "day") and not r.draft.entities[r.entity].held(name):
        order_by_time(r, "newest", said)
        r.ask("order by", f"Is “by {said}” the order, or one day that is asked for? It is read as the order.", "order.created_at desc")
        return
    if name in ("popularity", "relevance", "recency", "price", "rating", "score") and r.action == "list":
        _order_by_field(r, name, "desc" if name != "price" else "asc", said)
        return
    path = r.draft.field(r.entity, name, f"“{said}” says what it is found by")
    if r.action == "get":
        r.draft.unique(r.entity, name)
    r.term(f"{path} = :{_param(name)}")
    r.why("where", f"by {said}: a value of the {r.entity} itself")


def _by_others_field(r: Reading, thing: Thing, said: str) -> None:
    """`posts by author name`: the author's field, reached along the role."""
    if thing.entity == r.entity:
        path = r.draft.field(r.entity, thing.attribute, f"“{said}” says what it is found by")
        r.draft.unique(r.entity, thing.attribute)
        r.term(f"{path} = :{_param(thing.attribute)}")
        return
    kind, role = relate(r, thing.entity, plural=False, said=said)
    owner = r.words.party(thing.entity)
    r.draft.entity(owner, f"named by {quoted(said)}")
    r.draft.field(owner, thing.attribute, f"“{said}” says what it is found by")
    r.term(f"{role}.{thing.attribute} = :{_param(thing.attribute)}")
    r.why("where", f"by {said}: a field of its {kind}")


def _by_parent_of_own_kind(r: Reading, word: str) -> None:
    path = r.draft.parent(r.entity, r.entity, "parent", f"a {r.entity} may stand under another")
    r.term(f"{path} is null" if word == "root" else f"{path} = :parent")
    r.why("where", f"“{word}”: the {r.entity} above it")


def _by_other(r: Reading, thing: Thing, word: str, how: str, said: str) -> None:
    """By another entity: its key held here, or the far end of a many-to-many relationship."""
    if word in LABELS or r.words.both_ways(r.entity, word):
        r.pairs.append((word, r.entity))
        relate(r, word, plural=True, said=said)
    kind = "parent"
    existing = [x for x in r.draft.links if x.many and {x.parent, x.child} == {r.entity, word}]
    if existing:
        r.term(far_condition(r, word))
        r.why("where", f"by {said}: many-to-many")
        return
    party = r.words.party(word)
    if r.action == "list":
        r.pairs.append((word, r.entity))
    if thing.owner and thing.owner != word and thing.owner != r.entity:
        r.note(f"{said}: {thing.owner}")
    if how == "mine":
        reason = f"“{said}”: each {r.entity} belongs to the user who asks"
    else:
        reason = f"“{how if how not in ('own', 'from', 'to') else 'of'} {said}”: each {r.entity} belongs to one {word}"
    path = r.draft.parent(r.entity, party, word if party != word else "", reason)
    r.term(f"{path} = :{'me' if how == 'mine' else _param(word)}")
    r.why("where", f"by {said}: the key of its {kind} {word}")


def _state(r: Reading, state: str) -> None:
    if state == "unread":
        path = r.draft.field(r.entity, "is_read", "“unread” says it", "bool")
        r.term(f"{path} = false")
    else:
        path = r.draft.field(r.entity, "status", f"“{state}” names a state", "enum")
        r.term(f"{path} = '{state}'")
    r.why("where", f"“{state}” is read as a state of the {r.entity}")


def _within_time(r: Reading) -> None:
    asides = r.phrase.asides
    if asides.span:
        path = r.draft.time(r.entity, f"“{asides.span}” asks for a time")
        r.term(f"{path} >= :since")
        r.plain["span"] = {path: asides.span}
        r.why("where", f"the last {asides.span}")
    elif asides.ranged == "price":
        path = r.draft.field(r.entity, "price", "a price range is asked for")
        r.term(f"{path} >= :lowest and {path} <= :highest")
    elif asides.ranged:
        path = r.draft.time(r.entity, "a range of time is asked for")
        r.term(f"{path} >= :since and {path} < :until")
        if asides.ranged == "day":
            r.plain["span"] = {path: "1 day"}
        else:
            r.ask("span", "How long is the range that people usually ask for?", f"{{{path}: 30 days}}")
        r.why("where", f"a range of {path}")


_LITERAL = re.compile(r"^(?P<field>[A-Za-z_][\w.]*)\s*(?P<op>is\s+(?:not\s+)?null|=|==|>=|<=|<>|!=|>|<)\s*(?P<value>.*)$", re.IGNORECASE)


def _literal(r: Reading, where: str) -> None:
    """`where parent_id is null`; a condition in other words is a note and a question."""
    hit = _LITERAL.match(where)
    value = hit["value"].strip(" '\"") if hit else ""
    if hit is None or ("null" not in hit["op"].lower() and not re.fullmatch(r"[\w .:-]{1,60}", value)):
        r.note(f"where {where}")
        r.ask("where", f"Which condition is {quoted('where ' + where)}?", f"{r.entity}.status = :status")
        return
    name = hit["field"].split(".")[-1].lower()
    path = r.draft.field(r.entity, name, "named in the condition")
    op = " ".join(hit["op"].lower().replace("==", "=").split())
    r.term(f"{path} {op}" if "null" in op else f"{path} {op} {_value(value)}")


def _value(text: str) -> str:
    if re.fullmatch(r"-?\d+(\.\d+)?|true|false", text.lower()):
        return text.lower()
    if text.startswith(":"):
        return f":{_param(text[1:])}"
    return f"'{text}'"


def _param(name: str) -> str:
    word = re.sub(r"\W+", "_", name).strip("_") or "value"
    return f"by_{word}" if word[0].isdigit() else word


# ------------------------------------------------------------------ order and limit


def read_order(r: Reading) -> None:
    """The order and limit that the words ask for; a list without one is a question."""
    asides = r.phrase.asides
    if asides.limit:
        r.plain["limit"] = str(asides.limit)
    elif asides.latest and (r.phrase.head is None or not r.phrase.head.plural):
        r.plain["limit"] = "1"
        r.why("limit", f"“{asides.order_said}” of one: the first in that order")
    if asides.paging:
        r.plain["paging"] = asides.paging
        r.why("paging", "paging is asked for; a cursor is assumed until you say")
    if "order by" in r.plain or r.action not in ("list", "search"):
        return
    if asides.order in ("newest", "oldest"):
        order_by_time(r, asides.order, asides.order_said)
    elif asides.order in ("asc", "desc"):
        _ordered_by(r, asides)
    elif asides.top or asides.order == "popular":
        _ranked(r, asides.order_said or "top")
    elif r.action == "search" and asides.text:
        r.plain["order by"] = "relevance"
        r.why("order by", "a text search gives the best match first")


def _ordered_by(r: Reading, asides: Asides) -> None:
    name = asides.order_field.split("_and_")[0]
    if name in ("date", "time", "creation_date", "fecha", "recency"):
        order_by_time(r, "newest" if asides.order == "desc" else "oldest", asides.order_said)
    else:
        _order_by_field(r, name, asides.order, asides.order_said)


def order_by_time(r: Reading, way: str, said: str) -> None:
    """Newest or oldest first, with the key as the end that makes the order unique."""
    path = r.draft.time(r.entity, f"“{said}” asks for a time that only rises")
    down = " desc" if way == "newest" else ""
    ends = "" if r.entity in SERIES else _tie(r, down, path)
    r.plain["order by"] = f"{path}{down}{ends}"
    r.why("order by", f"“{said}”: {'newest' if down else 'oldest'} first")


def _tie(r: Reading, down: str, *used: str) -> str:
    paths = [f"{r.entity}.{key}" for key in r.draft.key(r.entity)]
    bound = " ".join(r.terms)
    return "".join(f", {p}{down}" for p in paths if p not in used and f"{p} =" not in bound)


def _order_by_field(r: Reading, name: str, way: str, said: str) -> None:
    path = r.draft.field(r.entity, name, f"“{said}” sorts by it")
    down = " desc" if way == "desc" else ""
    r.plain["order by"] = f"{path}{down}{_tie(r, down, path)}"
    r.why("order by", f"“{said}”")


def _ranked(r: Reading, said: str) -> None:
    """The top of a ranking: by points for a score, by its own figure where it has one, else a question."""
    by = next((n.name for n in r.phrase.linked("by") if n.name in _RANKED or n.name.endswith("count")), "")
    made = r.draft.entities[r.entity]
    held = by or next((name for name in _RANKED if made.held(name)), "")
    if not held and r.entity in ("score", "player", "leaderboard"):
        held = "points" if r.entity == "score" else "score"
    if not held:
        r.ask("order by", f"“{said}” by which figure?", f"{r.entity}.points desc")
        return
    path = r.draft.field(r.entity, held, f"“{said}” ranks by it", "int64")
    r.plain["order by"] = f"{path} desc"
    r.why("order by", f"“{said}”: the highest {held} first")


# ------------------------------------------------------------------ what is needed


def read_needs(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """What the answer holds: the fields cell, `with …`, or the entity itself where nothing is said."""
    if thing.attribute:
        r.need(r.draft.field(r.entity, thing.attribute, thing.why or "named by the operation"))
        r.why("needs", f"“{thing.attribute}” is named by the operation")
    for noun in r.phrase.linked("with"):
        read_item(r, Item(noun_said(noun), noun))
    for item in items:
        read_item(r, item)
    if r.action in ("count", "aggregate"):
        r.needs.clear()
        return
    beside = r.phrase.linked("with") and not items and not thing.attribute
    if beside or not r.needs:
        r.needs.insert(0, r.entity)
        r.why("needs", f"no field is named, so the whole {r.entity}")


def read_item(r: Reading, item: Item) -> None:
    """One item of the fields cell: the entity, its field, a child, a parent, or one of their fields."""
    if item.everything:
        r.need(r.entity)
        return
    noun = item.noun
    if noun is None or noun.name in ("", "id") and not noun.by_id:
        _unreadable(r, item)
        return
    if item.by is not None and item.by.words and not item.by.by_id:
        bind(r, item.by, "by")
    if item.counted:
        _counted(r, noun.head, item.said)
        return
    whose = thing_of(item.whose, r.words, r.entity) if item.whose else Thing()
    thing = thing_of(noun, r.words, whose.entity or r.entity)
    if whose.entity and whose.entity != r.entity and not thing.entity:
        thing = Thing(whose.entity, attribute=thing.attribute or noun.name, why=f"{quoted(item.said)} is a field of {whose.entity}")
    _place(r, noun, thing, item)


def _place(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    """Decides what a noun of the fields cell is to the row's entity; the order of the questions matters."""
    name = noun.name
    made = r.draft.entities[r.entity]
    own = name.removeprefix(f"{r.entity}_")
    if noun.by_id:
        _id(r, noun, thing, item)
    elif thing.entity == r.entity or name == r.entity:
        r.need(r.draft.field(r.entity, thing.attribute, f"{quoted(item.said)} names it") if thing.attribute else r.entity)
    elif made.held(name) or made.held(own):
        r.need(f"{r.entity}.{name if made.held(name) else own}")
    elif name.endswith("_count") and len(noun.words) > 1 and r.words.is_thing(noun.words[-2]):
        _counted(r, noun.words[-2], item.said)
    elif noun.head in TOTALS and not (thing.entity and thing.attribute):
        _own_field(r, name, item.said)
    elif thing.entity and thing.attribute:
        _others_field(r, noun, thing, item)
    elif noun.plural or thing.entity in PARTS or name in r.words.names or thing.entity in r.words.names:
        _other(r, noun, thing, item)
    elif thing.entity and not is_attribute(thing.entity) and r.words.is_thing(thing.entity):
        _other(r, noun, thing, item)
    else:
        _own_field(r, name, item.said)


def _own_field(r: Reading, name: str, said: str) -> None:
    r.need(r.draft.field(r.entity, name, f"{quoted(said)} in “{r.name}”: taken for a field of {r.entity}"))


def _id(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    owner = thing.entity or noun.name
    if owner in ("id", r.entity) or not owner:
        for key in r.draft.key(r.entity):
            r.need(f"{r.entity}.{key}")
        return
    kind, role = relate(r, owner, plural=noun.plural or item.said.rstrip().lower().endswith("ids"), said=item.said)
    if kind == "parent":
        link = next(x for x in r.draft.links if x.child == r.entity and x.name == role)
        r.need(f"{r.entity}.{link.via}")
    else:
        r.need(f"{role}.{r.draft.key(owner)[0]}")


def _counted(r: Reading, what: str, said: str) -> None:
    """`comment count`: a figure kept beside the entity, counted from its children."""
    kind, _ = relate(r, what, plural=True, said=said)
    why = f"{quoted(said)}: counted from {what}"
    formula = {"computed": f"count({what})"} if kind == "child" else {}
    r.need(r.draft.field(r.entity, f"{what}_count", why, "int32", **formula))


def _others_field(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    _, role = relate(r, thing.entity, plural=False, said=item.said)
    owner = r.words.party(thing.entity) if role != thing.entity or thing.entity not in r.draft.entities else thing.entity
    r.draft.entity(owner, f"named by {quoted(item.said)}")
    r.draft.field(owner, thing.attribute, f"{quoted(item.said)} in “{r.name}”: taken for a field of {owner}")
    r.need(f"{role}.{thing.attribute}")
    del noun


def _other(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    """Another entity: a plural that is nobody's own name takes that of its parent."""
    other = thing.entity or noun.name
    standing = other in r.words.names or r.words.is_thing(noun.head) or thing.owner == r.entity
    if noun.plural and not standing:
        other = f"{r.entity}_{other}"
    if thing.owner and thing.owner not in (r.entity, other) and r.words.party(thing.owner) not in PEOPLE:
        r.note(item.said)
    kind, role = relate(r, other, plural=noun.plural, said=item.said)
    need: dict[str, Any] = {"what": role}
    asides = item.asides
    if kind == "child" and asides.order in ("newest", "oldest"):
        path = r.draft.time(other, f"{quoted(item.said)} asks for a time that only rises")
        need["order by"] = f"{path} desc" if asides.order == "newest" else path
    if kind == "child" and asides.limit:
        need["limit"] = str(asides.limit)
    r.need(need if len(need) > 1 else role)


def _unreadable(r: Reading, item: Item) -> None:
    r.note(f"needs: {item.said}")
    r.ask("needs", f"Which fields are {quoted(item.said)}?", f"{r.entity}.name")


# ------------------------------------------------------------------ search


def read_search(r: Reading) -> None:
    """The fields a text search looks into: those named, else the usual ones of such a thing."""
    fields = [n.name for n in r.phrase.linked("by", "of") if is_attribute(n.name) and n.name not in ("text", "keyword", "query")]
    whole = r.phrase.asides.text or not fields
    if not fields:
        made = r.draft.entities[r.entity]
        fields = [name for name in SEARCHED if made.held(name)][:3]
    if not fields:
        fields = ["title", "content"] if r.entity in TEXTY else ["name"]
        r.why("where", f"which fields of {r.entity} hold the text is assumed")
        r.ask("where", f"Which fields of {r.entity} are searched? {' and '.join(fields)} are assumed.", f"matches({r.entity}.title, :words)")  # noqa: E501
    paths = [r.draft.field(r.entity, name, "a text search looks into it") for name in fields]
    r.term(f"matches({', '.join(paths)}, :words)")
    if whole or r.action == "search":
        r.plain.setdefault("order by", "relevance")
        r.why("order by", "a text search gives the best match first")


def is_of_person(thing: Thing, noun: Noun, link: Noun) -> bool:
    """`author of a post`: one person of a thing, so the thing is read and the person comes with it."""
    return thing.entity in PEOPLE and not noun.plural and link.words[-1] not in PEOPLE
