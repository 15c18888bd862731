"""How rules write numbers: short, with a unit, the same everywhere."""

from __future__ import annotations

from math import inf, isfinite

DAY = 86_400.0
YEAR = 365.25 * DAY


def count(n: float) -> str:
    """`1,500`, `24M`, `0.3`."""
    if not isfinite(n):
        return "no bound"
    for size, letter in ((1e9, "B"), (1e6, "M")):
        if abs(n) >= size:
            return f"{n / size:.3g}{letter}"
    return f"{n:,.0f}" if abs(n) >= 10 or n == int(n) else f"{n:.2g}"


def size(n: float) -> str:
    """Bytes, 1,024-based: `540 KB`, `16 MB`."""
    if n == inf:
        return "no bound"
    for unit, letter in ((1024**4, "TB"), (1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if abs(n) >= unit:
            return f"{n / unit:.3g} {letter}" if n / unit < 1000 else f"{n / unit:,.0f} {letter}"
    return f"{n:,.0f} B"


def rate(n: float) -> str:
    """`1,500/s`, `0.1/s`, `3/day`."""
    if n == 0 or n >= 0.05:
        return f"{count(n)}/s"
    return f"{count(n * DAY)}/day"


def duration(seconds: float) -> str:
    """`10 min`, `82 days`, `3.2 years`."""
    if seconds == inf:
        return "never"
    for unit, word in ((2 * YEAR, "years"), (2 * DAY, "days"), (7200.0, "h"), (120.0, "min")):
        if seconds >= unit:
            per = {"years": YEAR, "days": DAY, "h": 3600.0, "min": 60.0}[word]
            return f"{seconds / per:.1f} years" if word == "years" else f"{seconds / per:,.0f} {word}"
    return f"{seconds:.3g} s"


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"
