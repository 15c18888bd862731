"""Stored names of a collection's fields, and conditions as query documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.model.candidate import RecordShape, Structure
from app.model.conditions import AnyOf, Comparison, Operand, Param, Term
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Cond, Record, World
from app.stores.common_query import Names, field_of, names_of
from app.stores.mongodb.js import Raw, js, operand
from app.stores.mongodb.records import id_parts

COMPARE = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", "!=": "$ne"}


LOW = {"$gt": "MaxKey()", "$gte": "MinKey()"}
HIGH = {"$lt": "MinKey()", "$lte": "MaxKey()"}
"""What stands behind the bounded part of a key, so that the whole document is bounded as that part is."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of a collection's fields and the make of its `_id`: one value, a document, a text or the driver's own."""

    names: Names
    id_parts: tuple[KeyPart, ...] = ()
    arrays: frozenset[str] = frozenset()
    """Attributes with several values in one document."""

    def __call__(self, attr: str) -> str:
        return self.names(attr)

    @property
    def text_id(self) -> bool:
        """`_id` is a text made from a template."""
        return any(p.literal for p in self.id_parts)

    @property
    def whole_id(self) -> bool:
        """`_id` is a document of several values."""
        return len(self.id_parts) > 1 and not self.text_id

    def fold(self, found: dict[str, Any], *, ranges: bool = False) -> dict[str, Any]:
        """Conditions on all parts of a compound `_id` as one document; with `ranges`, those on its first parts as all
        documents between two.

        The index on `_id` compares whole documents: conditions on `_id.part` would not use it.
        """
        if not self.whole_id:
            return found
        parts = [p.name or field_of(p.attr) for p in self.id_parts]
        bound: dict[str, Any] = {}
        for part in parts:
            value = found.get(f"_id.{part}")
            if value is None or isinstance(value, dict):
                break
            bound[part] = value
        rest = {k: v for k, v in found.items() if k.removeprefix("_id.") not in bound}
        if len(bound) == len(parts):
            return {"_id": bound, **rest}
        if not bound or not ranges:
            return found
        open_ = parts[len(bound) :]
        span = found.get(f"_id.{open_[0]}")
        if isinstance(span, dict) and span and set(span) <= {*LOW, *HIGH}:
            return {"_id": _between(bound, open_, span), **{k: v for k, v in rest.items() if k != f"_id.{open_[0]}"}}
        return {"_id": _between(bound, open_, {}), **rest}


def _between(bound: Mapping[str, Any], open_: Sequence[str], span: Mapping[str, Any]) -> dict[str, Any]:
    """All documents that begin with `bound` and have the first part of `open_` in `span`, as one interval.

    A document that is shorter than the key sorts first, so the parts behind it are filled with the least or greatest.
    """
    first, *behind = open_

    def end(value: Any, fill: str) -> dict[str, Any]:
        return {**bound, first: value, **{p: Raw(fill) for p in behind}}

    low = next((op for op in LOW if op in span), "")
    high = next((op for op in HIGH if op in span), "")
    return {
        low or "$gte": end(span[low], LOW[low]) if low else end(Raw("MinKey()"), "MinKey()"),
        high or "$lte": end(span[high], HIGH[high]) if high else end(Raw("MaxKey()"), "MaxKey()"),
    }


def fields_of(structure: Structure, thing: Structure | RecordShape, record: Record, world: World) -> Fields:
    names = names_of(thing, record, world)
    parts = id_parts(structure, record.of, world)
    paths = dict(names.paths)
    plain = not any(p.literal for p in parts)
    for part in parts:
        own = lay.column(record.of, part.attr, world) if part.attr else ""
        if not plain or not own or not part.kept.exact:
            continue
        stored = "_id" if len(parts) == 1 else f"_id.{part.name or field_of(own)}"
        old = paths.get(own)
        paths[own] = stored
        # Children inside the document are found by its key: their foreign key is the same value.
        for attr, at in names.paths.items():
            if at == old and attr != own and old is not None:
                paths[attr] = stored
    arrays = frozenset(a for a in paths if (stat := world.stats.get(a)) is not None and stat.type.endswith("[]"))
    return Fields(replace(names, paths=paths), parts, arrays)


# ---------------------------------------------------------------- conditions


def query(conds: Iterable[Cond], fields: Fields, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Conditions as one query document. `values` gives what a link to a record read before is held against."""
    found: dict[str, Any] = {}
    for cond in conds:
        path = fields(cond.attr)
        if cond.source is not None:
            put(found, path, expression(cond.source, many=cond.attr in fields.arrays))
        else:
            given = (values or {}).get(cond.attr, Raw(f"p.{path.replace('.', '_')}"))
            put(found, path, {"$in": given} if cond.op == "in" else given)
    return found


def terms_query(terms: Iterable[Term], fields: Fields, of: str, world: World) -> dict[str, Any]:
    """A typed condition as one query document; terms no document can say are left out."""
    found: dict[str, Any] = {}
    for term in terms:
        if isinstance(term, Comparison):
            attr = lay.column(of, term.path, world)
            put(found, fields(attr), expression(term, many=attr in fields.arrays))
        elif isinstance(term, AnyOf):
            branches = [terms_query(b, fields, of, world) for b in term.branches]
            found["$or"] = branches
    return found


def put(found: dict[str, Any], path: str, value: Any) -> None:
    """Add one condition on a field; two on the same field stand side by side, or under `$and`."""
    if path not in found:
        found[path] = value
        return
    old = found[path]
    if isinstance(old, dict) and isinstance(value, dict) and not set(old) & set(value):
        found[path] = {**old, **value}
    elif old != value:
        found.setdefault("$and", []).append({path: value})


def expression(term: Comparison, *, many: bool = False) -> Any:
    """What a field is held against, as MongoDB writes it. `many`: one element of an array must meet it."""
    values = [operand(o) for o in term.operands]
    first = values[0] if values else None
    match term.op:
        case "=" | "contains":
            return first
        case "<" | "<=" | ">" | ">=" | "!=":
            return {COMPARE[term.op]: first}
        case "between" if len(values) > 1:
            span = {"$gte": values[0], "$lte": values[1]}
            return {"$elemMatch": span} if many else span
        case "in" | "not in":
            listed: Any = values
            if len(term.operands) == 1 and isinstance(term.operands[0], Param):
                listed = first
            return {"$in" if term.op == "in" else "$nin": listed}
        case "null":
            return None
        case "not null":
            return {"$ne": None}
        case "prefix":
            return starting_with(term.operands)
        case "match":
            return {"$regex": Raw(f"new RegExp({js(first)}, 'i')")}
        case "near":
            return near(values)
        case _:
            return first


def starting_with(values: tuple[Operand, ...]) -> dict[str, Any]:
    """A prefix as the range it is: no pattern to escape, and an index can bound it."""
    first = js(operand(values[0])) if values else '""'
    return {"$gte": Raw(first), "$lt": Raw(f'{first} + "\\uffff"')}


def near(values: list[Any]) -> Any:
    centre: Any = values[0] if values else Raw("p.point")
    sphere: dict[str, Any] = {"$geometry": {"type": "Point", "coordinates": centre}}
    if len(values) > 1:
        sphere["$maxDistance"] = Raw(f"{js(values[1])} * 1000")
    return {"$near": sphere}
