"""Keys of a helper family never expire."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.candidate import Structure
from app.model.growth import consistency_of
from app.plan import lay
from app.plan.types import Record
from app.rules.ground import change, finding, size_evidence
from app.rules.memory_limit import eviction, memory_limit
from app.rules.rule import Ask, Evidence, Finding, Severity, StructureCase, rule
from app.rules.words import duration, rate, size

HELPERS = frozenset({"cache", "index", "lookup", "limiter", "session", "presence"})
"""Purposes of keys that should go away by themselves."""
PLAIN = frozenset({"", "index", "lookup"})
"""Purposes of keys that live as long as what they lead to."""
ELSEWHERE = "elsewhere"
DAY = 86_400.0


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """Keys of a helper family never expire.

    ## What it flags

    A cache, an index of one, a limiter, session or presence without a time to live. An error if it grows and the server
    cannot throw it away when it is full (`noeviction`, or `volatile-…`, which only touches keys that expire), else a
    warning.

    ## Why it hurts

    The family grows until the memory is full. Then writes are refused, or keys that do expire are thrown out in place
    of those that do not.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Queries
    entities:
      - {name: query, growth: 20k/day, fields: [id string key avg 40, result json avg 5 KB]}
    patterns:
      - {operation: Run, get: query, where: "query.id = :q", needs: query, rate: 50/s, consistency: eventual 10 min}
    models:
      - name: A
        store: redis
        options: {maxmemory: 2 GB, maxmemory-policy: volatile-lru}
        structures:
          - {keys: "cache:{query.id}", type: string, of: query, ttl: none, purpose: cache, truth: elsewhere}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Queries
    entities:
      - {name: query, growth: 20k/day, fields: [id string key avg 40, result json avg 5 KB]}
    patterns:
      - {operation: Run, get: query, where: "query.id = :q", needs: query, rate: 50/s, consistency: eventual 10 min}
    models:
      - name: A
        store: redis
        options: {maxmemory: 2 GB, maxmemory-policy: volatile-lru}
        structures:
          - {keys: "cache:{query.id}", type: string, of: query, ttl: 10 min, purpose: cache, truth: elsewhere}
    ```

    ## When to allow it

    Where the family is bounded by what it is of, fits in memory, and every change of the truth deletes its key.

    ## Sources

    The server's page on eviction; field reports of memory full of keys that never expire.
    """
    structure = case.structure
    if not case.store.can.by_key_only or structure.max is not None:
        return
    life = lay.ttl(structure.ttl)
    if life.expires or life.unclear:
        return
    for record in case.records:
        if record.purpose in PLAIN and not _truth_elsewhere(case, record):
            continue
        if record.purpose in HELPERS or (record.purpose == "" and not record.truth):
            found = _judge(case, record)
            if found is not None:
                yield found


def _truth_elsewhere(case: StructureCase, record: Record) -> bool:
    """Is something else than this store the truth of the record, or is it an index of a cache?"""
    if case.structure.truth == ELSEWHERE:
        return True
    same = [s for s in case.model.structures if s.of == record.of and s.name != case.structure.name]
    if any(s.truth == ELSEWHERE or s.purpose == "cache" or lay.ttl(s.ttl).seconds for s in same):
        return True
    others = [case.stores[s.store] for s in same if s.store in case.stores]
    return any(not store.can.by_key_only for store in others) or _behind(case, same)


def _behind(case: StructureCase, same: list[Structure]) -> bool:
    """Does the model itself live in a store that finds more than keys, and hold the same entity there?"""
    own = case.stores.get(case.model.store)
    return own is not None and not own.can.by_key_only and any(not s.store for s in same)


def _judge(case: StructureCase, record: Record) -> Finding | None:
    structure, policy = case.structure, eviction(case.model, case.structure)
    inflow = case.world.inflow.get(record.of, 0.0)
    fixed = not case.world.keeps.get(record.of) and not inflow
    growth = inflow * record.size.avg / max(1.0, record.group)
    full, stored = memory_limit(case.model, structure), case.load.storage
    kept = policy.startswith("volatile") or policy in ("", "noeviction")
    if fixed and record.purpose != "cache":
        return None
    severity: Severity = "error" if growth > 0 and kept and (policy or full) else "warning"
    evidence = [
        Evidence("records added", rate(inflow), inflow),
        size_evidence("memory added per day", growth * DAY),
        size_evidence("memory now", stored, assumed=record.of in case.world.unknown_counts),
    ]
    if growth > 0 and full:
        evidence.append(Evidence("maxmemory", size(full), full))
        evidence.append(Evidence("days until it alone is full", duration(full / growth), full / growth))
    asks = () if full or not growth else (Ask(f"models/{case.model.name}/options", "maxmemory", "{maxmemory: 2 GB}"),)
    ttl = _lifetime(case, record)
    return finding(
        case,
        "cache-without-ttl",
        severity,
        _message(structure.name, growth, full, policy),
        *evidence,
        fixes=(change(case, f"Let it expire after {ttl}", lambda s: s.model_copy(update={"ttl": ttl})),),
        asks=asks,
        patterns=[p.operation for p, *_ in case.users],
    )


def _message(name: str, growth: float, full: float, policy: str) -> str:
    """`growth`: bytes/s; `full`: bytes of memory there are; 0: not known."""
    if growth > 0:
        message = f"{name} never expires and gains {size(growth * DAY)} a day"
        if full:
            message += f": {size(full)} are full in {duration(full / growth)}"
    else:
        message = f"{name} never expires: what is not deleted on change stays as it is"
    if policy.startswith("volatile"):
        return f"{message}, and {policy} cannot evict it"
    return f"{message}, and writes are refused then" if policy == "noeviction" else message


def _lifetime(case: StructureCase, record: Record) -> str:
    """The age that readers accept; for families without readers, that of another family of the same entity."""
    ages = [consistency_of(p, record.of).age for p, *_ in case.users if p.is_read]
    known = [a for a in ages if a is not None and 0 < a < 1e9]
    if known:
        return span(min(known))
    others = (s.ttl for s in case.model.structures if s.of == record.of and lay.ttl(s.ttl).seconds)
    default = "1 h" if record.purpose == "limiter" else "1 day"
    return next(iter(sorted(others, key=lambda t: -lay.ttl(t).seconds)), default)


def span(seconds: float) -> str:
    """A length of time as a project file writes it."""
    for unit, word in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:.0f} {word}" if word != "days" or seconds > unit else "1 day"
    return f"{seconds:g} s"
