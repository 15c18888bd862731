"""What the application does: entities, relationships and access patterns. Knows no store.

Every part is a frozen value; `note` and `inferred` may stand on any named part. `inferred` maps a place
inside the part (`count`, `fields.name`, `needs`) to the reason the studio read it out of words; correcting
the place removes the mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, model_validator
from pydantic import Field as Key

from app.model.conditions import OrderBy, Where
from app.model.part import ONE_OR_MORE, Flag, Frozen, Named, Part, Strings, fixed, one_of
from app.model.problem import Unreadable
from app.model.quantity import Count, Duration, Growth, Rate, Share, Size
from app.model.shares import ShareList
from app.model.short import Brief, one_key, read_field, write_field
from app.model.spreads import ChildSpread, CountSpread, SizeSpread
from app.model.words import (
    DottedValues,
    EntityName,
    FieldName,
    FieldType,
    Level,
    Mark,
    Mention,
    Mentions,
    NameLists,
    PatternName,
    RoleName,
    Title,
)

READS = ("get", "list", "count", "aggregate", "search", "traverse")
WRITES = ("insert", "upsert", "update", "delete")
ACTIONS = READS + WRITES


RETRIES = ("idempotency key", "same key", "same value", "conditional", "unsafe")


class Field(Part):
    """One field of an entity. Short form: `name type [flags] [avg N] [max N] [distinct N] [present N%] [items …]`."""

    name: FieldName
    type: FieldType = "string"
    key: Flag = False
    unique: Flag = False
    immutable: Flag = False
    monotonic: Flag = False
    bytes: SizeSpread | None = None
    distinct: Count | None = None
    present: Share | None = None
    items: CountSpread | None = None
    values: ShareList | None = None
    computed: Mention = ""
    """Formula of a maintained figure, e.g. `count(comment)`; empty for a stored field."""
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return read_field(raw) if isinstance(raw, str) else raw

    def shorten(self, plain: dict[str, Any]) -> Any:
        return write_field(plain)

    @property
    def is_array(self) -> bool:
        return self.type.endswith("[]")


class Together(Part):
    """Fields whose values go with each other: how many combinations of them there are, where that is fewer than their
    distinct values multiplied. A city lies in one country: there are as many pairs as cities."""

    fields: Annotated[tuple[str, ...], Mark("field")]
    distinct: Count | None = None


class Entity(Named):
    """A thing with an identity (or, without a key field, a value inside its parent)."""

    name: EntityName
    count: Count | None = None
    growth: Growth | None = None
    keep: Duration | None = None
    size: SizeSpread | None = None
    fields: tuple[Field, ...] = ()
    unique: NameLists = ()
    together: tuple[Together, ...] = ()
    is_a: Mention = Key("", alias="is a")
    soft_delete: Annotated[str, Mark("field")] = Key("", alias="soft delete")

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)

    @property
    def key_fields(self) -> tuple[Field, ...]:
        return tuple(f for f in self.fields if f.key)


class Relationship(Named):
    """Parent and child; or, with `from` and `to`, many-to-many without attributes.

    `name` is the parent's role (default: its entity); `children_as` the children's role.
    """

    name: RoleName = ""
    parent: Mention = ""
    child: Mention = ""
    via: Annotated[Strings, Mark("child field")] = ()
    children: ChildSpread | None = None
    children_as: RoleName = Key("", alias="children as")
    on_delete: Annotated[str, one_of("keep", "cascade", "refuse")] = Key("keep", alias="on delete")
    from_: Mention = Key("", alias="from")
    to: Mention = ""
    out: ChildSpread | None = None
    in_: ChildSpread | None = Key(None, alias="in")
    together: Flag = Key(False, alias="degrees together")

    @model_validator(mode="after")
    def _has_ends(self) -> Self:
        if bool(self.parent) == bool(self.from_) or bool(self.child) == bool(self.to):
            raise Unreadable("a relationship needs its two ends", "Give parent and child, or from and to")
        if self.from_ and not self.name:
            raise Unreadable("a many-to-many relationship needs a name", "Write name: tagged")
        return self

    @property
    def key(self) -> str:
        """What tells it from others: `ROLE-CHILD`, or the name where it is many-to-many."""
        return self.name if self.many_to_many else f"{self.role}-{self.child}"

    @property
    def role(self) -> str:
        """Name of the parent's end; of the relationship itself when it is many-to-many."""
        return self.name or self.parent

    @property
    def many_to_many(self) -> bool:
        return bool(self.from_)


class Need(Brief):
    """One thing a read returns: an entity (`order`), a field (`buyer.name`), or children with conditions."""

    what: Mention
    where: Where | None = None
    order_by: OrderBy | None = Key(None, alias="order by")
    limit: Count | None = None
    note: str = ""


_RATE_WORD = re.compile(r"\s*,?\s*\b(avg|peak)\b\s*:?\s*")


def read_rates(text: str) -> dict[str, str]:
    """`500/s`, `{avg: 500/s, peak: 1500/s}` and `500/s, peak 1500/s` typed as one text."""
    inner = text.strip().removeprefix("{").removesuffix("}")
    first, *rest = _RATE_WORD.split(inner)
    found = {"avg": first} if first.strip() or not rest else {}
    for word, value in zip(rest[::2], rest[1::2], strict=True):
        if word in found:
            raise Unreadable(f"{word} is given twice", "Write 500/s, peak 1500/s")
        found[word] = value
    return found


class PatternRate(Brief):
    """Operations per second: average and peak; `text` forms: `500/s`, `{avg: 500/s, peak: 1500/s}`, `90% of reads`."""

    brief: ClassVar[str] = "avg"

    avg: Rate | None = None
    peak: Rate | None = None

    @model_validator(mode="before")
    @classmethod
    def _spoken(cls, raw: Any) -> Any:
        return read_rates(raw) if isinstance(raw, str) else raw


class AlsoWrite(Part):
    """A further change made by the same operation."""

    insert: Mention = ""
    upsert: Mention = ""
    update: Mention = ""
    delete: Mention = ""
    where: Where | None = None
    set: DottedValues = Key(default_factory=Frozen)
    for_each: Mention = Key("", alias="for each")
    only_if: Where | None = Key(None, alias="only if")
    inserts: Share | None = None

    @model_validator(mode="after")
    def _one_action(self) -> Self:
        said = [w for w in WRITES if getattr(self, w)]
        if len(said) != 1:
            shown = " and ".join(said) or "nothing"
            raise Unreadable(f"one change is expected, found {shown}", "Write e.g. update: user")
        return self

    @property
    def action(self) -> str:
        return next(w for w in WRITES if getattr(self, w))

    @property
    def entity(self) -> str:
        entity: str = getattr(self, self.action)
        return entity


def _needs(raw: Any) -> Any:
    return [raw] if isinstance(raw, (str, Mapping, Need)) else raw


def _levels(raw: Any) -> Any:
    return {"*": raw} if isinstance(raw, str) else raw


class Pattern(Named):
    """One operation of the application: one row of the access-pattern table."""

    operation: Title
    text: str = ""
    """The pasted row, kept beside its reading."""
    action: Annotated[str, one_of(*ACTIONS)] = ""
    """`get`, `list` … `delete`; written in the file as the key whose value is `entity`. Empty: not understood yet."""
    entity: Mention = ""
    more: Mentions = ()
    """Further entities of the same read: `list: [order_item, shipment]`."""
    where: Where | None = None
    any_kind: Mention = Key("", alias="any kind")
    order_by: OrderBy | None = Key(None, alias="order by")
    limit: Count | None = None
    paging: Annotated[str, one_of("cursor", "offset")] = ""
    pages: CountSpread | None = None
    needs: Annotated[tuple[Need, ...], BeforeValidator(_needs), ONE_OR_MORE] = ()
    through: Mentions = ()
    span: Annotated[Mapping[str, Duration], AfterValidator(fixed), Mark("dotted")] = Key(default_factory=Frozen)
    matches: CountSpread | None = None
    group_by: Mention = Key("", alias="group by")
    compute: Mention = ""
    along: Mentions = ()
    repeat: str = ""
    end: Mention = ""
    shortest: Flag = False
    with_: Mentions = Key((), alias="with")
    set: DottedValues = Key(default_factory=Frozen)
    also: tuple[AlsoWrite, ...] = ()
    only_if: Where | None = Key(None, alias="only if")
    atomic: Flag = False
    given: Mentions = ()
    inserts: Share | None = None
    rate: PatternRate | None = None
    batch: Count | None = None
    within: Duration | None = None
    for_each: PatternName = Key("", alias="for each")
    skew: Annotated[Mapping[str, ShareList], AfterValidator(fixed), Mark("dotted")] = Key(default_factory=Frozen)
    consistency: Annotated[Mapping[str, Level], BeforeValidator(_levels), AfterValidator(fixed), Mark("mention")] = Key(
        default_factory=Frozen
    )
    """Level by entity or attribute; key `*` for all: strong, read your writes, causal, eventual [age], historical."""
    consistency_note: str = Key("", alias="consistency note")
    retry: Annotated[str, one_of(*RETRIES)] = ""
    latency: Duration | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_action(cls, raw: Any, info: ValidationInfo) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        data = one_key(raw, ACTIONS, "action", "entity", info)
        several = data.get("entity")
        if isinstance(several, (list, tuple)) and several:
            data["entity"], data["more"] = several[0], list(several[1:])
        return data

    def shorten(self, plain: dict[str, Any]) -> Any:
        """The action is the key and the entity its value."""
        if set(plain.get("consistency", ())) == {"*"}:
            plain["consistency"] = plain["consistency"]["*"]
        more = plain.pop("more", ())
        said = {"action", "entity"} & set(plain)
        if not said:
            return plain
        entity = plain.get("entity", "")
        value = [entity, *([more] if isinstance(more, str) else more)] if more else entity
        return {
            (plain["action"] if k == "action" else k): (value if k == "action" else v)
            for k, v in plain.items() if k != "entity" or "action" not in plain
        }  # fmt: skip

    @property
    def counts(self) -> bool:
        """Asks for one number of records."""
        return self.action == "count" and not self.group_by

    @property
    def figures(self) -> bool:
        """Asks for figures, of all records or of each group; a count by group is one."""
        return self.action == "aggregate" or (self.action == "count" and bool(self.group_by))

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
    "ACTIONS", "READS", "RETRIES", "WRITES", "AlsoWrite", "Entity", "Field", "Need", "Pattern", "PatternRate",
    "Relationship", "Share", "Size", "Traffic",
]  # fmt: skip
