"""Changing the key of a structure or index so that it spreads: shards, time buckets, a further attribute, a hash."""

from __future__ import annotations

from collections.abc import Callable

from app.model import alter
from app.model.candidate import Index, RecordShape, Structure
from app.model.keys import KeyPart, Template, parse_key_part, parse_template
from app.plan.types import AccessPath, World
from app.rules.ground import index_of
from app.rules.rule import Fix, StructureCase

Keys = tuple[KeyPart, ...]
LISTS = ("partition_key", "shard_key", "partition_by")


def spread(
    case: StructureCase, path: AccessPath, label: str, more: tuple[str, ...], *, instead: str = ""
) -> tuple[Fix, ...]:
    """A fix that adds key parts (`shard 4`, `order.created_at|day`) to the key of a path; none where no key is typed.

    `instead`: an attribute whose part is replaced (a bucket made finer).
    """
    structure = case.structure
    if not path.primary:
        found = index_of(structure, path, case.world)
        if found is None:
            return _view(case, path, label, more, instead)
        word, index = found
        new = _index(index, more, instead)
        if new is None:
            return ()

        def swap(s: Structure) -> Structure:
            return s.model_copy(update={word: tuple(new if i == index else i for i in getattr(s, word))})

        return (_fix(case, label, structure.name, swap),)
    changed = _structure(structure, path, more, instead)
    if changed == structure:
        return ()
    return (_fix(case, label, structure.name, lambda s: _structure(s, path, more, instead)),)


def _fix(case: StructureCase, label: str, name: str, how: Callable[[Structure], Structure]) -> Fix:
    model = case.model.name
    return Fix(label, lambda project: alter.change_structure(project, model, name, how))


def _view(case: StructureCase, path: AccessPath, label: str, more: tuple[str, ...], instead: str) -> tuple[Fix, ...]:
    """A view is a structure of its own, called as its path."""
    view = case.model.structure(path.name)
    if view is None:
        return ()
    return (_fix(case, label, view.name, lambda s: _structure(s, path, more, instead)),)


def _structure(structure: Structure, path: AccessPath, more: tuple[str, ...], instead: str) -> Structure:
    for word in LISTS:
        keys: Keys | None = getattr(structure, word)
        if keys:
            return structure.model_copy(update={word: _longer(keys, more, instead)})
    if structure.pk is not None:
        return structure.model_copy(update={"pk": _appended(structure.pk, more)})
    if structure.records:
        text = "".join(p.literal or "{}" for p in path.partition)
        return structure.model_copy(update={"records": tuple(_kind(r, text, more) for r in structure.records)})
    return structure


def _kind(shape: RecordShape, text: str, more: tuple[str, ...]) -> RecordShape:
    """Only kinds of record with the same key texts share the partition."""
    if shape.pk is None or "".join(p.literal or "{}" for p in shape.pk.parts) != text:
        return shape
    known = tuple(m for m in more if "." not in m or m.startswith(f"{shape.of}."))
    return shape.model_copy(update={"pk": _appended(shape.pk, known)})


def _index(index: Index, more: tuple[str, ...], instead: str) -> Index | None:
    if index.records:
        kinds = tuple(r.model_copy(update={"pk": _appended(r.pk, more)}) if r.pk else r for r in index.records)
        return index.model_copy(update={"records": kinds})
    if index.pk is not None:
        return index.model_copy(update={"pk": _appended(index.pk, more)})
    return index.model_copy(update={"keys": _longer(index.keys, more, instead)}) if index.keys else None


def _appended(template: Template, more: tuple[str, ...]) -> Template:
    return parse_template("#".join([template.text, *(f"{{{m}}}" for m in more)]))


def _longer(keys: Keys, more: tuple[str, ...], instead: str) -> Keys:
    kept = tuple(k for k in keys if not (instead and k.attr == instead))
    return (*kept, *(parse_key_part(_named(m)) for m in more))


def _named(part: str) -> str:
    """A derived column needs a name: `day = order.created_at|day`."""
    if part.startswith("shard "):
        return f"part = {part}"
    attr, _, how = part.partition("|")
    return f"{how.partition(' ')[0]} = {attr}|{how}" if how else part


def hashed(case: StructureCase, label: str) -> tuple[Fix, ...]:
    """The first part of the shard key hashed."""
    keys = case.structure.shard_key
    if not keys:
        return ()

    def how(s: Structure) -> Structure:
        first, *rest = s.shard_key or keys
        return s.model_copy(update={"shard_key": (_hash(first), *rest)})

    return (_fix(case, label, case.structure.name, how),)


def _hash(part: KeyPart) -> KeyPart:
    return parse_key_part(f"{part.plain().removesuffix(' desc')} hashed")


def clock(path: AccessPath, of: str, world: World) -> str:
    """The time by which a path could be cut: the first time it is ordered by, else a time of the record that rises."""
    times = ("datetime", "date", "timeuuid", "objectid")
    ordered = [p.attr for p in path.order if p.attr in world.stats and world.stats[p.attr].type in times]
    own = [a for a in world.fields.get(of, ()) if a in world.monotonic and world.stats[a].type in times]
    return next(iter([*ordered, *own]), "")
