"""What `where` and `set` of a write say: what is known, which old values are stated, how each attribute is set."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.model.spread import Spread
from app.model.terms import Comparison, Conditions, Literal, Ref
from app.plan.judge import cond, literal
from app.plan.matched import found_by
from app.plan.types import World
from app.plan.ways import fold, place

Ask = Callable[[str], None]
"""Takes a question about what was not understood."""
_STEP = re.compile(r"^[+-]\s*(\d+(\.\d+)?|:?[A-Za-z_][\w.]*)$")
PUSHES = ("push", "add", "append")
PULLS = ("pull", "remove")


@dataclass(frozen=True, slots=True)
class Sets:
    """What is set, by attribute of one entity."""

    how: dict[str, str]
    literals: dict[str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """What `where` says: attributes bound to one value, old values it states, whether it asks for more than the key."""

    known: frozenset[str]
    before: dict[str, str]
    guarded: bool
    count: Spread


def said(world: World, entity: str, where: Conditions | None, ask: Ask) -> Said:
    """What the conditions on one entity say of the records to change."""
    known: set[str] = set()
    before: dict[str, str] = {}
    conds = []
    other = False
    for term in where.terms if where else ():
        spot = fold(place(world, entity, term.path)) if isinstance(term, Comparison) else None
        if spot is None or not isinstance(term, Comparison) or spot.why:
            if spot is not None:
                ask(spot.why)
            other = True
            continue
        if any(isinstance(o, Ref) for o in term.operands):
            other = True
            continue
        if not spot.edges:
            conds.append(cond(term, spot.attr, world))
        if term.op == "=" and term.operands:
            known.add(spot.attr)
            value = term.operands[0]
            if isinstance(value, Literal):
                before[spot.attr] = literal(value.value)
        elif term.op == "null":
            before[spot.attr] = "null"
    count = found_by(entity, conds, (), world)
    keys = frozenset(world.keys.get(entity, ()))
    keyed = any(u <= known for u in world.unique_together.get(entity, ())) if keys else False
    guarded = keyed and (other or any(c.attr not in keys for c in conds))
    return Said(frozenset(known), before, guarded, count)


def sets_of(world: World, entity: str, values: Mapping[str, Any], ask: Ask) -> dict[str, Sets]:
    """What is set, by the entity it belongs to."""
    found: dict[str, Sets] = {}
    for path, value in values.items():
        head = path.partition(".")[0]
        spot = fold(place(world, entity, path))
        if spot.why:
            ask(spot.why)
        owner = spot.entity if not spot.edges else head
        sets = found.setdefault(entity if not spot.edges else owner, Sets({}, {}))
        attr = spot.attr or path
        how, text = _value(value)
        sets.how[attr] = how
        if text is not None:
            sets.literals[attr] = text
    return found


def _value(value: Any) -> tuple[str, str | None]:
    """How a value is set, and its text where it is a literal."""
    if isinstance(value, Mapping):
        word = next(iter(value), "")
        return ("push" if word in PUSHES else "pull" if word in PULLS else "param"), None
    text = str(value).strip()
    if text == "now":
        return "now", None
    if text.startswith(":"):
        return "param", None
    if _STEP.match(text):
        return "add", None
    return "value", text
