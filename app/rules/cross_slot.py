"""Keys that change together lie in different slots."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.project import Project
from app.model.rename import rename_structure
from app.model.workload import Pattern
from app.plan.types import Plan, Record
from app.rules.ground import finding
from app.rules.rule import Evidence, Finding, Fix, ModelCase, rule
from app.rules.slots import placing_attrs, slotted, tagged
from app.rules.words import count


@rule(severity="error", scope="model")
def check(case: ModelCase) -> Iterator[Finding]:
    """Keys that change together lie in different slots.

    ## What it flags

    An atomic write over several key families of a cluster whose keys do not share a tag.

    ## Why it hurts

    A cluster runs several keys as one only if they lie in one slot. It refuses the rest, on the first day in production
    if the tests ran on a single node.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40, run_at datetime]}
    patterns:
      - {operation: Enqueue, insert: job, atomic: yes, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "q:{job.queue}", type: list, of: job, ttl: none, purpose: queue, truth: none}
          - keys: sched
            type: sorted set
            of: job
            member: "{job.id}"
            score: job.run_at
            ttl: none
            purpose: queue
            truth: none
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40, run_at datetime]}
    patterns:
      - {operation: Enqueue, insert: job, atomic: yes, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "q:{job.queue|tag}", type: list, of: job, ttl: none, purpose: queue, truth: none}
          - keys: "sched:{job.queue|tag}"
            type: sorted set
            of: job
            member: "{job.id}"
            score: job.run_at
            ttl: none
            purpose: queue
            truth: none
    ```

    ## When to allow it

    Where the parts can be written one after the other and each can be repeated.

    ## Sources

    The cluster specification: the slot is the hash of the key, or of the first part in braces.
    """
    kinds = {r.name: r for r in case.records if slotted(r)}
    if not kinds:
        return
    for pattern, plan in case.plans:
        if not pattern.is_write or not pattern.atomic:
            continue
        met = _met(plan, kinds)
        if len({placing_attrs(r) for r in met}) > 1:
            yield _finding(case, pattern, met)


def _met(plan: Plan, kinds: dict[str, Record]) -> list[Record]:
    names = dict.fromkeys(t.record for t in plan.touches if t.when == "same")
    return [kinds[n] for n in names if n in kinds]


def _finding(case: ModelCase, pattern: Pattern, met: list[Record]) -> Finding:
    names = [r.structure for r in met]
    nodes = met[0].nodes
    return finding(
        case,
        "cross-slot",
        "error",
        f"{pattern.operation} writes {' and '.join(names)} as one, and they share no tag: CROSSSLOT",
        Evidence("key families written together", count(len(met)), len(met)),
        Evidence("nodes", count(nodes), nodes),
        part=f"patterns/{pattern.operation}",
        fixes=_fixes(case, met),
        patterns=[pattern.operation],
    )


def _fixes(case: ModelCase, met: list[Record]) -> tuple[Fix, ...]:
    """The attribute with the fewest values that is still more than the nodes, as the tag of all of them."""
    stats = case.world.stats
    of = {r.of for r in met}
    if len(of) != 1:
        return ()
    inside = [a for r in met for a in placing_attrs(r) if a in stats]
    own = [a for a in dict.fromkeys(inside) if a.partition(".")[0] in of]
    enough = sorted((a for a in own if stats[a].distinct >= met[0].nodes), key=lambda a: (stats[a].distinct, a))
    if not enough:
        return ()
    attr = enough[0]
    names = {r.structure: tagged(r.structure, attr) for r in met}
    taken = {s.name for s in case.model.structures} - set(names)
    if set(names.values()) & taken or len(set(names.values())) < len(names):
        return ()
    model = case.model.name

    def apply(project: Project) -> Project:
        for old, new in names.items():
            project = rename_structure(project, model, old, new) if old != new else project
        return project

    return (Fix(f"Give all of them the tag {{{attr}}}", apply),)
