"""An operation taken apart: what is done, to what, by what, in which order, how many. No workload is known here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from app.importers.reading.asides import Asides, read_asides
from app.importers.reading.noun import Noun, noun_of
from app.importers.reading.nouns import ENTITIES, PARTS, TRANSLATED, base, is_entity_word, singular_spanish
from app.importers.reading.small_words import (
    AND,
    ARTICLES,
    BOTH,
    DETERMINING,
    MINE,
    NEWEST,
    NOUN_FIRST,
    ONLY_ENGLISH,
    ONLY_SPANISH,
    SMALL,
    UNREAD,
)
from app.importers.reading.text import OWN, flat, spell_out
from app.importers.reading.verbs import ENGLISH, NAMING, NOMINAL, SPANISH, TOWARDS


@dataclass(frozen=True, slots=True)
class Link:
    """What follows a small word: `by seller`, `of a user`, `with author and comments`, `to cart`, `as read`."""

    how: str
    nouns: tuple[Noun, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """One operation, taken apart. `action` is empty where no verb was found; `why` says what decided it."""

    text: str
    action: str = ""
    verb: str = ""
    why: str = ""
    head: Noun | None = None
    links: tuple[Link, ...] = ()
    asides: Asides = field(default_factory=Asides)
    rest: str = ""
    """A further clause that was not read."""
    spanish: bool = False

    def linked(self, *how: str) -> tuple[Noun, ...]:
        return tuple(noun for link in self.links if link.how in how for noun in link.nouns)


_ID = re.compile(r"^\s*(?:\(?(?:[A-Za-z]{1,4}[-_ ]?)?\d{1,4}(?:\s?[-–]\s?\d{1,4})?\)?\s*[:.)\]–—-]+\s+|#\d+\s+)")
_ID_THEN_NAME = re.compile(r"^\s*[A-Z]{1,4}[-_]?\d{1,4}\S*\s*\((.+)\)\s*$")
_PREFIX = re.compile(
    r"^(?:(?:aggregate|recursive|point|range|simple|complex|multiple) quer(?:y|ies)|quer(?:y|ies)(?=\s*:))\s*:?\s*"
)
_TOKEN = re.compile(rf"{OWN}|[^\W_]+(?:_[^\W_]+)*|[+&/,;]")


def is_spanish(texts: list[str]) -> bool:
    """Whether these operations are in Spanish (or Portuguese): by their small words and verbs."""
    spanish = english = 0
    for text in texts:
        words = flat(text).split()
        spanish += sum(w in ONLY_SPANISH or TRANSLATED.get(singular_spanish(w), w) != w for w in words)
        spanish += 2 * (bool(words) and words[0] in SPANISH)
        english += sum(w in ONLY_ENGLISH for w in words) + 2 * (bool(words) and words[0] in ENGLISH)
    return spanish > english


@lru_cache(maxsize=8_192)
def read_phrase(text: str, *, spanish: bool = False) -> Phrase:
    """An operation taken apart. Never fails: what is not understood stays in `rest` or leaves `action` empty."""
    said = spell_out(without_id(text))
    if spanish:
        said = UNREAD.sub("unread", said)
    said = _after_title(said, spanish=spanish)
    said, asides = read_asides(said, spanish=spanish)
    tokens = _tokens(said)
    phrase = Phrase(text, asides=asides, spanish=spanish)
    if not tokens:
        return phrase
    tokens, actor = _actor(tokens, spanish=spanish)
    tokens, phrase = _verb(tokens, phrase)
    tokens, rest = _first_clause(tokens, spanish=spanish)
    phrase = _structure(tokens, replace(phrase, rest=rest))
    if actor and not phrase.linked("by", "of", "own"):
        phrase = replace(phrase, links=(*phrase.links, Link("actor", (actor,))))
    return _nominal(phrase)


def without_id(text: str) -> str:
    """The operation without its number: `**AP1**: Create user`, `3. Load`, `AP8 (Product listing)`."""
    if named := _ID_THEN_NAME.match(text):
        return named[1]
    return _ID.sub("", text, count=1).strip()


def _after_title(said: str, *, spanish: bool) -> str:
    """`Checkout: create order from cart`: a title, and behind its colon what is done."""
    title, colon, action = said.partition(": ")
    first = flat(action).split(" ")[0]
    if colon and len(title.split()) <= 4 and first in (SPANISH if spanish else ENGLISH):
        return action
    return said


def _tokens(text: str) -> list[str]:
    """Bare words and separators."""
    found: list[str] = _TOKEN.findall(_PREFIX.sub("", flat(text)))
    if found and found[0].split("_")[0] in ENGLISH and "_" in found[0]:
        found[:1] = found[0].split("_")
    return found


def _actor(tokens: list[str], *, spanish: bool) -> tuple[list[str], Noun | None]:
    """`User places order` is `place order`, done by a user."""
    if len(tokens) < 3:
        return tokens, None
    first, _ = base(tokens[0], spanish=spanish)
    third = _stem(tokens[1])
    inflected = (tokens[1] != third and third in ENGLISH) or (spanish and _third_person(tokens[1]))
    if inflected and is_entity_word(first) and tokens[1] not in NOMINAL:
        verb = _third_person(tokens[1]) if spanish and _third_person(tokens[1]) else third
        return [verb, *tokens[2:]], Noun((first,), said=tokens[0])
    return tokens, None


def _stem(verb: str) -> str:
    """`places` place, `publishes` publish, `creating` create; others as they are."""
    for ending, fill in (("s", ""), ("es", ""), ("ies", "y"), ("ing", ""), ("ing", "e")):
        if verb.endswith(ending) and verb.removesuffix(ending) + fill in ENGLISH:
            return verb.removesuffix(ending) + fill
    if verb.endswith("ing") and len(verb) > 6 and verb[-4] == verb[-5] and verb[:-4] in ENGLISH:
        return verb[:-4]
    return verb


def _third_person(verb: str) -> str:
    """The infinitive of a Spanish verb form: `publica` publicar, `lee` leer, `escribe` escribir."""
    for ending, fills in (("a", ("ar",)), ("e", ("er", "ir", "ar"))):
        if verb.endswith(ending):
            for fill in fills:
                if verb[:-1] + fill in SPANISH:
                    return verb[:-1] + fill
    return ""


def _verb(tokens: list[str], phrase: Phrase) -> tuple[list[str], Phrase]:
    """The verb at the start, the longest that matches; a word that may be a noun must stand as a verb."""
    tables = (SPANISH, ENGLISH) if phrase.spanish else (ENGLISH, SPANISH)
    for length in (4, 3, 2, 1):
        said = " ".join(tokens[:length]).replace(" / ", "/")
        if len(tokens) < length:
            continue
        for table in tables:
            verb = said if said in table else _stem(said) if length == 1 else said
            if verb in table and _stands_as_verb(verb, said, tokens[length:], phrase):
                action = table[verb]
                if verb in NEWEST and not phrase.asides.order:
                    phrase = replace(phrase, asides=replace(phrase.asides, order="newest", order_said=said))
                return tokens[length:], replace(phrase, action=action, verb=verb, why=f"“{said}” is read as {action}")
    return tokens, phrase


def _stands_as_verb(verb: str, said: str, after: list[str], phrase: Phrase) -> bool:
    if verb not in BOTH:
        return True
    if not after:
        return said == verb and (verb in NAMING or verb in ("list", "search"))
    if after[0] in DETERMINING or after[0] in ARTICLES:
        return True
    if said != verb or after[-1] in NOMINAL or after[0] in SMALL or verb in NOUN_FIRST:
        return False
    word, plural = base(after[0], spanish=phrase.spanish)
    if verb == "open" and plural:
        return False
    return word not in PARTS and not (
        plural and verb in ENTITIES and verb not in ("list", "view", "post", "log", "record", "track")
    )


def _first_clause(tokens: list[str], *, spanish: bool) -> tuple[list[str], str]:
    """Cuts at a comma before another verb: what follows is a further step, kept as text."""
    for at, token in enumerate(tokens):
        if token not in (",", ";", "and", "y", "then", "+", "&", "luego"):
            continue
        after = tokens[at + 1 :]
        if after and at and after[0] in (SPANISH if spanish else ENGLISH):
            is_noun = base(after[0], spanish=spanish)[0] in ENTITIES
            if not is_noun:
                return tokens[:at], " ".join(after)
    return tokens, ""


def _structure(tokens: list[str], phrase: Phrase) -> Phrase:
    """The nouns before the first small word, and the links after it."""
    groups: list[tuple[str, list[str]]] = [("head", [])]
    for at, said in enumerate(tokens):
        before = groups[-1][0]
        how = SMALL.get(said, "")
        if (
            (said == "a" and not phrase.spanish)
            or (said == "per" and at + 1 == len(tokens))
            or (at == 0 and said in ("on", "at", "do"))
        ):
            how = ""
        if said in (",", ";", "/"):
            groups.append(("with" if before in ("head", "with") else before, []))
        elif how:
            goes_on = said in AND and before in ("by", "of", "to", "own", "as", "from")
            groups.append((before if goes_on else how, []))
        else:
            groups[-1][1].append(said)
    return _linked(groups, phrase)


def _linked(groups: list[tuple[str, list[str]]], phrase: Phrase) -> Phrase:
    head = noun_of(groups[0][1], spanish=phrase.spanish)
    mine = any(t in MINE for _, tokens in groups for t in tokens[:1])
    links: list[Link] = []
    for how, tokens in groups[1:]:
        noun = noun_of(tokens, spanish=phrase.spanish)
        if how == "own":  # user 's orders: the noun before owns the noun after
            owner = links.pop().nouns[0] if links else head
            if owner and noun:
                if links or head is not owner:
                    links.append(Link("of", (noun,)))
                else:
                    head = noun
                links.append(Link("of", (owner,)))
            continue
        if noun is None:
            continue
        bare_count = phrase.asides.span or phrase.asides.limit or phrase.asides.top or phrase.asides.every
        if head is None and how in ("of", "with") and not links and not bare_count:
            head = noun
            continue
        links.append(Link(how, (noun,)))
    if mine:
        links.append(Link("mine", (Noun(("user",), said="my"),)))
    return replace(phrase, head=head, links=tuple(links))


def _nominal(phrase: Phrase) -> Phrase:
    """Action from the last noun where it says one: `order history`, `like count`, `product search`."""
    head = phrase.head
    if head is None:
        named = NAMING.get(phrase.verb)
        return replace(phrase, head=Noun((named,), said=phrase.verb)) if named else phrase
    named = NAMING.get(phrase.verb, "")
    if named and phrase.verb in TOWARDS and head.words != (named,):
        links = (Link("to", (head,)), *phrase.links)
        return replace(phrase, head=Noun((named,), said=phrase.verb), links=links)
    said = NOMINAL.get(head.head, "")
    if not said or (phrase.action and phrase.action not in ("get", "list", "count", "aggregate", "search")):
        return phrase
    if len(head.words) == 1:
        owner = next((link for link in phrase.links if link.how == "of"), None)
        if said == "get" and owner:
            links = tuple(link for link in phrase.links if link is not owner)
            return replace(phrase, head=owner.nouns[0], links=links, action=phrase.action or said)
        if said in ("aggregate", "count") and owner:
            return replace(phrase, head=None, action=phrase.action or said, why=f"“{head.head}” is read as {said}")
        if head.head in ("registration", "signup", "login", "authentication"):
            return replace(
                phrase,
                head=Noun(("user",), said=head.said),
                action=phrase.action or said,
                why=f"“{head.said}” concerns a user",
            )
        if head.head in ("checkout", "placement") and phrase.action in ("", "insert"):
            return replace(
                phrase, head=Noun(("order",), said=head.said), action="insert", why=f"“{head.said}” places an order"
            )
        return phrase
    action = phrase.action if phrase.action in ("count", "aggregate", "search") else said
    shorter = Noun(
        head.words[:-1], plural=said in ("list", "search", "count", "aggregate"), by_id=head.by_id, said=head.said
    )
    asides = phrase.asides
    if head.head in ("history", "feed", "timeline", "inbox") and not asides.order:
        asides = replace(asides, order="newest", order_said=head.head)
    return replace(phrase, head=shorter, action=action, why=f"“{head.head}” is read as {action}", asides=asides)
