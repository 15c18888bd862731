"""Writes: what is inserted, changed or removed, whose it is, and which fields are set."""

from __future__ import annotations

from app.importers.reading.attributes import UNIQUE, is_attribute, type_of
from app.importers.reading.draft import RISING
from app.importers.reading.items import Item
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import DEEDS, DEPENDENT, PARTS, SERIES
from app.importers.reading.reader import Reading, noun_said, parameter, relate
from app.importers.reading.reads import bind, bind_state
from app.importers.reading.sets import own_field, set_field, set_states, to_state, unsure
from app.importers.reading.text import a, many, quoted, words_of
from app.importers.reading.things import Thing, thing_of
from app.importers.reading.together import belong, bring_together, write_label
from app.importers.reading.verbs import NAMING, RENAMES, STATES, STEPS

_EMPTIES = words_of("clear empty vaciar limpiar purge")


def read_insert(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """A new record: its parents by key, its own fields, the children written with it."""
    if write_label(r):
        return
    together = bring_together(r)
    if together and r.entity not in r.draft.entities:
        return
    if not together:
        _parents(r, thing)
    if r.entity in DEEDS and not any(
        x.child == r.entity and x.parent == "user" and x.name in ("user", "follower") for x in r.draft.links
    ):
        role = "follower" if r.entity == "follow" else ""
        r.draft.parent(r.entity, "user", role, f"somebody does it: each {r.entity} belongs to one {role or 'user'}")
    for noun in r.phrase.linked("with"):
        _written(r, Item(noun_said(noun), noun))
    for item in items:
        _written(r, item)
    if r.entity in r.words.timed or r.entity in SERIES:
        path = r.draft.time(r.entity, "when it was written")
        if path.split(".")[1] in RISING:
            r.sets[path] = "now"
            r.why("set", f"a new {r.entity} is dated when it is written")
    _part_of_basket(r)


def read_upsert(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """A record made or changed: found by its parents' keys, else by its own."""
    _parents(r, thing)
    parents = [x for x in r.draft.links if x.child == r.entity and not x.many]
    bound = [x for x in parents if any(x.parent == thing_of(n, r.words).entity or x.name == n.name for n in _linked(r))]
    if not bound and r.entity == "presence":
        path = r.draft.parent(r.entity, "user", "", "a heartbeat is that of a user")
        r.term(f"{path} = :me")
        r.why("where", "one for each user who asks")
    for link in bound:
        r.term(f"{r.entity}.{link.via} = :{parameter(link.name)}")
        r.why("where", f"one for each {link.name}")
    if not r.terms:
        r.by_key()
    for item in items:
        set_field(r, item)


def read_update(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """A change: which record, and which fields get what."""
    _find(r, thing)
    verb = r.phrase.verb
    value = STEPS.get(verb, "")
    if thing.attribute:
        path = r.draft.field(r.entity, thing.attribute, thing.why or f"“{thing.attribute}” is what changes")
        r.sets[path] = value or to_state(r) or f":{thing.attribute}"
        r.why("set", f"“{thing.attribute}” is what the operation changes")
    elif verb in RENAMES:
        r.sets[r.draft.field(r.entity, "name", "renaming sets a name")] = ":name"
        r.why("set", "renaming sets a name")
    set_states(r)
    if verb in STATES and not r.sets:
        path = r.draft.field(r.entity, "status", f"“{verb}” changes a state", "enum")
        r.sets[path] = STATES[verb]
        r.why("set", f"“{verb}” is read as status {STATES[verb]}")
    for item in items:
        set_field(r, item, value)
    if not r.sets:
        r.ask("set", f"Which fields of {r.entity} does it change?", f"{{{r.entity}.status: shipped}}")


def read_delete(r: Reading, thing: Thing, items: tuple[Item, ...] = ()) -> None:
    """A removal: one record by its key, or all that belong to something."""
    if write_label(r) or bring_together(r):
        return
    head = r.phrase.head
    emptied = next((n for n in r.words.names if n in {f"{r.entity}_{p}" for p in PARTS}), "")
    if r.phrase.verb in _EMPTIES and emptied:
        owner, r.entity = r.entity, emptied
        r.why("entity", f"emptying {a(owner)} removes its {many(emptied)}")
        bind(r, Noun((owner,), said=owner), "of")
        for noun in _linked(r):
            r.note(f"of {noun_said(noun)}")
        return
    if head is not None and not head.plural and r.phrase.verb not in NAMING:
        _find(r, thing, by_fields=_named(r, items))
        _and_all(r)
        return
    for state in head.states if head is not None else ():
        bind_state(r, state)
    for noun in _linked(r):
        bind(r, noun, "of")
    if not r.terms:
        r.by_key() if head is None or not head.plural else r.ask(
            "where", f"Which {many(r.entity)} are removed?", f"{r.entity}.created_at < :before"
        )


def _named(r: Reading, items: tuple[Item, ...]) -> bool:
    """Keys among the fields of a removal say which one goes: `user_id` of a member of a group."""
    nouns = [i.noun for i in items if i.noun is not None and i.noun.by_id]
    ids = [n for n in nouns if (thing_of(n, r.words).entity or n.name) not in (r.entity, "id")]
    bound = bool(ids) and bool(_linked(r))
    for noun in ids if bound else ():
        bind(r, noun, "by")
    for item in items:
        if not bound or item.noun not in ids:
            r.note(f"fields: {item.said}")
    return bound


def _and_all(r: Reading) -> None:
    """`Delete tenant and all its data`: what belongs to it goes too, as far as the text names it."""
    for noun in r.phrase.linked("with"):
        said = noun_said(noun)
        held = sorted(x for x in r.words.links if x[0] == r.entity and x[1] != r.entity)
        if noun.head in ("data", "everything", "content", "record", "all") and held:
            binding = f":{parameter(r.entity)}"
            r.plain["also"] = [{"delete": child, "where": f"{child}.{via} = {binding}"} for _, child, via in held]
            r.why("also", f"“{said}”: what the text says belongs to {a(r.entity)}")
            named = ", ".join(many(child) for _, child, _ in held)
            r.ask("also", f"“{said}” is read as {named}. What else goes, and in the same operation?", "")
        else:
            r.note(f"with {said}")
            r.ask("also", f"Is {quoted(said)} removed by the same operation?", f"[{{delete: {noun.name}}}]")


def _linked(r: Reading) -> tuple[Noun, ...]:
    return r.phrase.linked("by", "of", "to", "from", "own", "actor", "mine")


def _find(r: Reading, thing: Thing, *, by_fields: bool = False) -> None:
    """One record by its key; what is said beside it (`from cart`, `by email`) is bound too."""
    others = [
        n for n in r.phrase.linked("by", "of", "from", "own") if thing_of(n, r.words).entity not in ("", r.entity)
    ]
    values = [n for n in r.phrase.linked("by") if not thing_of(n, r.words).entity and n.name != "id"]
    parents = [n for n in others if n.by_id]
    for noun in (*others, *values):
        bind(r, noun, "by" if noun in values else "of")
    if (
        not values
        and not by_fields
        and len(parents) < 2
        and not any(f"{r.entity}.{k} =" in " ".join(r.terms) for k in r.draft.key(r.entity))
    ):
        r.by_key()
    if thing.owner and thing.owner != r.entity and r.draft.link(thing.owner, r.entity) is None:
        relate(r, thing.owner, plural=False, said=thing.owner)
    if thing.owner and r.entity in PARTS:
        bind(r, Noun((thing.owner,), said=thing.owner), "of")
    r.why("where", f"one {r.entity}, so by its key")


def _parents(r: Reading, thing: Thing) -> None:
    """Whose the new record is: the noun's owner, `to cart`, `on a post`, the person who acts."""
    if thing.owner and thing.owner != r.entity:
        belong(r, thing.owner, thing.owner)
    for link in r.phrase.links:
        if link.how not in ("to", "of", "by", "own", "actor", "mine"):
            if link.how == "from":
                said = noun_said(link.nouns[0])
                r.note(f"from {said}")
                r.ask("also", f"Does it change the {said} as well?", f"[{{delete: {link.nouns[0].head}}}]")
            continue
        for noun in link.nouns:
            found = thing_of(noun, r.words)
            if found.entity and found.entity != r.entity:
                belong(r, found.entity, noun_said(noun))
            elif found.attribute:
                r.note(f"{link.how} {noun_said(noun)}")


def _written(r: Reading, item: Item) -> None:
    """One item of an insert's fields: a field, a parent by key, or children written together with it."""
    noun = item.noun
    if item.everything:
        return
    if noun is None:
        unsure(r, item)
        return
    thing = thing_of(noun, r.words, r.entity)
    if noun.by_id or thing.entity == r.entity:
        if noun.by_id and (thing.entity or noun.name) not in (r.entity, "id"):
            belong(r, thing.entity or noun.name, item.said)
        elif thing.attribute and not noun.by_id:
            own_field(r, thing.attribute, item)
        elif not noun.plural and type_of(noun.name) in ("int32", "int64", "double", "decimal"):
            own_field(r, "points" if noun.name == "score" else "value", item)
        return
    if thing.attribute in UNIQUE and thing.entity:
        name = f"{thing.entity}_{thing.attribute}"
        r.draft.field(
            r.entity,
            name,
            f"{quoted(item.said)}: names the {thing.entity} by its {thing.attribute}",
            type_of(thing.attribute),
        )
        return
    if thing.attribute and thing.entity:
        set_field(r, item)
        return
    name = thing.entity or noun.name
    if thing.owner and thing.owner != r.entity and noun.head in PARTS:
        r.note(f"fields: {item.said}")
        r.ask("also", f"What happens to {quoted(item.said)}: only read, or changed as well?", f"[{{delete: {name}}}]")
        return
    _beside(r, item, thing, name)


def _beside(r: Reading, item: Item, thing: Thing, name: str) -> None:
    """Another entity among the fields of an insert (children, a parent), or a field of its own."""
    noun = item.noun
    if noun is None:
        return
    if noun.plural and not is_attribute(noun.name):
        standing = name in r.words.names or r.words.is_thing(noun.head) or thing.owner == r.entity
        kind, role = relate(r, name if standing else f"{r.entity}_{name}", plural=True, said=item.said)
        if kind == "child":
            r.with_.append(role)
            r.why("with", f"{quoted(item.said)}: written together with the {r.entity}")
        elif kind != "self":
            unsure(r, item)
    elif thing.entity in DEPENDENT and r.entity not in DEPENDENT:
        kind, role = relate(r, thing.entity, plural=False, said=item.said)
        if kind == "child":
            r.with_.append(role)
            r.why("with", f"{quoted(item.said)}: written together with the {r.entity}")
        else:
            unsure(r, item)
    elif thing.entity and r.words.is_thing(thing.entity) and not is_attribute(thing.entity):
        belong(r, thing.entity, item.said)
    else:
        own_field(r, noun.name, item)


def _part_of_basket(r: Reading) -> None:
    owner, _, part = r.entity.rpartition("_")
    if part in PARTS and owner in ("cart", "basket", "wishlist"):
        r.ask(
            "",
            f"Adding what is there already: a second {r.entity}, or a larger quantity (upsert)? It is read as insert.",
            "upsert",
        )
