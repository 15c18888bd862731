"""What the proofs of every engine have in common: which gallery models there are, and what their cards must say."""

from __future__ import annotations

from app.examples import EXAMPLES
from app.proof import prove as proving
from app.proof.run import prove
from app.proof.types import Proof
from tests.engines.server import WORKER

PREFIX = f"{proving.PREFIX}{WORKER}_"
"""Of what proofs make in this process; those of other processes come and go on the same servers."""
DATE = "2026-12-01"
SMALLER = 8
"""Tests load so many times less than a proof does by default."""


def models(store: str) -> list[tuple[str, str]]:
    """(example, model) of the gallery's models of a store."""
    return [(name, m.name) for name, e in EXAMPLES.items() for m in e.project().models if m.store == store]


def proved(example: str, model: str, url: str, scale: float, runs: int = 6) -> Proof:
    return prove(EXAMPLES[example].project(), model, url, scale=scale, seed=5, date=DATE, runs=runs)


SCALES = {"blog": 0.002, "order-page": 0.000111, "sensors": 2.3e-6, "leaderboard": 0.0066, "redis-catalog": 3.3e-5}
"""Those a proof takes by itself."""


def told(proof: Proof) -> list[tuple[str, str, str]]:
    """Cards that do not agree."""
    return [(c.operation, c.verdict, c.why) for c in proof.cards if c.verdict != "agrees"]
