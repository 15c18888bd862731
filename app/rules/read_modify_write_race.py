"""A value is checked or read first and written afterwards, and another writer comes between."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.rules.rule import Evidence, Finding, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence

SAFE = re.compile(r"\b(WATCH|EVAL|EVALSHA|FCALL|LUA|SCRIPT|NX)\b", re.IGNORECASE)
READS = re.compile(r"\b(GET|HGET|HGETALL|HMGET|ZCARD|LLEN|SCARD)\b", re.IGNORECASE)
SETS = re.compile(r"\b(SET|HSET|HMSET|ZADD|LPUSH|RPUSH|SADD)\b", re.IGNORECASE)


@rule(severity="warning", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A value is checked or read first and written afterwards, and another writer comes between.

    ## What it flags

    A write whose condition (`only if`, or an old value in `where`) reaches only one of the places it changes, and
    commands that read a key and then set it without a transaction, a script or a watch.

    ## Why it hurts

    Two writers see the same old value and both write: one seat is sold twice, one update is lost. It shows only under
    load.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Profile
    entities:
      - {name: profile, count: 1M, fields: [id string key avg 12, points int32, theme string]}
    patterns:
      - {operation: Add points, update: profile, where: "profile.id = :p", set: {profile.points: ":n"}, rate: 50/s}
    models:
      - name: Keys
        store: redis
        structures: [{keys: "profile:{profile.id}", type: hash, of: profile, ttl: none, purpose: profile, truth: none}]
        serves: {Add points: {commands: "HGET profile:{id} points; HSET profile:{id} points {n}"}}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Profile
    entities:
      - {name: profile, count: 1M, fields: [id string key avg 12, points int32, theme string]}
    patterns:
      - {operation: Add points, update: profile, where: "profile.id = :p", set: {profile.points: "+1"}, rate: 50/s}
    models:
      - name: Keys
        store: redis
        structures: [{keys: "profile:{profile.id}", type: hash, of: profile, ttl: none, purpose: profile, truth: none}]
        serves: {Add points: {commands: "HINCRBY profile:{id} points 1"}}
    ```

    ## When to allow it

    One writer per key, kept so by a queue or a lock that is itself safe.

    ## Sources

    The stores' rules for what a condition reaches; the commands' documentation.
    """
    said = case.model.serves.get(case.pattern.operation) if case.model.serves else None
    if said is not None and said.commands:
        first, then = READS.search(said.commands), SETS.search(said.commands)
        if first and then and first.start() < then.start() and not SAFE.search(said.commands):
            what = f"reads by {first[0].upper()} and then writes by {then[0].upper()}"
            yield _finding(case, f"{what}: a writer in between is not noticed", (Evidence("commands", said.commands),))
            return
    if case.intent is None or not any(t.only_if for t in case.plan.touches):
        return
    now = [t for t in case.plan.touches if t.when == "same" and t.why != "cache"]
    guarded = [t for t in now if t.only_if]
    kinds = {r.name: r for r in case.records}
    home = kinds.get(guarded[0].record) if guarded else None
    reach = home.dialect.writing.condition if home else "transaction"
    free = list(dict.fromkeys(t.structure for t in now if not t.only_if or t.place != guarded[0].place))
    if reach == "transaction" or case.plan.scope in ("record", "slot", "partition") or not guarded or not free:
        return
    place = guarded[0].structure
    what = f"checks its condition in {place}, one {reach}, and changes {' and '.join(free)} whatever it says"
    yield _finding(case, what, (Evidence("a condition reaches", f"one {reach}"),))


def _finding(case: PlanCase, what: str, evidence: tuple[Evidence, ...]) -> Finding:
    touches = case.plan.touches
    return Finding(
        "read-modify-write-race",
        "warning",
        cell(case),
        f"{case.pattern.operation}{at_rate(case)} {what}",
        (*evidence, *rate_evidence(case)),
        model=case.model.name,
        structure=touches[0].structure if touches else "",
        patterns=(case.pattern.operation,),
    )
