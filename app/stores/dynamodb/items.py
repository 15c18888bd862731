"""Values of an item: what an operation sets, and the index keys that have to follow it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.model.conditions import Literal
from app.model.keys import KeyPart
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Cond, World
from app.stores.common_query import entity_of, field_of
from app.stores.common_steps import Context
from app.stores.common_write import asked, value_of
from app.stores.dynamodb.keys import KeyAttribute, index_key, index_way, local_key, local_way, lone
from app.stores.dynamodb.spots import Body, Spot, columns
from app.stores.dynamodb.values import Bound, filtered, typed, value_text


def values_of(pattern: Pattern, of: str, world: World) -> Mapping[str, Any]:
    """Own column → what the operation sets it to, as typed."""
    return {lay.column(of, path, world): value for part in asked(pattern) for path, value in part.set.items()}


def text_of(attr: str, given: Mapping[str, Any], of: str, world: World) -> tuple[str, str]:
    """(`set` or `add`, text) of the value an attribute gets; what the operation does not say is brought along."""
    own = "{" + (field_of(attr) if entity_of(attr) == of else attr.removeprefix("=")) + "}"
    if attr not in given:
        return "set", own
    kind, value = value_of(given[attr], world.stats.get(attr))
    if kind == "now":
        return "set", "{now}"
    if kind == "param":
        return "set", "{" + str(value) + "}"
    if kind in ("add", "less"):
        text = "{" + value + "}" if isinstance(value, str) else f"{abs(value):.15g}"
        return "add", f"-{text}" if kind == "less" or (not isinstance(value, str) and value < 0) else text
    if kind == "set" and value is not None and not isinstance(value, dict):
        return "set", value_text(Literal(value))
    return "set", own


def index_keys(
    spot: Spot, given: Mapping[str, Any], here: Context, touched: frozenset[str] | None = None
) -> Iterable[tuple[str, Body]]:
    """Key attributes of indexes that exist beside the fields: `GSI1_pk`. `touched`: only those that these make."""
    world, of = here.world, spot.record.of
    for where, attribute, parts in packed_keys(spot, world):
        attrs = {lay.column(of, p.attr, world) for p in parts if p.attr}
        entered = touched is not None and bool(touched & {c.attr for c in where})
        if (touched is None or attrs & touched or entered) and not left(where, given, world):
            yield attribute.name, typed("".join(part_text(p, given, of, world) for p in parts), attribute.type)


def packed_keys(spot: Spot, world: World) -> Iterable[tuple[tuple[Cond, ...], KeyAttribute, tuple[KeyPart, ...]]]:
    """(what the index asks, key attribute, its parts) for every index key that is no field by itself."""
    thing, structure = spot.thing, spot.structure
    ways = [(i, index_way(i, thing, structure), index_key(i, structure, world)) for i in structure.gsi]
    ways += [(i, local_way(i, thing, structure), local_key(i, structure, world)[1:]) for i in structure.lsi]
    for index, way, keys in ways:
        if way is None:
            continue
        where = lay.conds(index.where, spot.record.of, world)
        for attribute, parts in columns(replace(spot, keys=keys, way=way)):
            if lone(parts) is None:
                yield where, attribute, parts


def left(where: Iterable[Cond], given: Mapping[str, Any], world: World) -> bool:
    """Does the operation set a value with which the item is not in the index?"""
    for asked_ in where:
        kind, value = value_of(given[asked_.attr], world.stats.get(asked_.attr)) if asked_.attr in given else ("", None)
        operands = asked_.source.operands if asked_.source is not None else ()
        if kind == "set" and asked_.op in ("=", "in") and all(isinstance(o, Literal) for o in operands):
            return value not in [o.value for o in operands if isinstance(o, Literal)]
    return False


def part_text(part: KeyPart, given: Mapping[str, Any], of: str, world: World, bound: Bound | None = None) -> str:
    """One part of a key with the value the operation sets, or the one it names the item by."""
    if part.is_literal:
        return part.literal
    if not part.attr:
        return "{shard}"
    attr = lay.column(of, part.attr, world)
    if attr not in given and bound is not None:
        return bound.point(part, attr) or "{}"
    return filtered(text_of(attr, given, of, world)[1], part)
