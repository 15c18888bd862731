"""The entities page: the diagram, every entity with its fields and numbers, every relationship with its children."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from app.errors import BadInput
from app.model.workload import Entity, Field, Relationship
from app.rules.rule import Finding
from app.templating import number, plural, render
from app.views.answer import answer
from app.views.edit import Seen
from app.views.editing import parts, store
from app.views.editing.fields import shown, text_of
from app.views.entities.diagram import Drawing, draw
from app.views.opened import desk, open_project
from app.views.page import ProjectPage

router = APIRouter()
FLAGS = ("key", "unique", "immutable", "monotonic")


@dataclass(frozen=True, slots=True)
class Value:
    """One editable value: the words shown, the text an editor starts with, why it was inferred (empty: given)."""

    field: str
    label: str
    shown: str
    text: str
    hint: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of an entity."""

    name: Value
    place: str
    line: Value
    """The whole field as one line: also the way to its flags."""
    values: tuple[Value, ...]
    extra: tuple[Value, ...]
    """Those that only some fields have."""


@dataclass(frozen=True, slots=True)
class EntityPart:
    """One entity as the page shows it."""

    entity: Entity
    place: str
    said: str
    numbers: tuple[Value, ...]
    more: tuple[Value, ...]
    fields: tuple[FieldRow, ...]
    findings: tuple[Finding, ...]

    @property
    def why(self) -> str:
        return self.entity.inferred.get("name", "")


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """One relationship as the page shows it."""

    relationship: Relationship
    place: str
    values: tuple[Value, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, kw_only=True)
class Show(ProjectPage):
    """The page."""

    template: ClassVar[str] = "entities/show.html"
    here: ClassVar[str] = "entities"
    title: ClassVar[str] = "Entities"

    @cached_property
    def drawing(self) -> Drawing:
        return draw(self.project)

    @cached_property
    def entities(self) -> tuple[EntityPart, ...]:
        return tuple(self._entity(e) for e in self.project.entities)

    @cached_property
    def relationships(self) -> tuple[RelationshipRow, ...]:
        return tuple(self._relationship(r) for r in self.project.relationships)

    @property
    def inferred(self) -> int:
        """How many places were read out of words and not yet looked at."""
        return sum(len(p.inferred) for p in (*self.project.entities, *self.project.relationships))

    @property
    def questions(self) -> int:
        return sum(f.severity == "question" for f in self._found)

    @property
    def growing(self) -> str:
        """The result of the page in one sentence."""
        open_ones = f"{plural(self.questions, 'number')} missing" if self.questions else "every number is given"
        guessed = f"; {plural(self.inferred, 'place')} inferred from words" if self.inferred else ""
        return f"{plural(len(self.entities), 'entity', 'entities')}, {open_ones}{guessed}."

    @cached_property
    def _found(self) -> tuple[Finding, ...]:
        every = self.report.findings
        return tuple(f for f in every if f.at.startswith(("entities/", "relationships/")) and not f.accepted)

    def _at(self, place: str) -> tuple[Finding, ...]:
        return tuple(f for f in self._found if f.at == place or f.at.startswith(f"{place}/"))

    def _value(self, place: str, part: Entity | Relationship, field: str, label: str, hint: str = "") -> Value:
        text = text_of(self.project, place, field)
        return Value(field, label, text, text, hint, _why(part, field))

    def _entity(self, e: Entity) -> EntityPart:
        place = f"entities/{e.name}"

        def value(field: str, label: str, hint: str) -> Value:
            return self._value(place, e, field, label, hint)

        numbers = (
            value("count", "Records now", "10M"), value("growth", "Growth", "2k/day"), value("keep", "Kept", "7 years"),
            value("size", "Bytes in all", "avg 400, max 1 MB"),
        )  # fmt: skip
        more = (
            value("unique", "Unique together", "[[tenant_id, email]]"), value("is a", "Is a", "content"),
            value("together", "Values that go together", "[{fields: [country, city], distinct: 5k}]"),
            value("soft delete", "Marked as deleted by", "deleted_at"), value("note", "Note", "note"),
        )  # fmt: skip
        fields = tuple(self._field(e, f) for f in e.fields)
        return EntityPart(e, place, self._said(e), numbers, more, fields, self._at(place))

    def _said(self, e: Entity) -> str:
        """What follows from the numbers."""
        keys = ", ".join(f.name for f in e.key_fields)
        head = f"{plural(len(e.fields), 'field')}, known by {keys}" if keys else "a value inside its parent: no key"
        inflow = self.report.world.inflow.get(e.name)
        if inflow:
            head += f"; {number(inflow * 86_400)} new a day"
        return head

    def _field(self, e: Entity, f: Field) -> FieldRow:
        place, at = f"entities/{e.name}", f"fields.{f.name}"
        whole = e.inferred.get(at, "")

        def value(word: str, label: str, hint: str) -> Value:
            text = shown(getattr(f, word))
            return Value(f"{at}.{word}", f"{label} of {f.name}", text, text, hint, e.inferred.get(f"{at}.{word}", ""))

        values = (
            value("type", "Type", "string"), value("bytes", "Bytes", "avg 18, max 80"),
            value("distinct", "Distinct values", "500"), value("present", "Present in", "8%"),
        )  # fmt: skip
        extra = [
            value("items", "Items", "avg 2, max 10"), value("computed", "Formula", "count(comment)"),
            value("values", "Shares", "open: 2%, paid: 98%"), value("note", "Note", "note"),
        ]  # fmt: skip
        flags = " ".join(w for w in FLAGS if getattr(f, w))
        line = Value(at, f"Flags and all of {f.name}", flags, shown(f), "status enum unique distinct 4 present 8%")
        name = Value(f"{at}.name", f"Name of field {f.name}", f.name, f.name, "", whole)
        return FieldRow(name, place, line, values, tuple(v for v in extra if v.text))

    def _relationship(self, r: Relationship) -> RelationshipRow:
        place = f"relationships/{r.key}"

        def value(field: str, label: str, hint: str = "") -> Value:
            return self._value(place, r, field, f"{label} of {r.key}", hint)

        if r.many_to_many:
            names = (value("from", "From"), value("to", "To"), value("name", "Name"))
            figures = tuple(
                value(f"{end}.{word}", f"{words} {end}", hint)
                for end, words in (("out", "Links"), ("in", "Links"))
                for word, hint in (("avg", "4"), ("p99", "20"), ("max", "none"))
            )
            rest: tuple[Value, ...] = ()
        else:
            names = (value("parent", "Parent"), value("child", "Child"), value("name", "Role", "role"))
            figures = (
                value("children.avg", "Average children", "10"), value("children.p99", "Children at p99", "80"),
                value("children.max", "Most children", "5k or none"),
            )  # fmt: skip
            rest = (
                value("via", "Held in", "order_id"), value("children.parents", "Parents with any", "20k"),
                value("children.growth", "Growth of children", "3/month"), value("on delete", "On delete", "cascade"),
            )  # fmt: skip
        return RelationshipRow(r, place, (*names, *figures, *rest), self._at(place))


def _why(part: Entity | Relationship, field: str) -> str:
    return part.inferred.get(field, "") or part.inferred.get(field.split(".", maxsplit=1)[0], "")


@router.get("/p/{project_id}/entities", name="entities:show")
def show(request: Request, project_id: int) -> Response:
    """Entities and relationships of a project."""
    return render(Show(opened=open_project(request, project_id)))


@router.post("/p/{project_id}/relationships", name="entities:relate")
def relate(
    request: Request, project_id: int, view: Seen,
    parent: Annotated[str, Form()], child: Annotated[str, Form()],
    via: Annotated[str, Form()] = "", role: Annotated[str, Form()] = "", many: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """A new relationship between two entities; `many`: many to many, then `role` is its name."""
    before = open_project(request, project_id)
    if many and not role.strip():
        raise BadInput("A many-to-many relationship needs a name.", place="relationships", fix="Write e.g. tagged.")
    ends = {"from": parent, "to": child} if many else {"parent": parent, "child": child}
    plain = {"name": role.strip(), **ends, "via": via.strip() or ("" if many else f"{parent}_id")}
    text = "{" + ", ".join(f"{k}: {_quoted(v)}" for k, v in plain.items() if v) + "}"
    new, made = parts.add(before.project, "relationships", text)
    changed = store(request, before, new, f"{made.rpartition('/')[2]} added", made)
    return answer(desk(request), changed, view)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


__all__ = ["EntityPart", "FieldRow", "RelationshipRow", "Show", "Value", "router"]
