"""The records that planner cases speak about, as an engine can hold them.

Each field has exactly the distinct values that `tests.plan.notation.STATS` says, equally often, independent of the
other fields. The same every time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.plan.notation import COUNT, STATS

ANY = 0.3
"""What the planner takes as the share of a prefix or pattern of which nothing is known: the names are made so."""


def _name(n: int, rng: Random) -> str:
    first, words, last = (rng.random() < ANY for _ in range(3))
    return f"{'a' if first else 'b'}{n} {'words' if words else 'other'} {9 if last else 1}"


VALUES: Mapping[str, Callable[[int], Any]] = {
    "status": lambda n: f"s{n}",
    "region": lambda n: f"r{n}",
    "email": lambda n: f"u{n}@x.org",
    "note": lambda n: f"note {n}",
    "tags": lambda n: f"t{n}",
}
"""Values that are texts; the others are numbers from 0 on."""


def value(field: str, n: int) -> Any:
    return VALUES[field](n) if field in VALUES else n


def orders() -> list[dict[str, Any]]:
    """All records; a field that is not present is left out, one with elements is a list."""
    rng = Random(7)
    out: list[dict[str, Any]] = [{} for _ in range(COUNT)]
    for field, stat in STATS.items():
        distinct = int(stat.distinct)
        numbers = [n % distinct for n in range(COUNT)]
        if field != "id":
            rng.shuffle(numbers)
        for record, n in zip(out, numbers, strict=True):
            if field == "name":
                record[field] = _name(n, rng)
            elif stat.elements > 1:
                record[field] = [value(field, m) for m in rng.sample(range(distinct), int(stat.elements))]
            elif stat.present >= 1 or rng.random() < stat.present:
                record[field] = value(field, n)
    return out
