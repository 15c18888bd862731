"""How one store would hold the workload: structures, their keys and what each record holds.

One `Structure` class carries the words of every store family; which of them a store knows is the store's
business (`app.stores`), so that a new store needs no edit here. Settings a store knows and this page does
not name go under `options`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field as Key

from app.model.conditions import OrderBy, Where
from app.model.keys import KeyList, KeyText
from app.model.part import Flag, Named, Part, Strings
from app.model.quantity import Count

STRUCTURE_WORDS = ("collection", "table", "keys", "nodes", "edges", "materialized view")
"""The key that names a structure and says what the store calls it."""


class Embed(Part):
    """Another entity held inside the record. `max` with `beyond`: what happens at the bound; `first`: a subset."""

    what: str
    as_: str = Key("", alias="as")
    max: Count | None = None
    beyond: str = ""
    first: Count | None = None
    order_by: OrderBy | None = Key(None, alias="order by")
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    fields: Strings | None = None
    note: str = ""


class Reference(Part):
    """Ids of another entity inside the record."""

    what: str
    as_: str = Key("", alias="as")
    max: Count | None = None
    note: str = ""


class Copy(Part):
    """A copied attribute: its truth follows from `what`. `refresh`: never, same write, same transaction, async within …, on expiry."""

    what: str
    as_: str = Key("", alias="as")
    refresh: str = ""
    because: str = ""
    note: str = ""


class Computed(Part):
    """A maintained figure: a computed field of an entity, or a formula with `as`."""

    what: str
    as_: str = Key("", alias="as")
    refresh: str = ""
    because: str = ""
    note: str = ""


class Bucket(Part):
    """One stored record holds all records equal in `by`, as the array `as`, at most `max`."""

    by: KeyList
    as_: str = Key("", alias="as")
    max: Count | None = None
    computed: tuple[Computed, ...] = ()


class Index(Part):
    """A further way in. Which words apply is the store's business."""

    name: str = ""
    keys: KeyList = ()
    unique: Flag = False
    sparse: Flag = False
    where: Where | None = None
    type: str = ""
    include: Strings = ()
    scope: str = ""
    array: Flag = False
    exempt: Flag = False
    expression: str = ""
    pk: KeyText | None = None
    sk: KeyText | None = None
    of: Strings = ()
    projection: Strings | None = None
    """`("all",)`, `("keys",)` or attribute paths."""
    capacity: Any = None
    attributes: Mapping[str, str] = Key(default_factory=dict)
    records: tuple[RecordShape, ...] = ()
    options: Mapping[str, Any] = Key(default_factory=dict)
    note: str = ""


class RecordShape(Part):
    """One kind of record in a structure that holds several (a single table), or in an overloaded index."""

    of: str
    pk: KeyText | None = None
    sk: KeyText | None = None
    purpose: str = ""
    truth: str = ""
    fields: Strings | None = None
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    bucket: Bucket | None = None
    for_each: str = Key("", alias="for each")
    where: Where | None = None
    ttl: str = ""
    refresh: str = ""
    note: str = ""


class Structure(Named):
    """What the store calls a place: collection, table, key family, label, edge type."""

    kind: str
    """One of `STRUCTURE_WORDS`; written in the file as the key whose value is `name`."""
    name: str
    store: str = ""
    """Empty: the model's store. A structure may live in another one (a cache in front, an outbox)."""
    of: str = ""
    records: tuple[RecordShape, ...] = ()
    purpose: str = ""
    truth: str = ""
    fields: Strings | None = None
    """Limits what a record holds; None: the entity's own fields; `("none",)`: none of them."""
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    bucket: Bucket | None = None
    for_each: str = Key("", alias="for each")
    where: Where | None = None
    refresh: str = ""
    writes: str = ""
    id_: KeyList | None = Key(None, alias="_id")
    key: KeyText | None = None
    path: KeyText | None = None
    row_key: KeyText | None = Key(None, alias="row key")
    pk: KeyText | None = None
    sk: KeyText | None = None
    shard_key: KeyList | None = Key(None, alias="shard key")
    partition_key: KeyList | None = Key(None, alias="partition key")
    clustering_key: KeyList | None = Key(None, alias="clustering key")
    primary_key: KeyList | None = Key(None, alias="primary key")
    partition_by: KeyList | None = Key(None, alias="partition by")
    foreign_keys: Strings = Key((), alias="foreign keys")
    indexes: tuple[Index, ...] = ()
    gsi: tuple[Index, ...] = ()
    lsi: tuple[Index, ...] = ()
    static: Strings = ()
    counters: tuple[Any, ...] = ()
    families: tuple[Mapping[str, Any], ...] = ()
    constraints: tuple[Mapping[str, Any], ...] = ()
    from_: str = Key("", alias="from")
    to: str = ""
    properties: Strings = ()
    type: str = ""
    """Redis value type: string, hash, list, set, sorted set, stream, bitmap, hyperloglog, geo."""
    format: str = ""
    member: KeyText | None = None
    score: str = ""
    value: str = ""
    counts: str = ""
    max: Count | None = None
    on_change: str = Key("", alias="on change")
    owner: str = ""
    ttl: str = ""
    schema_version: str = Key("", alias="schema version")
    capacity: Any = None
    attributes: Mapping[str, str] = Key(default_factory=dict)
    options: Mapping[str, Any] = Key(default_factory=dict)


class Serves(Part):
    """How the application really runs a pattern, where that is not the cheapest plan."""

    path: str = ""
    else_: str = Key("", alias="else")
    join: str = ""
    commands: str = ""
    read_preference: str = Key("", alias="read preference")
    note: str = ""


class Candidate(Named):
    """One candidate model: one store (with others beside it if a structure says so) and its structures."""

    name: str
    store: str
    version: str = ""
    nodes: Count | None = None
    options: Mapping[str, Any] = Key(default_factory=dict)
    structures: tuple[Structure, ...] = ()
    serves: Mapping[str, Serves] = Key(default_factory=dict)
    chosen: Flag = False

    def store_of(self, structure: Structure) -> str:
        return structure.store or self.store

    def structure(self, name: str) -> Structure | None:
        return next((s for s in self.structures if s.name == name), None)


__all__ = [
    "STRUCTURE_WORDS", "Bucket", "Candidate", "Computed", "Copy", "Embed", "Index", "RecordShape",
    "Reference", "Serves", "Structure",
]
