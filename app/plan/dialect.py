"""What a store says of itself: the ways into a structure, what its engine accepts, how it encodes and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from math import inf

from app.model.conditions import Comparison
from app.model.keys import Kept
from app.model.spread import ONE, Spread

PLAIN = Kept()
"""A key part that keeps all of its attribute."""
EIGHT = Spread(8)
"""Bytes of a value of which nothing is known."""


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
    """What one operator does on a sorted part; inexact means the record must be judged again. `fixes`: the engine knows
    that the part has one value, so that an order needs not name it."""

    kind: Kind
    exact: bool = True
    fixes: bool = True


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
    kept: Kept = PLAIN
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
    fill: float = 1
    """Share of what is found that conditions on other entities keep: so many more are read to fill the limit."""

    @property
    def filled(self) -> float:
        """Records found before so many are kept as the limit asks for."""
        return self.limit / self.fill


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
    bytes: Spread = EIGHT
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
    packed: frozenset[str] = frozenset()
    """Attributes that an entry has inside a key value only: they can be read out of it, but no filter names them."""
    entry: float = 0
    """Bytes of one entry (0: those of its parts and of what it holds)."""
    beside: tuple[tuple[str, float, float], ...] = ()
    """Fields that a record has for the sake of this path: name, bytes of the value, share of the records with it."""
    sparse: bool = False
    """Records without any of the attributes have no entry, so that no bounds find what is absent."""


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
    """A conjunction laid over a path, before costs: what a store's `veto` is shown. Holds no numbers."""

    single: Single
    path: AccessPath
    partition: tuple[Walked, ...]
    order: tuple[Walked, ...]
    checks: tuple[Cond, ...]
    residual: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """One reason why a path does not serve a pattern.

    `code`: partition, scan, points, or, gap, filter, order, partial, stale, fields, structure, age, join, slot, type,
    limit (or the store's own). `what` is a sentence with the store's rule; `path` the access path; `fix` the smallest
    change that would serve it, in words (empty: none known).
    """

    code: str
    what: str
    path: str = ""
    attr: str = ""
    fix: str = ""


def accept(_: Match) -> Iterable[Miss]:
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
    hashed: float = inf  # records up to which a server join without a way in reads them once, and not for each input
    list_max: int = 1  # values in one request: $in, = ANY, BatchGetItem 100, MGET
    list_bytes: float = 0  # bytes one such request answers with (0: no limit)
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
class Combine:
    """Whether an engine reads several paths for one conjunction and keeps what all of them give.

    `most`: paths at once (1: it does not). `alike`: only paths that go on alike after what equality binds, walked side
    by side in that order; otherwise sets of places are intersected and every order is lost. `fetch`: entries walked
    for the price of one record fetched, as the engine weighs them.
    """

    most: int = 1
    alike: bool = False
    fetch: float = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What an engine that chooses by cost charges, in reads of one page in sequence.

    `page`: bytes of a page, `fill`: the part of an index page in use. `random`: a page read anywhere. `record`,
    `entry`, `operator`: handling a row, an index entry, judging one condition. `words`: operators that taking a text
    apart costs. `hashed_list`: values from which on a list is looked up rather than gone through.
    """

    page: float
    fill: float
    random: float
    record: float
    entry: float
    operator: float
    words: float = 100
    hashed_list: float = 9


MERGED = "intersection"
"""Kind of a path that stands for several, intersected."""


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
    skip_run: float = 0  # entries of one value below which it walks on instead (a page of them)
    residual: Use = Use.REFUSED
    sort: Use = Use.REFUSED
    fetch: Use = Use.REFUSED  # fields the path does not hold
    union: Use = Use.EACH
    offset: Use = Use.SERVER  # paging by offset
    reverse: bool = True
    merge: int = 0  # most streams the engine merges while keeping order
    late_fetch: bool = False  # sorts and skips entries before it fetches records
    rechecks: bool = False  # what a partial index implies is judged on the record all the same
    partial_sort: bool = False  # finishes an order the path began, group by group
    prefers_index: bool = False  # an index with any condition beats a scan, whatever the cost
    combine: Combine = Combine()
    absent_last: bool = False  # an absent value is the greatest in an order, not the least
    strict: bool = False  # a value that is absent meets no condition but `is null`, and is not unequal to anything
    bitmaps: frozenset[str] = frozenset()  # kinds of path that give all their places before the first record is read
    ranked: frozenset[str] = frozenset()  # kinds of path over which words are answered best first, if in no other order
    heap: bool = False  # records lie apart from every index, the primary key too; a union is one of places, not entries
    entry_filters: bool = False  # an entry that holds all that is needed is judged by any condition on what it holds
    race: int = 0  # results after which an engine that tries plans out picks one; 0: by cost
    costs: Costs | None = None  # what the engine itself chooses by; None: nobody knows
    page_bytes: float = 0  # largest page of one request (0: no limit)
    expand: Expand = Expand()
    placed_by_prefix: bool = False  # the first part of `placed_by` picks the nodes, also by a range unless hashed
    veto: Callable[[Match], Iterable[Miss]] = accept  # refusals no flag above can say
    wording: Mapping[str, str] = field(default_factory=dict)
    """The store's rule behind a refusal, by miss code: a sentence with `{attr}`, `{path}`, `{blocker}`, `{op}`.

    What to do about it, by `fix` and a word (`fix new key`, `fix extend`): `{parts}`, `{partition}`, `{order}` besides.
    """
