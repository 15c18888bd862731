"""The base of every part of a project: frozen, strict, with the file's own words as aliases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

YES = {"yes", "true", "on"}
NO = {"no", "false", "off"}


def _flag(raw: Any) -> Any:
    if isinstance(raw, str):
        word = raw.strip().lower()
        if word in YES:
            return True
        if word in NO:
            return False
        raise ValueError(f"expected yes or no, not {raw!r}")
    return raw


def _strings(raw: Any) -> Any:
    return (raw,) if isinstance(raw, str) else tuple(raw) if isinstance(raw, list) else raw


Flag = Annotated[bool, BeforeValidator(_flag)]
"""`yes`, `no`, `true`, `false`, `on`, `off`; written as `yes`."""
Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]
"""One text or a list of them."""
Words = str
"""Words chosen from the field's vocabulary."""


class Part(BaseModel):
    """A frozen value. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Named(Part):
    """A part with a name, a note and the places that were inferred from words."""

    note: str = ""
    inferred: Mapping[str, str] = Field(default_factory=dict)
