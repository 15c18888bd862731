"""What MongoDB refuses, or will quietly do otherwise, in one collection as it is written down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.model.candidate import Candidate, Index, Structure
from app.model.conditions import AnyOf, Comparison
from app.plan.types import Record, World
from app.stores.common_problems import unknown
from app.stores.mongodb.facts import FACTS
from app.stores.mongodb.records import expiry, index_name, on_id, records, series_of
from app.stores.store import Fault

GATES = frozenset({"=", "contains", "null", "not null", "<", "<=", ">", ">=", "between", "prefix", "in"})
"""Operators a partial index may use in its own condition (`in` and `or` since 6.0)."""

NEVER_TWICE = frozenset({"uuid", "timeuuid", "objectid"})
"""Types of keys that clients make so that no two are alike."""


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:
    """Faults, in the order of the structure's own parts."""
    found = list(unknown(structure, world))
    kinds = records(structure, model, world)
    if not kinds:
        return tuple(found)
    found += _indexes(structure, kinds[0], world)
    found += _sharding(structure, kinds, world)
    found += _expiry(structure, world, kinds[0].of)
    found += _series(structure)
    if structure.bucket is not None and expiry(structure) is not None:
        said = (
            f"{structure.name}: a document with a list of dates expires by the earliest one, so a"
            " bucket goes when its oldest record is due."
        )
        found.append(Fault("bucket-life", said, "surprise"))
    if structure.bucket is not None and not structure.id_:
        said = (
            f"{structure.name} holds buckets but no _id made of what they are grouped by: a retry"
            " may open a second bucket for the same group."
        )
        found.append(Fault("bucket-without-id", said, "surprise"))
    if len(structure.name.encode()) > FACTS["max_namespace_bytes"].value:
        found.append(Fault("long-name", f"The name of {structure.name[:40]}… is longer than MongoDB allows."))
    return tuple(dict.fromkeys(found))


def _indexes(structure: Structure, record: Record, world: World) -> Iterable[Fault]:
    count = 1 + len(structure.indexes)
    most = int(FACTS["max_indexes"].value)
    if count > most:
        yield Fault("too-many-indexes", f"{structure.name} has {count} indexes; MongoDB allows {most}.")
    yield from _twice(structure)
    texts = [i for i in structure.indexes if i.type == "text"]
    if len(texts) > 1:
        yield Fault(
            "too-many-indexes", f"{structure.name} has {len(texts)} text indexes; MongoDB allows one per collection."
        )
    for index in structure.indexes:
        if on_id(index, structure, record.of, world):
            yield Fault(
                "index-on-id",
                f"{structure.name}: _id has an index already, and MongoDB takes no other on _id alone,"
                " with a condition or not. Put another field first.",
            )
        else:
            yield from _index(structure, index, record, world)


def _twice(structure: Structure) -> Iterable[Fault]:
    """Two indexes of one make under two names, or of two makes under one."""
    made = [(index_name(i, structure), i.model_copy(update={"name": "", "note": ""})) for i in structure.indexes]
    for at, (name, index) in enumerate(made):
        for other, before in made[:at]:
            if (name == other) != (index == before):
                why = "has the same fields and options as" if index == before else "has the name of another index than"
                yield Fault("same-index", f"{structure.name}: index {name} {why} {other}: MongoDB refuses the second.")


def _index(structure: Structure, index: Index, record: Record, world: World) -> Iterable[Fault]:
    name = f"{structure.name}.{index_name(index, structure)}"
    path = next((p for p in record.paths if p.name == name), None)
    if not index.keys and index.type != "wildcard":
        yield Fault("empty-index", f"Index {name} has no fields.")
        return
    most = int(FACTS["max_index_fields"].value)
    if len(index.keys) > most:
        yield Fault("too-many-fields", f"Index {name} has {len(index.keys)} fields; MongoDB allows {most}.")
    arrays = [p.attr for p in path.order if p.many] if path else []
    lists = {_list_of(a, record) for a in arrays}
    if len(lists) > 1 and index.type != "text":
        yield Fault(
            "parallel-arrays",
            f"Index {name} has several arrays ({', '.join(arrays)}): MongoDB indexes at most one"
            " array per document and refuses the insert (cannot index parallel arrays).",
        )
    yield from _hashed(name, index, arrays)
    if index.sparse and index.where is not None:
        yield Fault(
            "sparse-and-partial", f"Index {name} is sparse and has a condition: MongoDB accepts one of the two."
        )
    if index.sparse and len(index.keys) > 1:
        always = [
            p.attr for p in index.keys if (stat := world.stats.get(world.own(record.of, p.attr))) and stat.present >= 1
        ]
        refusing = [*_sparse_unique(name, index, record, world)]
        yield from refusing
        if always and not refusing:
            yield Fault(
                "sparse-holds-all",
                f"Index {name} is sparse but holds every document: a compound sparse index leaves"
                f" out only those without any of its fields, and {always[0]} is always there. Use"
                " a condition (is not null) instead.",
                "surprise",
            )
    for term in index.where.terms if index.where is not None else ():
        if isinstance(term, AnyOf) and all(
            isinstance(t, Comparison) and t.op in GATES for b in term.branches for t in b
        ):
            said = f"Index {name} is limited by an `or`: no read is planned with it, as none repeats the whole `or`."
            yield Fault("partial-condition", said, "surprise")
        elif not isinstance(term, Comparison) or term.op not in GATES:
            said = f"{term.path} {term.op}" if isinstance(term, Comparison) else "this condition"
            yield Fault("partial-condition", f"Index {name}: a partial index cannot be limited by {said}.")


def _sparse_unique(name: str, index: Index, record: Record, world: World) -> Iterable[Fault]:
    """A compound sparse index holds a document that has any of its fields; those it lacks count as null."""
    attrs = [world.own(record.of, p.attr) for p in index.keys]
    rare = [a for a in attrs if (stat := world.stats.get(a)) is not None and stat.present < 1]
    alone = set(world.keys.get(record.of, ())) <= set(attrs)  # no two are alike in the others
    if index.unique and rare and not alone:
        ways = " and ".join(f"{a} is not null" for a in rare)
        yield Fault(
            "sparse-unique",
            f"Index {name} is unique and sparse over several fields: it holds every document that has any of them, so"
            f" of two documents alike in the others and without {rare[0]} the second is refused. Use a partial index:"
            f" where: {ways}.",
            "surprise",
        )


def _list_of(attr: str, record: Record) -> str:
    """Fields of one embedded list are one array; an array field is its own."""
    entity = attr.partition(".")[0]
    return attr if entity == record.of else entity


def _hashed(name: str, index: Index, arrays: list[str]) -> Iterable[Fault]:
    hashed = [p for p in index.keys if p.hashed or index.type == "hashed"]
    if not hashed:
        return
    if index.unique:
        yield Fault("hashed-unique", f"Index {name} is hashed: it cannot be unique.")
    if len(hashed) > 1:
        yield Fault("several-hashed", f"Index {name} has {len(hashed)} hashed fields; MongoDB allows one.")
    if arrays:
        yield Fault("hashed-array", f"Index {name} is hashed: it cannot hold the array {arrays[0]}.")


def _sharding(structure: Structure, kinds: Sequence[Record], world: World) -> Iterable[Fault]:
    record = kinds[0]
    key = [world.own(record.of, p.attr) for p in structure.shard_key or () if p.attr]
    if not key:
        return
    for attr in key:
        stat = world.stats.get(attr)
        if stat is not None and stat.type.endswith("[]"):
            yield Fault("array-in-shard-key", f"{structure.name}: the array {attr} cannot be part of a shard key.")
    for path in record.paths:
        if path.unique and not path.primary and [p.attr for p in path.order[: len(key)]] != key:
            yield Fault(
                "unique-across-shards",
                f"Index {path.name} is unique: in a sharded collection it must start with the"
                f" whole shard key ({', '.join(key)}), or MongoDB refuses it.",
            )
    own = [p.attr for p in record.primary.order]
    if own and own[: len(key)] != key and not _random(kinds, world):
        yield Fault(
            "id-per-shard",
            f"{structure.name}: _id is unique within a shard only, because the shard key"
            f" ({', '.join(key)}) does not begin it; make ids that cannot repeat.",
            "surprise",
        )


def _random(kinds: Sequence[Record], world: World) -> bool:
    """Are the keys of all kinds made so that they never repeat, on whatever shard?"""
    types = [world.stats[a].type for r in kinds for a in world.keys.get(r.of, ()) if a in world.stats]
    return bool(types) and all(t in NEVER_TWICE for t in types)


def _expiry(structure: Structure, world: World, of: str) -> Iterable[Fault]:
    said = structure.ttl.strip()
    if not said or said == "none":
        return
    if "sliding" in said.split():
        yield Fault(
            "sliding-life",
            f"{structure.name}: MongoDB expires by a date field; a sliding life must be written.",
            "surprise",
        )
    expires = expiry(structure)
    if expires is None:
        yield Fault(
            "expiry-field",
            f"{structure.name}: MongoDB expires by a date field; say which: `{said} after {of}.created_at`.",
        )
        return
    attr = world.own(of, expires[0])
    stat = world.stats.get(attr)
    if stat is None:
        yield Fault("expiry-field", f"{structure.name}: {expires[0]}, by which it expires, is not a field of {of}.")
    elif stat.type.removesuffix("[]") not in ("date", "datetime"):
        yield Fault("expiry-field", f"{structure.name}: {attr} is no date, so nothing would ever expire.")


def _series(structure: Structure) -> Iterable[Fault]:
    series = series_of(structure)
    if series is None:
        return
    if not series[0]:
        yield Fault("series-field", f"{structure.name}: a time-series collection needs a timeField.")
    for index in structure.indexes:
        if index.unique or index.type == "text":
            kind = "unique" if index.unique else "text"
            yield Fault("series-index", f"{structure.name}: a time-series collection takes no {kind} index.")
    if structure.embed or structure.bucket is not None:
        yield Fault("series-shape", f"{structure.name}: a time-series collection buckets measurements itself.")
