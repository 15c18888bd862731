"""Dialects for planner tests: those of the stores, by version."""

from __future__ import annotations

from dataclasses import replace

from app.plan.types import Dialect
from app.stores import STORES
from app.stores.cassandra.dialect import dialect_of as cassandra_of


def dialect_of(store: str, version: str = "") -> Dialect:
    """The rules of a store; `version` where it matters: Cassandra's, or `cluster` for Redis."""
    if store == "cassandra":
        return cassandra_of(version)
    found = STORES[store].dialect
    if version == "cluster":
        return replace(found, joins=replace(found.joins, one_place=True))
    return found
