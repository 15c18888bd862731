"""Which fields a write sets, from its fields cell and from `as read`, `to an agent`; what cannot be placed is asked."""

from __future__ import annotations

from app.importers.reading.attributes import is_attribute
from app.importers.reading.items import Item
from app.importers.reading.reader import Reading, noun_said, parameter
from app.importers.reading.text import a, quoted, words_of
from app.importers.reading.things import PEOPLE, thing_of

_FLAGS = words_of("read seen favorite favourite deleted starred pinned done spam")
_IN_ENGLISH = {
    "leida": "read",
    "leido": "read",
    "visto": "seen",
    "vista": "seen",
    "favorito": "favorite",
    "favorita": "favorite",
    "borrado": "deleted",
}
_GIVES = words_of("assign reassign move transfer asignar mover")


def own_field(r: Reading, name: str, item: Item) -> str:
    """The path of a field that is written, on the entity itself."""
    return r.draft.field(r.entity, name, f"{quoted(item.said)} in “{r.name}”: taken for a field of {r.entity}")


def unsure(r: Reading, item: Item) -> None:
    """What cannot be placed stays on the row as a note, and is asked."""
    r.note(f"fields: {item.said}")
    r.ask("set", f"What is {quoted(item.said)}, and where is it kept?", f"{{{r.entity}.name: ':name'}}")


def set_field(r: Reading, item: Item, value: str = "") -> None:
    """One item of an update's fields: the field it sets, on the entity itself."""
    noun = item.noun
    if noun is None or item.everything:
        if not item.everything:
            unsure(r, item)
        return
    thing = thing_of(noun, r.words, r.entity)
    if thing.entity and thing.attribute and thing.entity != r.entity:
        r.note(f"sets: {item.said}")
        r.ask(
            "also",
            f"Is {quoted(item.said)} changed by the same operation, or only read?",
            f"[{{update: {thing.entity}}}]",
        )
        return
    other = thing.entity or noun.name
    if noun.by_id:
        _set_parent(r, other, item)
        return
    if thing.entity and not thing.attribute and r.words.is_thing(thing.entity) and not is_attribute(noun.name):
        if thing.entity != r.entity:
            unsure(r, item)
        return
    name = thing.attribute or noun.name
    path = own_field(r, name, item)
    r.sets.setdefault(path, value or f":{parameter(name)}")
    r.why("set", f"the fields name {quoted(item.said)}")


def _set_parent(r: Reading, other: str, item: Item) -> None:
    """`assignee_id` among what an update changes: the key of a parent, unless the row was found by it."""
    if other in (r.entity, "id"):
        return
    link = r.draft.link(r.words.party(other), r.entity, other)
    found = f"{r.entity}.{link.via} =" if link else ""
    if found and any(term.startswith(found) for term in r.terms):
        return
    party = r.words.party(other)
    path = r.draft.parent(r.entity, party, other if party != other else "", f"{quoted(item.said)} is set")
    r.sets.setdefault(path, f":{parameter(other)}")
    r.why("set", f"the fields name {quoted(item.said)}")


def set_states(r: Reading) -> None:
    """`mark as read`, `assign to an agent`, `change to shipped`."""
    for noun in r.phrase.linked("as"):
        word = _IN_ENGLISH.get(noun.head, noun.head)
        if word in _FLAGS:
            path = r.draft.field(r.entity, f"is_{word}", f"“as {word}” is a flag", "bool")
            r.sets[path] = "true"
        else:
            path = r.draft.field(r.entity, "status", f"“as {word}” is a state", "enum")
            r.sets[path] = word
        r.why("set", f"“as {word}”")
    for noun in r.phrase.linked("to"):
        thing = thing_of(noun, r.words)
        if thing.entity and thing.sure and r.phrase.verb in _GIVES:
            role = (r.words.assignee(r.entity) if thing.entity in PEOPLE else "") or thing.entity
            party = r.words.party(role)
            path = r.draft.parent(
                r.entity,
                party,
                role if party != role else "",
                f"{a(r.entity)} is given to {a(thing.entity)}",
            )
            r.sets[path] = f":{thing.entity}"
            r.why("set", f"{a(r.entity)} is given to {a(thing.entity)}")
        elif not r.sets:
            path = r.draft.field(r.entity, "status", f"“to {noun_said(noun)}” is a state", "enum")
            r.sets[path] = noun.name
            r.why("set", f"“to {noun_said(noun)}” is read as a state")
            r.ask(
                "set", f"What does “to {noun_said(noun)}” change? It is read as the status.", f"{{{path}: {noun.name}}}"
            )


def to_state(r: Reading) -> str:
    """`change status to shipped`: the value."""
    noun = next(iter(r.phrase.linked("to")), None)
    return noun.name if noun is not None and not thing_of(noun, r.words).entity else ""
