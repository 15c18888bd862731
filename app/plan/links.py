"""From relationships to what the planner walks: composite keys pairwise, many-to-many as a link
with two ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from app.model.project import Project
from app.model.spread import ONE, Spread
from app.model.spreads import GivenSpread
from app.model.workload import Field, Relationship
from app.plan.types import Rel


@dataclass(frozen=True, slots=True)
class Link:
    """A many-to-many relationship as an entity of its own. `sources`: (its column, the key it
    holds).
    """

    name: str
    relationship: Relationship
    ends: tuple[tuple[str, tuple[str, ...]], ...]
    """Role and columns of the `from` end and of the `to` end."""
    sources: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in self.sources)


def key_of(entity: str, fields: Mapping[str, tuple[Field, ...]]) -> tuple[str, ...]:
    """Names of an entity's key fields; `id` where it declares none."""
    return tuple(f.name for f in fields.get(entity, ()) if f.key) or ("id",)


def via_of(r: Relationship, fields: Mapping[str, tuple[Field, ...]]) -> tuple[str, ...]:
    """The child's columns that hold the parent's key; guessed from role and key where not named."""
    if r.via:
        return tuple(r.via)
    key = key_of(r.parent, fields)
    names = {f.name for f in fields.get(r.child, ())}
    for guess in (
        tuple(f"{r.role}_{k}" for k in key),
        tuple(f"{r.parent}_{k}" for k in key),
        key,
    ):
        if set(guess) <= names:
            return guess
    return tuple(f"{r.role}_{k}" for k in key)


def links(project: Project) -> tuple[Link, ...]:
    """The many-to-many relationships of a project, in order."""
    fields = {e.name: e.fields for e in project.entities}
    return tuple(_link(r, fields) for r in project.relationships if r.many_to_many)


def relations(
    project: Project,
    counts: Mapping[str, float],
    fields: Mapping[str, tuple[Field, ...]],
    unknown: Set[str] = frozenset(),
) -> tuple[Rel, ...]:
    """Every relationship as the planner walks it, in the project's order. `unknown`: entities and links whose count is
    a default.
    """
    found: list[Rel] = []
    for r in project.relationships:
        if r.many_to_many:
            found += _halves(r, counts, fields, unknown)
        elif r.parent in fields and r.child in fields:
            found.append(_relation(r, counts, fields, unknown))
    return tuple(found)


def _relation(
    r: Relationship, counts: Mapping[str, float], fields: Mapping[str, tuple[Field, ...]], unknown: Set[str]
) -> Rel:
    via = via_of(r, fields)
    key = _matching(key_of(r.parent, fields), via, r)
    present = _present(fields[r.child], via)
    average = counts[r.child] * present / max(1.0, counts[r.parent])
    children, assumed = _degree(r.children, average)
    return Rel(
        role=r.role,
        parent=r.parent,
        key=tuple(f"{r.parent}.{k}" for k in key),
        child=r.child,
        via=tuple(f"{r.child}.{v}" for v in via[: len(key)]),
        children=children,
        up=ONE if present == 1 else Spread(present, 1, 1),
        assumed=assumed,
        children_as=r.children_as,
        on_delete=r.on_delete,
        invented=_unsaid(r.children) and not unknown.isdisjoint((r.parent, r.child)),
    )


def _unsaid(given: GivenSpread | None) -> bool:
    """Does nothing that was typed say how many there are on average?"""
    return given is None or given.spread is None


def _matching(key: tuple[str, ...], via: tuple[str, ...], r: Relationship) -> tuple[str, ...]:
    """The parent's key fields in the order of `via`: all of them, or those that the names tell."""
    if len(key) == len(via):
        same = all(v in key for v in via)
        return via if same else key
    named = [_named(k, v, r) for v in via for k in key if _named(k, v, r)]
    return tuple(named) if len(named) == len(via) else key[-len(via) :]


def _named(key: str, via: str, r: Relationship) -> str:
    return key if via in (key, f"{r.role}_{key}", f"{r.parent}_{key}") else ""


def _present(fields: Iterable[Field], via: tuple[str, ...]) -> float:
    """Share of the children that have a parent."""
    shares = [f.present.value for f in fields if f.name in via and f.present]
    return min((s for s in shares if s is not None), default=1.0)


def _degree(given: GivenSpread | None, average: float) -> tuple[Spread, bool]:
    """The spread that was said, else what the counts leave; and whether the latter."""
    said = given.spread if given else None
    if said is not None:
        return said, given.assumed if given else False
    bound = given.max.value if given and given.max and given.max.value is not None else None
    p99 = given.p99.value if given and given.p99 and given.p99.value is not None else 0.0
    return Spread(average, p99, bound if bound is not None else Spread(0).max), True


def _link(r: Relationship, fields: Mapping[str, tuple[Field, ...]]) -> Link:
    name = r.name or f"{r.from_}_{r.to}"
    same = r.from_ == r.to
    roles = ("from", "to") if same else (r.from_, r.to)
    ends = []
    sources: list[tuple[str, str]] = []
    for role, entity in zip(roles, (r.from_, r.to), strict=True):
        key = key_of(entity, fields)
        columns = tuple(f"{name}.{role}_{k}" for k in key)
        ends.append((role, columns))
        sources += zip(columns, (f"{entity}.{k}" for k in key), strict=True)
    return Link(name, r, tuple(ends), tuple(sources))


def _halves(
    r: Relationship, counts: Mapping[str, float], fields: Mapping[str, tuple[Field, ...]], unknown: Set[str]
) -> list[Rel]:
    link = _link(r, fields)
    found = []
    for (role, columns), entity, given in zip(link.ends, (r.from_, r.to), (r.out, r.in_), strict=True):
        average = counts.get(link.name, 0.0) / max(1.0, counts.get(entity, 1.0))
        children, assumed = _degree(given, average)
        key = tuple(f"{entity}.{k}" for k in key_of(entity, fields))
        found.append(
            Rel(
                role,
                entity,
                key,
                link.name,
                columns,
                children,
                ONE,
                assumed,
                on_delete="cascade",
                together=r.together,
                link=link.name,
                invented=_unsaid(given) and not unknown.isdisjoint((entity, link.name)),
            )
        )
    return found
