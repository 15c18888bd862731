"""The workload as the planner sees it: counts, statistics, relationships, figures; no patterns, no
store.

Built once per set of entities and relationships. Counts come from what was typed, else from the
relationships (parents × children), else they are a default that is marked as such.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from math import prod

from app.model import growth
from app.model.project import Project
from app.model.workload import Entity, Field, Relationship
from app.plan.figures import figure
from app.plan.links import links, relations, via_of
from app.plan.stats import stat
from app.plan.types import Figure, Rel, Stat, World

COUNT = 1000.0
"""Records assumed of an entity of which nothing is known."""
MONTH = 30 * 86_400.0
"""Time for which records of unknown count are assumed to have come in."""
KEPT_WORLDS = 8
_worlds: OrderedDict[tuple[object, ...], tuple[object, World]] = OrderedDict()


def build_world(project: Project) -> World:
    """The world of a project. The same entities, relationships and inflow give the same object
    back.

    Inflow stands in patterns and changes with their rates. Worlds that differ in nothing else share
    their `base`, so that what does not depend on it can be kept.
    """
    inflow = _inflow(project)
    parts = (project.entities, project.relationships)
    ids = (tuple(map(id, project.entities)), tuple(map(id, project.relationships)), project.tenant)
    uncounted = tuple((e.name, inflow.get(e.name)) for e in project.entities if not (e.count and e.count.known))
    key = (*ids, tuple(inflow.items()))
    if key in _worlds:
        _worlds.move_to_end(key)
        return _worlds[key][1]
    alike = next((w for k, (_, w) in reversed(_worlds.items()) if k[:3] == ids and w.uncounted == uncounted), None)
    if alike is not None:
        world = replace(alike, inflow=dict(inflow), memo={})
    else:
        world = replace(_build(project, inflow), base=object(), uncounted=uncounted)
    # the parts are kept with the world, so that no other part can get their identity
    _worlds[key] = (parts, world)
    if len(_worlds) > KEPT_WORLDS:
        _worlds.popitem(last=False)
    return world


def _inflow(project: Project) -> dict[str, float]:
    """New records per second: as typed or inserted, else parents × the growth of their children."""
    found = growth.inflow(project)
    for r in project.relationships:
        given = r.children.growth.spread if r.children and r.children.growth else None
        parent = project.entity(r.parent)
        count = parent.count.value if parent and parent.count and parent.count.known else None
        if r.child and r.child not in found and given is not None and count:
            found[r.child] = count * given.avg
    return found


def _build(project: Project, inflow: Mapping[str, float]) -> World:
    fields = {e.name: _fields_of(project, e) for e in project.entities}
    counts, unknown, assumed, loose = _counts(project, fields, inflow)
    rels = relations(project, counts, fields, unknown | loose)
    stats = {
        f"{entity}.{f.name}" if not f.computed else f"={entity}.{f.name}": s
        for entity, own in fields.items()
        for f, s in _stats(entity, own, counts, rels, project, unknown)
    }
    owned = {e: tuple(f"{e}.{f.name}" for f in own if not f.computed) for e, own in fields.items()}
    keys = {e: tuple(f"{e}.{f.name}" for f in own if f.key) for e, own in fields.items()}
    for link in links(project):
        owned[link.name] = keys[link.name] = link.columns
        stats.update({c: _link_stat(stats.get(s)) for c, s in link.sources})
    return World(
        counts=counts,
        stats=stats,
        rels=rels,
        figures=_figures(fields, rels),
        fields=owned,
        keys=keys,
        aliases=_aliases(rels),
        sizes={e.name: s for e in project.entities if e.size and (s := e.size.spread)},
        counts_assumed=assumed,
        unknown_counts=unknown,
        keeps={e.name: e.keep.value for e in project.entities if e.keep and e.keep.value},
        inflow=dict(inflow),
        immutable=frozenset(f"{e}.{f.name}" for e, own in fields.items() for f in own if f.immutable or f.key)
        | frozenset(c for link in links(project) for c in link.columns),
        monotonic=frozenset(f"{e}.{f.name}" for e, own in fields.items() for f in own if f.monotonic),
        soft_delete={e.name: f"{e.name}.{e.soft_delete}" for e in project.entities if e.soft_delete},
        kinds=_kinds(project),
        made_by={e: _made_by(own, rels, e) for e, own in fields.items()},
        tenant=project.tenant,
        unique_together={e.name: _unique(e, keys[e.name]) for e in project.entities},
        together={e.name: _together(project, e, stats, counts) for e in project.entities},
        compounds={
            e.name: (e.growth.value, e.growth.per)
            for e in project.entities
            if e.growth and e.growth.per and e.growth.value is not None
        },
        child_growth={
            (r.role, r.child): r.children.growth.spread
            for r in project.relationships
            if r.children and r.children.growth and r.children.growth.spread
        },
    )


def _fields_of(project: Project, entity: Entity) -> tuple[Field, ...]:
    """Own fields, after those of what it is a kind of."""
    base = project.entity(entity.is_a) if entity.is_a and entity.is_a != entity.name else None
    mine = {f.name for f in entity.fields}
    inherited = tuple(f for f in base.fields if f.name not in mine) if base else ()
    return inherited + entity.fields


def _unique(entity: Entity, key: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    sets = [frozenset(key)] if key else []
    sets += [frozenset({f"{entity.name}.{f.name}"}) for f in entity.fields if f.unique]
    sets += [frozenset(f"{entity.name}.{n}" for n in names) for names in entity.unique]
    return tuple(dict.fromkeys(sets))


def _together(
    project: Project, entity: Entity, stats: Mapping[str, Stat], counts: Mapping[str, float]
) -> tuple[tuple[frozenset[str], float], ...]:
    """Combinations as given, between the values of the widest attribute and all of them multiplied; what names most
    attributes first."""
    base = project.entity(entity.is_a) if entity.is_a and entity.is_a != entity.name else None
    found = []
    for group in (*(base.together if base else ()), *entity.together):
        attrs = frozenset(f"{entity.name}.{name}" for name in group.fields)
        said = group.distinct.value if group.distinct else None
        if not said or len(attrs) < 2 or not attrs <= stats.keys():
            continue
        values = [stats[a].distinct for a in attrs]
        found.append((attrs, max(*values, min(said, prod(values), counts[entity.name]))))
    return tuple(sorted(found, key=lambda g: (-len(g[0]), g[1])))


def _kinds(project: Project) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for e in project.entities:
        if e.is_a:
            found[e.is_a] = (*found.get(e.is_a, ()), e.name)
    return found


def _counts(
    project: Project, fields: Mapping[str, tuple[Field, ...]], inflow: Mapping[str, float]
) -> tuple[dict[str, float], frozenset[str], frozenset[str], frozenset[str]]:
    """Records of each entity and link; entities unknown, and assumed (unknown ones included); links unknown."""
    counts: dict[str, float] = {}
    guessed: set[str] = set()
    for e in project.entities:
        value, assumed = growth.count_at(e, inflow.get(e.name), 0.0)
        if value is not None:
            counts[e.name] = value
            if assumed:
                guessed.add(e.name)
    _derive(project, fields, counts, guessed)
    unknown = {e.name for e in project.entities} - counts.keys()
    loose = frozenset(link.name for link in links(project) if link.name not in counts)
    for name in sorted(unknown):
        kinds = [counts[k] for k in _kinds(project).get(name, ()) if k in counts]
        counts[name] = sum(kinds) if kinds else max(COUNT, inflow.get(name, 0.0) * MONTH)
        if kinds:
            unknown.discard(name)
    _derive(project, fields, counts, guessed)
    for link in links(project):
        counts.setdefault(link.name, COUNT)
    return counts, frozenset(unknown), frozenset(guessed | unknown), loose


def _derive(
    project: Project, fields: Mapping[str, tuple[Field, ...]], counts: dict[str, float], guessed: set[str]
) -> None:
    """`parents × avg = children × present`: fill in what one missing number leaves open, as long as
    something new is found. What follows from a guess is one (`guessed`).
    """
    changed = True
    while changed:
        before = len(counts)
        for r in project.relationships:
            if r.many_to_many:
                _derive_link(r, counts)
            elif (given := r.children.spread if r.children else None) and given.avg > 0:
                known = counts.keys() & {r.parent, r.child}
                _derive_pair(r, given.avg, fields, counts)
                if known & guessed or (r.children is not None and r.children.assumed):
                    guessed |= (counts.keys() & {r.parent, r.child}) - known
        changed = len(counts) > before


def _derive_pair(
    r: Relationship, avg: float, fields: Mapping[str, tuple[Field, ...]], counts: dict[str, float]
) -> None:
    via = via_of(r, fields)
    column = next((f for f in fields.get(r.child, ()) if f.name == via[0]), None)
    present = (column.present.value if column and column.present else None) or 1.0
    parents = r.children.parents.value if r.children and r.children.parents else None
    if r.child not in counts and r.parent in counts:
        counts[r.child] = (parents or counts[r.parent]) * avg / present
    elif r.parent not in counts and r.child in counts and parents is None:
        counts[r.parent] = counts[r.child] * present / avg


def _derive_link(r: Relationship, counts: dict[str, float]) -> None:
    name = r.name or f"{r.from_}_{r.to}"
    for end, degree in ((r.from_, r.out), (r.to, r.in_)):
        given = degree.spread if degree else None
        if given is None or given.avg <= 0:
            continue
        if end in counts:
            counts.setdefault(name, counts[end] * given.avg)
        elif name in counts:
            counts[end] = counts[name] / given.avg


def _stats(
    entity: str,
    fields: tuple[Field, ...],
    counts: Mapping[str, float],
    rels: tuple[Rel, ...],
    project: Project,
    unknown: frozenset[str],
) -> list[tuple[Field, Stat]]:
    """What is known of each field; what is counted by a number that nobody gave is assumed."""
    keys = [f for f in fields if f.key]
    count = counts[entity]
    found = []
    for f in fields:
        rel = next((r for r in rels if r.child == entity and r.via == (f"{entity}.{f.name}",)), None)
        parents, top, loose = None, None, False
        if rel is not None:
            said = _parents(project, rel)
            parents = said or counts.get(rel.parent)
            loose = said is None and rel.parent in unknown and not (f.distinct and f.distinct.value)
            top = rel.children.max / count if rel.children.max < count else None
        s = stat(f, count, parents, top)
        if loose and s.top is None:
            s = replace(s, assumed=True)
        if f.key and len(keys) == 1:
            s = replace(s, distinct=count, unique=True, top=1 / max(1.0, count), assumed=entity in unknown)
        found.append((f, s))
    return found


def _parents(project: Project, rel: Rel) -> float | None:
    """How many parents have any child, where that was said."""
    for r in project.relationships:
        if r.child == rel.child and r.parent == rel.parent and r.role == rel.role and r.children:
            return r.children.parents.value if r.children.parents else None
    return None


def _link_stat(source: Stat | None) -> Stat:
    return replace(source or Stat(COUNT, assumed=True), unique=False, top=None)


def _figures(fields: Mapping[str, tuple[Field, ...]], rels: tuple[Rel, ...]) -> tuple[Figure, ...]:
    made = (
        figure(f"={entity}.{f.name}", entity, f.computed, rels)
        for entity, own in fields.items()
        for f in own
        if f.computed
    )
    return tuple(f for f in made if f is not None)


def _aliases(rels: tuple[Rel, ...]) -> Mapping[tuple[str, str], str]:
    """Which own column is meant by a key seen from the other side, where that is one thing only."""
    found: dict[tuple[str, str], set[str]] = {}
    exact: dict[tuple[str, str], str] = {}
    for r in rels:
        for key, via in zip(r.key, r.via, strict=True):
            field = key.partition(".")[2]
            exact[r.child, f"{r.role}.{field}"] = via
            found.setdefault((r.child, key), set()).add(via)
            found.setdefault((r.parent, via), set()).add(key)
    single = {seen: next(iter(own)) for seen, own in found.items() if len(own) == 1}
    return {**single, **exact}


def _made_by(fields: tuple[Field, ...], rels: tuple[Rel, ...], entity: str) -> str:
    """Who makes the key: the client, the server (a sequence), or it is derived from other entities'
    keys.
    """
    foreign = {v for r in rels if r.child == entity for v in r.via}
    keys = [f for f in fields if f.key]
    if keys and all(f"{entity}.{f.name}" in foreign for f in keys):
        return "derived"
    own = [f for f in keys if f"{entity}.{f.name}" not in foreign]
    return "server" if len(own) == 1 and own[0].type in ("int32", "int64") else "client"
