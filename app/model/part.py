"""The base of every part of a project: frozen, strict, with the file's own words as aliases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    WithJsonSchema,
)
from pydantic import Field as Key

from app.model.problem import Unreadable, did_you_mean

YES = frozenset({"yes", "true", "on"})
NO = frozenset({"no", "false", "off"})

K = TypeVar("K")
V = TypeVar("V")


class Frozen(dict[K, V]):
    """A mapping that cannot change, so that the parts holding it can be compared and hashed."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("a part of a project cannot change")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frozen, (dict(self),))


def freeze(raw: Any) -> Any:
    """Free data (texts, lists, mappings) as immutable values; numbers and booleans become text."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool):
        return "yes" if raw else "no"
    if isinstance(raw, (int, float)):
        return str(raw)
    if isinstance(raw, (list, tuple)):
        return tuple(freeze(x) for x in raw)
    if isinstance(raw, Mapping):
        return Frozen({str(k): freeze(v) for k, v in raw.items()})
    raise Unreadable("expected text, a list or a mapping", f"not {type(raw).__name__}")


def _flag(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    word = str(raw).strip().lower()
    if word in YES or word in NO:
        return word in YES
    raise Unreadable(f"{raw!r} is neither yes nor no", "Write yes or no")


def _strings(raw: Any) -> Any:
    return (raw,) if isinstance(raw, str) else raw


def _mapping(value: Mapping[K, V]) -> Mapping[K, V]:
    return value if isinstance(value, Frozen) else Frozen(value)


Flag = Annotated[
    bool,
    PlainValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": sorted(YES | NO)}]}),
]
"""`yes`, `no`, `true`, `false`, `on`, `off`; written as `yes`."""
ONE_OR_MORE = "one or more"
"""Marks lists that are written as one text where they hold one."""
Strings = Annotated[
    tuple[str, ...],
    BeforeValidator(_strings),
    ONE_OR_MORE,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""One text or a list of them."""
Free = Annotated[Any, PlainValidator(freeze), WithJsonSchema({})]
"""Settings named as the store names them: texts, lists and mappings of any depth."""
FreeMapping = Annotated[Mapping[str, Free], AfterValidator(_mapping)]
Texts = Annotated[Mapping[str, str], AfterValidator(_mapping)]


def fixed(value: Mapping[K, V]) -> Mapping[K, V]:
    """The same mapping, immutable: an after-validator for mappings of typed values."""
    return _mapping(value)


def one_of(*words: str) -> PlainValidator:
    """A text out of a short vocabulary; empty stands for nothing said."""

    def check(raw: Any) -> str:
        word = " ".join(str(raw).replace("-", " ").split()).lower()
        if word and word not in words:
            raise Unreadable(f"{raw!r} is not known here", did_you_mean(word, words))
        return word

    return PlainValidator(check, json_schema_input_type=str)


class Part(BaseModel):
    """A frozen value. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def shorten(self, plain: dict[str, Any]) -> Any:
        """The canonical form of this part in a file, from its long form. Overridden where one is."""
        return plain


class Named(Part):
    """A part with a name, a note and the places that were inferred from words."""

    note: str = ""
    inferred: Texts = Key(default_factory=Frozen)
