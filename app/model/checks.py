"""Numbers that contradict each other, and words that mean nothing: each as a sentence about one place.

Nothing here is an error of the file: a project with doubts loads and is analysed. Rules show them as questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, prod

from app.memory import Memory, PerPart
from app.model.growth import delete_rates, growth_rate, insert_rates
from app.model.project import Project
from app.model.roles import Ambiguous, Unknown, resolve
from app.model.spreads import GivenSpread
from app.model.workload import Entity, Pattern, Relationship, Together

_THINGS = Memory(200)
_RATES = PerPart()
APART = 2.0
"""Two figures for one thing may differ by this factor before they are a contradiction."""
NEAR = 1.25
"""Rounded figures of one balance may differ by this factor."""
STEEPEST = 100.0
"""A p99 above this many averages cannot be: one in a hundred alone would exceed the average."""
WORDS_IN_ORDER = frozenset({"relevance", "paths", "distance"})
"""Orders that are no attributes."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question about numbers or words. `at` is an editable place; `figures` are label and number pairs."""

    at: str
    what: str
    figures: tuple[tuple[str, float], ...] = ()


def doubts(project: Project) -> tuple[Doubt, ...]:
    """Every contradiction and every word without a meaning, in the order of the project."""
    found = list(_of_things(project))
    for pattern in project.patterns:
        found += pattern_doubts(pattern, project)
    return tuple(found)


def number_doubts(project: Project) -> tuple[Doubt, ...]:
    """The same without the words of patterns: what reads a pattern asks for those by itself."""
    found = list(_of_things(project))
    for doubts_of in _RATES.each(project.patterns, lambda p: tuple(rate_doubts(p))):
        found += doubts_of
    return tuple(found)


def _of_things(project: Project) -> tuple[Doubt, ...]:
    """Doubts of entities and relationships; remembered as long as they and what patterns insert are the same."""
    inserts, deletes = insert_rates(project), delete_rates(project)
    sources = (project.entities, project.relationships, project.traffic)
    key = (tuple(inserts.items()), tuple(deletes.items()))
    return _THINGS.of("things", sources, lambda: tuple(_things(project, inserts, deletes)), key)


def _things(project: Project, inserts: Mapping[str, float], deletes: Mapping[str, float]) -> Iterator[Doubt]:
    for entity in project.entities:
        yield from entity_doubts(entity, project, inserts, deletes)
    for relationship in project.relationships:
        yield from relationship_doubts(relationship, project)


def n(value: float) -> str:
    """A number as people read it."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


# ---------------------------------------------------------------- spreads


def spread_doubts(given: GivenSpread | None, at: str, thing: str) -> Iterator[Doubt]:
    """`p99 > 100 × avg`, and figures in the wrong order."""
    spread = given.spread if given else None
    if spread is None:
        return
    if spread.avg > 0 and spread.p99 > STEEPEST * spread.avg:
        what = (
            f"{thing}: a p99 of {n(spread.p99)} cannot be with an average of {n(spread.avg)}: "
            f"the highest hundredth alone would make the average more than {n(spread.p99 / 100)}"
        )
        yield Doubt(at, what, (("avg", spread.avg), ("p99", spread.p99)))
    if 0 < spread.p99 < spread.avg:
        what = f"{thing}: the p99 ({n(spread.p99)}) is below the average ({n(spread.avg)})"
        yield Doubt(at, what, (("avg", spread.avg), ("p99", spread.p99)))
    high = max(spread.p99, spread.avg)
    if spread.max < high:
        name = "p99" if spread.p99 > spread.avg else "average"
        what = f"{thing}: the maximum ({n(spread.max)}) is below the {name} ({n(high)})"
        yield Doubt(at, what, ((name, high), ("max", spread.max)))


# ---------------------------------------------------------------- entities


def entity_doubts(
    entity: Entity,
    project: Project,
    inserts: Mapping[str, float] | None = None,
    deletes: Mapping[str, float] | None = None,
) -> Iterator[Doubt]:
    """`inserts` and `deletes`: rates of the project, where the caller has them already."""
    place = f"entities/{entity.name}"
    yield from spread_doubts(entity.size, f"{place}/size", f"bytes of {entity.name}")
    for field in entity.fields:
        yield from spread_doubts(field.bytes, f"{place}/fields", f"bytes of {entity.name}.{field.name}")
        yield from spread_doubts(field.items, f"{place}/fields", f"items of {entity.name}.{field.name}")
        count = _count(entity)
        distinct = field.distinct.value if field.distinct and field.distinct.known else None
        if count and distinct and distinct > count * _items(field.items):
            what = f"{entity.name}.{field.name} has {n(distinct)} distinct values in {n(count)} records"
            yield Doubt(f"{place}/fields", what, (("distinct", distinct), ("count", count)))
    yield from _together_doubts(entity, place)
    came = (insert_rates(project) if inserts is None else inserts).get(entity.name)
    went = (delete_rates(project) if deletes is None else deletes).get(entity.name, 0.0)
    yield from _growth_doubts(entity, came, went, place)
    if entity.is_a and project.entity(entity.is_a) is None:
        yield Doubt(f"{place}/is a", f"there is no entity {entity.is_a!r} for {entity.name} to be a kind of")


def _together_doubts(entity: Entity, place: str) -> Iterator[Doubt]:
    """Combinations of fields: at least as many as each has values, at most as many as all of them multiplied."""
    for group in entity.together:
        shown = ", ".join(group.fields)
        unknown = [name for name in group.fields if entity.field(name) is None]
        if unknown:
            yield Doubt(f"{place}/together", f"{entity.name} has no field {unknown[0]!r} to go together with others")
        elif len(group.fields) < 2:
            yield Doubt(f"{place}/together", f"{shown} of {entity.name} alone goes together with nothing")
        elif group.distinct is None or not group.distinct.value:
            yield Doubt(f"{place}/together", f"how many combinations of {shown} does {entity.name} have?")
        else:
            yield from _combination_doubts(entity, group, f"{place}/together", f"{entity.name} ({shown})")


def _combination_doubts(entity: Entity, group: Together, at: str, thing: str) -> Iterator[Doubt]:
    said = (group.distinct.value if group.distinct else None) or 0.0
    fields = [f for f in entity.fields if f.name in group.fields]
    known = [f.distinct.value for f in fields if f.distinct and f.distinct.value]
    least, most = max(known, default=0.0), prod(known) if len(known) == len(fields) else inf
    if said < least:
        what = f"{thing}: {n(said)} combinations cannot be fewer than the {n(least)} values of one field"
        yield Doubt(at, what, (("combinations", said), ("values", least)))
    if said > min(most, _count(entity) or inf):
        most = min(most, _count(entity) or inf)
        what = f"{thing}: there can be {n(most)} combinations at most, not {n(said)}"
        yield Doubt(at, what, (("combinations", said), ("most", most)))


def _items(given: GivenSpread | None) -> float:
    spread = given.spread if given else None
    return max(1.0, spread.avg) if spread else 1.0


def _count(entity: Entity | None) -> float | None:
    return entity.count.value if entity and entity.count and entity.count.known else None


def _growth_doubts(entity: Entity, inserted: float | None, deleted: float, place: str) -> Iterator[Doubt]:
    """`growth` and the rate of inserts twofold apart; more records than growth can have left."""
    given = growth_rate(entity)
    if given and inserted and not (1 / APART <= given / inserted <= APART):
        net = inserted - deleted
        if not (net > 0 and 1 / APART <= given / net <= APART):
            what = (
                f"{entity.name} grows by {n(given * 86_400)} a day, but its patterns insert "
                f"{n(inserted * 86_400)} a day"
            )
            yield Doubt(f"{place}/growth", what, (("growth", given), ("inserts", inserted)))
    keep = entity.keep.value if entity.keep and entity.keep.known else None
    count, rate = _count(entity), given or inserted
    if count and keep and rate and count > APART * rate * keep:
        what = (
            f"{n(count)} records of {entity.name} cannot be: at {n(rate * 86_400)} new ones a day and "
            f"kept {n(keep / 86_400)} days there would be {n(rate * keep)}"
        )
        yield Doubt(f"{place}/count", what, (("count", count), ("kept", rate * keep)))


# ---------------------------------------------------------------- relationships


def relationship_doubts(r: Relationship, project: Project) -> Iterator[Doubt]:
    place = f"relationships/{r.key}"
    ends = (r.from_, r.to) if r.many_to_many else (r.parent, r.child)
    for end in ends:
        if project.entity(end) is None:
            yield Doubt(place, f"there is no entity {end!r}")
    if r.many_to_many:
        yield from spread_doubts(r.out, f"{place}/out", f"{r.to} per {r.from_}")
        yield from spread_doubts(r.in_, f"{place}/in", f"{r.from_} per {r.to}")
        yield from _link_doubts(r, project, place)
        return
    thing = f"{r.child} per {r.role}"
    yield from spread_doubts(r.children, f"{place}/children", thing)
    yield from _balance_doubts(r, project, f"{place}/children")
    child = project.entity(r.child)
    for column in r.via:
        if child is not None and child.field(column) is None:
            yield Doubt(f"{place}/via", f"{r.child} has no field {column!r} that could hold the key of {r.role}")


def _balance_doubts(r: Relationship, project: Project, at: str) -> Iterator[Doubt]:
    """`parents × avg = children × present`; no parent can have more children than there are."""
    spread = r.children.spread if r.children else None
    parents, children = _count(project.entity(r.parent)), _count(project.entity(r.child))
    if spread is None:
        return
    child = project.entity(r.child)
    field = child.field(r.via[0]) if child and r.via else None
    present = field.present.value if field and field.present and field.present.value is not None else 1.0
    given = r.children.parents if r.children else None
    having = given.value if given and given.known else parents
    if parents and given and given.value is not None and given.bounded and given.value > parents:
        what = f"{n(given.value)} parents with any {r.child}, but there are {n(parents)} records of {r.parent}"
        yield Doubt(at, what, (("parents", given.value), ("count", parents)))
    if having and children:
        left, right = having * spread.avg, children * present
        if not _alike(left, right):
            what = (
                f"{n(having)} {r.role} with {n(spread.avg)} {r.child} each would make {n(left)}, "
                f"but there are {n(right)}"
            )
            yield Doubt(at, what, (("parents × avg", left), ("children", right)))
    if children and spread.max != inf and spread.max > children:
        what = f"one {r.role} has up to {n(spread.max)} {r.child}, but there are only {n(children)}"
        yield Doubt(at, what, (("max", spread.max), ("children", children)))
    yield from _crowd_doubts(r, project, spread.max, at)


def _crowd_doubts(r: Relationship, project: Project, top: float, at: str) -> Iterator[Doubt]:
    """Where the child's key is the pair of its parents, one parent has each of the others at most once."""
    child = project.entity(r.child)
    keys = {f.name for f in child.key_fields} if child else set()
    for other in project.relationships:
        if other is r or other.child != r.child or other.many_to_many:
            continue
        if keys and keys == {*r.via, *other.via}:
            count = _count(project.entity(other.parent))
            if count and top != inf and top > count:
                what = (
                    f"one {r.role} has up to {n(top)} {r.child}, one per {other.role}, "
                    f"but there are only {n(count)} records of {other.parent}"
                )
                yield Doubt(at, what, (("max", top), (other.parent, count)))


def _link_doubts(r: Relationship, project: Project, place: str) -> Iterator[Doubt]:
    """`from × out = to × in`; an end cannot have more partners than there are."""
    out, back = (r.out.spread if r.out else None), (r.in_.spread if r.in_ else None)
    near, far = _count(project.entity(r.from_)), _count(project.entity(r.to))
    if out and back and near and far and not _alike(near * out.avg, far * back.avg):
        what = (
            f"{n(near)} {r.from_} with {n(out.avg)} {r.to} each are {n(near * out.avg)} pairs, but "
            f"{n(far)} {r.to} with {n(back.avg)} {r.from_} each are {n(far * back.avg)}"
        )
        yield Doubt(f"{place}/out", what, (("from × out", near * out.avg), ("to × in", far * back.avg)))
    for spread, count, name, at in ((out, far, r.to, "out"), (back, near, r.from_, "in")):
        if spread and count and spread.max != inf and spread.max > count:
            what = f"up to {n(spread.max)} {name} for one, but there are only {n(count)}"
            yield Doubt(f"{place}/{at}", what, (("max", spread.max), ("count", count)))


def _alike(a: float, b: float) -> bool:
    return a == b or (a > 0 and b > 0 and 1 / NEAR <= a / b <= NEAR)


# ---------------------------------------------------------------- patterns


def rate_doubts(pattern: Pattern) -> Iterator[Doubt]:
    """Rates, pages and matches that contradict themselves."""
    place = f"patterns/{pattern.operation}"
    avg = pattern.rate.avg if pattern.rate else None
    peak = pattern.rate.peak if pattern.rate else None
    both = avg and peak and avg.known and peak.known and avg.of == peak.of
    if both and avg and peak and (avg.value or 0.0) > (peak.value or 0.0):
        what = f"the peak ({peak.text}) is below the average ({avg.text})"
        yield Doubt(f"{place}/rate", what, (("avg", avg.value or 0.0), ("peak", peak.value or 0.0)))
    yield from spread_doubts(pattern.pages, f"{place}/pages", "pages")
    yield from spread_doubts(pattern.matches, f"{place}/matches", "matches")


def pattern_doubts(pattern: Pattern, project: Project) -> Iterator[Doubt]:
    place = f"patterns/{pattern.operation}"
    yield from rate_doubts(pattern)
    if pattern.for_each and project.pattern(pattern.for_each) is None:
        yield Doubt(f"{place}/for each", f"there is no pattern {pattern.for_each!r}")
    links = {r.name for r in project.relationships if r.many_to_many}
    for name in (pattern.entity, *pattern.more):
        if name and project.entity(name) is None and name not in links:
            yield Doubt(f"{place}/entity", f"there is no entity {name!r}")
    if pattern.entity and project.entity(pattern.entity):
        yield from _path_doubts(pattern, project, place)


def mentioned(pattern: Pattern) -> Iterator[tuple[str, str]]:
    """Place inside the pattern and every attribute path or entity it names there."""
    if pattern.where:
        yield from (("where", p) for p in pattern.where.paths)
    if pattern.order_by:
        words = (i.path for i in pattern.order_by.items if i.path not in WORDS_IN_ORDER)
        yield from (("order by", p) for p in words)
    yield from (("needs", need.what) for need in pattern.needs)
    yield from (("set", path) for path in pattern.set if path)
    yield from (("span", path) for path in pattern.span)
    yield from (("skew", p.strip()) for key in pattern.skew for p in key.split(","))
    yield from (("given", path) for path in pattern.given)
    yield from (("consistency", path) for path in pattern.consistency if path != "*")


def _path_doubts(pattern: Pattern, project: Project, place: str) -> Iterator[Doubt]:
    """Paths that mean nothing, or more than one thing, seen from the pattern's entity."""
    said: set[str] = set()
    for where, path in mentioned(pattern):
        if path in said or not all(c.isalnum() or c in "._-" for c in path):
            continue  # a formula such as count(rating) is read elsewhere
        said.add(path)
        answer = resolve(project, pattern.entity, path, pattern.through)
        beside = (resolve(project, m, path) for m in pattern.more)
        if isinstance(answer, (Ambiguous, Unknown)) and not any(not isinstance(b, Unknown) for b in beside):
            yield Doubt(f"{place}/{where}", answer.what)
