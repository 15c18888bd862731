"""What is wrong with a table by itself, before any pattern is asked: keys that do not fit, limits of indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from app.model.candidate import Candidate, Index, Structure
from app.plan.types import World
from app.stores.common_problems import attribute_known, unknown
from app.stores.dynamodb.facts import FACTS
from app.stores.dynamodb.keys import Way, base_way, included, index_key, index_way, local_key, table_key, things
from app.stores.dynamodb.names import ALLOWED, expiries, stored_name
from app.stores.dynamodb.records import ttl_text
from app.stores.store import Fault


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:  # noqa: ARG001 - one signature for all stores
    """Faults, in the order of the table, its records, its indexes; each once."""
    found = [
        *unknown(structure, world),
        *_table(structure, world),
        *_counts(structure),
        *(p for index in structure.gsi for p in _gsi(index, structure, world)),
        *(p for index in structure.lsi for p in _lsi(index, structure)),
        *_expiry(structure, world),
    ]
    return tuple(dict.fromkeys(found))


def _table(structure: Structure, world: World) -> Iterable[Fault]:
    name = structure.name
    if not ALLOWED.match(name) and "{" not in name:
        yield Fault("table-name", f"{name}: a table name has 3 to 255 letters, digits, dots, dashes and underscores.")
    kinds = things(structure)
    if not kinds:
        yield Fault("no-entity", f"{name} says neither `of` nor `records`: what does it hold?")
    ways = [(t, base_way(t, structure)) for t in kinds]
    missing = [t.of for t, way in ways if way is None]
    if missing:
        yield Fault("missing-key", f"{name}: {_listed(missing)} has no partition key: give it a `pk`.")
    sorted_ = [t.of for t, way in ways if way is not None and way.sk]
    bare = [t.of for t, way in ways if way is not None and not way.sk]
    if sorted_ and bare:
        yield Fault(
            "mixed-sort-key",
            f"{name}: every item of a table has the same key attributes, but {_listed(bare)} has no `sk`"
            f" while {_listed(sorted_)} has one.",
        )
    yield from _repeated(structure)
    for key in table_key(structure, world):
        if len(key.name.encode()) > 255:
            yield Fault("long-name", f"{name}: the key attribute {key.name} has a name longer than 255 bytes.")


def _repeated(structure: Structure) -> Iterable[Fault]:
    """Two kinds of item under the very same key: the second write would replace the first."""
    texts = [(t.of, _text(way)) for t in things(structure) if (way := base_way(t, structure)) is not None]
    for text, count in Counter(text for _, text in texts).items():
        if count > 1:
            of = _listed([o for o, t in texts if t == text])
            said = f"{structure.name}: {of} have the same key, so that the later item replaces the earlier one."
            yield Fault("repeated-key", said)


def _text(way: Way) -> str:
    """A key as one text, for comparing."""
    sides = ("".join(p.literal or "{" + p.inside + "}" for p in column) for column in (*way.pk, *way.sk))
    return "\n".join(sides)


def _counts(structure: Structure) -> Iterable[Fault]:
    name, most = structure.name, FACTS["max_indexes"].value
    if len(structure.gsi) > most:
        yield Fault(
            "too-many-indexes",
            f"{name} has {len(structure.gsi)} GSIs; {most:.0f} are allowed unless the quota is raised.",
        )
    most = FACTS["max_local_indexes"].value
    if len(structure.lsi) > most:
        yield Fault("too-many-indexes", f"{name} has {len(structure.lsi)} LSIs; {most:.0f} are allowed.")
    names = Counter(i.name for i in (*structure.gsi, *structure.lsi))
    for index, count in names.items():
        if not index:
            yield Fault("unnamed-index", f"{name}: an index has no name.")
        elif count > 1:
            yield Fault("repeated-index", f"{name} has {count} indexes called {index}.")
        elif not ALLOWED.match(index):
            yield Fault(
                "index-name",
                f"{name}.{index}: an index name has 3 to 255 letters, digits, dots, dashes and underscores.",
            )
    listed = sum(len(included(i) or ()) for i in (*structure.gsi, *structure.lsi))
    most = FACTS["max_projected_attributes"].value
    if listed > most:
        yield Fault(
            "too-many-attributes",
            f"{name} lists {listed} projected attributes over all its indexes; {most:.0f} are allowed.",
        )
    if structure.indexes:
        yield Fault(
            "wrong-index-list", f"{name}: an index of this store is a `gsi` or an `lsi`; `indexes` is not read."
        )


def _gsi(index: Index, structure: Structure, world: World) -> Iterable[Fault]:
    name = f"{structure.name}.{index.name}"
    ways = [(t, index_way(index, t, structure)) for t in things(structure)]
    inside = [(t, way) for t, way in ways if way is not None]
    if not inside:
        keyed = index.pk is not None or index.keys or index.records
        why = "no kind of item of the table is in it" if keyed else "it has no `pk`"
        yield Fault("empty-index", f"{name}: {why}.")
    most = int(FACTS["max_key_attributes"].value)
    for thing, way in inside:
        base = base_way(thing, structure)
        if base is not None and (way.pk, way.sk) == (base.pk, base.sk):
            yield Fault(
                "repeats-table",
                f"{name} has the table's own key for {thing.of}: every entry repeats what the table answers already.",
                "surprise",
            )
        if max(len(way.pk), len(way.sk)) > most:
            yield Fault("too-many-attributes", f"{name} has more than {most} partition or sort attributes.")
        for part in (p for column in (*way.pk, *way.sk) for p in column):
            if part.attr and not attribute_known(part.attr, thing.of, world):
                yield Fault("unknown-name", f"{name} names {part.attr}, which {thing.of} does not have.")
            if part.array or _is_array(part.attr, thing.of, world):
                yield Fault(
                    "array-in-key",
                    f"{name}: {part.attr} is an array, and a key attribute is one text, number or binary.",
                )
    for of in index.of:
        if of not in {t.of for t in things(structure)}:
            yield Fault("foreign-kind", f"{name} is of {of}, which {structure.name} does not hold.")
    yield from _projection(index, structure, world, {k.name for k in index_key(index, structure, world)})


def _is_array(attr: str, of: str, world: World) -> bool:
    stat = world.stats.get(world.own(of, attr)) if attr else None
    return stat is not None and stat.type.endswith("[]")


def _projection(index: Index, structure: Structure, world: World, keys: set[str]) -> Iterable[Fault]:
    name = f"{structure.name}.{index.name}"
    taken = keys | {k.name for k in table_key(structure, world)}
    for path in included(index) or ():
        stored = {n for t in things(structure) for n in stored_name(path, t, world)}
        if not stored:
            yield Fault("unknown-name", f"{name} projects {path}, which no item of {structure.name} holds.")
        elif stored <= taken:
            yield Fault(
                "projected-key",
                f"{name} lists {path}, a key attribute: keys are always projected and may not be listed.",
            )


def _lsi(index: Index, structure: Structure) -> Iterable[Fault]:
    name = f"{structure.name}.{index.name}"
    ways = [base_way(t, structure) for t in things(structure)]
    if not any(way is not None and way.sk for way in ways):
        yield Fault("lsi-without-sort-key", f"{name}: only a table with a sort key can have an LSI.")
    if index.sk is None and not index.keys:
        yield Fault("lsi-key", f"{name}: an LSI needs a sort key of its own, `sk`.")
    if index.pk is not None and structure.pk is not None and index.pk.text != structure.pk.text:
        yield Fault("lsi-key", f"{name}: an LSI has the table's partition key; another one makes it a GSI.")


def _expiry(structure: Structure, world: World) -> Iterable[Fault]:
    found = expiries(structure)
    if len(found) > 1:
        yield Fault(
            "several-expiries",
            f"{structure.name}: a table has one expiry attribute, but {_listed(found)} are asked for; write all"
            f" times into {found[0]}.",
        )
    yield from _expiry_in_key(structure, world, found[0] if found else "")
    for thing in things(structure) if found else ():
        if f"{thing.of}.{found[0]}" in world.stats and not ttl_text(thing, structure):
            yield Fault(
                "expiry-by-chance",
                f"{structure.name}: {thing.of} also has {found[0]}, the table's expiry attribute: kept as a number"
                " of seconds, it would remove these items too.",
                "surprise",
            )


def _expiry_in_key(structure: Structure, world: World, expiry: str) -> Iterable[Fault]:
    """The expiry attribute holds seconds as a number; a key attribute has one type in every item."""
    schemas = [(structure.name, table_key(structure, world))]
    schemas += [(f"{structure.name}.{i.name}", index_key(i, structure, world)) for i in structure.gsi]
    schemas += [(f"{structure.name}.{i.name}", local_key(i, structure, world)) for i in structure.lsi]
    for name, keys in schemas:
        if any(k.name == expiry and k.type != "N" for k in keys):
            yield Fault(
                "expiry-in-key",
                f"{name} has {expiry} as a key, which is text, and the table expires by {expiry}, a number of seconds:"
                " an item with one is refused by the other. Give one of them another name.",
            )


def _listed(words: Iterable[str]) -> str:
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
