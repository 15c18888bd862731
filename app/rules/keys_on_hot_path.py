"""A pattern looks through all keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.model.alter import change_model
from app.model.candidate import Candidate, Serves
from app.model.part import Frozen
from app.model.project import Project
from app.plan.types import Level
from app.rules.rule import Evidence, Finding, Fix, PlanCase, rule
from app.rules.weigh import at_rate, cell, rate_evidence
from app.rules.words import count, duration

KEYS = re.compile(r"\bKEYS\b")
STALL = "keys_stall_ms"


@rule(severity="error", scope="plan")
def check(case: PlanCase) -> Iterator[Finding]:
    """A pattern looks through all keys.

    ## What it flags

    A pattern that runs the command `KEYS`, or that a store reached by its keys alone could only serve by looking
    through every key.

    ## Why it hurts

    The command walks all keys in one go, and nothing else runs meanwhile: about a quarter of a second for each
    million keys. Every other request waits.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Sessions
    entities:
      - {name: session, count: 2M, fields: [id string key avg 32, user_id string avg 12]}
    patterns:
      - {operation: Load session, get: session, where: "session.id = :s", rate: 10/s, consistency: strong}
    models:
      - name: Keys
        store: redis
        structures: [{keys: "session:{session.id}", type: hash, of: session, ttl: 1 h, purpose: session}]
        serves: {Load session: {commands: "KEYS session:*"}}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Sessions
    entities:
      - {name: session, count: 2M, fields: [id string key avg 32, user_id string avg 12]}
    patterns:
      - {operation: Load session, get: session, where: "session.id = :s", rate: 10/s, consistency: strong}
    models:
      - name: Keys
        store: redis
        structures: [{keys: "session:{session.id}", type: hash, of: session, ttl: 1 h, purpose: session}]
        serves: {Load session: {commands: "HGETALL session:{session.id}"}}
    ```

    ## When to allow it

    By hand, on a copy, never where users wait. A set of the keys, or `SCAN` in small steps, gives the same answer.

    ## Sources

    The command's documentation; `keys_stall_ms` of the store.
    """
    name = case.pattern.operation
    said = case.model.serves.get(name)
    runs = said is not None and bool(KEYS.search(said.commands))
    walks = case.store.can.by_key_only and case.plan.level is Level.SCAN
    if not (runs or walks):
        return
    keys = sum(r.count for r in case.records)
    fact = case.store.facts.get(STALL)
    stall: tuple[Evidence, ...] = ()
    long = ""
    if fact is not None and keys:
        seconds = fact.value / 1000 * keys / 1e6
        long = f" and stops everything else for {duration(seconds)}"
        stall = (Evidence("stall", duration(seconds), seconds, f"{case.store.name}.{STALL}", fact.assumed),)
    what = "runs KEYS, which looks" if runs else "can only look"
    yield Finding(
        "keys-on-hot-path",
        "error",
        cell(case),
        f"{name} {what} through all {count(keys)} keys{at_rate(case)}{long}",
        (Evidence("keys of these families", count(keys), keys), *stall, *rate_evidence(case)),
        (_forget(case),) if runs and case.plan.served else (),
        model=case.model.name,
        patterns=(name,),
    )


def _forget(case: PlanCase) -> Fix:
    """The plan serves the pattern: drop the commands that do it otherwise."""
    name, model = case.pattern.operation, case.model.name

    def without(candidate: Candidate) -> Candidate:
        kept: Frozen[str, Serves] = Frozen({k: v for k, v in candidate.serves.items() if k != name})
        return candidate.model_copy(update={"serves": kept})

    def apply(project: Project) -> Project:
        return change_model(project, model, without)

    return Fix(f"Serve it by {case.plan.where} instead", apply)
