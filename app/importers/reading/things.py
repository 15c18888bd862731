"""Which entity a noun names, whose it is, and which of its fields: in the light of everything else the text names."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.importers.reading.attributes import is_attribute
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import (
    ENTITIES,
    FACETS,
    LABELS,
    PARTS,
    ROLES,
    SCREENS,
    SERIES,
    is_entity_word,
)
from app.importers.reading.text import a, words_of

# Values one groups by that are things of their own where a text says so, though they could be plain values.
_THINGS_FIRST = words_of("channel place department brand message label role source")
# Things that belong to many others at a time: beside them a plural is many-to-many.
CATALOGUE = words_of(
    """
    product user customer category course student actor player song skill permission supplier movie book ingredient
    employee
    """
)
PEOPLE = ROLES | words_of(
    """
    user customer client account agent player member student teacher employee driver patient doctor supplier vendor
    merchant admin
    """
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the whole text speaks of. `names`: entities; `heads`: those that rows are about; `timed`: those with a time;
    `pairs`: (parent, child)."""

    names: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    timed: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    many: frozenset[frozenset[str]] = frozenset()
    """Ends of many-to-many relationships."""
    times: tuple[tuple[str, str], ...] = ()
    """The field that a text itself names as an entity's time."""
    given: frozenset[str] = frozenset()
    """Entities that the project holds already."""
    fields: frozenset[tuple[str, str]] = frozenset()
    """(entity, field) as far as any row names them."""
    links: frozenset[tuple[str, str, str]] = frozenset()
    """(parent, child, field of the child that holds the parent's key)."""

    def is_thing(self, word: str) -> bool:
        return word in self.names or is_entity_word(word)

    def party(self, word: str) -> str:
        """The entity behind a role: `seller` is a user where the text speaks of users and sellers are nothing else."""
        if word in ROLES and "user" in self.names and word not in self.heads:
            return "user"
        return word

    def holder(self, name: str) -> str:
        """The one entity with a field of this name; empty where none or several have it."""
        found = {entity for entity, held in self.fields if held == name and entity != name}
        return found.pop() if len(found) == 1 else ""

    def assignee(self, entity: str) -> str:
        """`assigned to an agent` where the text calls that person the assignee."""
        return "assignee" if (entity, "assignee_id") in self.fields else ""

    def both_ways(self, one: str, other: str) -> bool:
        """The text asks for the ones of an other and for the others of a one, or brings them together."""
        if frozenset((one, other)) in self.many:
            return True
        return (one, other) in self.pairs and (other, one) in self.pairs and one != other


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun understood: the entity (empty where only a field is named), its owner, the field, and why."""

    entity: str = ""
    owner: str = ""
    attribute: str = ""
    why: str = ""
    sure: bool = True
    """A word that is known to name a thing."""
    states: tuple[str, ...] = field(default=())


def thing_of(noun: Noun, words: Vocabulary, owner: str = "") -> Thing:
    """What a noun names. `owner`: the entity it is said to be of (`item` of a `cart`)."""
    parts = [w for w in noun.words if not w[0].isdigit()]
    if not parts:
        return Thing(states=noun.states)
    parts = _without_screen(parts, words)
    found = _with_attribute(parts, noun, words) or _entity(parts, words, owner)
    return Thing(found.entity, found.owner, found.attribute, found.why, found.sure, noun.states)


def _without_screen(parts: list[str], words: Vocabulary) -> list[str]:
    """`order page`, `user profile`: what a screen shows is the thing before it."""
    if parts[-2:] == ["page", "view"]:
        return ["page_view"]
    if len(parts) < 2 or "_".join(parts) in words.names or not words.is_thing(parts[-2]):
        return parts
    shown = parts[-1] in SCREENS or (parts[-1] in FACETS and parts[-2] in PEOPLE)
    return parts[:-1] if shown else parts


def _with_attribute(parts: list[str], noun: Noun, words: Vocabulary) -> Thing | None:
    """`order status` is a field of order; `status` alone is a field of something said elsewhere."""
    name = "_".join(parts)
    if name in words.names or (noun.plural and not is_attribute(name)):
        return None
    if len(parts) == 1:
        only = is_attribute(name) and not words.is_thing(name)
        return Thing(attribute=name) if only else None
    if name == "unit_price":
        return Thing(attribute=name)
    flag = next((at for at, word in enumerate(parts) if at and word in ("is", "has", "can")), 0)
    if flag:
        before = _entity(parts[:flag], words, "")
        return Thing(
            before.entity, before.owner, "_".join(parts[flag:]), f"“{noun.said}” names a field of {before.entity}"
        )
    for cut in range(len(parts) - 1, 0, -1):
        tail = "_".join(parts[cut:])
        holder = words.is_thing(parts[cut - 1]) or (cut > 1 and parts[cut - 1] in PARTS)
        if not is_attribute(parts[-1]) or not holder:
            continue
        if parts[-1] in words.names and parts[-1] not in ("status", "name"):
            continue
        before = _entity(parts[:cut], words, "")
        return Thing(before.entity, before.owner, tail, f"“{noun.said}” names a field of {before.entity}", before.sure)
    own = is_attribute(name) or is_attribute(parts[-1])
    return Thing(attribute=name) if own and not words.is_thing(parts[-1]) else None


def _entity(parts: list[str], words: Vocabulary, owner: str) -> Thing:
    name, last = "_".join(parts), parts[-1]
    before = parts[-2] if len(parts) > 1 else ""
    if last == "line_item" or (last == "line" and (before or owner) == "order"):
        whose = before or owner or "order"
        return Thing("line_item", whose, why=f"a line item is a part of {a(whose)}")
    if last in PARTS and owner and not before and (owner, last) not in words.pairs:
        return Thing(f"{owner}_{last}", owner, why=f"{last} is a part of something, here of {owner}")
    if name in words.names:
        known_owner = before if before and words.is_thing(before) and last in PARTS else ""
        return Thing(name, known_owner, why=f"{name} is named in the text")
    if last in PARTS and (before or owner):
        whose = before or owner
        return Thing(f"{whose}_{last}", whose, why=f"{last} is a part of something, here of {whose}")
    if last in PARTS and not before:
        known = [n for n in sorted(words.names) if n.endswith(f"_{last}")]
        if len(known) == 1:
            return Thing(known[0], known[0].removesuffix(f"_{last}"), why=f"the only {last} that the text names")
    if not before:
        sure = words.is_thing(last)
        return Thing(last, why=f"“{last}” names a thing", sure=sure)
    if words.is_thing(last) and words.is_thing(before):
        return Thing(last, before, why=f"“{before} {last}” is {a(last)} of {a(before)}")
    if words.is_thing(last) and (last in SERIES or last in LABELS):
        return Thing(last, before, why=f"“{before} {last}” is {a(last)} of {a(before)}")
    return Thing(name, why=f"“{' '.join(parts)}” names a thing", sure=words.is_thing(last))


def is_value(word: str, words: Vocabulary, *, how: str) -> bool:
    """Whether `by city` means a value of the thing's own rather than another thing."""
    if word in words.names or word in LABELS:
        return False
    if is_attribute(word):
        return word not in _THINGS_FIRST and (how == "by" or word not in ENTITIES)
    return how == "by" and not words.is_thing(word)
