"""Reads: which records, in which order, how many, and what of them."""

from __future__ import annotations

import re

from app.importers.reading.attributes import SEARCHED, TEXTY, is_attribute
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import LABELS, PARTS
from app.importers.reading.ordering import order_by_field, order_by_time
from app.importers.reading.reader import Reading, far_condition, noun_said, parameter, relate
from app.importers.reading.text import a, quoted, words_of
from app.importers.reading.things import PEOPLE, Thing, is_value, thing_of

_BINDING = words_of("by of own from mine to")
_OWNED = words_of("created written posted published owned uploaded authored managed placed")


def read_conditions(r: Reading, thing: Thing) -> None:
    """Every `by`, `of`, `in`, `from`, `my` and owner of the noun becomes a condition."""
    searched = r.action == "search"
    named = [n for link in r.phrase.links if link.how in _BINDING for n in link.nouns]
    if thing.owner and thing.owner != r.entity and not (named and r.entity.startswith(f"{thing.owner}_")):
        bind(r, Noun((thing.owner,), said=thing.owner), "of")
    for link in r.phrase.links:
        for noun in link.nouns if link.how in _BINDING else ():
            if not (searched and is_attribute(searched_field(noun)) and not noun.by_id):
                bind(r, noun, link.how)
        if link.how in ("where", "without"):
            said = f"{link.how} {noun_said(link.nouns[0])}"
            r.note(said)
            r.ask("where", f"Which condition is {quoted(said)}?", f"{r.entity}.status = :status")
    for remark in r.phrase.asides.remarks:
        if re.search(r"\bfilter|\bfiltro|\brange\b", remark):
            r.ask("where", f"Which conditions does {quoted(remark)} add?", f"{r.entity}.status = :status")
    _vague(r)
    _kin(r)
    _done_by(r)
    for state in (*thing.states, *(r.phrase.head.states if r.phrase.head and not thing.states else ())):
        if not thing.attribute.startswith(f"{state}_"):
            bind_state(r, state)
    _within_time(r)
    if r.phrase.asides.where:
        _literal(r, r.phrase.asides.where)


def _vague(r: Reading) -> None:
    vague = r.phrase.head.vague if r.phrase.head else ""
    if vague:
        near = vague in ("nearby", "cercanos", "cercanas")
        hint = f"near({r.entity}.location, :here, 5)" if near else f"{r.entity}.category = :category"
        r.ask("where", f"What makes {a(r.entity)} “{vague}”? No condition is read from it.", hint)


def _kin(r: Reading) -> None:
    """`root categories` have no parent; `child categories` have the one that is asked for."""
    kin = r.phrase.head.kin if r.phrase.head else ""
    if not kin or any("parent_id" in t for t in r.terms):
        return
    own = [t for t in r.terms if t.startswith(f"{r.entity}.id = ")]
    for term in own:
        r.terms.remove(term)
    _by_parent_of_own_kind(r, kin)


def _done_by(r: Reading) -> None:
    """`products ordered by a customer`: the deed may be an entity of its own."""
    said = noun_said(r.phrase.head).split() if r.phrase.head else []
    done = said[-1] if len(said) > 1 and said[-1].endswith("ed") else ""
    if done and done not in _OWNED and r.phrase.linked("by"):
        by = noun_said(r.phrase.linked("by")[0])
        r.ask(
            "where",
            f"“{done} by {by}”: is that kept on the {r.entity}, or reached through another entity?",
            f"{r.entity}.id = :id",
        )


def bind(r: Reading, noun: Noun, how: str) -> None:
    """One condition by equality: on the key, on a field, or on the key of a parent."""
    thing = thing_of(noun, r.words)
    word = thing.entity or thing.attribute
    said = noun_said(noun)
    if not word or word[0].isdigit():
        return
    if (
        noun.plural
        and said.split()[0] in ("all", "todos", "todas", "every")
        and thing.entity
        and thing.entity != r.entity
    ):
        relate(r, thing.entity, plural=False, said=said)
        r.action = "list" if r.action == "get" else r.action
        return
    part = noun.head in PARTS and r.entity.endswith(f"_{noun.head}")
    if word in ("id", r.entity) or part or (noun.by_id and thing.entity == r.entity):
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
    if r.action == "list" and name in ("date", "time", "day") and not r.draft.entities[r.entity].held(name):
        order_by_time(r, "newest", said)
        r.ask(
            "order by",
            f"Is “by {said}” the order, or one day that is asked for? It is read as the order.",
            "order.created_at desc",
        )
        return
    if name in ("popularity", "relevance", "recency", "price", "rating", "score") and r.action == "list":
        order_by_field(r, name, "desc" if name != "price" else "asc", said)
        return
    path = r.draft.field(r.entity, name, f"“{said}” says what it is found by")
    if r.action == "get":
        r.draft.unique(r.entity, name)
    r.term(f"{path} = :{parameter(name)}")
    r.why("where", f"by {said}: a value of the {r.entity} itself")


def _by_others_field(r: Reading, thing: Thing, said: str) -> None:
    """`posts by author name`: the author's field, reached along the role."""
    if thing.entity == r.entity:
        path = r.draft.field(r.entity, thing.attribute, f"“{said}” says what it is found by")
        r.draft.unique(r.entity, thing.attribute)
        r.term(f"{path} = :{parameter(thing.attribute)}")
        return
    kind, role = relate(r, thing.entity, plural=False, said=said)
    owner = r.words.party(thing.entity)
    r.draft.entity(owner, f"named by {quoted(said)}")
    r.draft.field(owner, thing.attribute, f"“{said}” says what it is found by")
    r.term(f"{role}.{thing.attribute} = :{parameter(thing.attribute)}")
    r.why("where", f"by {said}: a field of its {kind}")


def _by_parent_of_own_kind(r: Reading, word: str) -> None:
    path = r.draft.parent(r.entity, r.entity, "parent", f"{a(r.entity)} may stand under another")
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
    head = r.phrase.head
    assigned = how == "to" and head is not None and noun_said(head).endswith("assigned")
    role = (r.words.assignee(r.entity) if assigned and word in PEOPLE else "") or word
    party = r.words.party(role)
    if r.action == "list" and role == word:
        r.pairs.append((word, r.entity))
    if thing.owner and thing.owner not in (word, r.entity):
        r.note(f"{said}: {thing.owner}")
    if how == "mine":
        reason = f"“{said}”: each {r.entity} belongs to the user who asks"
    else:
        reason = f"“{how if how not in ('own', 'from', 'to') else 'of'} {said}”: each {r.entity} belongs to one {word}"
    path = r.draft.parent(r.entity, party, role if party != role else "", reason)
    r.term(f"{path} = :{'me' if how == 'mine' else parameter(word)}")
    r.why("where", f"by {said}: the key of its {kind} {word}")


def bind_state(r: Reading, state: str) -> None:
    """`open`, `unread`: a condition on the status or on a flag."""
    if state == "unread":
        path = r.draft.field(r.entity, "is_read", "“unread” says it", "bool")
        r.term(f"{path} = false")
    elif state in ("overdue", "abandoned"):
        _judged(r, state)
        return
    else:
        path = r.draft.field(r.entity, "status", f"“{state}” names a state", "enum")
        r.term(f"{path} = '{state}'")
    r.why("where", f"“{state}” is read as a state of the {r.entity}")


def _judged(r: Reading, state: str) -> None:
    """`overdue`, `abandoned`: judged by a time, not kept as a status. Without a known time it is a question."""
    due = next((n for n in ("due_at", "due_date", "due", "deadline") if (r.entity, n) in r.words.fields), "")
    if state == "overdue" and due:
        path = r.draft.field(r.entity, due, "“overdue”: its time has passed", "datetime")
        r.term(f"{path} < now()")
        r.why("where", f"“overdue” is read as {path} in the past")
        r.ask("where", f"Is {a(r.entity)} that is done still overdue? No status is read from it.", f"{path} < now()")
        return
    hint = f"{r.entity}.{'due_at < now()' if state == 'overdue' else 'updated_at < :before'}"
    r.ask("where", f"What makes {a(r.entity)} “{state}” in {quoted(r.name)}? No condition is read from it.", hint)


def _within_time(r: Reading) -> None:
    asides = r.phrase.asides
    if asides.span and asides.order == "popular":
        asked = f"What is counted over “{asides.span}” in {quoted(r.name)}? No condition is read from it."
        r.ask("where", asked, "order.created_at >= :since")
    elif asides.span:
        path = r.draft.time(r.entity, f"“{asides.span}” asks for a time")
        r.term(f"{path} >= :since")
        r.plain["span"] = {path: asides.span}
        r.why("span", f"“{asides.span}” is named by the operation")
        r.why("where", f"the last {asides.span}")
    elif asides.ranged == "price":
        path = r.draft.field(r.entity, "price", "a price range is asked for")
        r.term(f"{path} >= :lowest and {path} <= :highest")
    elif asides.ranged:
        path = r.draft.time(r.entity, "a range of time is asked for")
        r.term(f"{path} >= :since and {path} < :until")
        if asides.ranged == "day":
            r.plain["span"] = {path: "1 day"}
            r.why("span", "one day is asked for")
        else:
            r.ask("span", "How long is the range that people usually ask for?", f"{{{path}: 30 days}}")
        r.why("where", f"a range of {path}")


_LITERAL = re.compile(
    r"^(?P<field>[A-Za-z_][\w.]*)\s*(?P<op>is\s+(?:not\s+)?null|=|==|>=|<=|<>|!=|>|<)\s*(?P<value>.*)$", re.IGNORECASE
)


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
        return f":{parameter(text[1:])}"
    return f"'{text}'"


def searched_field(noun: Noun) -> str:
    """`by subject text`: the subject is what is searched."""
    words = noun.words
    return "_".join(words[:-1] if len(words) > 1 and words[-1] in ("text", "keyword", "word") else words)


def read_search(r: Reading) -> None:
    """The fields a text search looks into: those named, else the usual ones of such a thing."""
    named = [searched_field(n) for n in r.phrase.linked("by", "of")]
    fields = [name for name in named if is_attribute(name) and name not in ("text", "keyword", "query")]
    whole = r.phrase.asides.text or not fields
    if not fields:
        made = r.draft.entities[r.entity]
        fields = [name for name in SEARCHED if made.held(name)][:3]
    if not fields:
        fields = ["title", "content"] if r.entity in TEXTY else ["name"]
        r.why("where", f"which fields of {r.entity} hold the text is assumed")
        r.ask(
            "where",
            f"Which fields of {r.entity} are searched? {' and '.join(fields)} are assumed.",
            f"matches({r.entity}.title, :words)",
        )
    paths = [r.draft.field(r.entity, name, "a text search looks into it") for name in fields]
    r.term(f"matches({', '.join(paths)}, :words)")
    r.why("where", f"a text search over {', '.join(fields)}")
    if whole or r.action == "search":
        r.plain.setdefault("order by", "relevance")
        r.why("order by", "a text search gives the best match first")


def is_of_person(r: Reading, thing: Thing, noun: Noun) -> bool:
    """`author of a post`: one person of a thing, so the thing is read and the person comes with it."""
    links = r.phrase.linked("of", "by")
    if len(links) != 1 or noun.plural or thing.entity not in PEOPLE:
        return False
    of = thing_of(links[0], r.words)
    if is_attribute(links[0].name) and links[0].name not in r.words.names:
        return False
    return bool(of.entity) and of.sure and not of.attribute and of.entity != thing.entity and of.entity not in PEOPLE
