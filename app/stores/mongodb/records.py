"""The kinds of document a collection holds, and every way in: `_id`, indexes, shard key, scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile

from app.model.candidate import Candidate, Index, RecordShape, Structure
from app.model.conditions import AnyOf
from app.model.keys import Kept, KeyPart, Template, parse_template
from app.model.terms import paths_of
from app.plan import lay
from app.plan.types import AccessPath, Cond, Held, Part, Record, World
from app.stores.common_query import name_copies, things_of
from app.stores.common_record import Laid, amount, record
from app.stores.mongodb.dialect import DIALECT, WHOLE_ID
from app.stores.mongodb.facts import FACTS

SERIES = "timeseries"
HASH = Kept(order=0, exact=False)
"""What a hash keeps of a value: two may share one, so the document is judged again."""


def records(structure: Structure, model: Candidate, world: World) -> tuple[Record, ...]:
    """One kind of record per entity of the collection; none where the entity is not known."""
    found = []
    for thing in things_of(structure):
        of = thing.of or structure.of
        if of in world.fields or of in world.sizes:
            found.append(_record(structure, thing, of, model, world))
    return tuple(found)


def _record(structure: Structure, thing: Structure | RecordShape, of: str, model: Candidate, world: World) -> Record:
    ways, shards = paths(structure, of, world), shards_of(model)
    if shards == 1:  # everything lies on it, whatever the shard key
        ways = tuple(replace(p, placed_by=()) for p in ways)
    laid = Laid(
        of=of,
        shape=_named_shape(structure, name_copies(lay.shape(thing, of, world)), of, world),
        paths=ways,
        dialect=WHOLE_ID if isinstance(structure.id_, tuple) and len(structure.id_) > 1 else DIALECT,
        nodes=shards or 1.0 if structure.shard_key else 1.0,
        group=1.0 if series_of(structure) is not None else None,
    )
    return record(structure, thing, laid, model, world)


def shards_of(model: Candidate) -> float:
    """Shards that so many nodes make, each a replica set; 0: no nodes are given."""
    nodes = amount(model.nodes)
    return max(1.0, nodes // FACTS["replica_set_members"].value) if nodes else 0.0


def id_parts(structure: Structure, of: str, world: World) -> tuple[KeyPart, ...]:
    """What `_id` is made of: as written, or the entity's key."""
    said = structure.id_
    if isinstance(said, Template):
        return said.parts
    if said:
        return said
    if structure.bucket is not None:
        return ()
    return tuple(KeyPart(attr=a) for a in world.keys.get(of, ()))


def _named_shape(structure: Structure, shape: tuple[Held, ...], of: str, world: World) -> tuple[Held, ...]:
    """The shape with the key stored as `_id` and a bucket's list under its name."""
    root = shape[0]
    keys = id_parts(structure, of, world)
    names = dict(root.names)
    if len(keys) == 1 and keys[0].attr and keys[0].kept.exact and not isinstance(structure.id_, Template):
        names[lay.column(of, keys[0].attr, world)] = "_id"
    name = structure.bucket.as_ if structure.bucket is not None else root.name
    return (replace(root, names=tuple(sorted(names.items())), name=name or root.name), *shape[1:])


# ---------------------------------------------------------------- ways in


def series_of(structure: Structure) -> tuple[str, str, str] | None:
    """Time field, meta field and granularity of a time-series collection."""
    said = structure.options.get(SERIES)
    if not isinstance(said, Mapping):
        return None
    return (
        str(said.get("timeField", "")),
        str(said.get("metaField", "")),
        str(said.get("granularity", "seconds")),
    )


def paths(structure: Structure, of: str, world: World) -> tuple[AccessPath, ...]:
    placed = shard_parts(structure, of, world)
    which = name_parts(structure, of, world)
    scan = AccessPath(structure.name, of, scan=True, placed_by=placed, kind="scan")
    found = [scan, primary(structure, of, world, placed)]
    for index in structure.indexes:
        if on_id(index, structure, of, world):
            continue
        found.extend(index_paths(structure, index, of, world, placed))
    found.extend(_ttl_path(structure, of, world, placed, found))
    found.extend(_shard_path(structure, of, placed, found))
    return tuple(replace(p, partition=which) for p in found) if which else tuple(found)


def name_parts(structure: Structure, of: str, world: World) -> tuple[Part, ...]:
    """What a name like `tickets_{account.id}` asks for: every read must know which collection is meant."""
    parts = (lay.part(KeyPart(attr=k), of, world) for k in template_parts(structure))
    return tuple(replace(p, column=-1) for p in parts)


def template_parts(structure: Structure) -> tuple[str, ...]:
    """Attribute paths in the name of a collection."""
    if "{" not in structure.name:
        return ()
    try:
        return tuple(k.attr for k in parse_template(structure.name).parts if k.attr)
    except ValueError:
        return ()


def shard_parts(structure: Structure, of: str, world: World) -> tuple[Part, ...]:
    return _known(lay.parts(structure.shard_key, of, world), world) if structure.shard_key else ()


def _known(parts: Iterable[Part], world: World) -> tuple[Part, ...]:
    """The parts up to the first whose attribute the workload does not know; `problems` names that one."""
    return tuple(takewhile(lambda p: not p.attr or p.attr in world.stats, parts))


def primary(structure: Structure, of: str, world: World, placed: tuple[Part, ...]) -> AccessPath:
    """`_id`; in a time-series collection the order its buckets lie in."""
    series = series_of(structure)
    if series is not None:
        time, meta, _ = series
        order = tuple(
            Part(world.own(of, a), column=i) for i, a in enumerate((meta, time)) if world.own(of, a) in world.stats
        )
        return AccessPath(f"{structure.name}.buckets", of, order=order, primary=True, placed_by=placed, kind=SERIES)
    order = _known(lay.parts(structure.id_, of, world), world)
    if isinstance(structure.id_, Template):
        order = tuple(replace(p, name="_id") for p in order)
    elif not order and structure.bucket is None:
        order = tuple(Part(a, column=i) for i, a in enumerate(world.keys.get(of, ())))
    return AccessPath(f"{structure.name}._id", of, order=order, unique=True, primary=True, placed_by=placed)


def index_name(index: Index, structure: Structure) -> str:
    """The index's name, or the one MongoDB gives: fields and directions."""
    if index.name:
        return index.name
    said = structure.id_ if isinstance(structure.id_, tuple) else ()
    whole = said[0].attr if len(said) == 1 else ""
    words = []
    for part in index.keys:
        field = "_id" if part.attr and part.attr == whole else part.attr.rpartition(".")[2]
        tail = "hashed" if part.hashed else index.type or ("-1" if part.desc else "1")
        words.append(f"{field or part.literal}_{tail}")
    return "_".join(words) or index.type or "index"


def on_id(index: Index, structure: Structure, of: str, world: World) -> bool:
    """An index on `_id` alone: there is one, and MongoDB takes no second with options."""
    keys = id_parts(structure, of, world)
    named = [lay.column(of, p.attr, world) for p in index.keys]
    whole = [lay.column(of, p.attr, world) for p in keys if p.attr]
    return len(keys) == 1 and named == whole and not index.keys[0].hashed


def index_paths(
    structure: Structure,
    index: Index,
    of: str,
    world: World,
    placed: tuple[Part, ...],
) -> Iterable[AccessPath]:
    """The ways in that one index gives: one, or one per field of a wildcard index."""
    name = f"{structure.name}.{index_name(index, structure)}"
    only = index_filter(index, of, world)
    if index.type == "wildcard" or any("$**" in p.attr for p in index.keys):
        for attr in _wild(index, of, world):
            part = Part(attr, many=lay.many(attr, of, world))
            gate = (*only, Cond(attr, "not null"))
            yield AccessPath(
                f"{name}:{attr.partition('.')[2]}",
                of,
                order=(part,),
                holds=frozenset(),
                only=gate,
                placed_by=placed,
                kind="wildcard",
                sparse=True,
            )
        return
    parts = index_parts(index, of, world)
    if parts:
        yield AccessPath(
            name,
            of,
            order=parts,
            holds=frozenset(),
            unique=index.unique,
            hashed=len(parts) == 1 and (index.type == "hashed" or index.keys[0].hashed),
            only=only,
            placed_by=placed,
            kind=index.type or "index",
            sparse=index.sparse,
        )


def index_parts(index: Index, of: str, world: World) -> tuple[Part, ...]:
    parts = _known(lay.parts(index.keys, of, world), world)
    return tuple(
        replace(p, column=i, kept=HASH if key.hashed or index.type == "hashed" else p.kept)
        for i, (p, key) in enumerate(zip(parts, index.keys, strict=False))
    )


def index_filter(index: Index, of: str, world: World) -> tuple[Cond, ...]:
    """What a document must meet to be in the index; a sparse index of one field: that it has it."""
    only = lay.conds(index.where, of, world) if index.where is not None else ()
    for term in index.where.terms if index.where is not None else ():
        if isinstance(term, AnyOf):  # nothing that a read says implies it
            only = (*only, *(Cond(lay.column(of, p, world), "or") for p in paths_of((term,))[:1]))
    parts = index_parts(index, of, world)
    if index.sparse and len(parts) == 1:
        # With several fields, a document that has any of them is in the index.
        only = (*only, *lay.sparse(parts, world))
    return only


def _wild(index: Index, of: str, world: World) -> tuple[str, ...]:
    roots = [p.attr.replace(".$**", "").replace("$**", "") for p in index.keys]
    own = world.fields.get(of, ())
    if not any(roots):
        return tuple(own)
    return tuple(a for a in own if any(a == r or a.startswith(f"{r}.") for r in roots if r))


def expiry(structure: Structure) -> tuple[str, float] | None:
    """Attribute and seconds of a TTL index: `30 days after cart.updated_at`, `at cart.expires_at`."""
    life = lay.ttl(structure.ttl)
    if life.after or life.at:
        return life.after or life.at, life.seconds
    return None


def _ttl_path(
    structure: Structure,
    of: str,
    world: World,
    placed: tuple[Part, ...],
    found: Iterable[AccessPath],
) -> Iterable[AccessPath]:
    expires = expiry(structure)
    if expires is None or series_of(structure) is not None:
        return
    attr = world.own(of, expires[0])
    alone = any(len(p.order) == 1 and p.order[0].attr == attr for p in found if not p.scan)
    if attr in world.stats and not alone:
        name = f"{structure.name}.{attr.partition('.')[2]}_ttl"
        yield AccessPath(name, of, order=(Part(attr),), holds=frozenset(), placed_by=placed, kind="ttl")


def _shard_path(
    structure: Structure, of: str, placed: tuple[Part, ...], found: Iterable[AccessPath]
) -> Iterable[AccessPath]:
    """Sharding needs an index that starts with the key; MongoDB makes one if there is none."""
    wanted = [p.attr for p in placed]
    hashed = any(k.hashed for k in structure.shard_key or ())
    starts = any([q.attr for q in p.order[: len(wanted)]] == wanted for p in found if not p.hashed)
    if not placed or (starts and not hashed):
        return
    if any(p.hashed and p.order[0].attr == wanted[0] for p in found) and len(wanted) == 1:
        return
    yield AccessPath(
        f"{structure.name}.shard_key",
        of,
        order=placed,
        holds=frozenset(),
        hashed=hashed and len(placed) == 1,
        placed_by=placed,
        kind="shard key",
    )
