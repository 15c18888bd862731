"""The rows a table holds, with the ways to them: primary key, indexes local to each node, views, static columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.model.candidate import Candidate, Index, Structure
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.size import size_of
from app.plan.types import AccessPath, Dialect, Held, Part, Record, Rel, World
from app.plan.ways import place
from app.stores.cassandra.dialect import dialect_of
from app.stores.cassandra.facts import FACTS
from app.stores.common_home import per_partition
from app.stores.common_query import name_copies
from app.stores.common_record import Laid, record

VIEW = "materialized view"
VIEW_LAG = FACTS["view_lag_seconds"].value
SAI = frozenset({"sai", "storage attached", "storageattachedindex"})


def records(structure: Structure, model: Candidate, world: World) -> tuple[Record, ...]:
    """The rows of a table and, apart, its static columns; a view is a path of its base table.

    A view whose base table is not known is a table of its own, so that it can be planned all the same.
    """
    if structure.of not in world.fields or not structure.partition_key:
        return ()
    if structure.kind == VIEW and base_of(structure, model) is not None:
        return ()
    dialect = dialect_of(model.version)
    paths = paths_of(structure, model, world)
    statics = static_groups(structure, paths[0].partition, world)
    apart = {path for paths_ in statics.values() for path, _ in paths_}
    left = tuple(s for s in structure.static if s not in apart)
    rows = _rows(structure.model_copy(update={"static": left}), model, world, dialect, paths)
    return (rows, *(_static(rel, attrs, rows, model, world) for rel, attrs in statics.items()))


def base_of(view: Structure, model: Candidate) -> Structure | None:
    """The table a view repeats: the one `truth` names, else the only table of its entity."""
    tables = [s for s in model.structures if s.kind != VIEW and s.of == view.of]
    if view.truth:
        return next((s for s in tables if s.name == view.truth), None)
    return tables[0] if len(tables) == 1 else None


def views_of(structure: Structure, model: Candidate) -> tuple[Structure, ...]:
    views = (s for s in model.structures if s.kind == VIEW)
    return tuple(v for v in views if base_of(v, model) is structure and v.partition_key)


def counter_columns(structure: Structure) -> tuple[tuple[str, str], ...]:
    """(what it counts, column) of each counter: `playback.views`, or `{as: total, what: sum(…)}`."""
    found = []
    for counter in structure.counters:
        if isinstance(counter, Mapping):
            what = str(counter.get("what", ""))
            found.append((what, str(counter.get("as", "")) or what.rpartition(".")[2]))
        else:
            found.append((str(counter), str(counter).rpartition(".")[2]))
    return tuple((what, column) for what, column in found if what)


def _rows(
    structure: Structure, model: Candidate, world: World, dialect: Dialect, paths: tuple[AccessPath, ...]
) -> Record:
    laid = Laid(
        of=structure.of,
        shape=name_copies(lay.shape(structure, structure.of, world)),
        paths=paths,
        dialect=dialect,
        nodes=nodes_of(model),
        per=per_partition(structure.of, paths[0].partition, world, lay.stored(structure, structure.of, world)),
    )
    made = record(structure, structure, laid, model, world)
    derived = structure.for_each or structure.kind == VIEW
    return replace(made, truth=made.truth and not derived)


def nodes_of(model: Candidate) -> float:
    """Nodes of the cluster; where none are given, as many as replicas are suggested."""
    given = model.nodes.value if model.nodes is not None else None
    return given or FACTS["replicas"].value


def paths_of(structure: Structure, model: Candidate, world: World) -> tuple[AccessPath, ...]:
    """Ways to the rows; the primary key comes first."""
    of, name = structure.of, structure.name
    partition = columns(structure.partition_key, of, world)
    order = columns(structure.clustering_key, of, world, len(partition))
    primary = AccessPath(name, of, partition, order, unique=True, primary=True)
    indexes = (path for i in structure.indexes if i.keys for path in _index(i, primary, structure, world))
    views = (_view(v, primary, world) for v in views_of(structure, model))
    return (primary, *indexes, *views, AccessPath(f"{name} scan", of, scan=True, kind="scan"))


def columns(keys: Iterable[KeyPart] | None, of: str, world: World, first: int = 0) -> tuple[Part, ...]:
    """Key columns in the planner's words, each a stored value of its own."""
    return tuple(lay.part(key, of, world, at) for at, key in enumerate(keys or (), first))


def index_name(index: Index, structure: Structure) -> str:
    column = "_".join(p.attr.rpartition(".")[2] for p in index.keys)
    return index.name or f"{structure.name}_{column}"


def _index(index: Index, primary: AccessPath, structure: Structure, world: World) -> Iterable[AccessPath]:
    """An index holds, on each node, the rows of that node: without the partition key all are asked.

    Behind the column lies the table's own key. A legacy index answers equality only; an SAI also a range, within one
    partition behind any beginning of the clustering key. Neither gives an order.
    """
    own = columns(index.keys[:1], structure.of, world, 1000)
    key, of, placed = (*primary.partition, *primary.order), structure.of, primary.partition
    name = f"{structure.name}.{index_name(index, structure)}"
    if index.type.lower() not in SAI:
        yield AccessPath(name, of, own, key, placed_by=placed, kind="index")
        return
    yield AccessPath(name, of, order=(*own, *key), placed_by=placed, kind="sai")
    for first in range(len(primary.order) + 1):
        yield AccessPath(name, of, placed, (*primary.order[:first], *own), placed_by=placed, kind="sai")


def _view(view: Structure, base: AccessPath, world: World) -> AccessPath:
    partition = columns(view.partition_key, view.of, world)
    order = columns(view.clustering_key, view.of, world, len(partition))
    held: frozenset[str] | None = None
    if view.fields is not None:
        keys = (*base.partition, *base.order, *partition, *order)
        held = frozenset(p.attr for p in keys if p.attr) | {
            lay.column(view.of, a, world) for a in view.fields if a != "none"
        }
    return AccessPath(
        view.name,
        view.of,
        partition,
        order,
        holds=held,
        unique=True,
        strong=False,
        kind="view",
        lag=VIEW_LAG,
    )


# ---------------------------------------------------------------- static columns


def static_groups(
    structure: Structure, partition: tuple[Part, ...], world: World
) -> Mapping[Rel, tuple[tuple[str, str], ...]]:
    """(path, attribute) of the static columns that belong to a parent whose key the partition is."""
    groups: dict[Rel, tuple[tuple[str, str], ...]] = {}
    for path in structure.static:
        where = place(world, structure.of, path)
        edge = where.edges[0] if len(where.edges) == 1 else None
        if where.why or edge is None or edge.down or renamed(partition, edge.rel) is None:
            continue
        groups[edge.rel] = (*groups.get(edge.rel, ()), (path, where.attr))
    return groups


def _static(rel: Rel, columns_: tuple[tuple[str, str], ...], rows: Record, model: Candidate, world: World) -> Record:
    """Static columns of one parent: a record of their own that comes with any row of its partition."""
    partition = renamed(rows.primary.partition, rel) or ()
    attrs = frozenset(a for _, a in columns_)
    figures = frozenset(a for a in attrs if a.startswith("="))
    shape = (Held(rel.parent, (attrs - figures) | set(rel.key), computed=figures),)
    truth = not any(s.of == rel.parent for s in model.structures)
    made = Record(
        name=f"{rows.structure} static {rel.role}",
        structure=rows.structure,
        of=rel.parent,
        shape=shape,
        paths=(AccessPath(rows.structure, rel.parent, partition, unique=True, primary=True),),
        dialect=rows.dialect,
        truth=truth,
        purpose="" if truth else "second copy",
        static=True,
        refresh=rows.refresh,
        count=world.counts.get(rel.parent, 0.0),
        nodes=rows.nodes,
    )
    return replace(made, size=size_of(made, world))


def renamed(partition: tuple[Part, ...], rel: Rel) -> tuple[Part, ...] | None:
    """The partition key as the parent sees it; None where it does not come down to the parent's key."""
    names = dict(zip(rel.via, rel.key, strict=False))
    if any(p.attr and p.attr not in names for p in partition):
        return None
    return tuple(replace(p, attr=names[p.attr]) if p.attr else p for p in partition)
