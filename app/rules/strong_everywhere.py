"""Nearly every read asks for strong consistency."""

from __future__ import annotations

from collections.abc import Iterator

from app.memory import PerPart
from app.model.workload import Pattern
from app.rules.rule import Ask, Evidence, Finding, ProjectCase, rule
from app.rules.weigh import ask_row
from app.rules.words import count, percent

ENOUGH = 4
MOST = 0.8


_STRONG = PerPart()


@rule(severity="advice", scope="project")
def check(case: ProjectCase) -> Iterator[Finding]:
    """Nearly every read asks for strong consistency.

    ## What it flags

    At least four reads that state a consistency, of which four in five ask for `strong` throughout.

    ## Why it hurts

    A strong read cannot use a lagging index, a copy, a cache or a replica, and costs twice as much where reads are
    billed by consistency. Most screens tolerate seconds: a reader rarely sees the difference, the design always does.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, seller_id uuid, day date]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", consistency: strong}
      - {operation: User's orders, list: order, where: "order.user_id = :u", limit: 9, consistency: strong}
      - {operation: Seller's orders, list: order, where: "order.seller_id = :s", limit: 9, consistency: strong}
      - {operation: Orders of a day, count: order, where: "order.day = :d", consistency: strong}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, user_id uuid, seller_id uuid, day date]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :o", consistency: read your writes}
      - {operation: User's orders, list: order, where: "order.user_id = :u", limit: 9, consistency: read your writes}
      - {operation: Seller's orders, list: order, where: "order.seller_id = :s", limit: 9, consistency: eventual 1 min}
      - {operation: Orders of a day, count: order, where: "order.day = :d", consistency: eventual 1 h}
    ```

    ## When to allow it

    Ledgers, stock and seats, where every read leads to a decision. Then say why in the decision.

    ## Sources

    The project format: consistency. Prices of strong and eventual reads where a store bills them.
    """
    judged = _STRONG.each(case.project.patterns, _strong)
    said = sum(strong is not None for strong in judged)
    strong = [p for p, is_strong in zip(case.project.patterns, judged, strict=True) if is_strong]
    if said < ENOUGH or len(strong) < MOST * said:
        return
    asks: tuple[Ask, ...] = tuple(ask_row(p, "consistency", p.operation, "eventual 1 min") for p in strong[:5])
    share = len(strong) / said
    yield Finding(
        "strong-everywhere",
        "advice",
        "project",
        f"{len(strong)} of {said} reads ask for strong consistency: no lagging index, copy, cache or replica may"
        " serve them",
        (
            Evidence("strong reads", count(len(strong)), len(strong)),
            Evidence("share of the reads that state a consistency", percent(share), share),
        ),
        asks=asks,
        patterns=tuple(p.operation for p in strong[:5]),
    )


def _strong(pattern: Pattern) -> bool | None:
    """Whether a read asks for strong consistency throughout; None where it does not say, and for writes."""
    if not pattern.consistency or not pattern.is_read:
        return None
    return all(text == "strong" for text in pattern.consistency.values())
