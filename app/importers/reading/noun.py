"""A run of words as a noun: its words in the singular, and what number, state and kin they say."""

from __future__ import annotations

from dataclasses import dataclass

from app.importers.reading.nouns import base
from app.importers.reading.small_words import ARTICLES, DONE, KIN, PLURAL_VALUES, SMALL, STATE_WORDS, VAGUE


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with the words before it: `cart items` is `("cart", "item")`, plural, said as `cart items`."""

    words: tuple[str, ...]
    plural: bool = False
    by_id: bool = False
    """`order id`, `orderId`, `order_id`."""
    states: tuple[str, ...] = ()
    """`open`, `unread`: words for a state, in English."""
    vague: str = ""
    """`related`, `nearby`: a choice that no condition was given for."""
    kin: str = ""
    """`child`, `root`, `parent`: its place among its own kind."""
    said: str = ""

    @property
    def name(self) -> str:
        return "_".join(self.words)

    @property
    def head(self) -> str:
        return self.words[-1]


def noun_of(tokens: list[str], *, spanish: bool) -> Noun | None:
    """The noun in a run of words without articles; in Spanish the adjectives after it are dropped by the lists."""
    # A name cannot start with a digit: paths are read as SQL.
    kept = [t for t in tokens if t not in ARTICLES and t not in SMALL and not t[0].isdigit()]
    while len(kept) > 1 and (kept[-1] in ("field", "campo") or (kept[-1] == "flag" and kept[-2][:3] in ("is_", "has"))):
        kept = kept[:-1]
    if len(kept) > 1 and DONE.fullmatch(kept[-1]) and kept[-1] not in STATE_WORDS:
        kept = kept[:-1]  # products ordered by, comments written by
    if not kept:
        return None
    by_id = False
    if len(kept) > 1 and kept[-1] in ("id", "ids", "uuid", "identifier", "identificador"):
        by_id, kept = True, kept[:-1]
    words: list[str] = []
    states: list[str] = []
    plural, kin, vague = False, "", ""
    for said in kept:
        if said in VAGUE and len(kept) > 1:
            vague = said
            continue
        if said in KIN and len(kept) > 1:
            kin = KIN[said]
            continue
        if said in STATE_WORDS and len(kept) > 1:
            states.append(STATE_WORDS[said])
            continue
        if said.endswith(("_id", "_ids", "_uuid")) and len(kept) == 1:
            by_id, said = True, said.rsplit("_", 1)[0]  # noqa: PLW2901
        *stem, last = [piece for piece in said.split("_") if piece] or [said]
        one, plural = (last, False) if last in PLURAL_VALUES else base(last, spanish=spanish)
        words.extend([*stem, one])
    if words[-2:] in (["line", "item"], ["order", "line"]):
        words[-2:] = ["line_item"]
    if not words:
        words = [states.pop() if states else kin]
    return Noun(tuple(words), plural, by_id, tuple(states), vague, kin, said=" ".join(tokens))
