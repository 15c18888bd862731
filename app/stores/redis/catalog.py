"""One entry of the key catalog: what a family is called, what it holds, how long, whose it is, what makes it go."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.plan import lay
from app.plan.types import Record, World
from app.stores.common_write import asked
from app.stores.redis import commands
from app.stores.redis.commands import Keys, family
from app.stores.redis.keys import clustered, example, tag
from app.stores.redis.records import entity_of, keys_of, type_of
from app.stores.store import CatalogEntry


def catalog_entry(structure: Structure, model: Candidate, project: Project, world: World) -> CatalogEntry:
    """Everything a person looks up about one key family."""
    of = entity_of(structure)
    keys = family(structure, model, world)
    life = lay.ttl(structure.ttl)
    number = keys_of(of, keys.record.primary.partition, world) if keys else 0.0
    return CatalogEntry(
        structure=structure.name,
        pattern=structure.name,
        example=example(structure, of, world),
        type=kind_words(structure),
        purpose=structure.purpose,
        ttl=structure.ttl or "not said",
        ttl_seconds=life.seconds,
        owner=structure.owner,
        truth="" if structure.truth == "none" else structure.truth,
        invalidated_by=tuple(invalidated_by(structure, keys, project, world)),
        notes=tuple(notes(structure, keys, model)),
        commands=tuple(command_lines(keys)) if keys else (),
        keys=number if of not in world.unknown_counts else 0.0,
        bytes=bytes_of_key(keys.record) if keys else 0.0,
    )


def kind_words(structure: Structure) -> str:
    """`hash`, `string (json)`, `sorted set of score.player_id by score.points`."""
    kind = type_of(structure)
    if structure.counts:
        return f"{kind} (counts {structure.counts})"
    words = kind
    if structure.member is not None:
        words += f" of {structure.member.text.strip('{}')}"
    if structure.score:
        words += f" by {structure.score}"
    if structure.format:
        words += f" ({structure.format})"
    return words


def bytes_of_key(record: Record) -> float:
    """Memory of one key with all its members."""
    return record.size.avg * max(1.0, record.per.avg)


def invalidated_by(structure: Structure, keys: Keys | None, project: Project, world: World) -> Iterable[str]:
    """Patterns that change what the family repeats, with what each must do."""
    repeats = structure.purpose == "cache" or structure.truth not in ("", "none")
    if keys is None or not repeats or structure.purpose == "queue":
        return
    how = structure.on_change or "nothing is said: it stays until it expires"
    for pattern in project.patterns:
        for change in asked(pattern):
            named = {lay.column(change.entity, a, world) for a in change.set}
            for held in keys.record.shape:
                hit = held.entity == change.entity and (
                    change.kind != "update" or held.attrs is None or bool(named & held.attrs)
                )
                if hit:
                    yield f"{pattern.operation}: {how}"
                    break


def notes(structure: Structure, keys: Keys | None, model: Candidate) -> Iterable[str]:
    """What a reader should know: lifetime, eviction, slots, bounds."""
    life = lay.ttl(structure.ttl)
    policy = str(model.options.get("maxmemory-policy", ""))
    if structure.note:
        yield structure.note
    if life.sliding:
        yield "Each read starts its life anew."
    if life.jitter:
        yield f"Its life varies by {life.jitter:.0%}, so that keys written together do not expire together."
    if not life.expires and policy.startswith("volatile"):
        yield f"Without a time to live the policy {policy} never evicts it."
    if not life.expires and policy.startswith("allkeys"):
        yield f"The policy {policy} may evict it, whether or not it is the only copy."
    if structure.purpose == "limiter":
        yield "Check and add in one script: between two commands other clients count too."
    if structure.purpose == "counter" and life.seconds:
        yield "EXPIRE … NX starts the window once; without NX each hit would prolong it."
    if keys is not None and clustered(structure, model):
        found = tag(structure)
        if not found.whole:
            text = found.parts[0].attr or found.parts[0].literal
            yield f"The tag {text} decides the slot: keys with the same tag lie together."
    if keys is not None and keys.shards:
        yield f"{keys.shards} keys share the writes; a read adds them up."


def command_lines(keys: Keys) -> Iterable[str]:
    """Write, read, remove."""
    if keys.structure.purpose != "limiter":
        yield from commands.put(keys)
    if keys.shards > 4:
        yield f"GET {keys.key}"
        yield f"# for each $shard from 0 to {keys.shards - 1}; add them up"
    else:
        yield from commands.get(keys)
    if keys.kind in ("set", "sorted set"):
        yield from commands.members(keys, 10, keys.kind == "sorted set")
    if not keys.structure.counts:
        yield commands.remove(keys)
