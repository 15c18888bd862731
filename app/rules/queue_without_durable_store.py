"""Work waits in a place that may lose it."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.ground import change, finding
from app.rules.rule import Ask, Evidence, Finding, StructureCase, rule
from app.rules.words import rate

QUEUES = frozenset({"queue", "pubsub", "pub/sub", "outbox", "stream"})


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Work waits in a place that may lose it.

    ## What it flags

    A queue or channel in a store that may lose acknowledged writes, with no truth behind it from which it could be
    filled again.

    ## Why it hurts

    A failover, a full memory or a worker that dies after taking a job loses it, and nothing tells that it was there.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Mail
    entities:
      - {name: email, count: 10k, size: 2 KB, fields: [id uuid key]}
    patterns:
      - {operation: Queue email, insert: email, rate: 30/s}
    models:
      - name: A
        store: redis
        structures:
          - {keys: "queue:emails", type: list, of: email, ttl: none, purpose: queue, truth: none}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Mail
    entities:
      - {name: email, count: 10k, size: 2 KB, fields: [id uuid key]}
    patterns:
      - {operation: Queue email, insert: email, rate: 30/s}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: outbox, of: email, _id: email.id}
          - {store: redis, keys: "queue:emails", type: list, of: email, ttl: none, purpose: queue, truth: outbox}
    ```

    ## When to allow it

    Where a lost job does no harm: a refresh that comes again, a hint to other processes.

    ## Sources

    The stores' pages on persistence and replication: what was acknowledged is not always kept.
    """
    structure, named = case.structure, case.structure.truth.strip().lower()
    if case.store.can.durable or structure.purpose.lower() not in QUEUES or named not in ("", "none"):
        return
    homes = [
        s.name
        for s in case.model.structures
        if s.of == structure.of and s is not structure and _durable(case, case.model.store_of(s))
    ]
    loads = [(avg if avg is not None else peak) for p, _, avg, peak in case.users if p.is_write]
    known = sum(r for r in loads if r is not None)
    yield finding(
        case,
        "queue-without-durable-store",
        "warning",
        f"{structure.name} is a queue with nothing behind it: what is lost in it is lost",
        Evidence("jobs written", rate(known), known),
        fixes=[
            change(case, f"Name {name} as its truth", lambda s, n=name: s.model_copy(update={"truth": n}))  # type: ignore[misc]
            for name in homes[:1]
        ],
        asks=(Ask(f"models/{case.model.name}/{structure.name}/truth", "What it can be filled from", "outbox"),),
        patterns=[p.operation for p, *_ in case.users],
    )


def _durable(case: StructureCase, name: str) -> bool:
    store = case.stores.get(name)
    return store is not None and store.can.durable
