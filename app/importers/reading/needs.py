"""What a read returns: its entity, fields, children and parents, from the fields cell and from `with …`."""

from __future__ import annotations

from typing import Any

from app.importers.reading.attributes import TOTALS, is_attribute
from app.importers.reading.items import Item
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import FACETS, LABELS, PARTS, SCREENS
from app.importers.reading.reader import Reading, noun_said, relate
from app.importers.reading.reads import bind
from app.importers.reading.text import a, quoted, words_of
from app.importers.reading.things import PEOPLE, Thing, thing_of

FIGURES = words_of("count avg average mean sum total min max minimum maximum number")
"""Words for what is computed: no fields of the things that they are computed of."""
_FILTERS = words_of("filter filtering sorting option search facet criterion")


def read_needs(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """What the answer holds: the fields cell, `with …`, or the entity itself where nothing is said."""
    if thing.attribute and not (thing.attribute == "value" and items):
        r.need(r.draft.field(r.entity, thing.attribute, thing.why or "named by the operation"))
        r.why("needs", f"“{thing.attribute}” is named by the operation")
    for noun in r.phrase.linked("with"):
        if noun.head in _FILTERS:
            r.ask("where", f"Which {noun_said(noun)}: by which fields?", f"{r.entity}.status = :status")
        elif noun.head in LABELS and not noun.plural and r.action in ("list", "search", "count"):
            bind(r, noun, "by")
        else:
            read_item(r, Item(noun_said(noun), noun))
    figures = r.action in ("count", "aggregate")
    for item in items:
        if item.noun is not None and item.noun.head in FIGURES and (figures or thing.attribute.endswith("_count")):
            continue
        if item.noun is None or not figures or is_attribute(item.noun.name) or item.by:
            read_item(r, item)
    if figures:
        r.needs.clear()
        return
    if items and r.needs:
        r.why("needs", f"the fields name {', '.join(quoted(i.said) for i in items[:6])}")
    beside = any(n.plural or n.head not in LABELS for n in r.phrase.linked("with")) and not thing.attribute
    if (beside and r.entity not in r.needs) or not r.needs:
        r.needs.insert(0, r.entity)
        r.why("needs", f"the {r.entity} itself" if beside else f"no field is named, so the whole {r.entity}")


def read_item(r: Reading, item: Item) -> None:
    """One item of the fields cell: the entity, its field, a child, a parent, or one of their fields."""
    if item.everything:
        r.need(r.entity)
        return
    noun = item.noun
    if noun is None or not noun.name:
        _unreadable(r, item)
        return
    if noun.vague:
        r.note(f"needs: {item.said}")
        r.ask("needs", f"Which are the {quoted(item.said)}, and how are they found?", noun.name)
        return
    if item.by is not None and item.by.words and not item.by.by_id:
        bind(r, item.by, "by")
    if item.counted:
        _counted(r, noun.head, item.said)
        return
    whose = thing_of(item.whose, r.words, r.entity) if item.whose else Thing()
    thing = thing_of(noun, r.words, whose.entity or r.entity)
    if whose.entity and whose.entity != r.entity and not thing.entity:
        thing = Thing(
            whose.entity,
            attribute=thing.attribute or noun.name,
            why=f"{quoted(item.said)} is a field of {whose.entity}",
        )
    _place(r, noun, thing, item)


def _place(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    """Decides what a noun of the fields cell is to the row's entity; the order of the questions matters."""
    name = noun.name
    made = r.draft.entities[r.entity]
    own = name.removeprefix(f"{r.entity}_")
    if noun.said == "units" and "unit" not in r.words.heads:
        r.need(r.draft.field(r.entity, "units", f"{quoted(item.said)}: how many", "int32"))
    elif (name in SCREENS and not is_attribute(name)) or (name in FACETS and r.entity in PEOPLE):
        r.need(r.entity)
    elif noun.by_id or name == "id":
        _id(r, noun, thing, item)
    elif r.entity in (thing.entity, name):
        r.need(
            r.draft.field(r.entity, thing.attribute, f"{quoted(item.said)} names it") if thing.attribute else r.entity
        )
    elif made.held(name) or made.held(own):
        r.need(f"{r.entity}.{name if made.held(name) else own}")
    elif name.endswith("_count") and len(noun.words) > 1 and r.words.is_thing(noun.words[-2]):
        _counted(r, noun.words[-2], item.said)
    elif noun.words[0] == "total" or (noun.head in TOTALS and not (thing.entity and thing.attribute)):
        _own_field(r, noun, item.said)
    elif thing.entity and thing.attribute:
        _others_field(r, noun, thing, item)
    elif (
        noun.plural
        or thing.entity in PARTS
        or name in r.words.names
        or thing.entity in r.words.names
        or (thing.entity and not is_attribute(thing.entity) and r.words.is_thing(thing.entity))
    ):
        _other(r, noun, thing, item)
    else:
        _own_field(r, noun, item.said)


def _own_field(r: Reading, noun: Noun, said: str) -> None:
    """A field of the entity itself; `unread count` and `total sales` keep all their words."""
    name = "_".join((*noun.states, *noun.words)) + ("s" if noun.plural and len(noun.words) > 1 else "")
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
    owner = (
        r.words.party(thing.entity) if role != thing.entity or thing.entity not in r.draft.entities else thing.entity
    )
    r.draft.entity(owner, f"named by {quoted(item.said)}")
    r.draft.field(owner, thing.attribute, f"{quoted(item.said)} in “{r.name}”: taken for a field of {owner}")
    r.need(f"{role}.{thing.attribute}")
    del noun


def _other(r: Reading, noun: Noun, thing: Thing, item: Item) -> None:
    """Another entity: a plural that is nobody's own name takes that of its parent."""
    other = thing.entity or noun.name
    part = noun.head in PARTS and len(noun.words) == 1
    standing = (other in r.words.names and not part) or r.words.is_thing(noun.head) or thing.owner == r.entity
    if noun.plural and not standing:
        other = f"{r.entity}_{other}"
    if (
        thing.owner
        and thing.owner not in (r.entity, other)
        and noun.head in PARTS
        and r.words.party(thing.owner) not in PEOPLE
    ):
        r.note(f"needs: {item.said}")
        r.ask(
            "needs", f"How do {quoted(item.said)} belong to {a(r.entity)}? They are parts of {a(thing.owner)}.", other
        )
        return
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
