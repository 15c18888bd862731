"""What happens if an operation is sent twice? Safe, or what a repeat does wrong."""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.scope import Scope
from app.plan.types import Touch

GUARDS = ("conditional", "idempotency key")


def retry_of(touches: Sequence[Touch], scope: Scope, retry: str) -> str:
    """`safe`; `safe, and needed: …` where a failure leaves a part; else which record goes wrong and how.

    A repeat is safe if every place may be written twice, or if something notices it in the same record or
    transaction: an idempotency key, a condition, the transaction's own token. `same key` makes keys safe.
    """
    risky = [t for t in touches if t.unsafe and not (t.unsafe.startswith("a new key") and retry == "same key")]
    together = scope.single or scope.word in ("transaction", "slot", "partition")
    guarded = (
        (scope.word == "transaction" and scope.writing.token)
        or (scope.single and any(t.only_if for t in touches))
        or (any(g in retry for g in GUARDS) and together)
    )
    if risky and not guarded:
        return f"{risky[0].record}: {risky[0].unsafe}"
    if not scope.single and scope.word in ("none", "batch") and len(touches) > 0:
        return "safe, and needed: a failure leaves part of it"
    return "safe"
