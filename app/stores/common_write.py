"""A write pattern as plain changes, for the query writers: what is changed, where, and to which values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.model.conditions import Comparison, Conditions, Param
from app.model.workload import AlsoWrite, Pattern
from app.plan.types import Stat, World

NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z")
STEP = re.compile(r"([+-])\s*(\d+(?:\.\d+)?|:?[A-Za-z_][\w.]*)\Z")

CHANGES = ("update", "delete")


@dataclass(frozen=True, slots=True)
class Asked:
    """One change an operation asks for.

    `part`: born with the record before it (`with`). `loop`: repeated per child of this name (`for each`). `beside`: the
    entity of the change it was said with (`set: {cart_item.qty: +1, cart.updated_at: now}`). `further`: one of `also`.
    """

    kind: str
    entity: str
    where: Conditions | None = None
    set: Mapping[str, Any] = field(default_factory=dict)
    only_if: Conditions | None = None
    part: bool = False
    loop: str = ""
    beside: str = ""
    further: bool = False
    taken: bool = False
    """Of the records that the same operation has just read, whichever they are."""


def asked(pattern: Pattern) -> tuple[Asked, ...]:
    """The changes of a write: its own, those of children written with it, those it also makes."""
    found = []
    if pattern.is_write:
        own, others = _split(pattern.entity, pattern.set)
        found.append(Asked(pattern.action, pattern.entity, pattern.where, own, pattern.only_if))
        found += [Asked("insert", c, None, others.pop(c, {}), None, True) for c in pattern.with_]
        found += [Asked("update", e, pattern.where, v, beside=pattern.entity) for e, v in others.items()]
    for also in pattern.also:
        kind, entity = named(also)
        if entity:
            taken = not pattern.is_write and entity == pattern.entity and also.where is None and kind in CHANGES
            one = Asked(
                kind, entity, also.where, also.set, also.only_if, False, also.for_each, further=True, taken=taken
            )
            found.append(one)
    return tuple(found)


def of_taken(change: Asked, world: World) -> Asked:
    """A change of the records just read names them by their keys, the parameter `taken` (`taken_…` where a key has
    several attributes, one record at a time): without a name it would change all there are."""
    if not change.taken:
        return change
    keys = world.keys.get(change.entity, ()) or (f"{change.entity}._id",)
    if len(keys) == 1:
        return replace(change, where=Conditions("", (Comparison(keys[0], "in", (Param("taken"),)),)))
    each = tuple(Comparison(k, "=", (Param(f"taken_{k.rpartition('.')[2]}"),)) for k in keys)
    return replace(change, where=Conditions("", each))


def named(also: AlsoWrite) -> tuple[str, str]:
    """Action and entity of a further change."""
    for kind in ("insert", "upsert", "update", "delete"):
        entity = getattr(also, kind)
        if entity:
            return kind, str(entity)
    return "", ""


def _split(entity: str, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What is set on the entity itself, and on others by their name."""
    own: dict[str, Any] = {}
    others: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        head, _, rest = path.partition(".")
        if not rest or head == entity:
            own[path if rest else f"{entity}.{path}"] = value
        else:
            others.setdefault(head, {})[path] = value
    return own, others


def value_of(value: Any, stat: Stat | None) -> tuple[str, Any]:
    """What is set: (`set`, literal) · (`now`, None) · (`param`, name) · (`add` or `less`, number or attribute) ·
    (`push`, what is pushed, read likewise)."""
    if isinstance(value, Mapping):
        if "push" in value:
            return "push", value_of(value["push"], None)
        return "set", dict(value)
    if not isinstance(value, str):
        return "set", value
    text = value.strip()
    if text in ("now", "now()"):
        return "now", None
    if re.fullmatch(r":[A-Za-z_]\w*", text):
        return "param", text[1:]
    step = STEP.match(text)
    if step and (stat is None or numeric(stat)):
        sign, amount = step.groups()
        if NUMBER.match(amount):
            number = float(amount) if "." in amount else int(amount)
            return "add", -number if sign == "-" else number
        return ("less" if sign == "-" else "add"), amount.removeprefix(":")
    return "set", literal(text, stat)


def numeric(stat: Stat) -> bool:
    return stat.type in ("int32", "int64", "float", "double", "decimal")


def literal(text: str, stat: Stat | None) -> Any:
    """A typed value out of its text."""
    if stat is not None and numeric(stat) and NUMBER.match(text):
        return float(text) if "." in text else int(text)
    if stat is not None and stat.type == "bool":
        return text.lower() in ("true", "yes", "on")
    return None if text == "null" else text
