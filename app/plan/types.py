"""The vocabulary between stores and planner.

A pattern is lowered to a `Query` (a tree of needs) or to `Change`s; a candidate model to `Record`s (trees of
what each kind of record holds, with the access paths that lead to it). A store describes itself with a
`Dialect`, `Joins` and `Writing`. The planner answers with a `Plan`.

Attributes are strings `entity.field`, always the record's own columns after `World.own`; a computed figure is
`=entity.field`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from math import inf
from typing import Any

from app.model.conditions import Comparison
from app.model.keys import Kept
from app.model.spread import ONE, ZERO, Spread


class Level(IntEnum):
    """Service level, best first; the first four are served."""

    KEY_LOOKUP = 0
    PARTITION_RANGE = 1
    INDEX_LOOKUP = 2
    INDEX_RANGE = 3
    FAN_OUT = 4
    SCATTER = 5
    JOIN = 6
    TRAVERSAL = 7
    SCAN = 8
    IMPOSSIBLE = 9

    @property
    def served(self) -> bool:
        return self <= Level.INDEX_RANGE

    @property
    def words(self) -> str:
        return LEVEL_WORDS[self]


LEVEL_WORDS = {
    Level.KEY_LOOKUP: "key lookup",
    Level.PARTITION_RANGE: "single-partition range",
    Level.INDEX_LOOKUP: "index lookup",
    Level.INDEX_RANGE: "index range",
    Level.FAN_OUT: "bounded fan-out",
    Level.SCATTER: "scatter",
    Level.JOIN: "join",
    Level.TRAVERSAL: "traversal",
    Level.SCAN: "scan",
    Level.IMPOSSIBLE: "impossible",
}


class Kind(IntEnum):
    """How a condition bounds one part of a sorted path."""

    POINT = 0  # one value
    POINTS = 1  # a list of values
    SPAN = 2  # one interval
    SPANS = 3  # several intervals (`!=`)
    ENTRY = 4  # bounds nothing, but the index entry is enough to judge it
    RECORD = 5  # only the record can judge it


@dataclass(frozen=True, slots=True)
class Op:
    """What one operator does on a sorted part; inexact means the record must be judged again."""

    kind: Kind
    exact: bool = True


class Use(Enum):
    """Who does work that a path leaves over."""

    SERVER = "server"  # the engine, in the same request
    BILLED = "billed"  # the engine, after reading (and charging) everything
    CLIENT = "client"  # the application
    EACH = "each"  # the application, one request per value
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Part:
    """One component of a key or index, in stored order. Without attribute: a literal (always bound) or a shard.

    Parts packed into one stored value share a `column`. `many`: one entry per array element. `literal` is the text of
    a literal; `name` the stored column name where it is derived.
    """

    attr: str = ""
    dir: int = 1
    kept: Kept = Kept()
    column: int = 0
    many: bool = False
    literal: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Cond:
    """One condition on an own column. `n`: values in a list. `share`: share of records it keeps, None: from the
    field's distinct values. `seconds`: width of a time range. `source`: the comparison it came from (None: a link)."""

    attr: str
    op: str = "="
    n: float = 1
    share: float | None = None
    seconds: float = 0
    source: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Single:
    """One read of one record kind, as the single-path planner sees it. `needs` None: the whole record."""

    name: str
    of: str
    where: tuple[Cond, ...] = ()
    any_of: tuple[tuple[Cond, ...], ...] = ()
    order: tuple[tuple[str, int], ...] = ()
    limit: float = 0
    offset: float = 0
    needs: frozenset[str] | None = None
    strong: bool = False
    age: float = 0
    """Greatest lag of a path in seconds; 0: any."""
    peak_offset: float = 0
    """Records passed over before the last page."""
    buckets: bool = False
    """Stored records are buckets: they follow each other in the order of what they are cut by."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What is known of an attribute. `elements`: array elements per record; `shares`: of literal values; `top`: share
    of the most frequent value (None: unknown); `assumed`: distinct is a default, not given."""

    distinct: float
    elements: float = 1
    unique: bool = False
    present: float = 1
    shares: Mapping[str, float] = field(default_factory=dict)
    top: float | None = None
    type: str = "string"
    bytes: Spread = Spread(8)
    assumed: bool = False
    items: Spread = ONE
    """Elements of an array as a spread; `elements` is its average."""


@dataclass(frozen=True, slots=True)
class AccessPath:
    """One way into a structure: its primary key or an index.

    `partition`: every part must be bound to points. `order`: equality, sort, one range. `holds`: attributes without a
    further step (None: the whole record). `hashed`: order parts answer equality only and give no order. `only`: partial
    or sparse, holds only records meeting these. `placed_by`: decides the node; unbound means asking all of them.
    `kind`: `primary`, `index`, `gsi`, `lsi`, `text`, `view` … as the store calls it.
    """

    name: str
    of: str
    partition: tuple[Part, ...] = ()
    order: tuple[Part, ...] = ()
    holds: frozenset[str] | None = None
    unique: bool = False
    primary: bool = False
    hashed: bool = False
    scan: bool = False
    only: tuple[Cond, ...] = ()
    placed_by: tuple[Part, ...] = ()
    strong: bool = True
    kind: str = "primary"
    lag: float = 0
    """Seconds by which this path may lag behind the record (a GSI, a replica)."""
    fetches: bool = False
    """The engine reads what the path lacks from the record, in the same request (an LSI)."""


@dataclass(frozen=True, slots=True)
class Walked:
    """One part of a path with what the conditions say about it. `tight`: it narrows what is read."""

    part: Part
    kind: Kind | None = None
    count: float = 1
    share: float = 1
    conds: tuple[Cond, ...] = ()
    exact: bool = True
    tight: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """A conjunction laid over a path, before costs: what a store's `veto` is shown. Holds no numbers of the workload."""

    single: Single
    path: AccessPath
    partition: tuple[Walked, ...]
    order: tuple[Walked, ...]
    checks: tuple[Cond, ...]
    residual: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """One reason why a path does not serve a pattern.

    `code`: partition, scan, points, or, gap, filter, order, partial, stale, fields, structure, age, join, slot, type, limit
    (or the store's own). `what` is a sentence with the store's rule; `path` the access path; `fix` the smallest change
    that would serve it, in words (empty: none known).
    """

    code: str
    what: str
    path: str = ""
    attr: str = ""
    fix: str = ""


def accept(match: Match) -> Iterable[Miss]:
    return ()


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a store encodes a record. All figures in bytes.

    `field(name, type, size)`: one field, its name included, whose value has `size` bytes as text or number. `record`:
    overhead of one record. `element(i, size)`: one array element at position i with `size` bytes inside. `nested(name,
    size)`: an embedded document or map called `name` with `size` bytes inside. `array(name, size)`: an array likewise.
    `entry(size)`: one index entry whose attributes have `size` bytes.
    """

    field: Callable[[str, str, float], float]
    record: float
    element: Callable[[float, float], float]
    nested: Callable[[str, float], float]
    array: Callable[[str, float], float]
    entry: Callable[[float], float]
    limit: float = inf
    """Hard limit of one record."""
    pair: float = 0
    """What a field costs inside an embedded record, beyond `field`."""
    inner: float = 0
    """What an embedded record costs inside an array, beyond `element`."""
    key: Callable[[str, float], float] | None = None
    """`key(type, size)`: a sort value in each record, where the partition key is stored once for all records of its
    partition and keys cost less than other fields (a wide column store). None: keys are fields like others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joins:
    """How a store goes from records to others: in the server, by a list in one request, or one request each."""

    server: bool = False  # $lookup, JOIN: same store only
    list_max: int = 1  # values in one request: $in, = ANY, BatchGetItem 100, MGET
    by_key_only: bool = False  # the list works on primary keys only (BatchGetItem, MGET)
    whole_partition: bool = False  # several record kinds in one request (item collection, wide partition)
    one_place: bool = False  # a list must lie in one place (a Redis slot): `placed_by` bound to one value


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What a store does about writing. `across`: the widest all-or-nothing: none, batch, slot, transaction."""

    across: str = "none"
    items: int = 0  # records in it; 0: no limit
    twice: bool = True  # the same record may appear twice
    factor: float = 1  # units in a transaction
    token: bool = False  # the transaction itself can be repeated safely
    condition: str = "record"  # `only if` reaches: record, partition, transaction
    by_condition: bool = False  # update and delete by condition in one request
    by_prefix: bool = False  # delete whole partitions and ranges of them in one request, without reading
    all_indexes: bool = False  # an indexed attribute changed: every index gets a new entry
    unit: int = 0  # bytes in a write unit (0: not billed by units)
    read_unit: int = 0  # bytes in a read unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand:
    """How a store follows edges from record to record."""

    native: bool = False  # adjacency without an index
    server: bool = False  # the whole walk in one request ($graphLookup, recursive CTE), inside one structure
    visited: str = "none"  # what is not met twice: none (walk), edge (trail), node, row (UNION), global
    shortest: bool = False  # searches from both ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What an engine accepts and who does the rest. The planner knows an engine in no other way."""

    store: str
    title: str
    ops: Mapping[str, Op]
    encoding: Encoding
    joins: Joins
    writing: Writing
    partition_points: Use = Use.EACH  # a list of values for the partition
    order_points: Use = Use.SERVER  # a list of values inside it
    later: Use = Use.REFUSED  # a condition on a part beyond a gap or a span
    lead: Use = Use.REFUSED  # an index whose first part no condition names: REFUSED, EACH (for its order), SERVER
    skips: bool = False  # the engine jumps inside the index from one value to the next
    residual: Use = Use.REFUSED
    sort: Use = Use.REFUSED
    fetch: Use = Use.REFUSED  # fields the path does not hold
    union: Use = Use.EACH
    offset: Use = Use.SERVER  # paging by offset
    reverse: bool = True
    merge: int = 0  # most streams the engine merges while keeping order
    late_fetch: bool = False  # sorts and skips entries before it fetches records
    partial_sort: bool = False  # finishes an order the path began, group by group
    prefers_index: bool = False  # an index with any condition beats a scan, whatever the cost
    race: int = 0  # results after which an engine that tries plans out picks one; 0: by cost
    page_bytes: float = 0  # largest page of one request (0: no limit)
    expand: Expand = Expand()
    placed_by_prefix: bool = False  # the first part of `placed_by` picks the nodes, also by a range unless hashed
    veto: Callable[[Match], Iterable[Miss]] = accept  # refusals no flag above can say
    wording: Mapping[str, str] = field(default_factory=dict)
    """The store's rule behind a refusal, by miss code: a sentence with `{attr}`, `{path}`, `{blocker}`, `{op}` placeholders.

    What to do about it, by `fix` and a word (`fix new key`, `fix extend`): `{parts}`, `{partition}`, `{order}` besides.
    """


# ---------------------------------------------------------------- roles and trees


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


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a walk from node to node, by a relationship or through a link entity.

    `edges`: the relationships walked, in order (`follow from follower to followee`: follower down, followee up).
    `leaves`, `enters`: roles of the two ends. `out`: edges at the end it leaves by; `back`: at the end it arrives by;
    `population`: nodes at the far side; `parents`: nodes with any edge at the leaving end (0: all). `together`: 0 the two
    degrees are independent, 1 they grow together. `both`: followed in any direction (`out` counts both).
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
    """A read pattern, lowered. A traversal starts at the root's records and follows `course`. `needs[0]` is the root; `matched`: records its conditions find."""

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
    size: Spread = Spread(500)
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


# ---------------------------------------------------------------- plans


@dataclass(frozen=True, slots=True)
class Step:
    """One read of a plan. `how`: first, list, each, server, collection. `by`: where, key, or the link it follows.

    `bounds`, `checks`, `residual` are attribute + kind in words; `order`: none, stored, reversed, merged, partial,
    sorted, client. `ask`: the order to write in the query. `conds`: conditions answered here. `record`: records read.
    """

    records_of: tuple[str, ...]
    structure: str
    store: str
    path: str
    how: str
    by: str
    level: Level
    bounds: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    residual: tuple[str, ...] = ()
    order: str = "none"
    ask: tuple[tuple[str, int], ...] = ()
    covered: bool = False
    keys: float = 0
    requests: Spread = ONE
    records: Spread = ONE
    bytes: Spread = ZERO
    partitions: float = 1
    units: float = 0
    conds: tuple[Cond, ...] = ()
    limit: float = 0
    entity: str = ""
    match: Match | None = None
    branches: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Touch:
    """One place a write changes.

    `op`: put, set, push, pull, add, remove, move, delete key. `why`: truth, second copy, embed, copy, computed, unique,
    cache … `place`: which instance; equal places are one record. `find`: `key`, the access path that finds it, or ""
    when none can. `reads`: requests before it. `added/removed/rewritten`: index entries of one record. `units`: write
    units of one record with its entries. `when`: same, async, never. `unsafe`: why repeating it is wrong.
    """

    record: str
    store: str
    structure: str
    op: str
    why: str
    place: str
    count: Spread
    find: str = "key"
    level: Level = Level.KEY_LOOKUP
    reads: float = 0
    added: float = 0
    removed: float = 0
    rewritten: float = 0
    units: float = 0
    bytes: Spread = ZERO
    when: str = "same"
    unsafe: str = ""
    only_if: bool = False
    attrs: frozenset[str] = frozenset()
    entries: Mapping[str, float] = field(default_factory=dict)
    """Access path → entries written (added + removed + rewritten) for one record."""
    within: float = 0
    """Seconds allowed for an asynchronous refresh."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one model serves one pattern. For a write, `touches`; for a read, `steps`.

    `requests`, `records`, `bytes`: of one operation at average, p99, maximum. `rounds`: dependent round trips. `units`:
    billed units of one operation (0: store has none). `missing`: needed attributes no structure gives. `misses`: why
    the nearest path does not serve it. `likely`: what the engine will probably run instead, None where it is the same.
    `notes`: sentences worth showing. `questions`: numbers or words missing. `scope`: record, partition, batch, slot,
    transaction, none. `retry`: `safe`, or what a repeat does.
    """

    pattern: str
    level: Level
    steps: tuple[Step, ...] = ()
    touches: tuple[Touch, ...] = ()
    requests: Spread = ZERO
    records: Spread = ZERO
    bytes: Spread = ZERO
    rounds: int = 0
    partitions: float = 1
    units: float = 0
    missing: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()
    likely: Step | None = None
    scope: str = ""
    retry: str = ""
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()

    @property
    def served(self) -> bool:
        return self.level.served

    @property
    def every_step(self) -> tuple[Step, ...]:
        """Steps and the branches inside them."""
        found, left = [], list(self.steps)
        while left:
            step = left.pop(0)
            found.append(step)
            left = [*step.branches, *left]
        return tuple(found)

    @property
    def where(self) -> str:
        """The structure and key or index, short: `orders._id`, `desk.GSI1`, `orders + users`."""
        if self.steps:
            return " + ".join(dict.fromkeys(s.path for s in self.steps))
        return " + ".join(dict.fromkeys(t.structure for t in self.touches if t.when == "same"))
