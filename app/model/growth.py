"""How counts, children, rates and ages follow from what was said: the named formulas of the workload.

Counts are records, rates per second, times seconds, shares 0 to 1. None means: cannot be judged, a
number is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from app.memory import Memory, PerPart
from app.model.project import Project
from app.model.quantity import Amount, parse_duration
from app.model.terms import Comparison, Conditions
from app.model.words import read_level
from app.model.workload import AlsoWrite, Entity, Pattern, Traffic

_FLOWS = Memory(100)

# ---------------------------------------------------------------- rates


def amount_rate(amount: Amount | None, traffic: Traffic | None) -> float | None:
    """Operations/s of a typed rate; a share of the traffic needs the total typed there."""
    if amount is None or amount.value is None or not amount.bounded:
        return None
    if not amount.of:
        return amount.value
    total = getattr(traffic, amount.of) if traffic else None
    whole = amount_rate(total, None) if total else None
    return None if whole is None else amount.value * whole


def rate_of(
    pattern: Pattern, traffic: Traffic | None, patterns: Mapping[str, Pattern] | None = None
) -> tuple[float | None, float | None, bool]:
    """Average and peak operations/s, and whether one of them is assumed. A missing peak is the average.

    `patterns` by operation lets `for each` find the pattern that drives this one: it runs once per
    record that one returns (its `limit`, else its `matches`, else its batch of one).
    """
    given = pattern.rate
    if given is None and pattern.for_each and patterns and pattern.for_each in patterns:
        return _driven(pattern, traffic, patterns)
    if given is None:
        return None, None, False
    avg, peak = amount_rate(given.avg, traffic), amount_rate(given.peak, traffic)
    totals = [getattr(traffic, a.of) for a in (given.avg, given.peak) if a and a.of and traffic]
    guessed = any(a.assumed for a in (given.avg, given.peak, *totals) if a)
    if peak is None and avg is not None:
        return avg, avg, True
    return avg, peak, guessed


def _driven(
    pattern: Pattern, traffic: Traffic | None, patterns: Mapping[str, Pattern]
) -> tuple[float | None, float | None, bool]:
    driver = patterns[pattern.for_each]
    if driver.for_each:  # one level is enough: a chain could go round
        return None, None, False
    avg, peak, _ = rate_of(driver, traffic)
    per = driver.matches.spread.avg if driver.matches and driver.matches.spread else None
    limit = driver.limit.value if driver.limit and driver.limit.known else None
    each = min(x for x in (per, limit, inf) if x is not None)
    if each == inf:
        return None, None, False
    return (None if avg is None else avg * each), (None if peak is None else peak * each), True


# ---------------------------------------------------------------- inflow


def insert_rates(project: Project) -> dict[str, float]:
    """New records/s of each entity (and many-to-many relationship) that patterns insert, before removals."""
    return dict(_rates(project)[0])


def delete_rates(project: Project) -> dict[str, float]:
    """Records/s of each entity that patterns delete."""
    return dict(_rates(project)[1])


def _rates(project: Project) -> tuple[dict[str, float], dict[str, float]]:
    """What all patterns insert and delete, remembered for the same patterns."""
    sources = (project.patterns, project.traffic, project.relationships, project.entities)
    return _FLOWS.of("rates", sources, lambda: (_summed(project, ("insert", "upsert")), _summed(project, ("delete",))))


def _summed(project: Project, actions: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for entity, rate in _flows(project, actions):
        found[entity] = found.get(entity, 0.0) + rate
    return found


def inflow(project: Project) -> dict[str, float]:
    """g, records/s: `growth` where it is given, else Σ insert rate × batch − deletes (never below 0).

    An entity is missing where neither is known. Compound growth counts at today's number.
    """
    inserts, deletes = insert_rates(project), delete_rates(project)
    found = {name: max(0.0, rate - deletes.get(name, 0.0)) for name, rate in inserts.items()}
    for entity in project.entities:
        given = growth_rate(entity)
        if given is not None:
            found[entity.name] = given
    for entity in project.entities:
        if entity.name not in found:
            kinds = [found[e.name] for e in project.entities if e.is_a == entity.name and e.name in found]
            if kinds:
                found[entity.name] = sum(kinds)
    return found


def growth_rate(entity: Entity) -> float | None:
    """Records/s of the growth typed on an entity, at today's count where it compounds."""
    growth = entity.growth
    if growth is None or growth.value is None or not growth.bounded:
        return None
    if not growth.per:
        return growth.value
    count = entity.count.value if entity.count and entity.count.known else None
    return None if count is None else count * growth.value / growth.per


def _flows(project: Project, actions: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Entity and records/s of every change of these kinds, in every pattern whose rate is known.

    What one pattern does is remembered: an edit of another one leaves it alone.
    """
    around = (project.traffic, project.relationships, project.entities)
    known = _FLOWS.of("flows", around, PerPart, actions)
    drivers = {p.operation: p for p in project.patterns} if any(p.for_each for p in project.patterns) else {}

    def make(pattern: Pattern) -> tuple[tuple[str, float], ...] | None:
        if pattern.for_each:
            return None  # its rate is that of another pattern
        return _flows_now(project, pattern, actions, {})

    for pattern, flows in zip(project.patterns, known.each(project.patterns, make), strict=True):
        yield from flows if flows is not None else _flows_now(project, pattern, actions, drivers)


def _flows_now(
    project: Project, pattern: Pattern, actions: tuple[str, ...], drivers: Mapping[str, Pattern]
) -> tuple[tuple[str, float], ...]:
    if pattern.action not in actions and not any(also.action in actions for also in pattern.also):
        return ()
    rate, _, _ = rate_of(pattern, project.traffic, drivers)
    if rate is None:
        return ()
    rate *= pattern.batch.value if pattern.batch and pattern.batch.value else 1.0
    return tuple(_flows_of(project, pattern, actions, rate))


def _flows_of(project: Project, pattern: Pattern, actions: tuple[str, ...], rate: float) -> Iterator[tuple[str, float]]:
    """What one pattern changes when it runs `rate` times a second."""
    if pattern.action in actions and pattern.entity:
        part = _inserted(pattern) if pattern.action == "upsert" else 1.0
        if part is not None:
            yield pattern.entity, rate * part
        if pattern.action == "insert":
            for child in pattern.with_:
                yield child, rate * _children(project, pattern.entity, child)
    for also in pattern.also:
        if also.action in actions:
            part = _inserted(also) if also.action == "upsert" else 1.0
            if part is not None:
                yield also.entity, rate * part * _times(project, pattern, also)


def _inserted(write: Pattern | AlsoWrite) -> float | None:
    """Share of an upsert that inserts; None where it does not say."""
    return write.inserts.value if write.inserts else None


def _children(project: Project, parent: str, child: str) -> float:
    """Children per parent on average; 1 where it is unknown."""
    for r in project.relationships:
        if r.child == child and parent in (r.parent, r.role) and r.children and r.children.spread:
            return r.children.spread.avg
    return 1.0


def _times(project: Project, pattern: Pattern, also: AlsoWrite) -> float:
    """How many records a further change touches per operation."""
    if also.for_each:
        return _children(project, pattern.entity, also.for_each)
    if also.action == "delete":
        if also.where is None and pattern.is_read and pattern.limit and pattern.limit.known:
            return pattern.limit.value or 1.0
        parent = _bound_parent(project, also.entity, also.where)
        return _children(project, parent, also.entity) if parent else 1.0
    return 1.0


def _bound_parent(project: Project, child: str, where: Conditions | None) -> str:
    """The parent whose children a condition names: its foreign key is bound and the child's own key is not."""
    if where is None:
        return ""
    bound = {t.path for t in where.terms if isinstance(t, Comparison) and t.op == "="}
    entity = project.entity(child)
    keys = {f"{child}.{f.name}" for f in entity.key_fields} if entity else set()
    if keys and keys <= bound:
        return ""
    for r in project.relationships:
        if r.child == child and r.via and bound == {f"{child}.{column}" for column in r.via}:
            return r.parent
    return ""


# ---------------------------------------------------------------- counts


def count_at(entity: Entity, inflow: float | None, seconds: float) -> tuple[float | None, bool]:
    """N(t) = N0 + g·t, at most g·keep but never below what is there now; and whether a guess is in it.

    `inflow` is g where the entity has no growth of its own. N0 unknown with keep and g known: g·keep, assumed.
    """
    start = entity.count.value if entity.count and entity.count.known else None
    keep = entity.keep.value if entity.keep and entity.keep.known else None
    g = growth_rate(entity)
    g = inflow if g is None else g
    guessed = any(a.assumed for a in (entity.count, entity.growth) if a)
    if start is None:
        return (g * keep, True) if keep and g else (None, False)
    if g is None or seconds == 0:
        return start, guessed
    later = _grown(entity, start, g, seconds)
    return (later if keep is None else min(later, max(start, g * keep))), guessed


def _grown(entity: Entity, start: float, g: float, seconds: float) -> float:
    growth = entity.growth
    if growth and growth.per and growth.value is not None:
        return start * float((1 + growth.value) ** (seconds / growth.per))
    return max(0.0, start + g * seconds)


# ---------------------------------------------------------------- consistency


@dataclass(frozen=True, slots=True)
class Consistency:
    """What a reader asks for. `age`: greatest age in seconds: 0 current, infinite for `historical`, None not said."""

    level: str
    age: float | None

    @property
    def said(self) -> bool:
        return bool(self.level)


UNSAID = Consistency("", None)


def read_consistency(text: str) -> Consistency:
    """`eventual 5 min` as level and age."""
    level, age = read_level(text)
    if level == "historical":
        return Consistency(level, inf)
    if level != "eventual":
        return Consistency(level, 0.0)
    return Consistency(level, parse_duration(age).value if age else None)


def consistency_of(pattern: Pattern, path: str = "") -> Consistency:
    """What a pattern asks for an entity or attribute: said of itself, else of what it belongs to, else of all."""
    levels = pattern.consistency
    key = path
    while key:
        if key in levels:
            return read_consistency(levels[key])
        key = key.rpartition(".")[0]
    return read_consistency(levels["*"]) if "*" in levels else UNSAID
