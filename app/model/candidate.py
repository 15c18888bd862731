"""How one store would hold the workload: structures, their keys and what each record holds.

One `Structure` class carries the words of every store family; which of them a store knows is the store's
business (`app.stores`), so that a new store needs no edit here. Settings a store knows and this page does
not name go under `options`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo, model_validator
from pydantic import Field as Key

from app.model.conditions import OrderBy, Where
from app.model.keys import KeyList, KeyListOrText, KeyText
from app.model.part import Flag, Free, FreeMapping, Frozen, Named, Part, Strings, Texts, fixed, one_of
from app.model.problem import Unreadable
from app.model.quantity import Count
from app.model.short import Brief, one_key
from app.model.words import Dotted, DottedValues, Mark, Mention, Mentions, Refresh, StructureName, Title

StoreName = str
"""Name of a store, as `app.stores` knows it; an unknown one is a question, not an error."""
STRUCTURE_WORDS = ("collection", "table", "keys", "nodes", "edges", "materialized view")
"""The key that names a structure and says what the store calls it."""


class Embed(Brief):
    """Another entity held inside the record. `max` with `beyond`: what happens at the bound; `first`: a subset."""

    what: Mention
    as_: str = Key("", alias="as")
    max: Count | None = None
    beyond: str = ""
    first: Count | None = None
    order_by: OrderBy | None = Key(None, alias="order by")
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    fields: Annotated[Strings | None, Mark("mention")] = None
    note: str = ""


class Reference(Brief):
    """Ids of another entity inside the record."""

    what: Mention
    as_: str = Key("", alias="as")
    max: Count | None = None
    note: str = ""


class Copy(Brief):
    """A copied attribute: its truth follows from `what`. `refresh`: never, same write, async within …, on expiry."""

    what: Mention
    as_: str = Key("", alias="as")
    refresh: Refresh = ""
    because: str = ""
    note: str = ""


class Computed(Brief):
    """A maintained figure: a computed field of an entity, or a formula with `as`."""

    what: Mention
    as_: str = Key("", alias="as")
    refresh: Refresh = ""
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
    include: Mentions = ()
    scope: str = ""
    array: Flag = False
    exempt: Flag = False
    expression: Dotted = ""
    pk: KeyText | None = None
    sk: KeyText | None = None
    of: Mentions = ()
    projection: Annotated[Strings | None, Mark("mention")] = None
    """`("all",)`, `("keys",)` or attribute paths."""
    capacity: Free = None
    attributes: Texts = Key(default_factory=Frozen)
    records: tuple[RecordShape, ...] = ()
    options: DottedValues = Key(default_factory=Frozen)
    note: str = ""


class RecordShape(Part):
    """One kind of record in a structure that holds several (a single table), or in an overloaded index."""

    of: Mention
    pk: KeyText | None = None
    sk: KeyText | None = None
    purpose: str = ""
    truth: StructureName = ""
    fields: Annotated[Strings | None, Mark("mention")] = None
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    bucket: Bucket | None = None
    for_each: Mention = Key("", alias="for each")
    where: Where | None = None
    ttl: Dotted = ""
    refresh: Refresh = ""
    note: str = ""


class Structure(Named):
    """What the store calls a place: collection, table, key family, label, edge type."""

    kind: Annotated[str, one_of(*STRUCTURE_WORDS)]
    """One of `STRUCTURE_WORDS`; written in the file as the key whose value is `name`."""
    name: Annotated[Title, Mark("template")]
    store: StoreName = ""
    """Empty: the model's store. A structure may live in another one (a cache in front, an outbox)."""
    of: Mention = ""
    records: tuple[RecordShape, ...] = ()
    id_: KeyListOrText | None = Key(None, alias="_id")
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
    foreign_keys: Mentions = Key((), alias="foreign keys")
    purpose: str = ""
    truth: StructureName = ""
    fields: Annotated[Strings | None, Mark("mention")] = None
    """Limits what a record holds; None: the entity's own fields; `("none",)`: none of them."""
    embed: tuple[Embed, ...] = ()
    reference: tuple[Reference, ...] = ()
    copied: tuple[Copy, ...] = Key((), alias="copy")
    computed: tuple[Computed, ...] = ()
    bucket: Bucket | None = None
    for_each: Mention = Key("", alias="for each")
    where: Where | None = None
    refresh: Refresh = ""
    writes: str = ""
    indexes: tuple[Index, ...] = ()
    gsi: tuple[Index, ...] = ()
    lsi: tuple[Index, ...] = ()
    static: Mentions = ()
    counters: Annotated[tuple[Free, ...], Mark("mention")] = ()
    families: Annotated[tuple[FreeMapping, ...], Mark("dotted")] = ()
    constraints: Annotated[tuple[FreeMapping, ...], Mark("dotted")] = ()
    from_: Mention = Key("", alias="from")
    to: Mention = ""
    properties: Mentions = ()
    type: str = ""
    """Redis value type: string, hash, list, set, sorted set, stream, bitmap, hyperloglog, geo."""
    format: str = ""
    member: KeyText | None = None
    score: Dotted = ""
    value: Dotted = ""
    counts: Mention = ""
    max: Count | None = None
    on_change: str = Key("", alias="on change")
    owner: str = ""
    ttl: Dotted = ""
    schema_version: str = Key("", alias="schema version")
    capacity: Free = None
    attributes: Texts = Key(default_factory=Frozen)
    options: DottedValues = Key(default_factory=Frozen)

    @model_validator(mode="before")
    @classmethod
    def _from_kind(cls, raw: Any, info: ValidationInfo) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        data = one_key(raw, STRUCTURE_WORDS, "kind", "name", info)
        if not data.get("kind"):
            shown = ", ".join(STRUCTURE_WORDS)
            raise Unreadable("a structure does not say what it is", f"Begin with one of {shown}")
        return data

    def shorten(self, plain: dict[str, Any]) -> Any:
        """What the store calls it is the key and the name its value; a key of one part stands alone."""
        if isinstance(plain.get("_id"), list) and len(plain["_id"]) == 1:
            plain["_id"] = plain["_id"][0]
        name, kind = plain.pop("name"), plain.pop("kind")
        return {kind: name, **plain}


class Serves(Part):
    """How the application really runs a pattern, where that is not the cheapest plan."""

    path: StructureName = ""
    else_: StructureName = Key("", alias="else")
    join: Mention = ""
    commands: str = ""
    read_preference: str = Key("", alias="read preference")
    note: str = ""


class Candidate(Named):
    """One candidate model: one store (with others beside it if a structure says so) and its structures."""

    name: Title
    store: StoreName
    version: str = ""
    nodes: Count | None = None
    options: DottedValues = Key(default_factory=Frozen)
    structures: tuple[Structure, ...] = ()
    serves: Annotated[Mapping[str, Serves], AfterValidator(fixed), Mark("pattern")] = Key(default_factory=Frozen)
    chosen: Flag = False

    def store_of(self, structure: Structure) -> str:
        return structure.store or self.store

    def structure(self, name: str) -> Structure | None:
        return next((s for s in self.structures if s.name == name), None)


__all__ = [
    "STRUCTURE_WORDS",
    "Bucket",
    "Candidate",
    "Computed",
    "Copy",
    "Embed",
    "Index",
    "RecordShape",
    "Reference",
    "Serves",
    "Structure",
]
