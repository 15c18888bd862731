"""What is known of one read before a path is chosen: population, selectivities, spread of the answer.

Selectivities are independent. Where the number of records matched is known by other means, those that are guesses are
bent alike (raised to one power) until all together give that number; where nothing is a guess, or the guesses alone
cannot give it, all are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log

from app.model.spread import Spread
from app.plan.joint import combinations, lift
from app.plan.types import Cond, Single, Stat, World

UNEQUAL = ("!=", "not in")
TOLD = ("=", "contains", "in", *UNEQUAL, "null", "exists", "not null")
"""Operators whose share follows from what is known of the field; of the others it is a guess."""
TINY = 1e-15
UNKNOWN_COUNT = 1e6
UNKNOWN_DISTINCT = 1e9
ANY_RANGE = 0.3
ANY_EQUALITY = 0.1
ONE_RECORD = Spread(500)
NO_CONDITION = 1e-300


def share(cond: Cond, stats: Mapping[str, Stat]) -> float:
    """The part of all records that a condition keeps on average."""
    if cond.share is not None:
        return max(cond.share, TINY)
    stat = stats.get(cond.attr)
    if stat is None:
        return ANY_EQUALITY if cond.op == "=" else ANY_RANGE
    one = _share(cond, stat)
    if stat.elements > 1:
        one = 1 - _power(1 - one, stat.elements)
    return max(one, TINY)


def entry_share(cond: Cond, stats: Mapping[str, Stat]) -> float:
    """The part of all index entries it keeps: of an array, each element has one."""
    stat = stats.get(cond.attr)
    if stat is None or stat.elements <= 1:
        return share(cond, stats)
    if cond.share is not None:
        return max(1 - _power(1 - min(cond.share, 1 - TINY), 1 / stat.elements), TINY)
    return max(_share(cond, stat), TINY)


def guessed(cond: Cond, stats: Mapping[str, Stat]) -> bool:
    """Does nothing that is known give the share of a condition?"""
    return cond.share is None and (cond.op not in TOLD or cond.attr not in stats)


def _power(base: float, exponent: float) -> float:
    return float(max(base, 0.0) ** exponent)


def _share(cond: Cond, stat: Stat) -> float:
    match cond.op:
        case "=" | "contains":
            return stat.present / max(stat.distinct, 1)
        case "in":
            return stat.present * min(1.0, cond.n / max(stat.distinct, 1))
        case "!=":
            return 1 - stat.present / max(stat.distinct, 1)
        case "not in":
            return 1 - stat.present * min(1.0, cond.n / max(stat.distinct, 1))
        case "null":
            return 1 - stat.present
        case "exists" | "not null":
            return stat.present
        case _:
            return ANY_RANGE * stat.present


def only_present(single: Single, matched: Spread | None, stats: Mapping[str, Stat]) -> tuple[Single, Spread | None]:
    """The read and what it finds where an absent value is not unequal to anything: only what is there is."""
    where, kept = [], 1.0
    for cond in single.where:
        stat = stats.get(cond.attr)
        if cond.op in UNEQUAL and stat is not None and stat.present < 1:
            before = share(cond, stats)
            cond = replace(cond, share=max(before + stat.present - 1, TINY))  # noqa: PLW2901
            kept *= share(cond, stats) / before
        where.append(cond)
    if kept == 1:
        return single, matched
    return replace(single, where=tuple(where)), matched.times(kept) if matched else None


class Numbers:
    """`shares`: of each condition by identity. `logs`: logarithm of all together, bent. `bend`: the power that makes
    them give the number matched; `loose`: the conditions it bends, by identity; None: all. `high`, `most`: p99 and
    maximum of the answer as multiples of its average. `groups`: attributes that go together."""

    __slots__ = ("bend", "groups", "high", "logs", "loose", "most", "population", "shares", "size", "stats")

    def __init__(self, single: Single, world: World, matched: Spread | None, size: Spread) -> None:
        self.stats, self.size = world.stats, size
        self.population = world.counts.get(single.of) or UNKNOWN_COUNT
        self.groups = world.together.get(single.of, ())
        self.shares: dict[int, float] = {}
        total = 1.0
        for cond in single.where:
            self.shares[id(cond)] = one = share(cond, world.stats)
            total *= one
        self.bend = 1.0
        self.loose: frozenset[int] | None = None
        total *= self.lift(single.where)
        self.logs = log(max(total, NO_CONDITION))
        self.high = self.most = 1.0
        if matched is None or matched.avg <= 0:
            return
        self.high = matched.high / matched.avg
        self.most = matched.max / matched.avg
        found = matched.avg / self.population
        if not single.any_of and total < 1 and found < 1 and abs(found - total) > 1e-6 * total:
            self._bend(single.where, found, total)

    def _bend(self, conds: Sequence[Cond], found: float, total: float) -> None:
        """Find the power that makes these give the part that was found."""
        loose = {id(c): self.shares[id(c)] for c in conds if guessed(c, self.stats)}
        rest = 1.0
        for one in loose.values():
            rest *= one
        known = total / rest
        if rest < 1 and found < known < 1:
            self.bend = log(found / known) / log(rest)
            self.loose = frozenset(loose)
        else:
            self.bend = log(found) / self.logs
        self.logs = log(found)

    def _bent(self, cond: Cond, one: float) -> float:
        return _power(one, self.bend) if self._bends(cond) else one

    def _bends(self, cond: Cond) -> bool:
        return self.bend != 1 and (self.loose is None or id(cond) in self.loose)

    def share(self, cond: Cond) -> float:
        """Selectivity of one condition, bent so that all together give the number matched."""
        plain = self.shares.get(id(cond))
        if plain is None:
            plain = share(cond, self.stats)
        return self._bent(cond, plain)

    def kept(self, conds: Iterable[Cond]) -> float:
        out = 1.0
        for cond in conds:
            out *= self.share(cond)
        return out

    def lift(self, conds: Iterable[Cond]) -> float:
        """How many times as many records meet all of these as if they were independent, bent alike."""
        if not self.groups:
            return 1.0
        one = lift(((c, self.shares.get(id(c)) or share(c, self.stats)) for c in conds), self.groups, self.stats)
        return _power(one, self.bend) if self.bend != 1 and self.loose is None else one

    def runs(self, attr: str, bound: Sequence[str]) -> float:
        """Distinct values of an attribute among records that agree in others."""
        stat = self.stats.get(attr)
        if stat is None or not self.groups:
            return stat.distinct if stat else UNKNOWN_DISTINCT
        with_it, without = (combinations(names, self.groups, self.stats) for names in ((*bound, attr), bound))
        return max(1.0, min(stat.distinct, with_it / without))

    def entries(self, cond: Cond) -> float:
        """Part of the entries of an array index that a condition keeps."""
        return self._bent(cond, entry_share(cond, self.stats))

    def log(self, cond: Cond) -> float:
        """Logarithm of a condition's share, bent."""
        return log(self.shares.get(id(cond), 1.0)) * (self.bend if self._bends(cond) else 1.0)
