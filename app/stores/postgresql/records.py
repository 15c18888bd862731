"""The rows a table holds, with the ways to them: primary key, B-tree, hash and GIN indexes, the scan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from app.model.candidate import Candidate, Index, Structure
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import AccessPath, Cond, Dialect, Held, Part, Record, World
from app.stores.common_query import name_copies
from app.stores.common_record import Laid, record
from app.stores.postgresql.dialect import DIALECT
from app.stores.postgresql.encoding import overhead, value_bytes
from app.stores.postgresql.expressions import over
from app.stores.postgresql.names import index_names
from app.stores.postgresql.partitions import GRAIN, grain, method, pieces

WORDS = frozenset({"string", "text", "enum"})
"""Types that are searched for words."""


def records(structure: Structure, model: Candidate, world: World) -> tuple[Record, ...]:
    """The rows of a table; none where its entity is not known."""
    of = structure.of
    if of not in world.fields and of not in world.sizes:
        return ()
    shape = name_copies(lay.shape(structure, of, world))
    placed = placed_by(structure, world)
    laid = Laid(
        of=of,
        shape=shape,
        paths=tuple(replace(p, placed_by=placed) for p in paths(structure, world)),
        dialect=_dialect(overhead(columns(shape, world))),
        nodes=pieces(structure, world),
    )
    return (record(structure, structure, laid, model, world),)


@lru_cache(maxsize=4096)
def _dialect(row: float) -> Dialect:
    """The dialect with what a row of one table costs beside its values; the same object for the same figure."""
    return replace(DIALECT, encoding=replace(DIALECT.encoding, record=row), placed_by_prefix=True)


def placed_by(structure: Structure, world: World) -> tuple[Part, ...]:
    """What a table is cut by; without it bound every partition has to be asked. A hash keeps no order."""
    parts = lay.parts(structure.partition_by, structure.of, world) if structure.partition_by else ()
    if method(structure, world) == "hash":
        return tuple(replace(p, kept=replace(p.kept, order=0)) for p in parts)
    unit = GRAIN.get(grain(structure), 0.0)
    return tuple(replace(p, kept=replace(p.kept, bucket=p.kept.bucket or unit)) for p in parts)


def columns(shape: Sequence[Held], world: World) -> list[tuple[str, float, float]]:
    """Type, average bytes and share of rows that have it of each column, in the order in which they are written."""
    root = shape[0]
    out: list[tuple[str, float, float]] = []
    attrs = world.fields.get(root.entity, ()) if root.attrs is None else sorted(root.attrs)
    for held, own in ((root, attrs), *((h, sorted(h.attrs or ())) for h in shape[1:] if h.up == 0)):
        if held is not root and (held.how != "copy" or held.edge is None or held.edge.down):
            out.append(("json", 100.0, 1.0))
            continue
        for attr in (*own, *sorted(held.computed)):
            stat = world.stats.get(attr)
            kind, size = (stat.type, stat.bytes.avg) if stat else ("int64" if attr.startswith("=") else "string", 16.0)
            out.append((kind, value_bytes(kind, size), stat.present if stat is not None else 1.0))
    return out


def paths(structure: Structure, world: World) -> tuple[AccessPath, ...]:
    """Every way in; the scan comes first, then the primary key."""
    of, name = structure.of, structure.name
    scan = AccessPath(name, of, scan=True, kind="scan")
    key = AccessPath(
        f"{name}.pkey", of, order=key_parts(structure, world), holds=frozenset(), unique=True, primary=True
    )
    names = index_names(structure)
    found = [p for at, i in enumerate(structure.indexes) for p in index_paths(i, f"{name}.{names[at]}", of, world)]
    return (scan, key, *found)


def key_parts(structure: Structure, world: World) -> tuple[Part, ...]:
    """What the primary key is made of: as written, or the entity's key."""
    if structure.primary_key:
        return known(lay.parts(structure.primary_key, structure.of, world), world)
    return tuple(Part(a, column=i) for i, a in enumerate(world.keys.get(structure.of, ())))


def known(parts: Iterable[Part], world: World) -> tuple[Part, ...]:
    """The parts up to the first whose attribute the workload does not know; `problems` names that one."""
    return tuple(takewhile(lambda p: not p.attr or p.attr in world.stats, parts))


def kind_of(index: Index) -> str:
    """btree, hash, gin, gist or text (words), whatever it is called in the model."""
    said = index.type.lower()
    if not said and index.keys and index.keys[0].hashed:
        return "hash"
    if index.expression and over(index.expression).words:
        return "text"
    return {"": "btree", "b-tree": "btree", "index": "btree"}.get(said, said)


def searched(index: Index, of: str, world: World) -> tuple[str, ...]:
    """Attributes that an index searches for words; empty: none."""
    if index.expression:
        found = over(index.expression)
        return tuple(f"{of}.{c}" for c in found.columns if f"{of}.{c}" in world.stats) if found.words else ()
    if kind_of(index) not in ("gin", "text"):
        return ()
    own = [lay.column(of, p.attr.removesuffix("[]"), world) for p in index.keys]
    return tuple(a for a in own if (stat := world.stats.get(a)) and stat.type in WORDS and a.startswith(f"{of}."))


def index_paths(index: Index, name: str, of: str, world: World) -> Iterator[AccessPath]:
    """The ways in that one index gives: one, or of a GIN index one for each column."""
    only = gate(index, of, world)
    kind = kind_of(index)
    words = searched(index, of, world)
    if words:
        order = tuple(Part(a, column=i) for i, a in enumerate(words))
        yield AccessPath(name, of, order=order, holds=frozenset(), only=only, kind="text")
    if kind == "gin" and not index.expression:
        rest = [p for p in index.keys if lay.column(of, p.attr.removesuffix("[]"), world) not in words]
        for part in known(lay.parts(tuple(rest), of, world), world):
            label = name if len(rest) == 1 and not words else f"{name}:{part.attr.rpartition('.')[2]}"
            one = replace(part, many=True, column=0)
            yield AccessPath(label, of, order=(one,), holds=frozenset(), hashed=True, only=only, kind="gin")
    if kind in ("btree", "hash"):
        parts = sorted_parts(index, of, world)
        if parts:
            yield AccessPath(
                name,
                of,
                order=parts,
                holds=frozenset(lay.column(of, a, world) for a in index.include),
                unique=index.unique,
                hashed=kind == "hash",
                only=only,
                kind="index" if kind == "btree" else kind,
            )


def sorted_parts(index: Index, of: str, world: World) -> tuple[Part, ...]:
    """The columns of a B-tree; it compares arrays as wholes, so what is asked of their elements ends it."""
    keys = index.keys or _inside(index, of, world)
    found = known(lay.parts(keys, of, world), world)
    return tuple(replace(p, column=i) for i, p in enumerate(takewhile(lambda p: not p.many, found)))


def _inside(index: Index, of: str, world: World) -> tuple[KeyPart, ...]:
    """The one value inside a JSON column that an expression names."""
    found = over(index.expression) if index.expression else None
    if found is None or not found.path:
        return ()
    attr = ".".join((of, *found.columns, *found.path))
    return (KeyPart(attr=attr),) if attr in world.stats else ()


def gate(index: Index, of: str, world: World) -> tuple[Cond, ...]:
    """What a row must meet to be in the index."""
    only = lay.conds(index.where, of, world) if index.where is not None else ()
    if index.sparse:
        only = (*only, *lay.sparse(sorted_parts(index, of, world), world))
    return only
