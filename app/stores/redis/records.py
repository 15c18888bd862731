"""The kinds of record a key family holds and the ways in: by key, then by what its type offers."""

from __future__ import annotations

from dataclasses import replace

from app.model.candidate import Candidate, Structure
from app.model.spread import ONE, Spread
from app.plan import lay
from app.plan.keysize import key_text
from app.plan.types import AccessPath, Held, Part, Record, World
from app.stores.common_query import name_copies
from app.stores.common_record import Laid, amount, nodes_of, record
from app.stores.redis.dialect import dialect
from app.stores.redis.encoding import MEMBERS, Family, encoding, value_text
from app.stores.redis.keys import MEMBER, clustered, parts, placed_by, template

TYPES = frozenset({"string", "hash", "list", "set", "sorted set", "stream", "bitmap", "hyperloglog", "geo"})
WORDS = {"zset": "sorted set", "json": "string", "counter": "string", "integer": "string"}
FIGURES = frozenset({"bitmap", "hyperloglog"})
"""Types that keep a figure and no record."""


def type_of(structure: Structure) -> str:
    """The value type; a string where none is said or known."""
    said = structure.type.strip().lower() or "string"
    said = WORDS.get(said, said)
    return said if said in TYPES else "string"


def entity_of(structure: Structure) -> str:
    return structure.of or structure.counts


def records(structure: Structure, model: Candidate, world: World) -> tuple[Record, ...]:
    """One kind of record; none where the entity is not known."""
    of = entity_of(structure)
    if of not in world.fields and of not in world.sizes:
        return ()
    kind = type_of(structure)
    shape = name_copies(lay.shape(structure, of, world))
    if kind in FIGURES:
        figure = f"={of}.count({of})"
        shape = (replace(shape[0], attrs=frozenset(), computed=frozenset({figure})),)
    ways = paths(structure, of, kind, model, world)
    held = per_key(structure, of, ways[0].partition, kind, world)
    family = family_of(structure, of, kind, shape, held, model, world)
    inside = clustered(structure, model)
    single = bool(structure.counts) or kind in FIGURES
    laid = Laid(
        of=of,
        shape=shape,
        paths=ways,
        dialect=dialect(encoding(family), inside),
        nodes=nodes_of(model) if inside else 1.0,
        per=held,
        value_type=kind,
        count=keys_of(of, ways[0].partition, world) if single else None,
    )
    return (record(structure, structure, laid, model, world),)


# ---------------------------------------------------------------- ways in


def paths(structure: Structure, of: str, kind: str, model: Candidate, world: World) -> tuple[AccessPath, ...]:
    """The key; in a collection the member by itself, and the members in their order."""
    base = AccessPath(
        structure.name,
        of,
        partition=parts(structure, of, world),
        unique=True,
        primary=True,
        hashed=True,
        placed_by=placed_by(structure, of, model, world),
        strong=structure.purpose != "cache",
        kind=kind,
    )
    if kind in ("list", "stream"):
        rising = _rising(of, world)
        inserted = (Part(rising, column=1),) if rising else ()
        return (replace(base, order=inserted, unique=False, hashed=False),)
    members = member_parts(structure, of, world)
    if kind in ("string", *FIGURES) or (kind == "hash" and not structure.member):
        return (base,)
    found = [replace(base, order=members)]
    if kind == "sorted set":
        score = score_part(structure, of, world)
        if score is not None:
            order = (score, *(replace(m, column=2) for m in members if m.attr != score.attr))
            name = f"{structure.name} by score"
            found.append(replace(base, name=name, order=order, unique=False, hashed=False))
    if kind == "geo":
        point = next((a for a in world.fields.get(of, ()) if world.stats[a].type == "point"), "")
        if point:
            name = f"{structure.name} by place"
            order = (Part(point, column=1),)
            found.append(replace(base, name=name, order=order, unique=False, hashed=False))
    return tuple(found)


def member_parts(structure: Structure, of: str, world: World) -> tuple[Part, ...]:
    """What a member is made of; without `member`, the record's key beside what the key says already."""
    if structure.member is not None:
        found = lay.parts(structure.member, of, world, 1)
        known = tuple(p for p in found if not p.attr or p.attr in world.stats)
        return tuple(replace(p, name=p.name or MEMBER) for p in known)
    said = {p.attr for p in template(structure.name).parts if p.attr}
    inside = {lay.column(of, a, world) for a in said}
    keys = [a for a in world.keys.get(of, ()) if a not in inside]
    return tuple(Part(a, column=1) for a in keys)


def score_part(structure: Structure, of: str, world: World) -> Part | None:
    text = structure.score.strip().strip("{}")
    if not text:
        return None
    way = -1 if text.startswith("-") else 1
    attr = lay.column(of, text.lstrip("-").strip(), world)
    known = attr in world.stats
    return Part(attr, way, column=1) if known else None


def _rising(of: str, world: World) -> str:
    """The attribute that has the order of insertion: one that only rises, else a key made of time."""
    own = world.fields.get(of, ())
    rising = [a for a in own if a in world.monotonic]
    timed = [a for a in world.keys.get(of, ()) if world.stats[a].type in ("timeuuid", "objectid")]
    return next(iter([*rising, *timed]), "")


# ---------------------------------------------------------------- numbers


def keys_of(of: str, partition: tuple[Part, ...], world: World) -> float:
    """How many keys the family has: values of its parts, as many as there are records at most."""
    keys = 1.0
    exact = False
    for part in partition:
        stat = world.stats.get(part.attr)
        if part.kept.fan:
            keys *= part.kept.fan
        elif part.kept.bucket:
            keys *= max(1.0, (world.keeps.get(of) or part.kept.bucket) / part.kept.bucket)
        elif stat is not None:
            keys *= max(1.0, stat.distinct)
            exact = exact or stat.unique
    count = 0.0 if of in world.unknown_counts else world.counts.get(of, 0.0)
    plain = not any(p.kept.bucket or p.kept.fan for p in partition)
    return min(keys, count) if count and plain and (exact or keys > count) else keys


def per_key(structure: Structure, of: str, partition: tuple[Part, ...], kind: str, world: World) -> Spread:
    """Members under one key; 1 where a key is a record. `max` bounds what is trimmed."""
    collection = kind in MEMBERS or (kind == "hash" and structure.member is not None)
    if not collection:
        return ONE
    attrs = {p.attr for p in partition if p.attr and p.kept.exact}
    rel = next((r for r in world.rels if r.child == of and attrs & set(r.via)), None)
    count = world.counts.get(of, 0.0)
    if rel is not None and rel.children.avg:
        each = rel.children  # a key that exists has a member
        found = Spread(max(1.0, each.avg), max(1.0, each.high), max(1.0, each.max))
    else:
        keys = keys_of(of, partition, world)
        found = Spread(max(1.0, count / max(1.0, keys)))
    most = amount(structure.max)
    rate = world.inflow.get(of, 0.0)
    if most:
        found = found.at_most(most)
    elif not attrs and rate and lay.ttl_seconds(structure.ttl):
        found = found.at_most(max(1.0, rate * lay.ttl_seconds(structure.ttl)))
    return found


def before(model: Candidate, major: int, minor: int) -> bool:
    """Is the model's server older than this version? One that is not said is not."""
    numbers = [int(n) for n in model.version.split(".")[:2] if n.isdigit()]
    return bool(numbers) and (numbers[0], *numbers[1:2]) < (major, minor)


def family_of(
    structure: Structure,
    of: str,
    kind: str,
    shape: tuple[Held, ...],
    held: Spread,
    model: Candidate,
    world: World,
) -> Family:
    """What the bytes of the family depend on."""
    own = _attrs(shape, world)
    widths = [_width(a, world) for a in own]
    partition = parts(structure, of, world)
    single = kind in MEMBERS or structure.member is not None
    longest = sum(widths) if single else max(widths, default=8.0)
    if kind == "sorted set":
        score = score_part(structure, of, world)
        longest -= _width(score.attr, world) if score is not None and score.attr in own else 0.0
    return Family(
        type=kind,
        format="number" if structure.counts else structure.format.strip().lower(),
        key_bytes=sum(key_text(p, world) for p in partition) or 8.0,
        members=max(1.0, held.avg),
        fields=float(max(1, len(own))),
        longest=max(1.0, longest),
        keys=keys_of(of, partition, world),
        expires=lay.ttl_seconds(structure.ttl) > 0,
        old=before(model, 7, 2),
    )


def _attrs(shape: tuple[Held, ...], world: World) -> tuple[str, ...]:
    root = shape[0]
    own = world.fields.get(root.entity, ()) if root.attrs is None else sorted(root.attrs)
    return (*own, *sorted(root.computed))


def _width(attr: str, world: World) -> float:
    """Characters of a value as text, on average."""
    stat = world.stats.get(attr)
    if stat is None:
        return 10.0
    return value_text(stat.type, stat.bytes.avg) * max(1.0, stat.elements)
