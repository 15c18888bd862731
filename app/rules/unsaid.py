"""What a figure rests on that nobody gave: questions in place of a judgement, and marks for rough numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.forecast.partition import one_record
from app.plan.types import Part, Plan, Query, Record, Rel, World
from app.rules.ground import finding
from app.rules.rule import Ask, Evidence, Finding, PlanCase, Severity, StructureCase


def children_ask(rel: Rel) -> Ask:
    """How many children a parent has."""
    place = f"relationships/{rel.link or f'{rel.role}-{rel.child}'}/children"
    return Ask(place, f"{rel.child} per {rel.role}", "{avg: 10, p99: 120, max: 5k}")


def count_ask(entity: str) -> Ask:
    """How many records there are."""
    return Ask(f"entities/{entity}/count", f"number of {entity} records", "10M")


def of_record(record: Record) -> tuple[Ask, ...]:
    """Numbers without which the size of a record cannot be told: children inside that nothing bounds."""
    return tuple(dict.fromkeys(children_ask(rel) for rel in _inside(record)))


def _inside(record: Record) -> Iterator[Rel]:
    for held in record.shape:
        edge = held.edge
        if edge is not None and edge.down and edge.rel.invented and not held.limit and not held.first:
            yield edge.rel


def of_partition(record: Record, parts: tuple[Part, ...], world: World) -> tuple[Ask, ...]:
    """Numbers without which the rows of one partition cannot be told."""
    if one_record(record, parts, world):
        return ()
    attrs = {p.attr for p in parts if p.attr}
    family = [r for r in world.rels if r.child == record.of and set(r.via) <= attrs]
    asks = [children_ask(r) for r in family if r.invented]
    if asks or record.of not in world.unknown_counts:
        return tuple(dict.fromkeys(asks))
    # with the children of one parent given, the number of all records cancels out
    alone = len(family) == 1 and attrs == set(family[0].via) and not any(p.kept.bucket for p in parts)
    return () if alone else (count_ask(record.of),)


def guessed_partition(record: Record, parts: Iterable[Part], world: World) -> bool:
    """Does the size of a partition rest on a number that was said to be rough, or on values taken as even?"""
    attrs = {p.attr for p in parts if p.attr and not p.kept.bucket}
    family = [r for r in world.rels if r.child == record.of and set(r.via) <= attrs]
    if any(r.assumed and r.children.max < float("inf") for r in family):
        return True
    owned = {v for r in family for v in r.via}
    return any(world.stats[a].assumed for a in attrs - owned if a in world.stats)


def guessed_plan(case: PlanCase, plan: Plan) -> bool:
    """Do the records a plan examines rest on a number of records that nobody gave?"""
    world, of = case.world, {r.name: r.of for r in case.records}
    read = {of[name] for step in plan.steps for name in step.records_of if name in of}
    read |= {of[t.record] for t in plan.touches if t.record in of}
    if not world.unknown_counts.isdisjoint(read):
        return True
    return any(r.invented and {r.parent, r.child} <= read for r in world.rels)


def guessed_matches(query: Query, world: World) -> bool:
    """Does the number of records that the conditions find rest on a number that nobody gave?"""
    root = query.root
    if query.matched.max <= 1:
        return False
    fixed = {c.attr for c in root.where if c.op == "="}
    family = [r for r in world.rels if r.child == root.entity and set(r.via) <= fixed]
    return any(r.invented for r in family) if family else root.entity in world.unknown_counts


def at_most_advice(severity: Severity) -> Severity:
    """The highest severity of what rests on an assumption."""
    return "advice" if severity in ("error", "warning") else severity


def cannot_judge(
    case: StructureCase,
    rule: str,
    what: str,
    asks: tuple[Ask, ...],
    *evidence: Evidence,
    part: str = "",
    patterns: Iterable[str] = (),
) -> Finding:
    """The question in place of a judgement: what is wanted, and for what."""
    needs = " and ".join(a.label for a in asks)
    message = f"cannot judge {what}: needs {needs}"
    return finding(case, rule, "question", message, *evidence, part=part, asks=asks, patterns=patterns)
