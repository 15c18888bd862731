"""One write statement of one collection, and how statements that reach the same document become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.model.candidate import Structure
from app.model.conditions import Conditions, Ref
from app.plan import lay
from app.plan.types import Held, Record, World
from app.stores.common_query import equal_to, field_of
from app.stores.common_write import Asked, value_of
from app.stores.mongodb.filters import Fields, put, terms_query
from app.stores.mongodb.js import Raw, call, js, now, operand

UPSERT = {"upsert": True}


@dataclass(frozen=True, slots=True)
class Statement:
    """`later`: seconds it may wait (0: now). `loop`: once per element of this list. `collection`: as code."""

    collection: str
    verb: str
    where: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    later: float = 0
    loop: str = ""

    def text(self, session: str = "") -> str:
        arguments = [js(self.where)] if self.verb != "insertOne" else []
        arguments += [js(x) for x in (self.body, self.options) if x]
        source = self.collection.replace("db.", f"{session}.", 1) if session else self.collection
        return call(f"{source}.{self.verb}", arguments)

    def joins(self, other: Statement) -> bool:
        """Do both update one and the same document? One condition may say more than the other: a guard counts for
        both."""
        same = (self.collection, self.verb, self.later, self.loop) == (
            other.collection,
            other.verb,
            other.later,
            other.loop,
        )
        if not same or self.verb not in ("updateOne", "updateMany"):
            return False
        if self.where == other.where:
            return True
        less, more = sorted((self.where, other.where), key=len)
        return "_id" in less and js(less["_id"]) == js(more.get("_id")) and _within(less, more)

    def with_(self, other: Statement) -> Statement:
        body = dict(self.body)
        for operator, values in other.body.items():
            body[operator] = {**body.get(operator, {}), **values}
        where = max(self.where, other.where, key=len)
        options = {**self.options, **other.options}
        return replace(self, where=where, body=body, options=options, note=self.note or other.note)


def _within(less: Mapping[str, Any], more: Mapping[str, Any]) -> bool:
    return all(k in more and js(more[k]) == js(v) for k, v in less.items())


def merge(found: Iterable[Statement]) -> list[Statement]:
    """Updates of the same document become one update, in the order in which they were met."""
    out: list[Statement] = []
    for one in found:
        at = next((i for i, old in enumerate(out) if not one.note.startswith("if ") and old.joins(one)), None)
        if at is None:
            out.append(one)
        else:
            out[at] = out[at].with_(one)
    return out


# ---------------------------------------------------------------- what a change says


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of document a write may reach."""

    structure: Structure
    record: Record
    fields: Fields
    world: World
    collection: str
    learned: str = ""
    """The path in which its keys are read first; empty where the operation names them."""


def said(kind: str, value: Any, change: Asked) -> Any:
    """A value that is set, as code or literal."""
    if kind == "now":
        return now()
    if kind == "param":
        return Raw(f"p.{value}")
    if kind == "attr":
        return Raw(f"{holder(change)}.{field_of(value)}")
    return value


def holder(change: Asked) -> str:
    """Where the values of this change's record come from: the operation, one element of a list, a further record."""
    if change.part or change.loop:
        return "item"
    return f"p.{change.entity}" if change.further and change.kind == "insert" else "p"


def known(attr: str, change: Asked, to: Target) -> Any:
    """The value of an attribute: what the operation says, or a parameter of its name."""
    world = to.world
    for a, o in equal_to(change.where, world, change.entity).items():
        if a == attr:
            return reference(operand(o), o, change)
    for path, value in change.set.items():
        if lay.column(change.entity, path, world) == attr:
            kind, what = value_of(value, world.stats.get(attr))
            if kind in ("set", "param", "now"):
                return said(kind, what, change)
    return Raw(f"{holder(change)}.{field_of(attr)}")


def reference(value: Any, source: object, change: Asked) -> Any:
    """Another attribute in a condition: of the list element at hand, or a parameter."""
    return Raw(f"{holder(change)}.{field_of(source.path)}") if isinstance(source, Ref) else value


def condition(where: Conditions | None, change: Asked, to: Target) -> dict[str, Any]:
    """The document a change means, and what must be true of it."""
    found = terms_query(where.terms if where else (), to.fields, change.entity, to.world)
    if change.loop and where is None and change.entity == to.record.of:
        for attr in to.world.keys.get(change.entity, ()):
            put(found, to.fields(attr), Raw(f"item.{field_of(attr)}"))
    if change.only_if is not None:
        guard = terms_query(change.only_if.terms, to.fields, change.entity, to.world)
        for path, value in guard.items():
            put(found, path, value)
    return {k: _in_hand(v, change) for k, v in folded(found, to).items()}


def folded(found: dict[str, Any], to: Target) -> dict[str, Any]:
    """All parts of a compound `_id` are one document."""
    return to.fields.fold(found)


def _in_hand(value: Any, change: Asked) -> Any:
    """`"$reservation_line.qty"` in a condition is a field of the element at hand."""
    if isinstance(value, Raw) and value.startswith('"$'):
        return Raw(f"{holder(change)}.{field_of(value[2:-1])}")
    if isinstance(value, dict):
        return {k: _in_hand(v, change) for k, v in value.items()}
    return value


def update(change: Asked, to: Target, prefix: str = "", held: Held | None = None) -> dict[str, Any]:
    """`$set`, `$inc`, `$push` of what the change sets and this document (or what it holds inside) has."""
    body: dict[str, dict[str, Any]] = {}
    for path, value in change.set.items():
        attr = lay.column(change.entity, path, to.world)
        if held is not None and held.attrs is not None and attr not in held.attrs:
            continue
        stored = to.fields(attr)
        if held is not None:
            stored = f"{prefix}{stored.rpartition('.')[2]}"
        if stored == "_id" or stored.startswith("_id."):
            continue
        kind, what = value_of(value, to.world.stats.get(attr))
        operator = {"add": "$inc", "push": "$push", "less": "$inc"}.get(kind, "$set")
        less = kind == "less"
        if kind == "push":
            kind, what = what
        elif kind in ("add", "less") and isinstance(what, str):
            kind = "attr"
        inner = said(kind, what, change)
        body.setdefault(operator, {})[stored] = Raw(f"-{js(inner)}") if less else inner
    return dict(body)


def nest(made: dict[str, Any], path: str, value: Any) -> None:
    """`author.name` as an object inside an object."""
    head, _, rest = path.partition(".")
    if not rest:
        made[head] = value
        return
    inner = made.setdefault(head, {})
    if isinstance(inner, dict):
        nest(inner, rest, value)


def loop(change: Asked) -> str:
    """The list a statement is repeated over."""
    return f"p.{change.loop or change.entity}_list" if change.loop or change.part else ""
