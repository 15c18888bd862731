"""The reading of one row while it grows: its pattern, reasons, questions, and how other entities relate to its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.importers.format import Question
from app.importers.reading.draft import Draft
from app.importers.reading.noun import Noun
from app.importers.reading.nouns import DEPENDENT, LABELS
from app.importers.reading.phrase import Phrase
from app.importers.reading.text import a, many, quoted
from app.importers.reading.things import CATALOGUE, PEOPLE, Vocabulary
from app.model.conditions import parse_where
from app.model.problem import Unreadable


@dataclass(slots=True)
class Reading:
    """One row being read. `plain` is the pattern in the words of the project file, without `where` and `needs`."""

    name: str
    phrase: Phrase
    draft: Draft
    words: Vocabulary
    action: str = ""
    entity: str = ""
    terms: list[str] = field(default_factory=list)
    needs: list[Any] = field(default_factory=list)
    sets: dict[str, str] = field(default_factory=dict)
    with_: list[str] = field(default_factory=list)
    plain: dict[str, Any] = field(default_factory=dict)
    inferred: dict[str, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """(parent, child) as the operation itself says: `orders by product`."""

    def ask(self, part: str, text: str, hint: str = "") -> None:
        """A question about a part of this pattern (`rate`, `where`); the same one only once."""
        place = f"patterns/{self.name}/{part}" if part else f"patterns/{self.name}"
        asked = Question(place, text, hint)
        if asked not in self.questions:
            self.questions.append(asked)

    def note(self, text: str) -> None:
        text = " ".join(text.split())
        if text and text not in self.notes:
            self.notes.append(text)

    def term(self, condition: str) -> None:
        if condition not in self.terms:
            self.terms.append(condition)

    def need(self, what: Any) -> None:
        if what not in self.needs:
            self.needs.append(what)

    def why(self, place: str, reason: str) -> None:
        """Adds a reason to a place; several are joined."""
        held = self.inferred.get(place)
        if held is None:
            self.inferred[place] = reason
        elif reason not in held.split("; "):
            self.inferred[place] = f"{held}; {reason}"

    def by_key(self) -> None:
        """One record by its key."""
        for key in self.draft.key(self.entity):
            name = self.entity if key in ("id", "name") else key.removesuffix("_id")
            self.term(f"{self.entity}.{key} = :{parameter(name)}")
        self.why("where", f"one {self.entity}, so by its key")


def relate(r: Reading, other: str, *, plural: bool, said: str) -> tuple[str, str]:
    """How another entity belongs to the row's: `self`, `parent`, `child` or `many`, and the role it is called by."""
    mine = r.entity
    if other == mine:
        return "self", mine
    party = r.words.party(other)
    if link := r.draft.link(party, mine, other):
        return "parent", link.name
    if r.draft.link(mine, other):
        return "child", other
    if any(x.many and {x.parent, x.child} == {mine, other} for x in r.draft.links):
        return "many", other
    if other in ("parent", "padre"):
        r.draft.parent(mine, mine, "parent", f"{a(mine)} may stand under another")
        return "parent", "parent"
    item = f"{mine}_item"
    if other in CATALOGUE and item in r.words.names:
        r.draft.entity(item, f"what {a(mine)} holds of each {other}")
        r.draft.parent(item, other, "", f"{quoted(said)}: each {item} is of one {other}")
        relate(r, item, plural=True, said=said)
        return ("child", item) if plural else ("parent", other)
    if r.words.both_ways(mine, other) or other in LABELS or (plural and _shared(mine, other, r.words)):
        return _many(r, other, said)
    follows = other in DEPENDENT and mine not in DEPENDENT
    child = (mine, other) in r.words.pairs or ((plural or follows) and (other, mine) not in r.words.pairs)
    if child:
        why = (
            f"{quoted(said)}: plural of a noun that is not a field of {mine}, so one-to-many"
            if plural
            else f"{a(other)} belongs to {a(mine)}"
        )
        r.draft.entity(other, f"named by {quoted(said)} in “{r.name}”")
        r.draft.parent(other, mine, "", why)
        return "child", other
    why = f"{quoted(said)}: one {other} of each {mine}"
    if plural:
        why = f"{quoted(said)}: elsewhere many {many(mine)} belong to one {other}"
    r.draft.parent(mine, party, other, why)
    return "parent", other


def _shared(mine: str, other: str, words: Vocabulary) -> bool:
    """Whether many of both belong together: products of orders, but not products of their seller."""
    if (mine, other) in words.pairs or (other, mine) in words.pairs:
        return False
    return other in CATALOGUE and mine not in PEOPLE


def _many(r: Reading, other: str, said: str) -> tuple[str, str]:
    reason = "a label belongs to many" if other in LABELS else "many of both belong together"
    r.draft.many(r.entity, other, f"{quoted(said)}: {reason}, so many-to-many")
    if other not in LABELS:
        place = f"relationships/{r.entity}_{other}"
        r.questions.append(
            Question(
                place,
                f"Does {a(other)} belong to many {many(r.entity)}? It is read so.",
                "many-to-many, or one-to-many",
            )
        )
    return "many", other


@cache
def parameter(name: str) -> str:
    """A name for what the caller brings, after the thing it stands for: `user`, `the_like` where SQL knows the word."""
    word = re.sub(r"\W+", "_", name).strip("_") or "value"
    if word[0].isdigit():
        return f"by_{word}"
    try:
        parse_where(f"x.y = :{word}")
    except Unreadable:
        return f"the_{word}"
    return word


def far_condition(r: Reading, other: str) -> str:
    """The condition that binds the other end of a many-to-many relationship: `tag.name = :tag`."""
    keys = r.draft.key(other)
    return " and ".join(f"{other}.{key} = :{parameter(other if key in ('id', 'name') else key)}" for key in keys)


def noun_said(noun: Noun) -> str:
    """A noun as it was said, for a message."""
    return noun.said.replace("_s_", "").strip() or " ".join(noun.words)
