"""The requests of a write for each item it is about, filled from what the operation makes and replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from app.proof.build import Node, Stored
from app.proof.engines.dynamodb_items import Item, Kind, known, number
from app.proof.engines.dynamodb_names import ABSENT, HOLE, MISSING, Names, filled
from app.proof.engines.dynamodb_text import Request
from app.proof.engines.engine import Refusal
from app.stores.common_query import field_of

EXPIRY = "{when it expires, in seconds since 1970}"
CHANGE = "{change}"
WHOLE = ("one map for each ", "the list with the change made")
NEW = "the new "


@dataclass(frozen=True, slots=True)
class Pair:
    """One item before and after."""

    kind: Kind
    old: Stored | None
    new: Stored | None

    @property
    def stored(self) -> Stored:
        found = self.new or self.old
        if found is None:
            raise RuntimeError("neither before nor after")
        return found

    @property
    def changed(self) -> bool:
        return self.item(self.old) != self.item(self.new)

    def item(self, stored: Stored | None) -> Item:
        return self.kind.item(stored) if stored is not None else {}


@dataclass(frozen=True, slots=True)
class Action:
    """One Put, Update or Delete."""

    verb: str
    body: dict[str, Any]
    lists: tuple[str, ...] = ()


def actions(one: Request) -> list[Action]:
    """Those of a request: of a transaction each by itself."""
    if one.operation != "TransactWriteItems":
        return [Action(one.operation.removesuffix("Item"), one.body, one.lists)]
    found = []
    for item in one.body["TransactItems"]:
        (verb, body), *_ = item.items()
        values = str(body.get("ExpressionAttributeNames", {}))
        found.append(Action(verb, body, tuple(n for n in one.lists if n in values)))
    return found


class Writes:
    """Fills the actions of one run."""

    def __init__(self, names: Names) -> None:
        self.names, self.kinds = names, names.kinds
        self.pairs = list(self._pairs())

    def _pairs(self) -> Iterator[Pair]:
        old, new = ({self._at(s): s for s in some} for some in (self.names.question.before, self.names.question.put))
        for at in dict.fromkeys((*old, *new)):
            stored = new.get(at) or old[at]
            yield Pair(self.kinds[stored.kind.name], old.get(at), new.get(at))

    def _at(self, stored: Stored) -> tuple[str, str]:
        return stored.kind.name, str(self.kinds[stored.kind.name].key(stored))

    def of(self, one: Action) -> list[dict[str, Any]]:
        """The request once for each item it is about."""
        found: dict[str, tuple[bool, dict[str, Any]]] = {}
        for pair in self._about(one):
            body = self._filled(one, pair)
            key = body.get("Key") or {n: body["Item"].get(n) for n in pair.kind.key(pair.stored)}
            found.setdefault(str(body), (key == pair.kind.key(pair.stored), body))
        own = [body for mine, body in found.values() if mine]
        return own or [body for _, body in found.values()]

    def _about(self, one: Action) -> list[Pair]:
        mine = [p for p in self.pairs if p.kind.table == one.body["TableName"] and self._fits(one, p)]
        if one.verb == "Delete":
            return [p for p in mine if p.new is None]
        there = [p for p in mine if p.new is not None]
        return [p for p in there if p.changed] or there

    def _fits(self, one: Action, pair: Pair) -> bool:
        """Has the item's key the form that the request's key has?"""
        given = one.body.get("Key") or one.body.get("Item") or {}
        for name, value in pair.kind.key(pair.stored).items():
            template = str(next(iter(given.get(name, {"S": ""}).values())))
            words = HOLE.split(template)[::2]
            if not re.fullmatch(".*".join(map(re.escape, words)), str(next(iter(value.values()))), re.DOTALL):
                return False
        return True

    def _filled(self, one: Action, pair: Pair) -> dict[str, Any]:
        body = dict(one.body)
        if "Item" in body:
            body["Item"] = {n: self._special(n, v, pair) for n, v in body["Item"].items()}
        if values := body.get("ExpressionAttributeValues"):
            names = {n.replace("#", ":"): s for n, s in body.get("ExpressionAttributeNames", {}).items()}
            body["ExpressionAttributeValues"] = {w: self._special(names.get(w, ""), v, pair) for w, v in values.items()}
        made = dict(filled(body, lambda name: self._value(name, pair), said=str(one.body)))
        lost = [w for w in body.get("ExpressionAttributeValues", {}) if w not in made["ExpressionAttributeValues"]]
        for word in lost:  # SET to nothing: the application writes that there is no value
            made["ExpressionAttributeValues"][word] = {"NULL": True}
        return made

    def _special(self, name: str, value: Any, pair: Pair) -> Any:
        """What the text describes in words instead of naming it."""
        (kind, inner), *_ = value.items()
        words = inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], str) else inner
        if not isinstance(words, str):
            return value
        if words == EXPIRY:
            return {"N": str(pair.kind.expires(known(pair.stored)))}
        if words == CHANGE:
            return {"N": number(_number(pair.item(pair.new).get(name)) - _number(pair.item(pair.old).get(name)))}
        if kind == "L" and words.startswith(WHOLE):
            return pair.item(pair.new).get(name, {"L": []})
        if kind == "L" and words.startswith(NEW):
            before = list(pair.item(pair.old).get(name, {"L": []})["L"])
            return {"L": [e for e in pair.item(pair.new).get(name, {"L": []})["L"] if e not in before]}
        return value

    # ------------------------------------------------------------ names

    def _value(self, name: str, pair: Pair) -> Any:
        value = self.names.given(name)
        if value is not MISSING:
            return value
        if name == "shard":
            return self._shard(pair)
        stored = pair.stored
        plain = name.removesuffix(" of the item found")
        if plain.startswith("old ") and pair.old is not None:
            plain, stored = plain.removeprefix("old "), pair.old
        for values in (*_nodes(stored.root), known(stored)):
            if plain in values:
                return _or_absent(values[plain])
        for attr, value in known(stored).items():
            if field_of(attr) == plain and attr.removeprefix("=").startswith(f"{stored.kind.of}."):
                return _or_absent(value)
        for rows in self.names.question.made.values():
            for row in rows:
                if (met := next((a for a in row if plain in (field_of(a), a)), None)) is not None:
                    return _or_absent(row[met])
        if plain in self._fields(stored):
            return ABSENT
        return MISSING

    def _fields(self, stored: Stored) -> set[str]:
        """Every name a record of this kind can have; what it has not is absent."""
        world = self.names.job.world
        found = {field_of(a) for a in world.fields.get(stored.kind.of, ())}
        for held in stored.kind.shape:
            attrs = world.fields.get(held.entity, ()) if held.attrs is None else held.attrs
            found |= {*attrs, *(field_of(f) for f in held.computed)}
        return found

    def _shard(self, pair: Pair) -> Any:
        parts = (p for _, parts in zip(pair.kind.spot.keys, pair.kind.spot.way.pk, strict=False) for p in parts)
        fan = next((p.kept.fan for p in parts if p.kept.chosen), 0)
        if not fan:
            raise Refusal("nothing says what {shard} is")
        return pair.stored.shard % fan


def _or_absent(value: Any) -> Any:
    return ABSENT if value is None else value


def _nodes(node: Node) -> Iterator[Mapping[str, Any]]:
    yield node.values
    for kids in node.kids.values():
        for kid in kids:
            yield from _nodes(kid)


def _number(value: Item | None) -> Any:
    text = (value or {}).get("N", "0")
    return int(text) if re.fullmatch(r"-?\d+", text) else Decimal(text)


__all__ = ["Action", "Writes", "actions"]
