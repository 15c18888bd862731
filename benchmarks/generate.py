"""Projects of any size, always the same for the same arguments: 40 entities in a tree, patterns over all of them, one
starter model for each of four stores."""

from __future__ import annotations

from app.model.project import Project
from app.model.text import project_from_plain
from app.starters import starter

ENTITIES = 40
SHAPES = 5
"""Kinds of pattern: a read by key, a list, an update, an insert, a filtered list."""
STORES = ("mongodb", "dynamodb", "cassandra", "redis")


def workload(patterns: int) -> Project:
    """A workload of this many patterns over 40 entities, without models."""
    names = [f"thing{i}" for i in range(ENTITIES)]
    entities = [_entity(i) for i in range(ENTITIES)]
    links = [
        {
            "parent": names[(i - 1) // 3],
            "child": names[i],
            "via": f"{names[(i - 1) // 3]}_id",
            "children": {"avg": "12", "p99": "90", "max": "2k"},
        }
        for i in range(1, ENTITIES)
    ]
    return project_from_plain(
        {
            "keywright": "1",
            "name": f"Generated {patterns}",
            "entities": entities,
            "relationships": links,
            "patterns": [_pattern(n, names[n // SHAPES % ENTITIES], n // SHAPES % ENTITIES) for n in range(patterns)],
        }
    )


def _entity(i: int) -> dict[str, object]:
    parent = f"thing{(i - 1) // 3}_id uuid" if i else "region string avg 8 distinct 40"
    fields = [
        "id uuid key",
        parent,
        "title string avg 30 max 200",
        "state string avg 8 distinct 6",
        "created_at datetime monotonic",
        "score int32",
    ]
    return {"name": f"thing{i}", "count": f"{(i + 1) * 1000}", "fields": fields}


def _pattern(n: int, name: str, i: int) -> dict[str, object]:
    owner = f"thing{(i - 1) // 3}_id" if i else "region"
    shapes: list[dict[str, object]] = [
        {"get": name, "where": f"{name}.id = :id", "needs": [name]},
        {
            "list": name,
            "where": f"{name}.{owner} = :owner",
            "order by": f"{name}.created_at desc, {name}.id desc",
            "limit": "20",
            "paging": "cursor",
            "needs": [f"{name}.title"],
        },
        {"update": name, "where": f"{name}.id = :id", "set": {f"{name}.title": ":title"}, "retry": "same value"},
        {"insert": name, "set": {f"{name}.created_at": "now"}, "retry": "same key"},
        {
            "list": name,
            "where": f"{name}.{owner} = :owner and {name}.state = :state",
            "order by": f"{name}.created_at desc, {name}.id desc",
            "limit": "50",
            "needs": [name],
        },
    ]
    shape = shapes[n % SHAPES]
    return {"operation": f"Operation {n}", **shape, "rate": f"{1 + n % 50}/s", "consistency": "eventual 1 min"}


def project(patterns: int) -> Project:
    """The workload with a starter model per store. The models follow the first 200 patterns: five ways per entity."""
    whole = workload(patterns)
    base = workload(min(patterns, 200))
    return whole.model_copy(update={"models": tuple(starter(base, store) for store in STORES)})
