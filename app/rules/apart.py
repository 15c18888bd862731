"""Moving embedded children out: a structure of their own with the way back to the parent, as the store words it."""

from __future__ import annotations

from app.model import alter
from app.model.candidate import Embed, Index, RecordShape, Structure
from app.model.keys import KeyPart, parse_key_part, parse_template
from app.model.project import Project
from app.plan.types import Held, Record, Rel, World
from app.rules.ground import Thing, with_embed
from app.rules.rule import Fix, StructureCase

LONG = frozenset({"text", "json", "binary", "object", "point"})
"""Types of value that make no key."""


def move_out(case: StructureCase, record: Record, held: Held, embed: Embed) -> tuple[Fix, ...]:
    """The fix that takes an embed out of its record; none where the store or the fields give no key."""
    edge = held.edge
    structure, model = case.structure, case.model.name
    if edge is None or not edge.down or held.up != 0 or record.group > 1 or case.store.can.by_key_only:
        return ()
    order = tuple(edge.rel.via) + _rest(held.entity, edge.rel, case.world)
    if len(order) == len(edge.rel.via):
        return ()
    name = embed.as_ or embed.what
    taken = {s.name for s in case.model.structures}

    def cut(thing: Thing) -> Thing:
        return with_embed(thing, name, lambda _: None) if (thing.of or structure.of) == record.of else thing

    if structure.records:
        kind = _item(structure, record, embed, edge.rel, order)
        if kind is None:
            return ()

        def inside(s: Structure) -> Structure:
            kinds = tuple(_sorted(cut(r)) for r in s.records)
            return s.model_copy(update={"records": (*kinds, kind)})

        label = f"Store each {held.entity} as an item of its own beside its {edge.rel.parent}"
        return (Fix(label, lambda project: alter.change_structure(project, model, structure.name, inside)),)
    new = _structure(case, embed, held.entity, edge.rel, order, taken)
    if new is None:
        return ()

    def apply(project: Project) -> Project:
        changed = alter.change_structure(project, model, structure.name, cut)  # type: ignore[arg-type]
        return alter.add_structure(changed, model, new)

    return (Fix(f"Move {held.entity} into {new.kind} {new.name}, found by {', '.join(_short(order))}", apply),)


def _rest(child: str, rel: Rel, world: World) -> tuple[str, ...]:
    """What tells the children of one parent apart and orders them: their key, else their first short fields."""
    own = [a for a in world.fields.get(child, ()) if a not in rel.via and a in world.stats]
    plain = [a for a in own if world.stats[a].type not in LONG and not world.stats[a].type.endswith("[]")]
    key = [a for a in world.keys.get(child, ()) if a not in rel.via]
    rising = [a for a in plain if a in world.monotonic and a not in key]
    return (*rising[:1], *key) if key or rising else tuple(plain[:2])


def _short(order: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(a.partition(".")[2] for a in order)


def _structure(
    case: StructureCase, embed: Embed, child: str, rel: Rel, order: tuple[str, ...], taken: set[str]
) -> Structure | None:
    words = case.store.structure_keys
    keys = tuple(parse_key_part(a) for a in order)
    held = {"embed": embed.embed, "copied": embed.copied, "computed": embed.computed, "reference": embed.reference}
    name = _free(embed.as_ or f"{child}s", child, taken)
    base = Structure(kind=case.structure.kind, name=name, of=child, store=case.structure.store).model_copy(update=held)
    if "partition_key" in words:
        n = len(rel.via)
        return base.model_copy(update={"partition_key": keys[:n], "clustering_key": keys[n:]})
    if "indexes" in words:
        own = case.world.keys.get(child, ())
        id_: tuple[KeyPart, ...] | None = tuple(parse_key_part(a) for a in own) or None
        return base.model_copy(update={"id_": id_, "indexes": (Index(keys=keys),)})
    return None


def _free(wanted: str, child: str, taken: set[str]) -> str:
    return next(n for n in (wanted, f"{child}s", f"{child}_list", f"{child}_apart") if n not in taken)


def _item(structure: Structure, record: Record, embed: Embed, rel: Rel, order: tuple[str, ...]) -> RecordShape | None:
    """The child as an item in its parent's partition: the parent's key seen from the child."""
    parent = next((r for r in structure.records if r.of == record.of and r.embed), None)
    key = parent.pk if parent is not None else None
    if key is None:
        return None
    text = key.text
    for own, via in zip(rel.key, rel.via, strict=True):
        text = text.replace(f"{{{own}", f"{{{via}")
    if f"{{{record.of}." in text:
        return None
    sort = "#".join([rel.child.upper(), *(f"{{{a}}}" for a in order[len(rel.via) :])])
    held = {"embed": embed.embed, "copied": embed.copied, "computed": embed.computed, "reference": embed.reference}
    shape = RecordShape(of=rel.child, pk=parse_template(text), sk=parse_template(sort))
    return shape.model_copy(update=held)


def _sorted(thing: Thing) -> Thing:
    """Every item of a table has the same key: one that had no sort key gets its name for one."""
    if isinstance(thing, RecordShape) and thing.sk is None:
        return thing.model_copy(update={"sk": parse_template(thing.of.upper())})
    return thing
