"""What is wrong with a table by itself, before any pattern is asked: keys, counters, views, indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from app.model.candidate import Candidate, Structure
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import World
from app.stores.cassandra.facts import FACTS
from app.stores.cassandra.records import VIEW, base_of, counter_columns, static_groups, views_of
from app.stores.cassandra.records import columns as key_parts
from app.stores.cassandra.types import Types, columns_of, key_columns
from app.stores.common_problems import unknown
from app.stores.store import Fault


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:
    """Faults, in the order of the key, the columns, the indexes; each once."""
    found = [
        *unknown(structure, world),
        *_key(structure, world),
        *_counters(structure, world),
        *_static(structure, world),
        *_view(structure, model, world),
        *_indexes(structure, world),
        *_lifetime(structure),
    ]
    if structure.kind != VIEW:
        found += [
            Fault("view-of-counters", f"{v.name}: a view cannot be made on a table with counters.")
            for v in views_of(structure, model)
            if structure.counters
        ]
    return tuple(dict.fromkeys(found))


def _keys(structure: Structure) -> tuple[KeyPart, ...]:
    return (*(structure.partition_key or ()), *(structure.clustering_key or ()))


def _key(structure: Structure, world: World) -> Iterable[Fault]:
    name = structure.name
    if not structure.partition_key:
        yield Fault("missing-key", f"{name} has no partition key: rows are found by it, and by nothing else.")
        return
    if structure.records:
        yield Fault(
            "several-kinds",
            f"{name}: `records` is for tables that hold several kinds; a table here has one kind of row and `of`.",
        )
    parts = _keys(structure)
    names = Counter(c.name for c in key_columns(parts, structure.of, world))
    for column, count in names.items():
        if count > 1:
            yield Fault(
                "repeated-column",
                f"{name}: the key column {column} appears {count} times; give derived columns a name.",
            )
    for part in parts:
        stat = world.stats.get(lay.column(structure.of, part.attr, world)) if part.attr else None
        if stat is not None and stat.type.endswith("[]") and not _repeats(structure):
            yield Fault("array-in-key", f"{name}: {part.attr} is a list, and a key column is one value.")
        if part.literal:
            yield Fault("literal-in-key", f"{name}: a key column is a value, not the text {part.literal!r}.")
    yield from _unique(structure, world)


def _repeats(structure: Structure) -> bool:
    """A copy may have one row per element of a list; the records themselves may not: an empty list has none."""
    return structure.purpose == "second copy" or structure.truth not in ("", "none")


def _unique(structure: Structure, world: World) -> Iterable[Fault]:
    """A key that does not tell records apart: an INSERT then replaces another row."""
    entity = world.keys.get(structure.of, ())
    exact = {lay.column(structure.of, p.attr, world) for p in _keys(structure) if p.attr and p.kept.exact}
    unique = any(world.stats[a].unique for a in exact if a in world.stats)
    unique = unique or any(together <= exact for together in world.unique_together.get(structure.of, ()))
    if not entity or unique or structure.bucket is not None or structure.fields == ("none",):
        return
    missing = [a for a in entity if a not in exact]
    if missing:
        yield Fault(
            "key-not-unique",
            f"{structure.name}: the primary key lacks {' and '.join(missing)}, so two rows with the same key are"
            " one: the later write replaces the earlier.",
        )


def _counters(structure: Structure, world: World) -> Iterable[Fault]:
    counters = counter_columns(structure)
    if not counters:
        return
    names = {name for _, name in counters}
    keys = {c.name for c in key_columns(_keys(structure), structure.of, world)}
    others = [
        c.name for c in columns_of(structure, world, Types()) if c.name not in keys | names and c.type != "counter"
    ]
    if others:
        yield Fault(
            "mixed-counters",
            f"{structure.name} mixes counters ({', '.join(sorted(names))}) with plain columns"
            f" ({', '.join(others)}): a table has counters or other columns beside its key, never both.",
        )
    if keys & names:
        yield Fault("counter-in-key", f"{structure.name}: a counter cannot be part of the key.")
    if lay.ttl_seconds(structure.ttl):
        yield Fault("counter-life", f"{structure.name}: counters cannot expire; leave the `ttl` out.")


def _static(structure: Structure, world: World) -> Iterable[Fault]:
    if not structure.static:
        return
    if not structure.clustering_key:
        yield Fault(
            "static-without-rows",
            f"{structure.name}: static columns need a clustering key; without one every partition is one row.",
        )
    own = {p for p in structure.static if p.partition(".")[0] == structure.of}
    partition = key_parts(structure.partition_key, structure.of, world)
    known = {path for group in static_groups(structure, partition, world).values() for path, _ in group}
    for path in structure.static:
        if path not in known | own:
            yield Fault(
                "not-static",
                f"{structure.name}: {path} is not the same for a whole partition, so it cannot be static;"
                " copy it into each row.",
            )


def _view(structure: Structure, model: Candidate, world: World) -> Iterable[Fault]:
    if structure.kind != VIEW:
        return
    name, base = structure.name, base_of(structure, model)
    if base is None:
        yield Fault("view-base", f"{name}: which table does this view repeat? Name it under `truth`.")
        return
    own = {c.name for c in key_columns(_keys(structure), structure.of, world)}
    based = {c.name for c in key_columns(_keys(base), base.of, world)}
    if lacking := sorted(based - own):
        yield Fault(
            "view-key", f"{name}: a view's key has every key column of {base.name}; {', '.join(lacking)} is missing."
        )
    most = FACTS["view_extra_columns"].value
    if len(extra := sorted(own - based)) > most:
        yield Fault(
            "view-key",
            f"{name}: a view's key may have {most:.0f} column beside those of {base.name}, not {', '.join(extra)}.",
        )


def _indexes(structure: Structure, world: World) -> Iterable[Fault]:
    key = key_columns(structure.partition_key, structure.of, world)
    counted = {name for _, name in counter_columns(structure)}
    for index in structure.indexes:
        if not index.keys:
            yield Fault("empty-index", f"{structure.name}: an index names no column.")
            continue
        columns = [c.name for c in key_columns(index.keys, structure.of, world)]
        if len(columns) > 1:
            yield Fault("wide-index", f"{structure.name}: an index has one column here, not {', '.join(columns)}.")
        if len(key) == 1 and columns[0] == key[0].name:
            yield Fault(
                "index-on-key", f"{structure.name}: {columns[0]} is the whole partition key and cannot be indexed."
            )
        if columns[0] in counted:
            yield Fault("index-on-counter", f"{structure.name}: the counter {columns[0]} cannot be indexed.")
        if index.unique:
            yield Fault(
                "index-unique",
                f"{structure.name}: an index on {columns[0]} does not make it unique; a table keyed by it can.",
            )
    if structure.gsi or structure.lsi:
        yield Fault("wrong-index-list", f"{structure.name}: this store has `indexes`; `gsi` and `lsi` are not read.")


def _lifetime(structure: Structure) -> Iterable[Fault]:
    life = lay.ttl(structure.ttl)
    most = FACTS["max_ttl_seconds"].value
    if life.seconds > most:
        yield Fault("long-life", f"{structure.name}: a row may live {most:,.0f} s at most, which is 20 years.")
    if life.at or life.after:
        yield Fault(
            "life-from-write",
            f"{structure.name}: a row expires a number of seconds after it is written; write it USING TTL worked out"
            f" from {life.at or life.after}.",
            "surprise",
        )
    compaction = structure.options.get("compaction")
    if isinstance(compaction, Mapping) and life.seconds:
        window = lay.ttl_seconds(str(compaction.get("window", "")))
        most = FACTS["twcs_windows"].value
        if window and life.seconds / window > most:
            yield Fault(
                "many-windows",
                f"{structure.name}: a life of {structure.ttl} in windows of {compaction['window']} makes"
                f" {life.seconds / window:.0f} windows; at most {most:.0f} are advised.",
                "surprise",
            )
