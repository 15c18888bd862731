"""Entries walked by an engine that seeks again whenever an entry meets the bounds of one part and not of a later one.

Part by part, from the first that is open or a range: of the entries left, those that meet the next bounds go on; the
others are met once for each value passed over, or all of them where those are fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.plan.numbers import TINY, Numbers
from app.plan.types import Cond, Kind, Match, Walked

UNKNOWN_DISTINCT = 1e9
ONE_SIDED = frozenset({"<", "<=", ">", ">="})
ABSENT = frozenset({"!=", "not in"})
"""What records without a value meet as well."""
LISTS = frozenset({"in", "not in"})


@dataclass(frozen=True, slots=True)
class Level:
    """One open part, or one behind it. `vain`: entries met in vain for each value before it (0: no bounds); `share`: of
    the entries that meet them; `values`: distinct ones; `present`: share of the entries that have one."""

    vain: float
    share: float
    values: float
    present: float = 1.0
    alike: float = 1.0
    """Entries that differ only behind this part, in the elements of an array."""


Runs = tuple[float, float]
"""Entries, and the runs of equal values they lie in."""


@dataclass(frozen=True, slots=True)
class Hops:
    """`seeks`: places in which a walk begins; `levels`: the first open part and all that follow to the last bounds."""

    seeks: float
    levels: tuple[Level, ...]

    def walked(self, entries: float) -> float:
        groups, vain = [(entries, min(self.seeks, entries))], 0.0
        for level in self.levels:
            if level.vain:
                vain += sum(_met_in_vain(n, runs, level) for n, runs in groups)
                groups = [(n * level.share, runs) for n, runs in groups]
            groups = [part for group in groups for part in _parted(group, level)]
        return min(entries, sum(n for n, _ in groups) + vain)


def _met_in_vain(n: float, runs: float, level: Level) -> float:
    """Entries where the seeks in each run come down: several may come down on one, most likely in a short run."""
    if not runs:
        return 0.0
    length = max(n / runs / level.alike, 1.0)
    missed = float((1 - 1 / length) ** level.vain)
    return min(n * (1 - level.share), runs * length * (1 - missed))


def _parted(group: Runs, level: Level) -> list[Runs]:
    """The runs a part makes of those before it: of its values, and one without."""
    n, runs = group
    there = n * level.present
    found = [(there, min(runs * level.values, there))]
    return found if level.present >= 1 else [*found, (n - there, min(runs, n - there))]


def hops(match: Match, numbers: Numbers, seeks: float) -> Hops | None:
    """None where nothing is jumped over. `seeks`: places in which a walk begins."""
    checked = set(map(id, match.checks))
    steps = [w for w in match.order if w.part.attr]
    first = next((i for i, w in enumerate(steps) if not w.tight or (w.kind or 0) >= Kind.SPAN), len(steps))
    bounds = [_bounds(w, checked) for w in steps[first + 1 :]]
    last = max((i for i, b in enumerate(bounds) if b), default=-1)
    if last < 0:
        return None
    behind = steps[first + 1 : first + 2 + last]
    start = steps[first]
    kept = _values(start, numbers) if start.tight or _bounds(start, checked) else 1.0
    bound = [w.part.attr for w in (*match.partition, *match.order) if w.tight and w.kind is Kind.POINT and w.conds]
    values = max(1.0, numbers.runs(start.part.attr, bound) * kept)
    whole = any(c.op not in ABSENT for c in start.conds)
    opened = Level(0.0, 1.0, values, 1.0 if whole else _present(start, numbers))
    found = (_level(w, b, numbers) for w, b in zip(behind, bounds, strict=False))
    alike = (_elements(steps[i:], numbers) for i in range(first + 2, first + 2 + len(behind)))
    return Hops(seeks, (opened, *(replace(level, alike=n) for level, n in zip(found, alike, strict=True))))


def _elements(steps: Sequence[Walked], numbers: Numbers) -> float:
    """Entries that one record has by the arrays among these parts."""
    stats = (numbers.stats.get(w.part.attr) for w in steps if w.part.many)
    return max((s.elements for s in stats if s is not None), default=1.0)


def _present(step: Walked, numbers: Numbers) -> float:
    stat = numbers.stats.get(step.part.attr)
    return stat.present if stat else 1.0


def _bounds(step: Walked, checked: set[int]) -> bool:
    """Do conditions on a later part bound it, so that the engine can seek to where they begin?"""
    return step.kind is not None and step.kind < Kind.ENTRY and any(id(c) in checked for c in step.conds)


def _level(step: Walked, bounded: bool, numbers: Numbers) -> Level:
    stat = numbers.stats.get(step.part.attr)
    values = stat.distinct if stat else UNKNOWN_DISTINCT
    if not bounded:
        return Level(0.0, 1.0, values, _present(step, numbers))
    vain = 1.0 if _half(step) else max(map(_vain, step.conds))
    return Level(vain, _share(step, numbers), max(1.0, values * _values(step, numbers)))


def _half(step: Walked) -> bool:
    return len(step.conds) == 1 and step.conds[0].op in ONE_SIDED


def _vain(cond: Cond) -> float:
    """Before and behind what is sought; of a list, before each of its values and behind the last."""
    return cond.n + 1 if cond.op in LISTS else 2.0


def _values(step: Walked, numbers: Numbers) -> float:
    """Of the values of a part, those within its bounds: what is absent is none of them."""
    return min(1.0, _share(step, numbers) / max(_present(step, numbers), TINY))


def _share(step: Walked, numbers: Numbers) -> float:
    """Of the entries, those that meet the conditions on a part."""
    found = 1.0
    for cond in step.conds:
        found *= numbers.entries(cond) if step.part.many else numbers.share(cond)
    return min(found, 1.0)
