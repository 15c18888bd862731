"""What is wrong with a key family as it is written down."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.candidate import Candidate, Structure
from app.model.keys import parse_template
from app.plan import lay
from app.plan.types import World
from app.stores.common_problems import attribute_known, unknown
from app.stores.redis.facts import FACTS
from app.stores.redis.keys import clustered, tag, tagged, template
from app.stores.redis.records import TYPES, WORDS, entity_of, records, score_part, type_of
from app.stores.store import Fault

CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot"


def problems(structure: Structure, model: Candidate, world: World) -> tuple[Fault, ...]:
    """Faults: name, type, members, time to live, cluster."""
    found = [*unknown(structure, world), *_name(structure, world), *_type(structure, world)]
    found += _life(structure)
    if records(structure, model, world):
        found += _tags(structure, model)
    return tuple(dict.fromkeys(found))


def _name(structure: Structure, world: World) -> Iterable[Fault]:
    name = structure.name
    try:
        parse_template(name)
    except ValueError as wrong:
        yield Fault("unreadable-key", f"The key {name} cannot be read: {wrong}.")
        return
    of = entity_of(structure)
    if of and of not in world.fields and of not in world.sizes:
        if structure.counts:
            yield Fault("unknown-entity", f"{name} counts {of}, which is no entity.")
        return
    for part in template(name).parts:
        if part.attr and of and not attribute_known(part.attr, of, world):
            yield Fault("unknown-name", f"The key {name} names {part.attr}, which {of} does not have.")
    if len(name.encode()) > FACTS["key_bytes_soft"].value:
        yield Fault("long-key", f"The key {name[:40]}… is longer than 1,024 bytes: use a hash of it.", "surprise")


def _type(structure: Structure, world: World) -> Iterable[Fault]:
    name, kind = structure.name, type_of(structure)
    said = structure.type.strip().lower()
    if said and WORDS.get(said, said) not in TYPES:
        yield Fault(
            "unknown-type",
            f"{name}: {structure.type} is no value type of Redis; use one of {', '.join(sorted(TYPES))}.",
        )
    if kind == "sorted set":
        if not structure.score:
            yield Fault("score", f"{name} is a sorted set without a score: say which field orders it.")
        elif score_part(structure, entity_of(structure), world) is None and structure.of:
            yield Fault("score", f"{name} is scored by {structure.score}, which is no number of {structure.of}.")
    elif structure.score:
        yield Fault("score", f"{name} has a score, which only a sorted set keeps; it is a {kind}.")
    if structure.member is not None and kind in ("string", "list", "stream"):
        yield Fault("member", f"{name} is a {kind} and has no members.")
    if structure.indexes:
        yield Fault("no-indexes", f"{name}: Redis has no indexes on values; keep a set or sorted set of keys instead.")
    if structure.embed and kind in ("set", "sorted set"):
        yield Fault("member", f"{name}: a member of a {kind} is one text and cannot hold {structure.embed[0].what}.")


def _life(structure: Structure) -> Iterable[Fault]:
    life = lay.ttl(structure.ttl)
    if life.unclear:
        yield Fault(
            "unclear-life",
            f"{structure.name}: the time to live {structure.ttl!r} is not understood; write `300 s` or `none`.",
        )
    if life.after or life.at:
        yield Fault(
            "life-from-write",
            f"{structure.name}: Redis counts from the last write or to a time given with it (EXPIREAT);"
            f" it does not watch {life.after or life.at}.",
            "surprise",
        )


def _tags(structure: Structure, model: Candidate) -> Iterable[Fault]:
    found = tag(structure)
    name = structure.name
    if found.several:
        yield Fault(
            "several-tags", f"{name} has several hash tags: a cluster hashes the first braces only.", "surprise"
        )
    if not clustered(structure, model):
        return
    every = template(name).parts
    if not found.whole and not any(p.attr for p in found.parts):
        yield Fault(
            "one-slot",
            f"{name}: the tag is the same in every key, so all of them lie in one slot, on one node.",
            "surprise",
            own_rule=True,
        )
    shards = next((p.kept.fan for p in every if p.kept.chosen), 0)
    if shards > 1 and not any(tagged(p) or not found.whole for p in found.parts):
        yield Fault(
            "shards-apart",
            f"{name}: its {shards} shards lie in different slots, which spreads the writes; one MGET over them"
            f" is refused ({CROSSSLOT}): read them one by one in a pipeline.",
            "surprise",
            own_rule=True,
        )
