"""What a proof says: one card of evidence per pattern. It is stored with the project and shown in documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["agrees", "differs", "failed", "refused", "skipped"]
"""`agrees`: the right rows, no scan and no sort in memory that is not planned, and at most 2 × planned + 10 records
examined at the loaded scale. `differs`: another path, or more work than that. `failed`: wrong
rows. `refused`: the engine does not take a statement. `skipped`: the plan says impossible, or nothing can be asked."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Request(Frozen):
    """One statement as it was sent, and what the engine said of it. `plan`: the engine's own words."""

    text: str
    plan: str = ""
    examined: float | None = None
    """Records or index entries the engine read; None: it does not tell."""
    returned: float | None = None
    units: float | None = None
    """Capacity units, where the engine bills them."""


class Card(Frozen):
    """Evidence for one pattern on one model. Times in milliseconds, over `runs` runs with different parameters."""

    operation: str
    verdict: Verdict
    why: str = ""
    """One sentence, for every verdict but `agrees`."""
    level: str
    """The planned service level, in words."""
    planned_requests: float
    planned_examined: float
    """At the proof's own scale, so that it can be held against what the engine did."""
    requests: tuple[Request, ...] = ()
    """Of one run."""
    examined: float | None = None
    returned: float | None = None
    """Averages of all runs."""
    units: float | None = None
    planned_units: float | None = None
    rows: Literal["right", "wrong", "not compared"] = "not compared"
    """Whether the records that came back are those that the conditions ask for."""
    runs: int = 0
    median_ms: float | None = None
    p99_ms: float | None = None


class Proof(Frozen):
    """One model on one engine. `engine` and `version` as the server tells them. `date`: ISO, given by the caller."""

    model: str
    store: str
    engine: str
    version: str
    date: str
    scale: float
    """Share of the project's counts that was loaded; 1: all of it."""
    seed: int
    records: Mapping[str, int]
    """Structure → records loaded."""
    change: int = 0
    """The project's change number when it ran; a later one may differ from what was proved."""
    cards: tuple[Card, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(1 for card in self.cards if card.verdict == verdict)
