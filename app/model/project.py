"""The project: workload, candidate models, decisions. The one value that everything else reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator
from pydantic import Field as Key

from app.model.candidate import Candidate
from app.model.part import FreeMapping, Frozen, Part, Strings, Texts
from app.model.problem import Unreadable
from app.model.quantity import Duration
from app.model.words import Mark, Mention, Title
from app.model.workload import Entity, Pattern, Relationship, Traffic

SCHEMA_VERSION = 1


class Decision(Part):
    """A finding the team accepted: where, why, who and when; `numbers` are those it was accepted at."""

    finding: str
    at: Annotated[str, Mark("place")]
    reason: str = ""
    by: str = ""
    date: str = ""
    review_by: str = Key("", alias="review by")
    numbers: FreeMapping = Key(default_factory=Frozen)

    @property
    def key(self) -> str:
        """Identity across reports: rule and place."""
        return f"{self.finding}@{self.at}"


def _version(raw: Any) -> Any:
    return int(raw) if isinstance(raw, str) and raw.strip().isdecimal() else raw


class Project(Part):
    """One system being designed. Only `keywright` (the schema version) and `name` are required."""

    keywright: Annotated[Literal[1], BeforeValidator(_version)] = 1
    name: Title
    note: str = ""
    horizon: Duration | None = None
    tenant: Mention = ""
    stores: Strings = ()
    """Stores the team compares; used where a starter model is to be built for each."""
    traffic: Traffic | None = None
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    models: tuple[Candidate, ...] = ()
    decisions: tuple[Decision, ...] = ()
    inferred: Texts = Key(default_factory=Frozen)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        check_names(self)
        return self

    def shorten(self, plain: dict[str, Any]) -> Any:
        return {"keywright": self.keywright, **plain}

    def entity(self, name: str) -> Entity | None:
        return next((e for e in self.entities if e.name == name), None)

    def pattern(self, operation: str) -> Pattern | None:
        return next((p for p in self.patterns if p.operation == operation), None)

    def model(self, name: str) -> Candidate | None:
        return next((m for m in self.models if m.name == name), None)


def _once(items: Iterable[Any], name: Callable[[Any], str], loc: tuple[str | int, ...], key: str) -> None:
    seen: dict[str, int] = {}
    for i, item in enumerate(items):
        first = seen.setdefault(name(item), i)
        if first != i:
            what = f"{name(item)!r} stands twice in the list"
            raise Unreadable(what, "Names are unique: rename one of them", loc=(*loc, i, key))


def check_names(project: Project) -> None:
    """Names are unique within their list. Raises `Unreadable` at the second one."""
    _once(project.entities, lambda e: str(e.name), ("entities",), "name")
    for i, entity in enumerate(project.entities):
        _once(entity.fields, lambda f: str(f.name), ("entities", i, "fields"), "name")
    _once(project.relationships, lambda r: str(r.key), ("relationships",), "name")
    _once(project.patterns, lambda p: str(p.operation), ("patterns",), "operation")
    _once(project.models, lambda m: str(m.name), ("models",), "name")
    _once(project.decisions, lambda d: str(d.key), ("decisions",), "finding")
    for i, model in enumerate(project.models):
        _once(model.structures, lambda s: str(s.name), ("models", i, "structures"), "name")


__all__ = ["SCHEMA_VERSION", "Decision", "Project", "check_names"]
