"""Text made plain enough to match words in, without losing identifiers: `customerId` becomes `customer_id`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import inflection

OWN = "_s_"
"""Stands for a possessive: `user's orders` is `user _s_ orders`."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"(?<=\w)(?:['’]s\b|(?<=s)['’](?=\s))")
_SINGLE = re.compile(r"\s*[A-Za-z][A-Za-z0-9_-]*\s*")


@lru_cache(maxsize=32_768)
def flat(text: str) -> str:
    """Lower case without accents and quotes; underscores, numbers and separators stay."""
    plain = text.lower()
    if not plain.isascii():
        split = unicodedata.normalize("NFD", plain)
        plain = unicodedata.normalize("NFC", "".join(c for c in split if not "\u0300" <= c <= "\u036f"))
    plain = re.sub(r"(?<!\d)[.:](?!\d)|[.:](?=\s|$)|[*`\"'?¿!¡]+", " ", plain)
    return " ".join(plain.replace("-", " ").split())


def snake(text: str) -> str:
    """Camel case inside a text as snake case, possessives marked."""
    text = _POSSESSIVE.sub(f" {OWN}", text)
    return " ".join(_CAMEL.sub("_", w) if w[:1].islower() and _CAMEL.search(w) else w for w in text.split())


def spell_out(text: str) -> str:
    """Identifiers in the words they are made of: one name alone is taken apart, others become snake case."""
    text = _POSSESSIVE.sub(f" {OWN}", text)
    if _SINGLE.fullmatch(text):
        return _CAMEL.sub(" ", re.sub(r"[_-]", " ", text))
    return snake(text)


def quoted(text: str) -> str:
    """A piece of a person's text for use inside a message, at most 80 characters."""
    text = " ".join(text.split())
    return f"“{text[:79]}…”" if len(text) > 80 else f"“{text}”"


def a(noun: str) -> str:
    """The noun with its article: `an order`, `a user`."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def many(noun: str) -> str:
    """The plural of a noun or of a name: `categories`, `order items`."""
    plural: str = inflection.pluralize(noun)
    return plural


def words_of(listed: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(listed.split())
