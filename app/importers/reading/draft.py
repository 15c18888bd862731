"""A workload under construction: entities, fields and relationships as they are read, each with the reason.

What a project already holds is found again and never changed; what is new is added and marked as inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.importers.reading.attributes import UNIQUE, type_of
from app.importers.reading.nouns import LABELS, SERIES
from app.importers.reading.text import a
from app.model.project import Project
from app.model.workload import Entity, Field, Relationship

RISING = ("created_at", "at", "published_at", "sent_at", "placed_at", "timestamp")
"""Times of birth: a new record never has a smaller one."""
TIMES = (*RISING, "date", "time")


@dataclass(slots=True)
class EntityDraft:
    """An entity being put together; `given` is the one the project already has."""

    name: str
    given: Entity | None = None
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    inferred: dict[str, str] = field(default_factory=dict)
    count: str = ""
    growth: str = ""
    keep: str = ""

    def held(self, name: str) -> bool:
        return name in self.fields or bool(self.given and self.given.field(name))


@dataclass(slots=True)
class Link:
    """A relationship: parent and child with the child's field, or two equal ends (`many`, then `via` is empty)."""

    name: str
    parent: str
    child: str
    via: str
    many: bool = False
    given: Relationship | None = None
    inferred: dict[str, str] = field(default_factory=dict)
    children: str = ""


class Draft:
    """Entities and relationships by name, in the order in which they were first read."""

    def __init__(self, project: Project | None) -> None:
        self.entities: dict[str, EntityDraft] = {}
        self.links: list[Link] = []
        self.times: dict[str, str] = {}
        """The field that says when, by entity, where the text names one (`appointment.time`)."""
        for entity in project.entities if project else ():
            self.entities[entity.name] = EntityDraft(entity.name, entity)
        for given in project.relationships if project else ():
            if given.many_to_many:
                self.links.append(Link(given.name, given.from_, given.to, "", many=True, given=given))
            else:
                via = given.via[0] if given.via else ""
                self.links.append(Link(given.role, given.parent, given.child, via, given=given))

    def entity(self, name: str, why: str) -> str:
        """The entity of this name, made where there is none."""
        if name not in self.entities:
            self.entities[name] = EntityDraft(name, inferred={"name": why})
        return name

    def forget(self, name: str) -> None:
        """Takes back an entity that nothing was said of yet."""
        made = self.entities[name]
        linked = any(name in (x.parent, x.child) for x in self.links)
        if not made.given and not made.fields and not linked:
            del self.entities[name]

    def field(self, entity: str, name: str, why: str, kind: str = "", **flags: str) -> str:
        """The path of a field, made where there is none. `flags` are words of the field's long form."""
        made = self.entities[entity]
        if not made.held(name):
            made.fields[name] = {"name": name, "type": kind or type_of(name), **flags}
            made.inferred[f"fields.{name}"] = why
        return f"{entity}.{name}"

    def key(self, entity: str) -> tuple[str, ...]:
        """Names of the key fields; a new entity gets `id`, a label its name."""
        made = self.entities[entity]
        if made.given and made.given.key_fields:
            return tuple(f.name for f in made.given.key_fields)
        keys = tuple(name for name, f in made.fields.items() if f.get("key"))
        if keys:
            return keys
        name, kind = ("name", "string") if entity in LABELS else ("id", "uuid")
        why = f"{a(entity)} is known by its name" if entity in LABELS else f"tells one {entity} from another"
        if made.held(name):
            return (name,)
        made.fields = {name: {"name": name, "type": kind, "key": "yes"}, **made.fields}
        made.inferred[f"fields.{name}"] = why
        return (name,)

    def series_key(self, entity: str) -> bool:
        """Makes source and time the key of a new series (`reading`); False where that is not known."""
        made = self.entities[entity]
        via = next((x.via for x in self.links if x.child == entity and x.via in made.fields), "")
        time = next((name for name in TIMES if name in made.fields), "")
        if made.given or not via or not time or any(f.get("key") for f in made.fields.values()):
            return False
        for name in (via, time):
            made.fields[name]["key"] = "yes"
        made.fields = {name: made.fields[name] for name in (via, time)} | made.fields
        return True

    def time(self, entity: str, why: str) -> str:
        """The path of the field that says when a record came into being."""
        made = self.entities[entity]
        fields: list[Field] = list(made.given.fields) if made.given else []
        rising = next((f.name for f in fields if f.monotonic and f.type in ("datetime", "timeuuid")), "")
        if self.times.get(entity) and not rising:
            return self.field(entity, self.times[entity], why, "datetime")
        named = next((name for name in TIMES if made.held(name)), "")
        dated = next((f.name for f in fields if f.type == "datetime"), "")
        found = rising or named or dated
        if found:
            if found in made.fields and found in RISING:
                made.fields[found].setdefault("monotonic", "yes")
            return f"{entity}.{found}"
        name = "at" if entity in SERIES else "created_at"
        return self.field(entity, name, why, "datetime", monotonic="yes")

    def link(self, parent: str, child: str, role: str = "") -> Link | None:
        """The relationship from this parent (in this role) to this child."""
        known = [x for x in self.links if not x.many and x.child == child and (x.parent == parent or x.name == role)]
        return next(
            (x for x in known if x.name == (role or parent)),
            None if role and role != parent else next(iter(known), None),
        )

    def parent(self, child: str, parent: str, role: str, why: str) -> str:
        """The path of the child's field that holds its parent's key (`order.seller_id`), related where it was not."""
        found = self.link(parent, child, role)
        if found and found.via:
            return f"{child}.{found.via}"
        self.entity(parent, why)
        name = role or parent
        keys = self.key(parent)
        key_type = self._type(parent, keys[0])
        via = f"{name}_{keys[0]}" if keys[0] in ("id", "name") else f"{name}_id"
        path = self.field(child, via, f"holds the key of its {name}", key_type)
        self.links.append(Link(name, parent, child, via, inferred={"child": why}))
        return path

    def many(self, one: str, other: str, why: str) -> Link:
        """The many-to-many relationship between two entities."""
        ends = {one, other}
        found = next((x for x in self.links if x.many and {x.parent, x.child} == ends), None)
        if found is None:
            self.entity(one, why)
            self.entity(other, why)
            self.key(one), self.key(other)
            found = Link(f"{one}_{other}", one, other, "", many=True, inferred={"to": why})
            self.links.append(found)
        return found

    def _type(self, entity: str, name: str) -> str:
        made = self.entities[entity]
        given = made.given.field(name) if made.given else None
        return given.type if given else str(made.fields.get(name, {}).get("type", "uuid"))

    def unique(self, entity: str, name: str) -> None:
        """Marks a new field as unique where it is one of those that tell records apart."""
        made = self.entities[entity]
        if name in made.fields and name in UNIQUE and not made.fields[name].get("key"):
            made.fields[name]["unique"] = "yes"

    def finish(self) -> tuple[tuple[Entity, ...], tuple[Relationship, ...]]:
        """The workload's entities and relationships: those given as they were, the new ones after them."""
        for name in list(self.entities):
            if not (name in SERIES and self.series_key(name)) and not self.entities[name].given:
                self.key(name)
        entities = tuple(_entity(made) for made in self.entities.values())
        relationships = tuple(x.given or _relationship(x) for x in self.links)
        return entities, relationships


def _entity(made: EntityDraft) -> Entity:
    if made.given is None:
        plain: dict[str, Any] = {"name": made.name, "fields": list(made.fields.values()), "inferred": made.inferred}
        plain |= {
            word: value
            for word, value in (("count", made.count), ("growth", made.growth), ("keep", made.keep))
            if value
        }
        return Entity.model_validate(plain)
    changed: dict[str, Any] = {}
    if made.fields:
        new = tuple(Field.model_validate(f) for f in made.fields.values())
        changed["fields"] = (*made.given.fields, *new)
    read = Entity.model_validate(
        {
            "name": made.name,
            **({"count": made.count} if made.count else {}),
            **({"growth": made.growth} if made.growth else {}),
            **({"keep": made.keep} if made.keep else {}),
        }
    )
    if made.count and made.given.count is None:
        changed["count"] = read.count
    if made.growth and made.given.growth is None:
        changed["growth"] = read.growth
    if made.keep and made.given.keep is None:
        changed["keep"] = read.keep
    if not changed:
        return made.given
    marks = {place: why for place, why in made.inferred.items() if place.split(".")[0] in changed or place in changed}
    merged = {**made.given.inferred, **marks}
    inferred = Entity.model_validate({"name": made.name, "inferred": merged}).inferred
    return made.given.model_copy(update={**changed, "inferred": inferred})


def _relationship(x: Link) -> Relationship:
    if x.many:
        return Relationship.model_validate({"name": x.name, "from": x.parent, "to": x.child, "inferred": x.inferred})
    plain: dict[str, Any] = {"parent": x.parent, "child": x.child, "via": x.via, "inferred": x.inferred}
    if x.name != x.parent:
        plain["name"] = x.name
    if x.parent == x.child:
        plain["children as"] = "children"
    if x.children:
        plain["children"] = x.children
    return Relationship.model_validate(plain)
