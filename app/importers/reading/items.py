"""The `Fields needed` cell: its items, each a noun with what stands around it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from app.importers.reading.asides import Asides, read_asides
from app.importers.reading.noun import Noun, noun_of
from app.importers.reading.rates import NOTHING
from app.importers.reading.small_words import ARTICLES
from app.importers.reading.text import flat, snake, words_of

_LONGEST = 120
"""Characters of an item that can be a noun."""
_MOST = 60
"""Items of a cell that are read one by one; the rest is kept as it is."""
_CODE = re.compile(r"[={}\[\]\"$|\\]|::|->|\bbegins_with\b")
_ALL = words_of("* all everything todo todos everything all_fields full entire all_columns tudo")
_EMPTY_TAIL = words_of(
    """
    flag field fields data details detail info information column columns campos campo datos value values object
    record records list listado lista dato
    """
)
_EMPTY_HEAD = words_of("list full basic complete all main optional nested current updated lista")
_INSIDE = re.compile(r"^(?P<what>[^(]+?)\s*\((?P<inside>[^()]+)\)\s*(?P<after>.*)$")
_SPLIT = re.compile(r"[,;\n+&]|(?<=\w)\s*/\s*(?=\w)|\s+(?:and|y|e|plus|con|with)\s+")
_FROM = re.compile(r"\s+(?:from|for|desde|para)\s+.*$")
_VERBAL = words_of(
    """
    filter filtering pagination sorting aggregate aggregation term search_term hierarchy statistic update validation
    check lookup limit range criteria criterion logic
    """
)
_BY = re.compile(r"^(?P<what>.+?)\s+(?:by|per|por)\s+(?P<whose>.+)$")
_OF = re.compile(
    r"^(?P<what>.+?)\s+(?:of|de|del|in)\s+(?:the\s+|an?\s+|la\s+|el\s+|un\s+|una\s+|los\s+|las\s+)?(?P<whose>.+)$"
)
_COUNT = re.compile(r"^(?:number|count|cantidad|numero|total number|no\.?)\s+(?:of|de)\s+(?P<what>.+)$")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a row needs or sets. `noun` is None for what cannot be read as a noun."""

    said: str
    noun: Noun | None = None
    everything: bool = False
    whose: Noun | None = None
    """`name of the author`: the author."""
    by: Noun | None = None
    """`totals by seller`: the seller."""
    counted: bool = False
    asides: Asides = field(default_factory=Asides)


@lru_cache(maxsize=8_192)
def read_items(text: str, *, spanish: bool) -> tuple[Item, ...]:
    """The items of a cell. `order (id, status)` gives two: the id and the status of the order."""
    if flat(text) in NOTHING:
        return ()
    out: list[Item] = []
    pieces = _pieces(text)
    if len(pieces) > _MOST:
        out.append(Item(", ".join(pieces[_MOST:])))
    for piece in pieces[:_MOST]:
        inside = _INSIDE.match(piece)
        if inside and not _CODE.search(piece) and _names_only(inside["inside"]):
            whose = _noun(inside["what"], spanish=spanish)
            out.extend(
                Item(p.strip(), _noun(p, spanish=spanish), whose=whose) for p in _pieces(inside["inside"]) if p.strip()
            )
        else:
            out.append(_item(piece, spanish=spanish))
    return tuple(out)


def _pieces(text: str) -> list[str]:
    """Splits at commas, semicolons, plus and `and`, outside parentheses."""
    masked = re.sub(r"\([^()]*\)", lambda m: m[0].translate(_MASK), text)
    out: list[str] = []
    for piece in _SPLIT.split(masked):
        whole = piece.translate(_UNMASK).strip()
        if whole:
            out.append(whole)
    return out


_MASK = {ord(c): 0xE000 + i for i, c in enumerate(",;\n+&/ ")}
_UNMASK = {code: c for c, code in _MASK.items()}


def _names_only(inside: str) -> bool:
    return len(inside) < 200 and all(len(p.split()) <= 3 for p in _pieces(inside)) and "," in inside


def _item(piece: str, *, spanish: bool) -> Item:
    if piece.strip() in ("*", "all", "All"):
        return Item(piece, everything=True)
    if _CODE.search(piece):
        return Item(piece)
    if len(piece) > _LONGEST:
        return Item(piece)
    rest, asides = (snake(piece), Asides()) if piece.isalnum() else read_asides(snake(piece), spanish=spanish)
    plain = _FROM.sub("", flat(rest))
    words = plain.split()
    if not words or len(words) > 7:
        return Item(piece)
    if "_".join(words) in _ALL or (
        words[0] in ("all", "todos", "every") and words[-1] in ("fields", "campos", "attributes", "columns")
    ):
        return Item(piece, everything=True)
    if hit := _COUNT.match(plain):
        return Item(piece, _noun(hit["what"], spanish=spanish), counted=True, asides=asides)
    if hit := _BY.match(plain):
        by, what = _noun(hit["whose"], spanish=spanish), _noun(hit["what"], spanish=spanish)
        return Item(piece, what, by=by, asides=asides)
    if (hit := _OF.match(plain)) and hit["what"] not in _EMPTY_TAIL:
        whose, what = _noun(hit["whose"], spanish=spanish), _noun(hit["what"], spanish=spanish)
        return Item(piece, what, whose=whose, asides=asides)
    noun = _noun(plain, spanish=spanish)
    if noun is not None and noun.head in _VERBAL:
        return Item(piece)
    return Item(piece, noun, asides=asides)


def _noun(text: str, *, spanish: bool) -> Noun | None:
    tokens = [t for t in re.findall(r"[^\W_]+(?:_[^\W_]+)*", flat(snake(text).replace("-", " "))) if t not in ARTICLES]
    while len(tokens) > 1 and tokens[-1] in _EMPTY_TAIL:
        tokens.pop()
    while len(tokens) > 1 and tokens[0] in _EMPTY_HEAD and tokens[1] not in ("count", "price", "amount"):
        tokens.pop(0)
    if tokens == ["at"]:
        return Noun(("at",), said="at")
    if not tokens or any(len(t) > 60 for t in tokens):
        return None
    return noun_of(tokens, spanish=spanish)
