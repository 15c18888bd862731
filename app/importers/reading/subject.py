"""What a row is about: its action and its entity, from the verb, the nouns and what the fields name."""

from __future__ import annotations

from app.importers.reading.attributes import TOTALS, is_attribute
from app.importers.reading.items import Item
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import PARTS, SERIES, SOURCES
from app.importers.reading.reader import Reading, noun_said
from app.importers.reading.text import a, many, quoted, words_of
from app.importers.reading.things import Thing, Vocabulary, thing_of
from app.model.workload import WRITES

_ALL = words_of("newest latest oldest recent all")
_FIGURES = words_of("average avg mean total")
_SOLD = ("sale", "order", "payment", "invoice", "transaction", "purchase")
_BASKETS = words_of("cart basket wishlist")
_CONTESTS = words_of("game leaderboard tournament contest match quiz level race season")


def decide(r: Reading, items: tuple[Item, ...], kind: str, named: str) -> Thing:
    """Sets action and entity of the reading; both stay empty where the words do not tell. `named`: an entity column."""
    action = r.phrase.action
    thing = _subject(r, items, named)
    if not thing.entity or not _readable(thing.entity):
        return Thing()
    action = _action(r, action, thing, kind)
    if not action:
        return Thing()
    if action not in WRITES:
        thing = _listed(r, thing, items)
    r.action = action
    r.entity = r.draft.entity(thing.entity, f"named by {quoted(r.name)}")
    return thing


def _readable(name: str) -> bool:
    return name[0].isalpha() and len(name) <= 80


def _subject(r: Reading, items: tuple[Item, ...], named: str) -> Thing:
    """The thing a row is about, with the field it names and the entity it is of."""
    head = r.phrase.head
    owner = _owner(r)
    if head is None or head.name in _ALL:
        column = _from_column(named, r.words, "")
        if not column.entity and head is None and r.phrase.action in ("insert", "upsert") and items:
            basket = next((n.name for n in r.phrase.linked("to") if n.name in _BASKETS), "")
            if basket:
                return Thing(f"{basket}_item", basket, why=f"what is added to {a(basket)} is an item of it")
        if column.entity or r.phrase.action in WRITES:
            return column
        return _unnamed(r, owner, items)
    whose = owner if head.words[0] in PARTS and len(head.words) == 1 else ""
    thing = thing_of(head, r.words, whose)
    reads = r.phrase.action not in WRITES
    if head.name == "leaderboard" and reads and "score" in r.words.names and "leaderboard" not in r.words.given:
        return Thing("score", owner, why="a leaderboard ranks scores")
    measured = r.words.holder(head.name) if r.phrase.action == "aggregate" and not head.plural else ""
    if measured and measured != owner and is_attribute(head.name):
        return Thing(measured, owner, head.name, f"“{noun_said(head)}” is a field of {measured}")
    if owner and ((head.words[0] in _FIGURES and reads) or (thing.attribute == "count" and thing.entity)):
        name = head.name if head.words[0] in _FIGURES else f"{thing.entity}_count"
        return Thing(owner, "", name, f"“{noun_said(head)}” of {a(owner)}: a figure kept with it")
    if thing.attribute and not thing.entity:
        return _of_attribute(r, head, thing.attribute, owner, named)
    if named and not thing.sure:
        return _from_column(named, r.words, thing.attribute)
    return thing


def _owner(r: Reading) -> str:
    """The entity behind the first `of`, `by`, `to` …; an item is that of what follows it (`of an item in cart`)."""
    nouns = r.phrase.linked("of", "by", "to", "from", "in")
    beyond = thing_of(nouns[1], r.words).entity if len(nouns) > 1 else ""
    return thing_of(nouns[0], r.words, beyond).entity if nouns else ""


def _of_attribute(r: Reading, head: Noun, attribute: str, owner: str, named: str) -> Thing:
    """A bare property: of what is sold, of a source's readings, of its owner, or of the row's own entity column."""
    said = noun_said(head)
    sold = next((name for name in _SOLD if name in r.words.names), "")
    if sold and (attribute in TOTALS or head.words[0] in TOTALS):
        return Thing(sold, "", why=f"“{said}” adds up every {sold}")
    if attribute == "count" and head.states:
        attribute = f"{head.states[0]}_count"
    holder = r.words.holder(attribute) or r.words.holder(attribute.removesuffix("_level"))
    if not owner and holder:
        held = attribute if (holder, attribute) in r.words.fields else attribute.removesuffix("_level")
        return Thing(holder, "", held, f"“{said}” is a field of {holder}")
    if owner in SOURCES and r.phrase.action not in WRITES:
        return Thing(_series(r.words), owner, attribute, f"“{said}” of {a(owner)}: one of its readings")
    if owner:
        if r.phrase.action == "aggregate":
            r.ask("compute", f"Which records have the {quoted(said)}? It is read as a figure of {a(owner)}.", attribute)
        return Thing(owner, "", attribute, f"“{said}” is a field of {owner}")
    if named or not r.phrase.action:
        return _from_column(named, r.words, attribute)
    r.ask("entity", f"“{said}” of what? It is read as a thing of its own.", head.name)
    return Thing(head.name, why=f"“{said}” is all that is named", sure=False)


def _unnamed(r: Reading, owner: str, items: tuple[Item, ...]) -> Thing:
    """`Last 24 hours of a sensor`, `Top ten of a game`: what is meant goes without saying, or the fields name it."""
    fields = [thing_of(i.noun, r.words, owner) for i in items if i.noun is not None and i.noun.plural]
    first = next((t.entity for t in fields if t.entity), "")
    if first:
        return Thing(first, owner, why=f"the fields name {first}")
    if owner in _CONTESTS:
        return Thing("score", owner, why=f"the best of {a(owner)} are its scores")
    series = _series(r.words)
    if owner in SOURCES or (owner, series) in r.words.pairs:
        return Thing(series, owner, why=f"what {a(owner)} records over time")
    return Thing(owner, why=f"“{owner}” is all that is named", sure=r.words.is_thing(owner)) if owner else Thing()


def _series(words: Vocabulary) -> str:
    return next((name for name in sorted(words.names) if name in SERIES), "reading")


def _from_column(named: str, words: Vocabulary, attribute: str) -> Thing:
    noun = Noun(tuple(named.lower().split()), said=named) if named else None
    found = thing_of(noun, words) if noun else Thing()
    return (
        Thing(found.entity, found.owner, attribute or found.attribute, f"the row stands under {named}")
        if found.entity
        else Thing()
    )


def _action(r: Reading, action: str, thing: Thing, kind: str) -> str:
    """The action in the light of number and kind; empty where neither verb nor noun is known."""
    asides, head = r.phrase.asides, r.phrase.head
    plural = bool(head and head.plural)
    many = plural or asides.limit > 1 or bool(asides.span) or (asides.top and asides.limit != 1)
    if action == "count" and head and not plural and not r.phrase.links and kind != "read" and r.phrase.verb == "count":
        r.ask(
            "action",
            f"“{r.name}”: one more is counted (a write), or how many are there (a read)? It is read as a write.",
            "insert, or count",
        )
        return "insert"
    if action == "insert" and kind == "read" and r.phrase.verb in ("open", "check out", "place"):
        return "get"
    if action:
        if action == "get" and asides.text:
            return "search"
        return "list" if action == "get" and (many or asides.latest) else action
    if kind == "write" or not (thing.sure or head is None):
        return ""
    if asides.text:
        return "search"
    if asides.every:
        return "aggregate"
    return "list" if many or asides.latest or head is None else "get"


def _listed(r: Reading, thing: Thing, items: tuple[Item, ...]) -> Thing:
    """`Seller sales list` that needs `order ids` lists orders: the fields say what the noun does not."""
    if not thing.sure and r.phrase.action in ("", "list", "get"):
        named = next(
            (
                t.entity
                for i in items
                if i.noun and i.noun.plural and (t := thing_of(i.noun, r.words)).entity and t.sure
            ),
            "",
        )
        if named and named not in PARTS:
            r.ask("where", f"Which {many(named)} are in {a(thing.entity)}?", f"{named}.user_id = :me")
            return Thing(named, thing.owner, why=f"the fields say that it shows {many(named)}")
    ids = [i.noun for i in items if i.noun is not None and i.noun.by_id and i.said.lower().rstrip().endswith("ids")]
    if len(ids) != 1 or thing.entity in r.words.names or r.phrase.action == "get":
        return thing
    named = thing_of(ids[0], r.words).entity or ids[0].name
    if named in (thing.entity, thing.owner, "id"):
        return thing
    why = f"“{thing.entity}” is named nowhere else, and the fields ask for the ids of each {named}"
    return Thing(named, thing.owner, "", why)
