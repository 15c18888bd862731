"""Average, 99th percentile and bound of a count, and how counts combine.

All maths on spreads is here. Figures are plain floats; what a person typed (and whether it is given,
assumed or unknown) is kept by `app.model.quantity`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

Z99 = 2.3263478740408408
"""Standard normal quantile at 99 %."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A count or a size: average, p99 (0: unknown, counts as the average) and maximum (inf: no bound known)."""

    avg: float
    p99: float = 0.0
    max: float = inf

    @property
    def high(self) -> float:
        """The p99, or the average where no p99 is known."""
        return self.p99 or self.avg

    def of(self, inner: Spread) -> Spread:
        """Lists in lists: this many elements, each with `inner`."""
        avg = self.avg * inner.avg
        outer_part = (inner.avg * (self.high - self.avg)) ** 2
        inner_part = self.avg * (inner.high - inner.avg) ** 2
        bound = 0.0 if 0 in (self.max, inner.max) else self.max * inner.max
        return Spread(avg, avg + sqrt(outer_part + inner_part), bound)

    def __add__(self, other: Spread) -> Spread:
        """Parts side by side: averages and bounds add, distances to the p99 add as squares."""
        avg = self.avg + other.avg
        far = sqrt((self.high - self.avg) ** 2 + (other.high - other.avg) ** 2)
        return Spread(avg, avg + far, self.max + other.max)

    def times(self, n: float) -> Spread:
        """The same quantity in another unit, or `n` identical copies of it."""
        return Spread(self.avg * n, self.high * n, self.max * n if n else 0.0)

    def at_most(self, n: float) -> Spread:
        return Spread(min(self.avg, n), min(self.high, n), min(self.max, n))

    @property
    def met_by_size(self) -> float:
        """Mean count of the parent that a random child meets: E[k²]/E[k] of the lognormal through avg and p99.

        Beyond `p99 > 12·avg` no lognormal is trusted and the lower end `0.01·p99²/avg` stands; never above `max`.
        """
        if self.avg <= 0 or self.high <= self.avg:
            return self.avg
        if self.high > 12 * self.avg:
            return min(max(self.avg, 0.01 * self.high**2 / self.avg), self.max)
        c = log(self.high / self.avg)
        sigma = Z99 - sqrt(max(0.0, Z99 * Z99 - 2 * c))
        return min(self.avg * exp(sigma * sigma), self.max)


ZERO = Spread(0.0, 0.0, 0.0)
ONE = Spread(1.0, 1.0, 1.0)


def exactly(n: float) -> Spread:
    return Spread(n, n, n)
