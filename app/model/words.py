"""Names and vocabularies: what may be called how, and which words a place understands.

The marks say what a text mentions, so that a rename finds every mention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator, WithJsonSchema

from app.model.part import FreeMapping, Strings
from app.model.problem import Unreadable, did_you_mean
from app.model.quantity import parse_duration


@dataclass(frozen=True, slots=True)
class Mark:
    """What a text mentions.

    `mention`: entities, roles and paths, alone or in a formula (`buyer.name`, `count(rating)`). `dotted`: paths
    with a dot only; other words are values. `field`: fields of the part's own entity. `structure`, `pattern`: the
    name of one.
    """

    what: str


Mention = Annotated[str, Mark("mention")]
Mentions = Annotated[Strings, Mark("mention")]
Dotted = Annotated[str, Mark("dotted")]
DottedValues = Annotated[FreeMapping, Mark("dotted")]
StructureName = Annotated[str, Mark("structure")]
PatternName = Annotated[str, Mark("pattern")]

LONGEST_NAME = 200
_BAD_IN_NAME = re.compile(r"[\s{}|,\"'#:;()\[\]=<>*+/]")


def check_entity(name: str) -> str:
    """Names of entities and roles stand in front of a dot in paths."""
    if not name:
        raise Unreadable("a name is missing", "Write a name such as order or line_item")
    if len(name) > LONGEST_NAME:
        raise Unreadable(f"a name of {len(name)} characters", f"At most {LONGEST_NAME}")
    if hit := _BAD_IN_NAME.search(name):
        tidy = re.sub(r"_+", "_", _BAD_IN_NAME.sub("_", name)).strip("_")
        raise Unreadable(f"{name!r} has {hit[0]!r} in it", f"Write {tidy or 'order'}", hit.start())
    if "." in name:
        raise Unreadable(f"{name!r} has a dot in it", f"Write {name.replace('.', '_')}", name.find("."))
    return name


def check_role(name: str) -> str:
    return check_entity(name) if name else name


def check_field(name: str) -> str:
    """Fields may have dots (`address.city`): they stand behind one."""
    for piece in name.split("."):
        check_entity(piece)
    return name


def check_title(name: str) -> str:
    """Names of patterns, models and structures: one line of text."""
    tidy = " ".join(name.split())
    if not tidy:
        raise Unreadable("a name is missing", "Give it a name")
    if len(tidy) > LONGEST_NAME:
        fix = f"At most {LONGEST_NAME}: put the rest into note"
        raise Unreadable(f"a name of {len(tidy)} characters", fix)
    return tidy


EntityName = Annotated[str, AfterValidator(check_entity)]
RoleName = Annotated[str, AfterValidator(check_role)]
FieldName = Annotated[str, AfterValidator(check_field)]
Title = Annotated[str, AfterValidator(check_title)]

TYPES = (
    "string", "text", "int32", "int64", "float", "double", "decimal", "bool", "date", "datetime", "uuid",
    "objectid", "timeuuid", "binary", "json", "object", "enum", "point",
)  # fmt: skip
_TYPE = re.compile(r"([a-z0-9]+)(\([1-9]\d{0,5}\))?((?:\[\])?)")


def is_type(word: str) -> bool:
    """A field type: one of `TYPES` or `vector(N)`, each also with `[]`."""
    hit = _TYPE.fullmatch(word)
    if not hit:
        return False
    return bool(hit[2]) if hit[1] == "vector" else hit[1] in TYPES and not hit[2]


def check_type(word: str) -> str:
    if is_type(word):
        return word
    known = (*TYPES, "vector(768)")
    raise Unreadable(f"{word!r} is not a type", did_you_mean(word, known))


FieldType = Annotated[str, AfterValidator(check_type)]
"""`string text int32 int64 float double decimal bool date datetime uuid objectid timeuuid binary json object enum
point vector(N)`, each also with `[]`."""

LEVELS = ("strong", "read your writes", "causal", "eventual", "historical")


def read_level(text: str) -> tuple[str, str]:
    """Consistency and, for `eventual`, the text of its greatest age (empty: not said)."""
    tidy = " ".join(text.replace("-", " ").split())
    word = tidy.lower()
    if word in LEVELS:
        return word, ""
    if word.startswith("eventual "):
        age = tidy[len("eventual ") :]
        return "eventual", parse_duration(age).text
    raise Unreadable(f"{text!r} is not a consistency", did_you_mean(word, (*LEVELS, "eventual 5 min")))


def _consistency(raw: Any) -> str:
    level, age = read_level(str(raw))
    return f"{level} {age}".strip()


Level = Annotated[str, PlainValidator(_consistency), WithJsonSchema({"type": "string"})]

REFRESHES = ("never", "same write", "same transaction", "async within 10 min", "on expiry")


def _refresh(raw: Any) -> str:
    tidy = " ".join(str(raw).split())
    word = tidy.lower()
    if not word or word in REFRESHES[:3] or word in ("on expiry", "async"):
        return word
    if word.startswith("async within "):
        return f"async within {parse_duration(tidy[len('async within ') :]).text}"
    raise Unreadable(f"{tidy!r} does not say when it is refreshed", did_you_mean(word, REFRESHES))


Refresh = Annotated[str, PlainValidator(_refresh), WithJsonSchema({"type": "string"})]
"""`never`, `same write`, `same transaction`, `async within …`, `on expiry`; empty: not said."""


def _name_lists(raw: Any) -> Any:
    if not isinstance(raw, (list, tuple)):
        return raw
    return [(item,) if isinstance(item, str) else item for item in raw]


NameLists = Annotated[
    tuple[tuple[str, ...], ...],
    BeforeValidator(_name_lists),
    Mark("field"),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        }
    ),
]
"""Lists of field names: `[[tenant_id, email]]`; `[email]` is a list of one."""
