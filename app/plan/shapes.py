"""Trees of roles: what a read needs, what a record holds, what a write changes, and the workload they walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.model.spread import ONE, Spread
from app.plan.dialect import AccessPath, Cond, Dialect, Stat

UNKNOWN_SIZE = Spread(500)
"""Bytes of a record before it is sized."""


@dataclass(frozen=True, slots=True)
class Rel:
    """One relationship as the planner walks it. `key` and `via` are tuples: composite keys match pairwise."""

    role: str
    parent: str
    key: tuple[str, ...]
    child: str
    via: tuple[str, ...]
    children: Spread = ONE
    up: Spread = ONE
    """Parents per child: at most 1 (the share of children that have one); of a figure computed along a detour, more."""
    assumed: bool = False
    children_as: str = ""
    """Role of the child's end, where the workload names it."""
    on_delete: str = "keep"
    together: bool = False
    """Both degrees of the link this belongs to grow together."""
    link: str = ""
    """Name of the many-to-many relationship this is one half of."""
    invented: bool = False
    """The average rests on a number of records that nobody gave: no figure may be judged by it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship walked down (parent to child) or up."""

    rel: Rel
    down: bool

    @property
    def to(self) -> str:
        return self.rel.child if self.down else self.rel.parent

    @property
    def near(self) -> tuple[str, ...]:
        """The attributes on this side that equal `far` on the other."""
        return self.rel.key if self.down else self.rel.via

    @property
    def far(self) -> tuple[str, ...]:
        return self.rel.via if self.down else self.rel.key

    @property
    def count(self) -> Spread:
        return self.rel.children if self.down else ONE

    def back(self) -> Edge:
        return Edge(self.rel, not self.down)


@dataclass(frozen=True, slots=True)
class NeedNode:
    """One entity of a read, reached from its parent node by an edge. `up`: index of that node, -1 for the root."""

    entity: str
    attrs: frozenset[str]
    edge: Edge | None = None
    up: int = -1
    where: tuple[Cond, ...] = ()
    any_of: tuple[tuple[Cond, ...], ...] = ()
    order: tuple[tuple[str, int], ...] = ()
    first: float = 0
    age: float = 0
    """Greatest age in seconds this need tolerates; 0: current."""
    historical: bool = False
    strong: bool = False
    matched: Spread | None = None
    """Records of this entity that its own conditions find; None without conditions."""
    required: bool = False
    """A record above without one of these is no answer: the pattern's own conditions name them."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a walk from node to node, by a relationship or through a link entity.

    `edges`: the relationships walked, in order (`follow from follower to followee`: follower down, followee up).
    `leaves`, `enters`: roles of the two ends. `out`: edges at the end it leaves by; `back`: at the end it arrives by;
    `population`: nodes at the far side; `parents`: nodes with any edge at the leaving end (0: all). `together`: 0 the
    two degrees are independent, 1 they grow together. `both`: followed in any direction (`out` counts both).
    """

    name: str
    edges: tuple[Edge, ...]
    leaves: str
    out: Spread
    enters: str
    back: Spread
    population: float
    together: float = 0
    parents: float = 0
    both: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """Where a traversal goes: `hops` in turn, from `least` to `most` hops in all (cycled)."""

    hops: tuple[Hop, ...]
    least: int = 1
    most: int = 1
    shortest: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A read pattern, lowered. `needs[0]` is the root; `matched`: records its conditions find.

    A traversal starts at the root's records and follows `course`.
    """

    name: str
    action: str
    needs: tuple[NeedNode, ...]
    matched: Spread = ONE
    limit: float = 0
    offset: float = 0
    peak_offset: float = 0
    questions: tuple[str, ...] = ()
    """What could not be understood or judged, as sentences."""
    course: Course | None = None

    @property
    def root(self) -> NeedNode:
        return self.needs[0]


@dataclass(frozen=True, slots=True)
class Held:
    """A node of a record's shape. `attrs` None: all of the entity's own stored fields.

    `how`: own, embed, reference, copy. `first` > 0: only so many, in `order`. `age`: seconds a copy may lag, inf: never
    refreshed. `computed`: figures kept here. `limit`: `max` of an embed (0: none said), `beyond` what happens at it.
    """

    entity: str
    attrs: frozenset[str] | None = None
    edge: Edge | None = None
    up: int = -1
    first: float = 0
    order: tuple[tuple[str, int], ...] = ()
    age: float = 0
    computed: frozenset[str] = frozenset()
    limit: float = 0
    beyond: str = ""
    how: str = "own"
    name: str = ""
    """The stored name (`as`)."""
    names: tuple[tuple[str, str], ...] = ()
    """(attribute, stored name) where a copied or computed attribute is stored under a name of its own."""


@dataclass(frozen=True, slots=True)
class Record:
    """One kind of record in a structure.

    `name` is unique in the model; `structure` the structure's name. `purpose`: "", cache, unique, second copy, counter,
    queue, … `group`: entity records per stored record (a bucket). `static`: comes with any row of its partition. `per`:
    records of this kind per partition value. `entries`: records per entity instance (`for each`). `ttl`: seconds (0:
    none). `size`: bytes of one stored record. `count`: stored records now.
    """

    name: str
    structure: str
    of: str
    shape: tuple[Held, ...]
    paths: tuple[AccessPath, ...]
    dialect: Dialect
    size: Spread = UNKNOWN_SIZE
    truth: bool = True
    purpose: str = ""
    group: float = 1
    static: bool = False
    per: Spread = ONE
    entries: Spread = ONE
    on_change: str = ""
    refresh: str = "same transaction"
    ttl: float = 0
    ttl_text: str = ""
    count: float = 0
    value_type: str = ""
    """Redis value type."""
    nodes: float = 1
    computed_age: Mapping[str, float] = field(default_factory=dict)
    """Age of each maintained figure held (0: same write)."""

    @property
    def primary(self) -> AccessPath:
        return next(p for p in self.paths if p.primary)

    @property
    def key_attrs(self) -> frozenset[str]:
        parts = (*self.primary.partition, *self.primary.order)
        return frozenset(p.attr for p in parts if p.attr and p.kept.exact)


@dataclass(frozen=True, slots=True)
class Figure:
    """A maintained figure: `=order.total_cents` of `order`, from the children by `rel`; `reads` empty: a count."""

    name: str
    of: str
    rel: Rel
    reads: frozenset[str] = frozenset()
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One entity changed by an operation. `with`, `also`, `for each` and cascades become further changes.

    `kind`: insert, update, upsert, delete. `known`: attributes bound by `where`, by parameters or by the record in
    hand. `sets`: attribute → value, param, add, now, push. `count`: instances changed. `leaves`/`enters`: attributes of
    partial index predicates met before and not after, or the reverse. `same_as`: the root instance it belongs to.
    `given`: values of other entities the writer already has.
    """

    kind: str
    entity: str
    known: frozenset[str] = frozenset()
    sets: Mapping[str, str] = field(default_factory=dict)
    literals: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    """Old values that `where` states."""
    count: Spread = ONE
    only_if: bool = False
    leaves: frozenset[str] = frozenset()
    enters: frozenset[str] = frozenset()
    same_as: str = ""
    given: frozenset[str] = frozenset()
    inserts: float = 1
    """Share of an upsert that inserts."""
    named: frozenset[str] | None = None
    """What an upsert finds the record by, where it names one; `known` has the key of a new one as well."""
    key_by: str = "client"
    cascade: bool = False
    apart: bool = False
    """Several instances of which each has values of its own (`for each`, a batch of new records)."""


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """A write pattern, lowered."""

    name: str
    changes: tuple[Change, ...]
    atomic: bool = False
    retry: str = ""
    strong: bool = False
    questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What else the operation has to do, as sentences."""


@dataclass(frozen=True)
class World:
    """The workload as the planner sees it, without patterns. Built once per set of entities and relationships."""

    counts: Mapping[str, float]
    stats: Mapping[str, Stat]
    rels: tuple[Rel, ...]
    figures: tuple[Figure, ...]
    fields: Mapping[str, tuple[str, ...]]
    """Own stored attributes of each entity, in order."""
    keys: Mapping[str, tuple[str, ...]]
    """Key attributes of each entity (empty: a value inside its parent)."""
    aliases: Mapping[tuple[str, str], str]
    """(entity, attribute path) → its own column: `user.id` seen from an order is `order.user_id`."""
    sizes: Mapping[str, Spread]
    """Entities whose bytes are given as a whole."""
    counts_assumed: frozenset[str] = frozenset()
    unknown_counts: frozenset[str] = frozenset()
    keeps: Mapping[str, float] = field(default_factory=dict)
    inflow: Mapping[str, float] = field(default_factory=dict)
    """New records per second of each entity, where known."""
    immutable: frozenset[str] = frozenset()
    """Own attributes that never change: a copy of them never ages. Keys are among them."""
    soft_delete: Mapping[str, str] = field(default_factory=dict)
    """Entity → the attribute that marks a record as deleted."""
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Entity → the entities that are one (`is a`)."""
    made_by: Mapping[str, str] = field(default_factory=dict)
    """Entity → who makes its key: client, server, derived."""
    tenant: str = ""
    monotonic: frozenset[str] = frozenset()
    """Own attributes whose new values are never smaller."""
    unique_together: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    """Entity → sets of own attributes that no two records share: its key, and what `unique` lists."""
    together: Mapping[str, tuple[tuple[frozenset[str], float], ...]] = field(default_factory=dict)
    """Entity → own attributes whose values go with each other and how many combinations of them there are."""
    child_growth: Mapping[tuple[str, str], Spread] = field(default_factory=dict)
    """(role, child) → children added to each parent per second, where the workload says so."""
    compounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Entity → (share, seconds) of a growth that compounds: `3%/month`."""
    base: object = field(default=None, compare=False, repr=False)
    """The same object in worlds that differ in nothing but `inflow`."""
    uncounted: tuple[tuple[str, float | None], ...] = field(default=(), compare=False, repr=False)
    """Inflow of entities whose count follows from it."""
    memo: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)
    """What has been worked out on this world, by question. It holds nothing that cannot be worked out again."""

    def own(self, of: str, attr: str) -> str:
        return self.aliases.get((of, attr), attr)
