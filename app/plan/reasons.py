"""Why a needed value cannot be had: nowhere held, too old, only a subset, or held where no condition leads."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.choose import Choice
from app.plan.cover import age_of, holds, late, whole, young
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
    "stale": "Read {attr} by a path that follows the record at once",
    "way": "Give {path} a key or an index on what this read knows, or let a record read before lead there",
}
NEAREST_FIRST = ("held", "stale", "age", "subset")
"""How near a structure came to giving a value."""
MOST_NEAR = 3
"""Structures that are named for one value."""


def missing(search: Search, outcome: Outcome) -> tuple[tuple[str, ...], tuple[Miss, ...]]:
    """Needed attributes that no structure gives, and the reasons; also those held where no condition leads."""
    lost: dict[tuple[int, str], None] = {}
    for (need, attr), bit in search.pieces.bits.items():
        if outcome.missing >> bit & 1 and attr in search.query.needs[need].attrs:
            lost[need, attr] = None
    found: dict[tuple[str, str], Miss] = {}
    names: dict[str, None] = {}
    for need, attr in lost:
        why = tuple(_why(search, outcome, need, attr))
        for miss in why:
            found.setdefault((miss.path, miss.what), miss)
        if any(m.code in FIXES and m.code != "way" for m in why):
            names[attr] = None
    # what would follow by itself once another record can be read comes last
    return tuple(names), joined(tuple(sorted(found.values(), key=lambda m: m.code == "way")))


def _why(search: Search, outcome: Outcome, need: int, attr: str) -> Iterator[Miss]:
    """The reason of each structure that nearly gave the value, the nearest first; else who lacks it."""
    want = search.query.needs[need]
    near: list[tuple[int, Record, str]] = []
    lacking: Record | None = None
    for record in search.records:
        states = set(_states(record, want, attr))
        state = next((s for s in NEAREST_FIRST if s in states), "")
        if state:
            near.append((NEAREST_FIRST.index(state), record, state))
        elif "fields" in states:
            lacking = lacking or record
    for _, record, state in sorted(near, key=lambda n: n[0])[:MOST_NEAR]:
        if state != "held":
            yield _miss(state, attr, record)
        elif (choice := _nearest(outcome, record, need)) is not None:
            yield from path_misses([choice])
        else:
            yield _miss("way", attr, record)
    if near:
        return
    if lacking is not None:
        yield _miss("fields", attr, lacking)
        return
    yield Miss("structure", f"no structure holds `{attr}`", "", attr, FIXES["structure"].format(attr=attr))


def _states(record: Record, want: NeedNode, attr: str) -> Iterator[str]:
    """What keeps each place of a record that stands for the need from giving the value."""
    behind = all(late(way, want) for way in known(record).ways)
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
        elif behind:
            yield "stale"
        else:
            yield "held"


def _nearest(outcome: Outcome, record: Record, need: int) -> Choice | None:
    """The choice that came closest to reading this record, for the need itself rather than for one beside it."""
    near = [(n != need, i, c) for i, (r, n, c) in enumerate(outcome.found.dead) if r is record]
    ranked = [(other, c.nearest.distance if c.nearest else FAR, i, c) for other, i, c in near]
    return min(ranked, key=lambda n: n[:3])[3] if ranked else None


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
