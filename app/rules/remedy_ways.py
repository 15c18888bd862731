"""Ways in that would serve a read: an index, a GSI, a table per query, each in the words of its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.model.candidate import Index, RecordShape, Structure
from app.model.keys import KeyPart, Template, parse_key_part, parse_template
from app.plan.joint import of_entity
from app.plan.types import Kind, Level, Query
from app.rules.remedy import Remedy, Wanted
from app.rules.rule import PlanCase

FEW_VALUES = 20.0
"""Distinct values that are too few for a partition key."""
INTEGERS = frozenset({"int32", "int64"})


def wanted(query: Query, kinds: Callable[[str], Kind | None]) -> Wanted | None:
    """The ideal way in; None where no simple one exists (an `or`, computed figures, conditions elsewhere)."""
    root = query.root
    if root.any_of or any(n.where or n.any_of for n in query.needs[1:]) or query.course is not None:
        return None
    equal = tuple(c.attr for c in root.where if kinds(c.op) in (Kind.POINT, Kind.POINTS))
    spans = [c.attr for c in root.where if kinds(c.op) is Kind.SPAN]
    order = tuple((a, d) for a, d in root.order if a not in equal)
    order += tuple((a, 1) for a in spans[:1] if a not in dict(order))
    found = Wanted(root.entity, equal, order)
    if not found.attrs or any(a.startswith("=") or not a.startswith(f"{root.entity}.") for a in found.attrs):
        return None
    return found


def ways_in(case: PlanCase, query: Query) -> Iterator[Remedy]:
    ops = case.store.dialect.ops
    want = wanted(query, lambda op: ops[op].kind if op in ops else None)
    if want is None or case.store.can.by_key_only:
        return
    homes = _homes(case, want.entity)
    keys, can = case.store.structure_keys, case.store.can
    if "gsi" not in keys and can.indexes and "indexes" in keys:
        yield from (_index(case, home, want) for home in homes)
        if homes:
            return
    elif not want.equal or not _spreads(case, want):
        return  # the fix would be a hot or a large partition
    if "gsi" in keys:
        yield from (_gsi(case, home, want) for home in homes)
    if can.table_per_query or "gsi" in keys or not homes:
        new = _table(case, homes[0] if homes else None, want)
        if new is not None:
            yield new


def _spreads(case: PlanCase, want: Wanted) -> bool:
    """Would a partition for each value stay small, and be written seldom enough?"""
    world, facts = case.world, case.store.facts
    stats = [world.stats[a] for a in want.equal if a in world.stats]
    distinct = of_entity((a for a in want.equal if a in world.stats), world)
    if distinct < FEW_VALUES or not stats:
        return False
    rows = world.counts.get(want.entity, 0.0) / distinct
    size = max((r.size.avg for r in case.records if r.of == want.entity), default=0.0)
    top = min((s.top if s.top is not None else 1 / s.distinct) for s in stats)
    writes = world.inflow.get(want.entity, 0.0) * top
    for slug, figure in (
        ("partition_rows", rows),
        ("partition_bytes", rows * size),
        ("split_partition_bytes", rows * size),
        ("partition_writes_per_second", writes),
    ):
        if slug in facts and figure > facts[slug].value:
            return False
    return True


def _homes(case: PlanCase, entity: str) -> tuple[Structure, ...]:
    """Structures of the model's own store whose records are of the entity."""
    names = dict.fromkeys(r.structure for r in case.records if r.of == entity and r.group == 1 and r.purpose != "cache")
    found = (case.model.structure(name) for name in names)
    return tuple(s for s in found if s is not None and not s.store)


def _short(attr: str) -> str:
    return attr.partition(".")[2].replace(".", "_")


def _shown(order: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{_short(a)} desc" if d < 0 else _short(a) for a, d in order)


def _parts(order: tuple[tuple[str, int], ...]) -> tuple[KeyPart, ...]:
    return tuple(parse_key_part(f"{a} desc" if d < 0 else a) for a, d in order)


def _index(case: PlanCase, home: Structure, want: Wanted) -> Remedy:
    # a structure for each tenant is named by it: its indexes need not be
    named = {p.attr for r in case.records if r.structure == home.name for p in r.primary.partition}
    order = (*((a, 1) for a in want.equal if a not in named), *want.order)
    index = Index(keys=_parts(order))
    inside = home.of != want.entity and not home.records
    shown = ", ".join(a for a, _ in order) if inside else _shown(order)
    return Remedy(
        f"Add index {shown} to {home.name}",
        lambda s: s.model_copy(update={"indexes": (*s.indexes, index)}),
        home.name,
    )


def _gsi(case: PlanCase, home: Structure, want: Wanted) -> Remedy:
    name = _free("by_" + "_".join(map(_short, want.equal)), {g.name for g in home.gsi})
    tags = bool(home.records) and len(want.equal) == 1
    index = Index(
        name=name,
        pk=_template(case, want.equal, f"{want.entity.upper()}#" if tags else ""),
        sk=_template(case, tuple(a for a, _ in want.order)) if want.order else None,
        of=(want.entity,),
        projection=("all",),
    )
    sort = f" and sort key {_shown(tuple((a, 1) for a, _ in want.order))}" if want.order else ""
    return Remedy(
        f"Add GSI {name} to {home.name}, partition key {', '.join(map(_short, want.equal))}{sort}",
        lambda s: s.model_copy(update={"gsi": (*s.gsi, index)}),
        home.name,
        entity=want.entity,
    )


def _template(case: PlanCase, attrs: tuple[str, ...], before: str = "") -> Template:
    """The attributes in one text key; integers padded, so that they sort."""
    pieces = []
    for attr in attrs:
        stat = case.world.stats.get(attr)
        pieces.append(f"{{{attr}|pad 12}}" if stat and stat.type in INTEGERS else f"{{{attr}}}")
    return parse_template(before + "#".join(pieces))


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    free, i = name, 2
    while free in taken:
        free, i = f"{name}_{i}", i + 1
    return free


def _table(case: PlanCase, home: Structure | None, want: Wanted) -> Remedy | None:
    """A structure of its own for this read, holding what the first home of the entity holds."""
    keys = case.store.structure_keys
    if not want.equal and home is None and "indexes" not in keys:
        return None
    base = _shape(home, want.entity)
    stem = want.entity if home is None else f"{want.entity}_by_{'_'.join(map(_short, want.equal)) or 'order'}"
    name = _free(stem, {s.name for s in case.model.structures})
    tail = tuple((k, 1) for k in case.world.keys.get(want.entity, ()) if k not in want.attrs)
    sort = (*want.order, *tail)
    more: dict[str, object]
    if "partition_key" in keys and want.equal:
        more = {"partition_key": _parts(tuple((a, 1) for a in want.equal)), "clustering_key": _parts(sort) or None}
    elif "gsi" in keys and want.equal:
        sk = _template(case, tuple(a for a, _ in sort)) if sort else None
        more = {"pk": _template(case, want.equal), "sk": sk}
    elif "indexes" in keys and case.store.can.indexes:
        order = (*((a, 1) for a in want.equal), *want.order)
        own = set(case.world.keys.get(want.entity, ()))
        more = {} if set(want.attrs) == own else {"indexes": (Index(keys=_parts(order)),)}
    else:
        return None
    kind = home.kind if home is not None else case.store.structure_word
    said = {"truth": home.name, "refresh": "same write"} if home is not None else {}
    new = Structure.model_validate({"kind": kind, "name": name, "of": want.entity}).model_copy(
        update={**base, **said, **more}
    )
    copied = ", written together with " + home.name if home is not None else ""
    return Remedy(f"Add {kind} {name}, keyed by {', '.join(map(_short, want.attrs))}{copied}", new=new)


def _shape(home: Structure | None, entity: str) -> dict[str, object]:
    """What the records of the entity hold there."""
    if home is None:
        return {}
    thing: Structure | RecordShape = next((r for r in home.records if r.of == entity), home)
    names = ("fields", "embed", "reference", "copied", "computed")
    return {n: v for n in names if (v := getattr(thing, n))}


def apart(case: PlanCase) -> Iterator[Remedy]:
    """A structure for the one entity that nothing holds, keyed by its own key."""
    lost = dict.fromkeys(a.lstrip("=").partition(".")[0] for a in case.plan.missing)
    entity = next(iter(lost), "")
    keys = case.world.keys.get(entity, ())
    if len(lost) != 1 or not keys or case.store.can.by_key_only or any(r.of == entity for r in case.records):
        return
    new = _table(case, None, Wanted(entity, keys, ()))
    if new is not None:
        yield new


def found(case: PlanCase) -> Iterator[Remedy]:
    """An index on what a write knows of the records it changes."""
    if "indexes" not in case.store.structure_keys or not case.store.can.indexes:
        return
    lost = [t for t in case.plan.touches if t.level is Level.SCAN]
    for miss in case.plan.misses:
        if lost and miss.code in ("filter", "gap") and miss.attr in case.world.stats:
            home = next((s for s in case.model.structures if s.name == lost[0].structure), None)
            if home is not None:
                yield _index(case, home, Wanted(miss.attr.partition(".")[0], (miss.attr,), ()))
