"""One tag for all keys puts them on one node."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.project import Project
from app.model.rename import rename_structure
from app.rules.ground import finding
from app.rules.rule import Evidence, Finding, Fix, StructureCase, rule
from app.rules.slots import slotted, tagged
from app.rules.words import count, rate


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """One tag for all keys puts them on one node.

    ## What it flags

    A family of keys whose tag is a text, or an attribute with fewer values than the cluster has nodes.

    ## Why it hurts

    Keys with one tag share one slot, and a slot lives on one node. More nodes then add nothing for this family.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40]}
    patterns:
      - {operation: Enqueue, insert: job, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "{{all}}:q:{job.queue}", type: list, of: job, ttl: none, purpose: queue, truth: none}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Queue
    entities:
      - {name: job, count: 10k, size: 300, fields: [id string key avg 12, queue string distinct 40]}
    patterns:
      - {operation: Enqueue, insert: job, rate: 500/s}
    models:
      - name: Keys
        store: redis
        nodes: 6
        options: {cluster: yes}
        structures:
          - {keys: "q:{job.queue|tag}", type: list, of: job, ttl: none, purpose: queue, truth: none}
    ```

    ## When to allow it

    A small family that must be read and written as one.

    ## Sources

    The cluster specification: the slot is the hash of the first part in braces.
    """
    nodes = case.model.nodes.value if case.model.nodes is not None else None
    for record in case.records:
        parts = record.primary.placed_by
        whole = parts == record.primary.partition
        if not slotted(record) or not parts or (nodes is not None and nodes <= 1):
            continue
        attrs = [p.attr for p in parts if p.attr]
        if attrs or whole or any(p.kept.fan for p in parts):
            stat = case.world.stats.get(attrs[0]) if len(attrs) == 1 else None
            if whole or stat is None or stat.assumed or nodes is None or stat.distinct >= nodes:
                continue
            values, what = stat.distinct, f"{attrs[0]} has {count(stat.distinct)} values"
        else:
            values, what = 1.0, f"the tag {parts[0].literal!r} is the same in every key"
        load = max((p.writes + p.reads for p in case.load.paths), default=0.0)
        on = f" of {count(nodes)}" if nodes else ""
        yield finding(
            case,
            "single-slot",
            "warning",
            f"{what}: all of {case.structure.name} lies on {count(values)} node{'s' if values > 1 else ''}{on}",
            Evidence("values of the tag", count(values), values),
            *((Evidence("nodes", count(nodes), nodes),) if nodes else ()),
            *((Evidence("commands on the busiest key", rate(load), load),) if load else ()),
            fixes=_fixes(case, [p.attr for p in record.primary.partition if p.attr], values),
            patterns=[p.operation for p, *_ in case.users],
        )


def _fixes(case: StructureCase, attrs: list[str], values: float) -> tuple[Fix, ...]:
    """Another attribute of the key as the tag."""
    nodes = case.model.nodes.value if case.model.nodes is not None and case.model.nodes.value else 0.0
    stats = case.world.stats
    wide = sorted(
        (a for a in attrs if a in stats and stats[a].distinct >= nodes and stats[a].distinct > values),
        key=lambda a: (stats[a].distinct, a),
    )
    if not wide:
        return ()
    old, new = case.structure.name, tagged(case.structure.name, wide[0], anew=True)
    model = case.model.name
    if new == old or case.model.structure(new) is not None:
        return ()

    def apply(project: Project) -> Project:
        return rename_structure(project, model, old, new)

    return (Fix(f"Tag it by {wide[0]}: {new}", apply),)
