"""Laying a conjunction over an access path: what narrows, what the entry can judge, what only the record can."""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.bind import JUDGED_ON_RECORD, ONLY_EQUALITY, SPECIAL, Named, bind_order, bind_partition, by_attribute
from app.plan.implied import within
from app.plan.types import AccessPath, Cond, Dialect, Kind, Match, Single, Use, Walked

PRESENT = ("exists", "not null")
ABSENT = ("null", "!=", "not in")
"""What records without a value meet too."""


def lay(single: Single, path: AccessPath, dialect: Dialect, named: Named, keep: float = 0.0) -> Match:
    """Every condition lands in exactly one of three places: it narrows the read, is checked on the entry, or is left
    for the record."""
    special = SPECIAL.get(path.kind)
    if path.sparse:
        named = by_attribute(single.where, {**dialect.ops, **dict.fromkeys(ABSENT, JUDGED_ON_RECORD)})
    if special:  # such a path answers its own operator, or nothing
        asked = any(c.op == special for c in single.where)
        named = by_attribute(single.where, {**dialect.ops, special: ONLY_EQUALITY}) if asked else {}
    partition = tuple([bind_partition(p, named, keep) for p in path.partition])
    done: set[int] = set()
    for step in partition:
        if step.exact and step.kind is not None and step.kind <= Kind.POINTS:
            done.update(map(id, step.conds))
    order, checks = _order(path, dialect, named, done)
    if path.only:
        done.update(id(c) for c in single.where if any(_same(c, o) for o in path.only))
    if special and any(c.op == special for w in order for c in w.conds):
        order = tuple(w if w.kind is not None else Walked(w.part, Kind.POINT) for w in order)
    residual = tuple([c for c in single.where if id(c) not in done])
    return Match(single, path, partition, order, tuple(checks), residual)


def _order(path: AccessPath, dialect: Dialect, named: Named, done: set[int]) -> tuple[tuple[Walked, ...], list[Cond]]:
    """The ordered parts: tight while points continue, ended by a span; what is beyond a gap may still be checked."""
    steps: list[Walked] = []
    checks: list[Cond] = []
    tight, column = True, -1
    reached = bool(path.partition) or dialect.lead is Use.SERVER
    later = dialect.later is Use.SERVER
    for i, part in enumerate(path.order):
        step = bind_order(part, named, path.hashed)
        kind = step.kind
        reached = reached or (i == 0 and kind is not None)
        narrows = tight and kind is not None and kind < Kind.ENTRY
        if not narrows:
            step = Walked(part, kind, step.count, 1, step.conds, step.exact, False)
            if step.conds and reached and later and part.column != column and _on_entry(kind, path):
                checks += step.conds
                if step.exact:
                    done.update(map(id, step.conds))
        elif step.exact:
            done.update(map(id, step.conds))
        steps.append(step)
        if part.attr or part.kept.chosen:
            tight = narrows and kind is not None and kind < Kind.SPAN
        column = part.column
    return tuple(steps), checks


def _on_entry(kind: Kind | None, path: AccessPath) -> bool:
    """Can the entry judge it? Where records have several, only what bounds them."""
    return kind is not Kind.RECORD and not (kind is Kind.ENTRY and any(p.many for p in path.order))


def uncovered(only: Sequence[Cond], where: Sequence[Cond], strict: bool = False) -> tuple[Cond, ...]:
    """Conditions of a partial path that the read does not imply."""
    return tuple(o for o in only if not any(implies(c, o, strict) for c in where))


def implies(cond: Cond, only: Cond, strict: bool = False) -> bool:
    """Does every record that meets a condition also meet that of a partial path? `strict`: what is absent meets nothing
    but `is null`."""
    if cond.attr != only.attr:
        return False
    if only.op in PRESENT:
        return cond.op not in ABSENT or (strict and cond.op != "null")
    return _same(cond, only) or within(cond.source, only.source)


def _same(a: Cond, b: Cond) -> bool:
    if a.attr != b.attr or a.op != b.op:
        return False
    if a.op in PRESENT:
        return True
    if a.source and b.source:
        return a.source.operands == b.source.operands
    return (a.n, a.share) == (b.n, b.share)


def narrowing(match: Match) -> set[int]:
    """Identities of the conditions that narrow the read, exactly or not."""
    found = {id(c) for w in match.partition if w.kind is Kind.POINT or w.kind is Kind.POINTS for c in w.conds}
    found.update(id(c) for w in match.order if w.tight for c in w.conds)
    return found


def unseen(match: Match) -> tuple[Cond, ...]:
    """Conditions left over on attributes that the entries of the path do not have."""
    path = match.path
    if path.holds is None:
        return ()
    here = held_by(path) - path.packed
    return tuple(c for c in match.residual if c.attr not in here)


def lacking(match: Match) -> bool:
    """Does the read need, or ask a condition of, what the entries of the path do not have?"""
    path = match.path
    if path.holds is None or path.primary:
        return False
    return bool((match.single.needs or frozenset()) - held_by(path)) or bool(unseen(match))


def held_by(path: AccessPath) -> frozenset[str]:
    """What an entry tells: what the path is said to hold, and its own keys."""
    return (path.holds or frozenset()) | {p.attr for p in (*path.partition, *path.order) if p.kept.exact}


def on_record(match: Match, dialect: Dialect) -> bool:
    """Must the record be read to judge a condition? Some engines judge what a partial index implies once more."""
    if match.residual:
        return not dialect.entry_filters or bool(unseen(match))
    if not dialect.rechecks or not match.path.only:
        return False
    here = {p.attr for p in (*match.path.partition, *match.path.order)}
    return any(c.attr not in here for c in match.single.where)


def whole_keys(match: Match) -> float:
    """How many keys are asked for, each in full; 0: not in full."""
    keys = 1.0
    for w in (*match.partition, *match.order):
        if w.kind is Kind.POINTS:
            keys *= w.count
        elif w.kind is not Kind.POINT:
            return 0.0
    return keys
