"""Nearly every read asks for strong consistency."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.workload import Pattern
from app.rules.rule import Ask, Evidence, Finding, ProjectCase, rule
from app.rules.weigh import ask_row
from app.rules.words import count, percent

ENOUGH = 4
MOST = 0.8


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
    said = [p for p in case.project.patterns if p.consistency and p.is_read]
    strong = [p for p in said if _strong(p)]
    if len(said) < ENOUGH or len(strong) < MOST * len(said):
        return
    asks: tuple[Ask, ...] = tuple(ask_row(p, "consistency", p.operation, "eventual 1 min") for p in strong[:5])
    share = len(strong) / len(said)
    yield Finding(
        "strong-everywhere",
        "advice",
        "project",
        f"{len(strong)} of {len(said)} reads ask for strong consistency: no lagging index, copy, cache or replica may"
        " serve them",
        (
            Evidence("strong reads", count(len(strong)), len(strong)),
            Evidence("share of the reads that state a consistency", percent(share), share),
        ),
        asks=asks,
        patterns=tuple(p.operation for p in strong[:5]),
    )


def _strong(pattern: Pattern) -> bool:
    return all(text == "strong" for text in pattern.consistency.values())
