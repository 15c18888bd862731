"""The workload: access patterns as asked, entities with their numbers, relationships."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import Report
from app.exporters.markdown_text import code, plain, table
from app.exporters.words import asked, children, consistency, frequency, promises
from app.model.project import Project
from app.model.workload import Entity, Field, Pattern
from app.rules.words import count


def workload(report: Report) -> Iterator[str]:
    project = report.project
    yield "## Workload\n"
    if not project.patterns:
        yield "No access patterns yet.\n"
    else:
        yield "### Access patterns\n"
        head = ("#", "Operation", "Kind", "Asks for", "How often", "Consistency", "Promises")
        yield table(head, [_pattern(report, n, p) for n, p in enumerate(project.patterns, 1)], right=(0,))
    pasted = [(n, p) for n, p in enumerate(project.patterns, 1) if p.text and not (p.action and p.entity)]
    if pasted:
        yield "Not understood yet:\n"
        yield "\n".join(f"- {n}: {plain(p.text)}" for n, p in pasted) + "\n"
    if project.traffic is not None:
        traffic = project.traffic
        named = (("reads", traffic.reads), ("writes", traffic.writes), ("growth", traffic.growth))
        yield "All traffic: " + ", ".join(f"{word} {x.text}" for word, x in named if x is not None) + ".\n"
    if project.entities:
        yield "### Entities\n"
        yield table(
            ("Entity", "Records", "Growth", "Fields", "Note"),
            [_entity(report, e) for e in project.entities],
            right=(1,),
        )
    if project.relationships:
        yield "### Relationships\n"
        yield table(
            ("Parent", "Children", "Role", "By", "Children per parent"),
            [
                (
                    plain(r.parent or r.from_),
                    plain(r.child or r.to),
                    plain(r.role),
                    code(", ".join(r.via)),
                    plain(children(r)),
                )
                for r in project.relationships
            ],
        )
    inferred = list(_inferred(report.project))
    if inferred:
        yield "### Read out of the words of the table, not yet confirmed\n"
        yield "\n".join(inferred) + "\n"


def _inferred(project: Project) -> Iterator[str]:
    parts = [
        ("", project.inferred),
        *((f"{e.name} ", e.inferred) for e in project.entities),
        *((f"{r.key} ", r.inferred) for r in project.relationships),
        *((f"{p.operation} ", p.inferred) for p in project.patterns),
    ]
    for name, inferred in parts:
        for place, why in inferred.items():
            yield f"- {plain(name + place)}: {plain(why)}"


def _pattern(report: Report, n: int, pattern: Pattern) -> tuple[str, ...]:
    kind = f"{pattern.action} {pattern.entity}".strip() or "not understood yet"
    return (
        str(n),
        plain(pattern.operation),
        plain(kind),
        plain(asked(pattern)),
        plain(frequency(*report.rates[pattern.operation])),
        plain(consistency(pattern)),
        plain(promises(pattern)),
    )


def _entity(report: Report, entity: Entity) -> tuple[str, ...]:
    world, name = report.world, entity.name
    known = "unknown" if name in world.unknown_counts else count(world.counts.get(name, 0.0))
    mark = "≈" if name in world.counts_assumed and known != "unknown" else ""
    growth = [entity.growth.text] if entity.growth is not None else []
    growth += [f"kept {entity.keep.text}"] if entity.keep is not None else []
    fields = ", ".join(_field(f) for f in entity.fields)
    return plain(name), mark + known, plain(", ".join(growth)), plain(fields), plain(entity.note)


def _field(field: Field) -> str:
    """As the project file writes it, on one line."""
    made = f" = {field.computed}" if field.computed else ""
    return f"{field.name} {field.type}{' (key)' if field.key else ''}{made}"
