"""What the application does: entities, relationships and access patterns. Knows no store.

Every part is a frozen value; `note` and `inferred` may stand on any named part. `inferred` maps a place
inside the part (`count`, `fields.name`, `needs`) to the reason the studio read it out of words; correcting
the place removes the mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field as Key

from app.model.conditions import OrderBy, Where
from app.model.part import Flag, Named, Part, Strings, Words
from app.model.quantity import Count, Duration, Growth, Rate, Share, Size
from app.model.shares import Shares
from app.model.spreads import ChildSpread, CountSpread, SizeSpread

FieldType = str
"""`string text int32 int64 float double decimal bool date datetime uuid objectid timeuuid binary json object enum
point vector(N)`, each also with `[]`."""

READS = ("get", "list", "count", "aggregate", "search", "traverse")
WRITES = ("insert", "upsert", "update", "delete")
ACTIONS = READS + WRITES


class Field(Part):
    """One field of an entity. Short form: `name type [flags] [avg N] [max N] [distinct N] [present N%] [items …]`."""

    name: str
    type: FieldType = "string"
    key: Flag = False
    unique: Flag = False
    immutable: Flag = False
    monotonic: Flag = False
    bytes: SizeSpread | None = None
    distinct: Count | None = None
    present: Share | None = None
    items: CountSpread | None = None
    values: Shares | None = None
    computed: str = ""
    """Formula of a maintained figure, e.g. `count(comment)`; empty for a stored field."""
    note: str = ""

    @property
    def is_array(self) -> bool:
        return self.type.endswith("[]")


class Entity(Named):
    """A thing with an identity (or, without a key field, a value inside its parent)."""

    name: str
    count: Count | None = None
    growth: Growth | None = None
    keep: Duration | None = None
    size: SizeSpread | None = None
    fields: tuple[Field, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    is_a: str = Key("", alias="is a")
    soft_delete: str = Key("", alias="soft delete")

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)

    @property
    def key_fields(self) -> tuple[Field, ...]:
        return tuple(f for f in self.fields if f.key)


class Relationship(Named):
    """Parent and child; or, with `from` and `to`, many-to-many without attributes.

    `name` is the parent's role (default: its entity); `children_as` the children's role.
    """

    name: str = ""
    parent: str = ""
    child: str = ""
    via: Strings = ()
    children: ChildSpread | None = None
    children_as: str = Key("", alias="children as")
    on_delete: Literal["keep", "cascade", "refuse"] = Key("keep", alias="on delete")
    from_: str = Key("", alias="from")
    to: str = ""
    out: ChildSpread | None = None
    in_: ChildSpread | None = Key(None, alias="in")
    together: Flag = Key(False, alias="degrees together")

    @property
    def role(self) -> str:
        """Name of the parent's end; of the relationship itself when it is many-to-many."""
        return self.name or self.parent

    @property
    def many_to_many(self) -> bool:
        return bool(self.from_)


class Need(Part):
    """One thing a read returns: an entity (`order`), a field (`buyer.name`), or children with conditions."""

    what: str
    where: Where | None = None
    order_by: OrderBy | None = Key(None, alias="order by")
    limit: Count | None = None
    note: str = ""


class PatternRate(Part):
    """Operations per second: average and peak; `text` forms: `500/s`, `{avg: 500/s, peak: 1500/s}`, `90% of reads`."""

    avg: Rate | None = None
    peak: Rate | None = None


class AlsoWrite(Part):
    """A further change made by the same operation."""

    insert: str = ""
    upsert: str = ""
    update: str = ""
    delete: str = ""
    where: Where | None = None
    set: Mapping[str, Any] = Key(default_factory=dict)
    for_each: str = Key("", alias="for each")
    only_if: Where | None = Key(None, alias="only if")
    inserts: Share | None = None


class Paging(Part):
    """How a list is paged: `cursor` or `offset`."""

    how: Literal["cursor", "offset"]


class Pattern(Named):
    """One operation of the application: one row of the access-pattern table."""

    operation: str
    text: str = ""
    """The pasted row, kept beside its reading."""
    action: Words = ""
    """`get`, `list` … `delete`; written in the file as the key whose value is `entity`. Empty: not understood yet."""
    entity: str = ""
    where: Where | None = None
    any_kind: str = Key("", alias="any kind")
    order_by: OrderBy | None = Key(None, alias="order by")
    limit: Count | None = None
    paging: Literal["", "cursor", "offset"] = ""
    pages: CountSpread | None = None
    needs: tuple[Need, ...] = ()
    through: Strings = ()
    span: Mapping[str, Duration] = Key(default_factory=dict)
    matches: CountSpread | None = None
    group_by: str = Key("", alias="group by")
    compute: str = ""
    along: Strings = ()
    repeat: str = ""
    end: str = ""
    shortest: Flag = False
    with_: Strings = Key((), alias="with")
    set: Mapping[str, Any] = Key(default_factory=dict)
    also: tuple[AlsoWrite, ...] = ()
    only_if: Where | None = Key(None, alias="only if")
    atomic: Flag = False
    given: Strings = ()
    inserts: Share | None = None
    retry: str = ""
    rate: PatternRate | None = None
    batch: Count | None = None
    within: Duration | None = None
    for_each: str = Key("", alias="for each")
    skew: Mapping[str, Shares] = Key(default_factory=dict)
    consistency: Mapping[str, str] = Key(default_factory=dict)
    """Level by entity or attribute; key `*` for all. Levels: strong, read your writes, causal, eventual [age], historical."""
    consistency_note: str = Key("", alias="consistency note")
    latency: Duration | None = None

    @property
    def is_write(self) -> bool:
        return self.action in WRITES

    @property
    def is_read(self) -> bool:
        return self.action in READS


class Traffic(Part):
    """Totals for rates typed as a share (`90% of reads`), and the growth of all rates."""

    reads: Rate | None = None
    writes: Rate | None = None
    growth: Growth | None = None


__all__ = [
    "ACTIONS", "READS", "WRITES", "AlsoWrite", "Entity", "Field", "Need", "Pattern", "PatternRate",
    "Relationship", "Traffic", "Share", "Size",
]
