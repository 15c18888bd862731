"""Dialects for planner tests: those of the stores, and one of an engine that is no store of ours.

PostgreSQL finishes orders group by group and enters an index whose first part no condition names, which none of
the stores does.
"""

from __future__ import annotations

from dataclasses import replace

from app.plan.types import Dialect, Encoding, Joins, Kind, Op, Use, Writing
from app.stores import STORES
from app.stores.cassandra.dialect import dialect_of as cassandra_of

SPANS = dict.fromkeys(("<", "<=", ">", ">=", "between", "prefix"), Op(Kind.SPAN))
PLAIN = Encoding(
    field=lambda name, _kind, size: len(name) + size,
    record=16,
    element=lambda _i, size: size,
    nested=lambda _name, size: size,
    array=lambda _name, size: size,
    entry=lambda size: 8 + size,
)
POSTGRESQL = Dialect(
    store="postgresql",
    title="PostgreSQL",
    ops={"=": Op(Kind.POINT), "in": Op(Kind.POINTS), "null": Op(Kind.POINT), **SPANS},
    encoding=PLAIN,
    joins=Joins(server=True, list_max=10_000),
    writing=Writing(across="transaction", all_indexes=True),
    partition_points=Use.SERVER,
    later=Use.SERVER,
    lead=Use.SERVER,
    skips=True,
    residual=Use.SERVER,
    sort=Use.SERVER,
    fetch=Use.SERVER,
    union=Use.SERVER,
    partial_sort=True,
)


def dialect_of(store: str, version: str = "") -> Dialect:
    """The rules of a store; `version` where it matters: Cassandra's, or `cluster` for Redis."""
    if store == "postgresql":
        return POSTGRESQL
    if store == "cassandra":
        return cassandra_of(version)
    found = STORES[store].dialect
    if version == "cluster":
        return replace(found, joins=replace(found.joins, one_place=True))
    return found
