"""Short forms of parts: how a text or a word used as a key becomes the part it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import ValidationInfo, model_validator

from app.model.part import Part
from app.model.problem import Unreadable, did_you_mean
from app.model.words import TYPES, is_type

FILE = "file"
"""Validation context of data that came from a file: only the file's own words are read."""


class Brief(Part):
    """A part that may be written as one text: the value of its field `brief`."""

    brief: ClassVar[str] = "what"

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return {cls.brief: raw} if isinstance(raw, str) else raw

    def shorten(self, plain: dict[str, Any]) -> Any:
        return plain[self.brief] if set(plain) == {self.brief} else plain


def one_key(
    raw: Mapping[str, Any], words: tuple[str, ...], kind: str, value: str, info: ValidationInfo
) -> dict[str, Any]:
    """`{get: order}` as `{action: get, entity: order}`: one word of a vocabulary is a key and says the kind."""
    data = dict(raw)
    if info.context == FILE and kind in data:
        fix = f"Write {' or '.join(words[:2])} with the name behind it"
        raise Unreadable(f"{kind!r} is not known here", fix, loc=(kind,), on_key=True)
    found = [w for w in words if w in data]
    if len(found) > 1:
        fix = f"Keep one of {', '.join(found)}"
        raise Unreadable(f"{found[0]} and {found[1]} exclude each other", fix, loc=(found[1],), on_key=True)
    if found:
        if value in data:
            raise Unreadable(
                f"{found[0]} and {value} exclude each other", f"Keep {found[0]}", loc=(value,), on_key=True
            )
        data[kind] = found[0]
        data[value] = data.pop(found[0])
    return data


FLAGS = ("key", "unique", "immutable", "monotonic")
FIGURES = ("avg", "p99", "max")
WORDS = (*FIGURES, "distinct", "present", "items")


def read_field(text: str) -> dict[str, Any]:
    """`name type [flags] [avg N] [max N] [distinct N] [present N%] [items avg N max N]` in the long form."""
    words = text.split()
    if not words:
        raise Unreadable("a field needs a name", "Write email string unique avg 24 max 254")
    found: dict[str, Any] = {"name": words.pop(0)}
    if words and words[0] not in FLAGS and words[0] not in WORDS:
        found["type"] = words.pop(0)
        if not is_type(found["type"]):
            fix = did_you_mean(found["type"], (*TYPES, "vector(768)"))
            raise Unreadable(f"{found['type']!r} is not a type", fix, text.find(found["type"], len(found["name"])))
    where = "bytes"
    while words:
        word = words.pop(0)
        if word in FLAGS:
            _put(found, word, "yes", text)
        elif word == "items":
            where = "items"
        elif word in WORDS:
            value = _value(words)
            if not value:
                raise Unreadable(f"{word} has no number", f"Write {word} 20", text.rfind(word))
            _put(found.setdefault(where, {}) if word in FIGURES else found, word, value, text)
        else:
            fix = did_you_mean(word, (*FLAGS, *WORDS))
            raise Unreadable(f"{word!r} has no meaning in a field", fix, text.rfind(word))
    return found


def _put(into: dict[str, Any], word: str, value: str, text: str) -> None:
    if word in into:
        raise Unreadable(f"{word} is given twice", "Keep one", text.rfind(word))
    into[word] = value


def _value(words: list[str]) -> str:
    """The number that follows a word, with its unit if that stands apart (`4 KB`)."""
    taken: list[str] = []
    while words and len(taken) < 2 and words[0] not in FLAGS and words[0] not in WORDS:
        if taken and not words[0].isalpha():
            break
        taken.append(words.pop(0))
    return " ".join(taken)


def write_field(plain: dict[str, Any]) -> Any:
    """The short form of a field if it can say everything, else the long one."""
    if set(plain) - {"name", "type", *FLAGS, "bytes", "distinct", "present", "items"}:
        return plain
    figures = {n: _figures(plain[n]) for n in ("bytes", "items") if n in plain}
    if any(f is None for f in figures.values()):
        return plain
    words = [plain["name"], plain.get("type", "string"), *(f for f in FLAGS if f in plain)]
    words += [figures["bytes"]] if "bytes" in plain else []
    words += [f"{n} {plain[n]}" for n in ("distinct", "present") if n in plain]
    words += [f"items {figures['items']}"] if "items" in plain else []
    return " ".join(str(w) for w in words)


def _figures(given: Any) -> str | None:
    """`avg 18 max 80`; None where the short form has no words for it."""
    if isinstance(given, str):
        return None if given.startswith("exactly") else f"avg {given}"
    return " ".join(f"{name} {value}" for name, value in given.items())
