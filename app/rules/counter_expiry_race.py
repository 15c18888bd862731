"""A counter and its expiry are set by two commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.model.alter import change_model
from app.model.candidate import Candidate, Serves
from app.model.part import Frozen
from app.model.project import Project
from app.plan.types import Record
from app.rules.rule import Evidence, Finding, Fix, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence
from app.rules.words import duration

AS_ONE = re.compile(r"\b(MULTI|EVAL|EVALSHA|FCALL|SCRIPT|LUA)\b", re.IGNORECASE)
RAISES = re.compile(r"\b(INCR|INCRBY|HINCRBY|INCRBYFLOAT)\b", re.IGNORECASE)
EXPIRES = re.compile(r"\b(EXPIRE|PEXPIRE|EXPIREAT)\b", re.IGNORECASE)


@rule(severity="warning", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A counter and its expiry are set by two commands.

    ## What it flags

    A counter with a time to live that a pattern raises: a warning where the commands written down raise it and set
    its expiry apart, advice where nothing says how it is done.

    ## Why it hurts

    If the writer dies between the two, the counter never expires. A limiter then refuses that caller for ever, and
    memory fills with counters nobody reads.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Limiter
    entities:
      - {name: client, count: 10k, fields: [id string key avg 12]}
      - {name: request, keep: 1 min, growth: 500/s, fields: [client_id string avg 12, at datetime]}
    relationships:
      - {parent: client, child: request, via: client_id, children: {avg: 3, p99: 60, max: 1k}}
    patterns:
      - {operation: Count request, insert: request, set: {request.at: now}, rate: 500/s}
    models:
      - name: Keys
        store: redis
        structures:
          - keys: "hits:{request.client_id}:{request.at|minute}"
            type: string
            of: request
            counts: request
            ttl: 60 s
            purpose: counter
            truth: none
        serves: {Count request: {commands: "INCR hits:{client}:{minute}; EXPIRE hits:{client}:{minute} 60"}}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Limiter
    entities:
      - {name: client, count: 10k, fields: [id string key avg 12]}
      - {name: request, keep: 1 min, growth: 500/s, fields: [client_id string avg 12, at datetime]}
    relationships:
      - {parent: client, child: request, via: client_id, children: {avg: 3, p99: 60, max: 1k}}
    patterns:
      - {operation: Count request, insert: request, set: {request.at: now}, rate: 500/s}
    models:
      - name: Keys
        store: redis
        structures:
          - keys: "hits:{request.client_id}:{request.at|minute}"
            type: string
            of: request
            counts: request
            ttl: 60 s
            purpose: counter
            truth: none
        serves: {Count request: {commands: "MULTI; INCR hits:{c}:{minute}; EXPIRE hits:{c}:{minute} 60; EXEC"}}
    ```

    ## When to allow it

    Where the key names its time bucket and something sweeps old keys.

    ## Sources

    The commands' documentation; public reports of limiters that stopped letting anyone in.
    """
    if case.intent is None or not any(r.ttl and r.purpose == "counter" for r in case.records):
        return
    kinds = {r.name: r for r in case.records}
    touched = (kinds[t.record] for t in case.plan.touches if t.op == "add" and t.record in kinds)
    record = next((r for r in touched if r.ttl and r.purpose == "counter" and r.value_type), None)
    if record is None:
        return
    name = case.pattern.operation
    said = case.model.serves.get(name, Serves()).commands
    if AS_ONE.search(said):
        return
    apart = bool(RAISES.search(said) and EXPIRES.search(said))
    yield Finding(
        "counter-expiry-race",
        "warning" if apart else "advice",
        cell(case),
        f"{name} raises {record.name} and sets its expiry of {duration(record.ttl)} "
        f"{'by two commands' if apart else 'perhaps by two commands'}{at_rate(case)}: if the writer stops between them"
        " the counter stays for ever",
        (Evidence("time to live", duration(record.ttl), record.ttl), *rate_evidence(case)),
        (_fix(case, record),),
        model=case.model.name,
        structure=record.structure,
        patterns=(name,),
    )


def _fix(case: PlanCase, record: Record) -> Fix:
    name, model, key = case.pattern.operation, case.model.name, record.structure
    commands = f"MULTI; INCR {key}; EXPIRE {key} {record.ttl:.0f} NX; EXEC"

    def together(candidate: Candidate) -> Candidate:
        before = candidate.serves.get(name, Serves())
        after = before.model_copy(update={"commands": commands})
        return candidate.model_copy(update={"serves": Frozen({**candidate.serves, name: after})})

    def apply(project: Project) -> Project:
        return change_model(project, model, together)

    return Fix("Raise it and set its expiry as one", apply)
