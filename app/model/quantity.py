"""Numbers as people write them: `10M`, `2.5k/day`, `3 KB`, `5 min`, `90% of reads`, `~200`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amount:
    """One number with the text it was typed as.

    `value` is in the base unit of its kind (records, bytes, seconds, per second, share 0..1); None means
    unknown. `assumed`: typed with `~` in front. `of` is `reads` or `writes` for a rate typed as a share of
    the traffic. `per` is the length in seconds of the period of a compound growth (`3%/month`), else 0.
    `bounded` is False for `none` (no bound).
    """

    text: str
    value: float | None
    assumed: bool = False
    of: str = ""
    per: float = 0.0
    bounded: bool = True
