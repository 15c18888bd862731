"""Why a needed value cannot be had: nowhere held, too old, only a subset, or held where no condition leads."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.choose import Choice
from app.plan.cover import age_of, holds, whole, young
from app.plan.ideal import FAR
from app.plan.ideal import misses as path_misses
from app.plan.known import known
from app.plan.refuse import Refusal, say
from app.plan.search import Outcome
from app.plan.steps import Search
from app.plan.types import Miss, NeedNode, Record

FIXES = {
    "structure": "Add a structure that holds {attr}",
    "fields": "Hold {attr} in {path}: as a field, a copy or a computed figure",
    "age": "Refresh {attr} in {path} sooner, or read it where it is true",
    "subset": "Read all of {attr} from a structure of its own, or ask for as many as {path} holds",
}


def missing(search: Search, outcome: Outcome) -> tuple[tuple[str, ...], tuple[Miss, ...]]:
    """Needed attributes that no structure gives, and the reasons; also those held where no condition leads."""
    lost: dict[tuple[int, str], None] = {}
    for (need, attr), bit in search.pieces.bits.items():
        if outcome.missing >> bit & 1 and attr in search.query.needs[need].attrs:
            lost[need, attr] = None
    found: dict[Miss, None] = {}
    names: dict[str, None] = {}
    for need, attr in lost:
        why = tuple(_why(search, outcome, need, attr))
        found.update(dict.fromkeys(why))
        if any(m.code in FIXES for m in why):
            names[attr] = None
    return tuple(names), joined(tuple(found))


def _why(search: Search, outcome: Outcome, need: int, attr: str) -> Iterator[Miss]:
    want = search.query.needs[need]
    codes: dict[str, Record] = {}
    for record in search.records:
        for code in _states(record, want, attr):
            codes.setdefault(code, record)
    if "held" in codes:
        near = _nearest(search, outcome, need, attr)
        if near is not None:
            yield from path_misses([near])
            return
    for code in ("age", "subset", "fields"):
        if code in codes:
            yield _miss(code, attr, codes[code])
            return
    yield Miss("structure", f"no structure holds `{attr}`", "", attr, FIXES["structure"].format(attr=attr))


def _states(record: Record, want: NeedNode, attr: str) -> Iterator[str]:
    for at, held in enumerate(record.shape):
        if held.entity != want.entity:
            continue
        keyed = known(record).keyed if at == 0 else frozenset()
        if not holds(held, attr, keyed):
            yield "fields"
        elif not young(age_of(record, held, attr), want):
            yield "age"
        elif not whole(record, at, want):
            yield "subset"
        else:
            yield "held"


def _nearest(search: Search, outcome: Outcome, need: int, attr: str) -> Choice | None:
    """The choice that came closest among those that would have given the value."""
    want = search.query.needs[need]
    near: list[tuple[tuple[bool, float, int], int, Choice]] = []
    for i, (record, _, choice) in enumerate(outcome.found.dead):
        if "held" in set(_states(record, want, attr)):
            missed = choice.nearest
            near.append((missed.distance if missed else FAR, i, choice))
    return min(near, key=lambda n: n[:2])[2] if near else None


def _miss(code: str, attr: str, record: Record) -> Miss:
    said = say(Refusal(code, attr), record.name, record.dialect)
    return Miss(code, said.what, record.name, attr, FIXES[code].format(attr=attr, path=record.name))


def joined(found: tuple[Miss, ...]) -> tuple[Miss, ...]:
    """One miss per reason and structure: several fields of one record are named together."""
    groups: dict[tuple[str, str], list[Miss]] = {}
    for miss in found:
        groups.setdefault((miss.code, miss.path), []).append(miss)
    out = []
    for (code, _), same in groups.items():
        first = same[0]
        if len(same) > 1 and code in FIXES:
            attrs = ", ".join(m.attr for m in same)
            first = Miss(
                code,
                first.what.replace(first.attr, attrs),
                first.path,
                attrs,
                first.fix.replace(first.attr, attrs),
            )
            out.append(first)
        else:
            out += same
    return tuple(out)


def refused_parts(search: Search, outcome: Outcome) -> tuple[Miss, ...]:
    """Why the first read did not do: what its record holds of later needs, but too old or not all of it."""
    first = outcome.reads[0].record
    later = {r.need for r in outcome.reads[1:]}
    found: dict[Miss, None] = {}
    for need in sorted(later):
        want = search.query.needs[need]
        for attr in sorted(want.attrs):
            states = set(_states(first, want, attr)) if first.of != want.entity else set()
            for code in ("age", "subset"):
                if code in states and "held" not in states:
                    found[_miss(code, attr, first)] = None
    return joined(tuple(found))
