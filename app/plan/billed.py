"""What a store bills for a read: each record by itself where keys are asked for, the sum of a page otherwise."""

from __future__ import annotations

from math import ceil

from app.plan.match import whole_keys
from app.plan.types import Dialect, Match


def by_key(match: Match) -> bool:
    """Are whole primary keys asked for, one or several?"""
    return match.path.primary and match.path.unique and whole_keys(match) > 0


def units(
    match: Match | None, dialect: Dialect, inputs: float, requests: float, records: float, size: float,
    fetched: float = 0.0, one: float = 0.0,
) -> float:  # fmt: skip
    """Read units of a strong read; 0 where the store bills none.

    `match`: None for a request over a partition. `inputs`: how often it is read; `size`: bytes in all; `fetched`:
    records of `one` bytes that are read besides, by their keys.
    """
    unit = dialect.writing.read_unit
    if not unit:
        return 0.0
    if match is not None and by_key(match):
        each = size / records if records else 0.0
        asked = inputs * whole_keys(match)  # a key that nothing has is billed too
        return max(records, asked) * max(1, ceil(each / unit))
    requests = max(requests, 1.0)
    if fetched and match is not None and not match.path.fetches:
        requests = max(1.0, requests - ceil(round(fetched / dialect.joins.list_max, 6)))
    return requests * max(1, ceil(size / requests / unit)) + fetched * max(1, ceil(one / unit))
